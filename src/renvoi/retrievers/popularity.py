"""The documents cited most, whatever is asked: the baseline that shows how much of a score is the citation graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np
import polars as pl
from numpy.typing import NDArray

from renvoi.types import Benchmark, Query


def popularity(collection: pl.DataFrame, options: Mapping[str, str], bench: Benchmark) -> _Popularity:
    """Return a scorer by in-degree: links earlier than the query, or all links where it has no date."""
    return _Popularity(collection, bench)


class _Popularity:
    def __init__(self, collection: pl.DataFrame, bench: Benchmark) -> None:
        place = {doc: i for i, doc in enumerate(collection["id"])}
        links = bench.links.select("source_id", "target_id", "date").unique(["source_id", "target_id"], keep="first")
        targets = links["target_id"].to_list()
        if not any(target in place for target in targets):  # cases are cited through their paragraphs
            owner = dict(bench.collections["chunks"].select("id", "document_id").iter_rows())
            targets = [owner.get(target, "") for target in targets]
        held = [
            (place[t], day.toordinal() if day else 0)
            for t, day in zip(targets, links["date"], strict=True)
            if t in place
        ]
        self._size = collection.height
        self._targets = np.asarray([target for target, _ in held], dtype=np.int64)
        self._days = np.asarray([day for _, day in held], dtype=np.int64)

    def score(self, queries: Sequence[Query]) -> NDArray[np.float32]:
        """Return (n_queries, n_docs); column j is row j of the collection."""
        seen: dict[date | None, NDArray[np.float32]] = {}
        for query in queries:
            if query.date not in seen:
                before = query.date.toordinal() if query.date else date.max.toordinal()
                cited = self._targets[self._days < before]
                seen[query.date] = np.bincount(cited, minlength=self._size).astype(np.float32)
        return np.stack([seen[query.date] for query in queries]) if queries else np.zeros((0, self._size), np.float32)
