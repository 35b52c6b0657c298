"""OpenAI Batch files: requests out, results in. What comes in goes to the cache, and the job goes on from there."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from renvoi.errors import BadInput
from renvoi.llm.cache import ReplyCache
from renvoi.llm.calls import Call, Model, call_key, reply_from, request_body

# The limits of OpenAI's Batch API for one file.
_MAX_BYTES, _MAX_ROWS = 190_000_000, 50_000


@dataclass(frozen=True, slots=True)
class Imported:
    """What a results file held."""

    new: int
    known: int  # replies that the cache had
    failed: int  # lines with an error or a status other than 200; asked again next time


def write_requests(path: Path, calls: Iterable[Call], model: Model, cache: ReplyCache) -> tuple[int, tuple[Path, ...]]:
    """Write the calls that have no reply yet as batch files; equal calls once.

    A file takes as much as the Batch API takes; what is more goes to `NAME-2.jsonl`, `NAME-3.jsonl` …

    Returns:
        How many were written, and the files.
    """
    seen: set[str] = set()
    files: list[Path] = []
    out, size, rows = None, 0, 0
    try:
        for call in calls:
            key = call_key(call, model)
            if key in seen or cache.get(key) is not None:
                continue
            seen.add(key)
            row = {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": request_body(call, model)}
            line = (json.dumps(row, ensure_ascii=False) + "\n").encode()
            if out is None or size + len(line) > _MAX_BYTES or rows == _MAX_ROWS:
                if out is not None:
                    _close(out, files[-1])
                files.append(path if not files else path.with_name(f"{path.stem}-{len(files) + 1}{path.suffix}"))
                path.parent.mkdir(parents=True, exist_ok=True)
                out, size, rows = files[-1].with_suffix(".part").open("wb"), 0, 0
            out.write(line)
            size, rows = size + len(line), rows + 1
        if out is not None:
            _close(out, files[-1])
            out = None
    finally:
        if out is not None:
            out.close()
    return len(seen), tuple(files)


def _close(out: BinaryIO, path: Path) -> None:
    out.close()
    path.with_suffix(".part").replace(path)


def read_results(path: Path, model: Model, cache: ReplyCache) -> Imported:
    """Put the replies of a results file into the cache.

    Raises:
        BadInput: a line is no result; the message names it. Lines before it are kept.
    """
    new = known = failed = 0
    if not path.is_file():
        raise BadInput(path, "is no results file", "give the file that came back from the batch with --results")
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
