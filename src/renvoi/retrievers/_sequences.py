"""Texts > their terms in the order they stand in, for retrievers that look at phrases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from renvoi.analysis import prepare, terms_of
from renvoi.analysis.surfaces import SurfaceTable
from renvoi.errors import Mismatch
from renvoi.index import Index, QueryTerms
from renvoi.index.kernels import count_terms
from renvoi.index.layout import PAIRS
from renvoi.retrievers.lexical import LexicalScorer
from renvoi.types import Query

_BLOCK = 20_000  # texts read at once


@dataclass(frozen=True, slots=True)
class Sequences:
    """Terms of text i: `terms[starts[i]:starts[i + 1]]`, numbered as in an index; -1 is a word that it lacks."""

    starts: NDArray[np.int64]  # (n_texts + 1,)
    terms: NDArray[Any]  # int32; uint16 where an index keeps it so


def read_sequences(texts: Sequence[str], index: Index) -> Sequences:
    """Return the terms of each text. Stop words that the index leaves out are passed over."""
    parts = list(_read_blocks(texts, index))
    starts = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.concatenate([lengths for lengths, _ in parts] or [np.empty(0, np.int64)]), out=starts[1:])
    return Sequences(starts, np.concatenate([terms for _, terms in parts] or [np.empty(0, np.int32)]))


def sequences_of(index: Index) -> Sequences:
    """Return the terms of each document of an index that keeps their order.

    Raises:
        Mismatch: it does not.
    """
    if not index.keeps_order:
        raise Mismatch(
            f"{index.path or 'index'}: the index does not keep the order of the words; "
            "build it again with: renvoi index SOURCE -o INDEX --kind judgments --force"
        )
    starts = np.zeros(index.n_docs + 1, np.int64)
    np.cumsum(index.fields["body"].lengths, out=starts[1:])
    return Sequences(starts, index.order)


def read_queries(queries: Sequence[Query], scorer: LexicalScorer) -> tuple[QueryTerms, Sequences]:
    """Return queries as their terms, what `scorer.read` gives, and as sequences; a text is analysed once for both."""
    asked = read_sequences([query.text for query in queries], scorer.index)
    if PAIRS in scorer.fields:
        return scorer.read(queries), asked
    n = len(scorer.index.vocabulary)
    terms = np.append(np.arange(n, dtype=np.int32), np.int32(-1))  # the last one for a word that the index lacks
    numbers = np.where(asked.terms < 0, n, asked.terms).astype(np.int32)
    found, tfs, ends, lengths = count_terms(numbers, asked.starts[1:], terms, np.zeros(n + 1, np.int64))
    return QueryTerms(np.concatenate([[0], ends]).astype(np.int64), found, tfs.astype(np.float32), lengths), asked


def _read_blocks(texts: Sequence[str], index: Index) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
    for first in range(0, len(texts), _BLOCK):
        data = [prepare(text, index.analysis).encode("utf-8", "replace") for text in texts[first : first + _BLOCK]]
        table = SurfaceTable()
        numbers, ends = table.cut(b"".join(data), np.cumsum([len(text) for text in data], dtype=np.int64))
        words = terms_of(table.surfaces(), index.analysis)
        term_of = index.vocabulary.find(words)
        indexed = np.array([bool(word) for word in words], np.bool_)
        kept = indexed[numbers]
        before = np.concatenate([[0], np.cumsum(kept)])
        yield np.diff(before[ends], prepend=0).astype(np.int64), term_of[numbers][kept]


def rank_ids(ids: pl.Series) -> NDArray[np.int64]:
    """Return each row's place among the ids, descending: what settles ties."""
    return np.asarray(ids.len() - ids.rank("ordinal").to_numpy().astype(np.int64))


def order_best(
    rows: NDArray[np.int32], scores: NDArray[np.float32], by_id: NDArray[np.int64], k: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return the best `k` of each line, equal scores by id descending.

    Args:
        rows: (n_queries, n), -1 for none.
        scores: the same shape.
        by_id: see `rank_ids`.
        k: how many, if there are so many.
    """
    none = rows < 0
    keyed = np.where(none, -np.inf, scores)
    order = np.lexsort((np.where(none, len(by_id), by_id[rows]), -keyed), axis=1)[:, :k]
    return np.take_along_axis(rows, order, 1), np.take_along_axis(np.where(none, 0, scores), order, 1)
