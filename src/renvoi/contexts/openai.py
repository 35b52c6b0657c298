"""A language model reads the act and the chunk, and says what a reader must know to understand the chunk alone.

The act stands first in each prompt, so that prefix caches pay. An act longer than a window is read in windows that
overlap; what each window gives is appended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from renvoi.contexts import SCHEMA
from renvoi.llm.calls import Call, Failure, Reply
from renvoi.llm.cost import count_tokens
from renvoi.llm.languages import NAMES, is_in
from renvoi.llm.prompts import Prompt, read_prompt
from renvoi.llm.reach import Reach, answer
from renvoi.llm.replies import InvalidReply, read_text
from renvoi.types import Benchmark

WINDOW_TOKENS, OVERLAP_TOKENS = 32_000, 8_000
_NOTHING = "NONE"


def openai(bench: Benchmark, options: Mapping[str, Any]) -> pl.DataFrame:
    """Return what a model says of each chunk.

    Args:
        bench: the benchmark.
        options: "model" (a `Model`), "reach" (a `Reach`), "folder" (for the cache and batch files), "by" ("openai" or
            "batch"), "limit" (chunks, or None), and "window" and "overlap" in tokens.

    Raises:
        Waiting: see `llm.reach.answer`.
    """
    chunks = bench.collections["chunks"].head(options.get("limit") or bench.collections["chunks"].height)
    window, overlap = int(options.get("window", WINDOW_TOKENS)), int(options.get("overlap", OVERLAP_TOKENS))
    calls = make_calls(
        bench.collections["chunks"], chunks["id"].to_list(), bench.language, load_prompt(), window, overlap
    )
    reach: Reach = options.get("reach") or Reach()
    replies = answer(
        [call for some in calls.values() for call in some], "contextualiser", options.get("by", "openai"),
        options["model"], reach, Path(options["folder"]),
    )  # fmt: skip
    rows = [(id, *_context([replies[call.id] for call in some], bench.language)) for id, some in calls.items()]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def load_prompt() -> Prompt:
    """Return the template."""
    return read_prompt(Path(__file__).parent / "prompts" / "contextualiser.md")


def make_calls(
    collection: pl.DataFrame, ids: Sequence[str], language: str, prompt: Prompt, window: int, overlap: int
) -> dict[str, list[Call]]:
    """Return the calls for each chunk, one for each window of its act, in order."""
    acts: dict[str, list[str]] = {}
    place: dict[str, tuple[str, str, str]] = {}
    for id, document_id, labels, text in collection.select("id", "document_id", "labels", "text").iter_rows():
        address = " ".join(labels)
        acts.setdefault(document_id, []).append(f"{address} {text}".strip())
        place[id] = (document_id, address, text)
    filled: dict[str, list[tuple[str, str]]] = {}
    for document_id in dict.fromkeys(place[id][0] for id in ids):
        parts = split_windows(acts[document_id], window, overlap)
        for number, part in enumerate(parts, 1):
            values = {"act": part, "window": number, "n_windows": len(parts), "language": NAMES.get(language, language)}
            system, _ = prompt.fill({**values, "address": "", "provision": ""})
            filled.setdefault(document_id, []).append((system, prompt.fill_shared(values)))
    calls: dict[str, list[Call]] = {}
    for id in ids:
        document_id, address, text = place[id]
        n_windows = len(filled[document_id])
        values = {"address": address, "provision": text, "language": language, "window": 1, "n_windows": n_windows}
        _, user = prompt.fill(values)
        calls[id] = [
            Call(f"{id}#{number}", system, user, shared=f"{shared}\n\n")
            for number, (system, shared) in enumerate(filled[document_id], 1)
        ]
    return calls


def split_windows(lines: Sequence[str], window: int, overlap: int) -> list[str]:
    """Return an act as windows of whole lines.

    Each has at most `window` tokens and shares about `overlap` with the one before.

    A line longer than a window is a window by itself.
    """
    sizes = [count_tokens(line) for line in lines]
    found = []
    start = 0
    while start < len(lines):
        end, size = start, 0
        while end < len(lines) and (end == start or size + sizes[end] <= window):
            size += sizes[end]
            end += 1
        found.append("\n".join(lines[start:end]))
        if end == len(lines):
            break
        back, shared = end, 0
        while back > start + 1 and shared + sizes[back - 1] <= overlap:
            back -= 1
            shared += sizes[back]
        start = back
    return found


def _context(replies: Sequence[Reply | Failure], language: str) -> tuple[str | None, str | None]:
    """Return a context, or None and the reason; one window that failed fails the chunk."""
    parts = []
    for reply in replies:
        if isinstance(reply, Failure):
            return None, reply.reason
        try:
            text = " ".join(read_text(reply).split())
        except InvalidReply as error:
            return None, error.reason
        if text.strip(" .\"'") == _NOTHING:
            continue
        if not is_in(text, language):
            return None, "wrong_language"
        parts.append(text)
    return " ".join(parts), None
