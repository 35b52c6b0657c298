"""Questions > numbers of terms, read as the index was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from renvoi.analysis import prepare, terms_of
from renvoi.analysis.surfaces import SurfaceTable
from renvoi.index.kernels import count_terms
from renvoi.index.layout import Index
from renvoi.index.pairs import find_known, find_pairs


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The terms of some queries that the index knows, one query after another."""

    starts: NDArray[np.int64]  # (n_queries + 1,)
    terms: NDArray[np.int32]  # ascending within a query, each once
    tfs: NDArray[np.float32]  # how often a query says it
    lengths: NDArray[np.int32]  # known words of each query, repeated ones too


def analyse_queries(texts: Sequence[str], index: Index, *, pairs: bool = False) -> QueryTerms:
    """Return the terms of each text that the index knows. Any text is a question; no character is an operator.

    Args:
        texts: the questions.
        index: knows how they are read.
        pairs: also their pairs of neighbouring words, numbered after the words of the vocabulary.
    """
    table = SurfaceTable()
    data = [prepare(text, index.analysis).encode("utf-8", "replace") for text in texts]
    ends = np.cumsum([len(text) for text in data], dtype=np.int64)
    numbers, number_ends = table.cut(b"".join(data), ends)
    words = terms_of(table.surfaces(), index.analysis)
    terms = index.vocabulary.find(words)
    found, tfs, term_ends, lengths = _count(numbers, number_ends, terms)
    if pairs:
        # A word that the index does not know still parts its neighbours; one that is never indexed does not.
        n_words = len(index.vocabulary)
        unknown = np.where([bool(word) for word in words], n_words, -1).astype(np.int32)
        keys, key_ends = find_pairs(numbers, number_ends, np.where(terms >= 0, terms, unknown), n_words + 1)
        first, second = np.divmod(keys, n_words + 1)
        known = find_known(first * n_words + second, index.pairs)
        known[(first == n_words) | (second == n_words)] = -1
        more = _count(np.arange(len(keys)), key_ends, known.astype(np.int32))
        shifted = (more[0] + n_words).astype(np.int32)
        found, tfs, term_ends = _append((found, tfs, term_ends), (shifted, more[1], more[2]))
    starts = np.concatenate([[0], term_ends]).astype(np.int64)
    return QueryTerms(starts, found, tfs.astype(np.float32), lengths)


_Rows = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]  # terms, tfs, where each query ends


def _count(numbers: NDArray[Any], ends: NDArray[Any], terms: NDArray[np.int32]) -> Any:
    most = int(terms.max()) + 1 if len(terms) else 0
    return count_terms(numbers, ends, terms, np.zeros(max(most, 1), np.int64))


def _append(one: _Rows, other: _Rows) -> _Rows:
    """Return each query's terms of `one`, then those of `other`."""
    parts = zip(*(np.split(rows[i], rows[2][:-1]) for i in (0, 1) for rows in (one, other)), strict=True)
    terms, tfs = [], []
    for a, b, a_tfs, b_tfs in parts:
        terms += [a, b]
        tfs += [a_tfs, b_tfs]
    return np.concatenate(terms), np.concatenate(tfs), one[2] + other[2]
