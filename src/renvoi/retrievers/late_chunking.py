"""Retrieval by vectors of chunks that were read together with other text, of which only the chunk's tokens are pooled.

    late_chunking:NAME                    each act is read in windows that overlap, in its own order
    late_chunking:NAME,window=citations   each chunk is read with the chunks it cites: one window a chunk

The second needs no language model to say what a citation stands for, and reaches what stands far away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from renvoi.embed import Counts, Vectors
from renvoi.embed.cache import embed, fill, holds, say_lost, score_by
from renvoi.embed.late import LateEncoder, gather_around, slide
from renvoi.embed.settings import read_settings
from renvoi.errors import BadInput
from renvoi.types import Benchmark, Query

_WINDOWS = ("act", "citations")


def late_chunking(collection: pl.DataFrame, options: Mapping[str, str], bench: Benchmark) -> _LateScorer:
    """Return a scorer by late chunking.

    Args:
        collection: see `types.Benchmark`; with `document_id`, in document order.
        options: "" the model, "window" act or citations; further ones as in `dense`.
        bench: its links say what a chunk cites.

    Raises:
        MissingModel: the model is not on this machine.
        BadInput: no such option, or a model that late chunking cannot read.
    """
    window = options.get("window", "act")
    if window not in _WINDOWS:
        raise BadInput(f"late_chunking:window={window}", "there is no such value", "it is act or citations")
    settings = read_settings(options, "late_chunking", ("window",))
    encoder = LateEncoder(settings)
    if window == "act":
        return _ActScorer(encoder, settings.cache, collection)
    return _CitationScorer(encoder, settings.cache, collection, bench.links)


class _LateScorer:
    def __init__(self, encoder: LateEncoder, cache: Path | None, collection: pl.DataFrame) -> None:
        self._encoder = encoder
        self._cache = cache
        self._texts: list[str] = collection["text"].to_list()

    @cached_property
    def vectors(self) -> Vectors:
        """The documents' vectors, (n_docs, dimensions)."""
        encoder = self._encoder
        # The chunks of an act are made together, whatever their length.
        vectors, lost = fill(
            self._cache, encoder, self._contents(), self._make, what="embedding in windows", in_order=True
        )  # fmt: skip
        say_lost(encoder.name, lost, "texts")
        return vectors

    def prepare(self, queries: Sequence[Query]) -> None:
        """Make the documents' vectors, and load the weights if a query needs them."""
        if queries and self._texts:
            assert self.vectors is not None
            if not holds(self._encoder, [query.text for query in queries], query=True, folder=self._cache):
                self._encoder.load()

    def score(self, queries: Sequence[Query]) -> NDArray[np.float32]:
        """Return (n_queries, n_docs)."""
        if not queries or not self._texts:
            return np.zeros((len(queries), len(self._texts)), np.float32)
        asked = embed(self._encoder, [query.text for query in queries], query=True, folder=self._cache)
        return score_by(asked, self.vectors)

    def _contents(self) -> list[str]:
        raise NotImplementedError

    def _make(self, some: Sequence[int]) -> tuple[Vectors, Counts]:
        raise NotImplementedError


class _ActScorer(_LateScorer):
    """The vector of a chunk hangs on its whole act: an act is read once, for all of its chunks."""

    def __init__(self, encoder: LateEncoder, cache: Path | None, collection: pl.DataFrame) -> None:
        super().__init__(encoder, cache, collection)
        names = collection["document_id"] if "document_id" in collection.columns else ["" for _ in self._texts]
        self._acts: dict[str, list[int]] = {}
        self._act_of = list(names)
        for row, name in enumerate(names):
            self._acts.setdefault(name, []).append(row)
        self._read: dict[int, Vectors] = {}

    def _contents(self) -> list[str]:
        whole = {name: "\x1f".join(self._texts[row] for row in rows) for name, rows in self._acts.items()}
        place = {row: n for rows in self._acts.values() for n, row in enumerate(rows)}
        return [f"act\x1f{place[row]}\x1f{whole[name]}" for row, name in enumerate(self._act_of)]

    def _make(self, some: Sequence[int]) -> tuple[Vectors, Counts]:
        for row in some:
            if row not in self._read:
                rows = self._acts[self._act_of[row]]
                tokens = self._encoder.tokens([self._texts[r] for r in rows])
                room = self._encoder.room
                vectors = self._encoder.pool(slide(tokens, room, room // 4), len(rows))
                self._read.update(zip(rows, vectors, strict=True))
        return np.stack([self._read[row] for row in some]), np.zeros(len(some), np.int64)


class _CitationScorer(_LateScorer):
    """The vector of a chunk hangs on its text and the texts it cites."""

    def __init__(self, encoder: LateEncoder, cache: Path | None, collection: pl.DataFrame, links: pl.DataFrame) -> None:
        super().__init__(encoder, cache, collection)
        rows = {id: row for row, id in enumerate(collection["id"])}
        self._cited: list[list[int]] = [[] for _ in self._texts]
        for source, target in links.select("source_id", "target_id").unique(maintain_order=True).iter_rows():
            if source in rows and target in rows and source != target:
                self._cited[rows[source]].append(rows[target])

    def _contents(self) -> list[str]:
        return [
            "\x1f".join(["citations", text, *(self._texts[row] for row in cited)])
            for text, cited in zip(self._texts, self._cited, strict=True)
        ]

    def _make(self, some: Sequence[int]) -> tuple[Vectors, Counts]:
        encoder = self._encoder
        windows, lost = [], []
        for row in some:
            own, *cited = encoder.tokens([self._texts[row], *(self._texts[r] for r in self._cited[row])])
            window = gather_around(own, cited, encoder.room)
            windows.append(window)
            lost.append(max(0, len(own) - encoder.room))
        numbered = [
            type(window)(window.ids, tuple(number if owner == 0 else -1 for owner in window.pooled))
            for number, window in enumerate(windows)
        ]
        return encoder.pool(numbered, len(some)), np.array(lost, np.int64)
