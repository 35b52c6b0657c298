"""OpenAI Batch files: requests out, results in. What comes in goes to the cache, and the job goes on from there."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from renvoi.errors import BadInput
from renvoi.llm.cache import ReplyCache
from renvoi.llm.calls import Call, Model, call_key, reply_from, request_body
from renvoi.store.atomic import write_text


@dataclass(frozen=True, slots=True)
class Imported:
    """What a results file held."""

    new: int
    known: int  # replies that the cache had
    failed: int  # lines with an error or a status other than 200; asked again next time


def write_requests(path: Path, calls: Iterable[Call], model: Model, cache: ReplyCache) -> int:
    """Write the calls that have no reply yet as a batch file, and return how many; equal calls once."""
    lines: dict[str, str] = {}
    for call in calls:
        key = call_key(call, model)
        if key not in lines and cache.get(key) is None:
            row = {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": request_body(call, model)}
            lines[key] = json.dumps(row, ensure_ascii=False)
    if lines:
        write_text(path, "".join(line + "\n" for line in lines.values()))
    return len(lines)


def read_results(path: Path, model: Model, cache: ReplyCache) -> Imported:
    """Put the replies of a results file into the cache.

    Raises:
        BadInput: a line is no result; the message names it. Lines before it are kept.
    """
    new = known = failed = 0
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                key, response = row["custom_id"], row.get("response")
            except (ValueError, KeyError, TypeError):
                raise BadInput(f"{path}:{number}", "is no line of a batch results file") from None
            if row.get("error") or not response or response.get("status_code", 200) != 200:
                failed += 1
                continue
            try:
                reply = reply_from(response["body"])
            except (ValueError, KeyError):
                failed += 1
                continue
            if cache.get(key) is not None:
                known += 1
            else:
                cache.put(key, model.name, reply)
                new += 1
    return Imported(new, known, failed)
