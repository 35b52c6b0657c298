"""Retrievers: a collection > a scorer. They only score; `rank` sorts, cuts and breaks ties.

A file on this shelf holds one `Retriever` named as the file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from renvoi.types import Benchmark, Query


@dataclass(frozen=True, slots=True)
class Allowed:
    """Which documents may be returned for which query. Column j is row j of the collection.

    A document is allowed if its `mask` is True, its `group` is not the query's `own`, and its `day` is before the
    query's `before`.
    """

    mask: NDArray[np.bool_]  # (n_docs,)
    group: NDArray[np.int32]  # (n_docs,) number of the act or judgment it is part of
    day: NDArray[np.int32]  # (n_docs,) days since 1970; the least number where unknown
    own: NDArray[np.int32]  # (n_queries,) -1 for none
    before: NDArray[np.int32]  # (n_queries,) the greatest number for none

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


# (collection, options of the MODEL string, benchmark) > scorer. The option "" is what stands without a name:
# {"": "bge-m3"} for `dense:bge-m3`.
Retriever = Callable[[pl.DataFrame, Mapping[str, str], Benchmark], Scorer]
