"""Questions > numbers of terms, read as the index was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from renvoi.analysis import prepare, terms_of
from renvoi.analysis.surfaces import SurfaceTable
from renvoi.index.kernels import count_terms
from renvoi.index.layout import Index


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The terms of some queries that the index knows, one query after another."""

    starts: NDArray[np.int64]  # (n_queries + 1,)
    terms: NDArray[np.int32]  # ascending within a query, each once
    tfs: NDArray[np.float32]  # how often a query says it
    lengths: NDArray[np.int32]  # known words of each query, repeated ones too


def analyse_queries(texts: Sequence[str], index: Index) -> QueryTerms:
    """Return the terms of each text that the index knows. Any text is a question; no character is an operator."""
    table = SurfaceTable()
    data = [prepare(text, index.analysis).encode("utf-8", "replace") for text in texts]
    ends = np.cumsum([len(text) for text in data], dtype=np.int64)
    numbers, number_ends = table.cut(b"".join(data), ends)
    terms = index.vocabulary.find(terms_of(table.surfaces(), index.analysis))
    found, tfs, term_ends, lengths = count_terms(numbers, number_ends, terms, np.zeros(len(index.vocabulary), np.int64))
    return QueryTerms(np.concatenate([[0], term_ends]).astype(np.int64), found, tfs.astype(np.float32), lengths)
