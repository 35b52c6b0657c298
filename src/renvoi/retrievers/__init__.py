"""Retrievers: a collection > a scorer. They only score; `rank` sorts, cuts and breaks ties.

A file on this shelf holds one `Retriever` named as the file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from renvoi.types import Benchmark, Query

# Days are numbered from 1970.
NO_DAY = int(np.iinfo(np.int32).min)  # of a document without a date: it is earlier than all
ANY_DAY = int(np.iinfo(np.int32).max)  # of a query without a date: it is later than all


@dataclass(frozen=True, slots=True)
class Allowed:
    """Which documents may be returned for which query. Column j is row j of the collection.

    A document is allowed if its `mask` is True, its `group` is not the query's `own`, and its `day` is before the
    query's `before`.
    """

    mask: NDArray[np.bool_]  # (n_docs,)
    group: NDArray[np.int32]  # (n_docs,) number of the act or judgment it is part of
    day: NDArray[np.int32]  # (n_docs,) days since 1970; NO_DAY where unknown
    own: NDArray[np.int32]  # (n_queries,) -1 for none
    before: NDArray[np.int32]  # (n_queries,) ANY_DAY for none

    def part(self, start: int, stop: int) -> Allowed:
        """Return the same for queries `start` to `stop` (excluded)."""
        return Allowed(self.mask, self.group, self.day, self.own[start:stop], self.before[start:stop])

    def matrix(self) -> NDArray[np.bool_]:
        """Return (n_queries, n_docs): True where allowed."""
        other: NDArray[np.bool_] = self.own[:, None] != self.group[None, :]
        return other & (self.day[None, :] < self.before[:, None]) & self.mask[None, :]


class Scorer(Protocol):
    """Scores queries against one collection."""

    def score(self, queries: Sequence[Query]) -> NDArray[np.float32]:
        """Return (n_queries, n_docs); column j is row j of the collection; 0 is no match."""
        ...


@runtime_checkable
class TopScorer(Protocol):
    """A scorer that finds the best documents without scoring all."""

    def score(self, queries: Sequence[Query]) -> NDArray[np.float32]:
        """See `Scorer`."""
        ...

    def top(self, queries: Sequence[Query], k: int, allowed: Allowed) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return rows of the collection and their scores, (n_queries, k) each.

        Best first, equal scores by id descending; row -1 where there are fewer than `k`.
        """
        ...


@runtime_checkable
class Preparing(Protocol):
    """A scorer with something to make before its first question."""

    def prepare(self, queries: Sequence[Query]) -> None:
        """Make it now; `queries` are those that will come."""
        ...


def number_day(day: date | None, otherwise: int) -> int:
    """Return the number of a day, or what stands for none: `NO_DAY` of a document, `ANY_DAY` of a query."""
    return otherwise if day is None else (day - date(1970, 1, 1)).days


def score_all(scorer: TopScorer, queries: Sequence[Query], n_docs: int) -> NDArray[np.float32]:
    """Return what a scorer gives to all documents, (n_queries, n_docs), none of them left out; 0 is no match."""
    before = np.array([number_day(query.date, ANY_DAY) for query in queries], np.int32)
    nothing = np.full(len(queries), -1, np.int32)
    every = Allowed(
        np.ones(n_docs, np.bool_), np.zeros(n_docs, np.int32), np.full(n_docs, NO_DAY, np.int32), nothing, before
    )
    scores = np.zeros((len(queries), n_docs), np.float32)
    for line, (rows, values) in enumerate(zip(*scorer.top(queries, n_docs, every), strict=True)):
        scores[line, rows[rows >= 0]] = values[rows >= 0]
    return scores


# (collection, options of the MODEL string, benchmark) > scorer. The option "" is what stands without a name:
# {"": "bge-m3"} for `dense:bge-m3`.
Retriever = Callable[[pl.DataFrame, Mapping[str, str], Benchmark], Scorer]
