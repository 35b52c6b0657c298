"""The text of what a chunk cites, clipped per reference: contextualisation without a language model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from renvoi import graph
from renvoi.contexts import SCHEMA
from renvoi.types import Benchmark


def inline(bench: Benchmark, options: Mapping[str, Any]) -> pl.DataFrame:
    """Return the words of the chunks that each chunk cites, in the order of the collection.

    Links of the lead-ins above a chunk are its own too. A chunk is cut to `words` words, at the second hop to `words`
    times `decay`.

    Args:
        bench: with its links.
        options: "words" of one cited chunk (100), "hops" (1 or 2), "decay" (0.5), "most" cited chunks (20).
    """
    collection = bench.collections["chunks"]
    words, decay = int(options.get("words", 100)), float(options.get("decay", 0.5))
    most, hops = int(options.get("most", 20)), int(options.get("hops", 1))
    texts = dict(collection.select("id", "text").iter_rows())
    place = {id: n for n, id in enumerate(texts)}
    cited: dict[str, list[str]] = {}
    for source, target, _ in graph.inherit_links(bench.links, texts):
        if target in texts:
            cited.setdefault(source, []).append(target)
    rows = []
    for id in texts:
        parts = []
        for target, hop in _walk(id, cited, hops, place):
            parts.append(_clip(texts[target], round(words * decay**hop)))
            if len(parts) == most:
                break
        rows.append((id, " ".join(parts), None))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _walk(
    id: str, cited: Mapping[str, Sequence[str]], hops: int, place: Mapping[str, int]
) -> Iterator[tuple[str, int]]:
    """Yield what a chunk cites, in document order, then what that cites, each once."""
    seen = {id}
    ring: list[str] = [id]
    for hop in range(hops):
        found = dict.fromkeys(target for source in ring for target in cited.get(source, ()) if target not in seen)
        ring = sorted(found, key=place.__getitem__)
        seen.update(ring)
        for target in ring:
            yield target, hop


def _clip(text: str, words: int) -> str:
    parts = text.split(" ")
    return text if len(parts) <= words else " ".join(parts[:words])
