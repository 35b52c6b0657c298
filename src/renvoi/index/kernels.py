"""The compiled loops of building an index."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def count_terms(numbers: Any, ends: Any, term_of: Any, df: Any) -> Any:  # pragma: no cover - compiled
    """Return (terms, tfs, ends, lengths) of each text; terms ascending, each once. Adds to `df`.

    Args:
        numbers: surfaces of all texts, one after another.
        ends: where each text ends in `numbers`.
        term_of: the term of a surface, -1 for none.
        df: how many texts hold a term.
    """
    longest = 0
    start = 0
    for text in range(ends.size):
        longest = max(longest, ends[text] - start)
        start = ends[text]
    found = np.empty(longest, np.int32)
    terms = np.empty(numbers.size, np.int32)
    tfs = np.empty(numbers.size, np.uint32)
    term_ends = np.empty(ends.size, np.int64)
    lengths = np.empty(ends.size, np.int32)
    n = 0
    start = 0
    for text in range(ends.size):
        length = 0
        for i in range(start, ends[text]):
            term = term_of[numbers[i]]
            if term >= 0:
                found[length] = term
                length += 1
        start = ends[text]
        lengths[text] = length
        part = found[:length]
        part.sort()
        last = -1
        for i in range(length):
            if part[i] != last:
                last = part[i]
                terms[n] = last
                tfs[n] = 1
                df[last] += 1
                n += 1
            else:
                tfs[n - 1] += 1
        term_ends[text] = n
    return terms[:n].copy(), tfs[:n].copy(), term_ends, lengths


@njit(nogil=True, cache=True)
def scatter(
    doc_starts: Any, doc_terms: Any, doc_tfs: Any, first: int, last: int, at: Any, low: int, high: int,
    docs: Any, tfs: Any
) -> None:  # fmt: skip  # pragma: no cover - compiled
    """Write documents `first` to `last` (excluded) into the postings of terms `low` to `high` (excluded).

    Args:
        doc_starts: with doc_terms and doc_tfs, the documents.
        doc_terms: see doc_starts.
        doc_tfs: see doc_starts.
        first: number of the first document.
        last: number after the last document.
        at: where the next posting of each term goes; moved on.
        low: first term.
        high: term after the last.
        docs: postings, written.
        tfs: postings, written.
    """
    for doc in range(first, last):
        for i in range(doc_starts[doc], doc_starts[doc + 1]):
            term = doc_terms[i]
            if low <= term < high:
                place = at[term]
                docs[place] = doc
                tfs[place] = doc_tfs[i]
                at[term] = place + 1
