"""The compiled loops of searching weighted postings.

A candidate is one 64-bit key: its score, so coded that the order of the codes is the order of the scores, then its
number, inverted. Comparing keys compares scores, then ids descending (see `index.layout`), so ties are settled in
every comparison and not afterwards. A document that no term touches has the score 0 and is no candidate.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

_SIGN = np.uint32(0x80000000)
_ALL = np.uint32(0xFFFFFFFF)
STRIDE = 64  # documents passed over at once where none is a candidate
_LOW = np.uint64(0xFFFFFFFF)


class Terms(NamedTuple):
    """The terms of queries, ascending within a query, and the weight of each in it."""

    starts: Any
    items: Any
    weights: Any


class Words(NamedTuple):
    """The weights of an index by term, and of its frequent terms for all documents (see `spread_frequent`)."""

    starts: Any
    items: Any
    values: Any
    row_of: Any
    rows: Any


class Limits(NamedTuple):
    """Which documents exist for which query; see `Allowed`."""

    mask: Any
    group: Any
    day: Any
    own: Any
    before: Any


@njit(nogil=True, cache=True)
def add_up(
    first: int, last: int, q_starts: Any, q_terms: Any, q_weights: Any, starts: Any, docs: Any, weights: Any,
    row_of: Any, rows: Any, out: Any
) -> None:  # fmt: skip  # pragma: no cover - compiled
    """Add the scores of queries `first` to `last` (excluded) to `out`, (n_queries, n_docs)."""
    for query in range(first, last):
        for i in range(q_starts[query], q_starts[query + 1]):
            add_term(out[query], q_weights[i], q_terms[i], starts, docs, weights, row_of, rows)


@njit(nogil=True, cache=True)
def search_all(
    first: int, last: int, q_starts: Any, q_terms: Any, q_weights: Any, q_lengths: Any, starts: Any, docs: Any,
    weights: Any, row_of: Any, rows: Any, per_word: Any, per_match: Any, mask: Any, group: Any, day: Any, own: Any,
    before: Any, out_docs: Any, out_scores: Any
) -> None:  # fmt: skip  # pragma: no cover - compiled
    """Write the best documents of queries `first` to `last` (excluded), best first.

    Args:
        first: number of the first query.
        last: number after the last query.
        q_starts: where each query's terms start.
        q_terms: terms, ascending within a query.
        q_weights: weight of each term in its query.
        q_lengths: words of each query.
        starts: where each term's postings start.
        docs: postings.
        weights: postings.
        row_of: the row of `rows` that holds a frequent term's weights for all documents, -1 for none.
        rows: (n_rows, n_docs).
        per_word: (n_docs,) added for each word of the query to a document that matches; empty for none.
        per_match: (n_docs,) added once to a document that matches; empty for none.
        mask: see `Allowed`, this and the next four.
        group: see mask.
        day: see mask.
        own: see mask.
        before: see mask.
        out_docs: (n_queries, k), -1 where there are fewer.
        out_scores: (n_queries, k).
    """
    n_docs = mask.size
    k = out_docs.shape[1]
    scores = np.zeros(n_docs, np.float32)
    keys = np.empty(2 * k + 64, np.uint64)
    cell = np.empty(1, np.float32)
    bits = cell.view(np.uint32)
    most_word = per_word.max() if per_word.size else np.float32(0)
    most_match = per_match.max() if per_match.size else np.float32(0)
    for query in range(first, last):
        scores[:] = 0
        for i in range(q_starts[query], q_starts[query + 1]):
            add_term(scores, q_weights[i], q_terms[i], starts, docs, weights, row_of, rows)
        length = np.float32(q_lengths[query])
        floor = np.uint64(0)
        n = 0
        extra = length * most_word + most_match
        bar = np.float32(-np.inf)
        for block in range(0, n_docs, STRIDE):
            end = min(block + STRIDE, n_docs)
            if count_reaching(scores, bar, block, end) == 0:
                continue
            for doc in range(block, end):
                score = scores[doc]
                if score == 0 or score < bar:
                    continue
                if per_word.size:
                    score += length * per_word[doc]
                if per_match.size:
                    score += per_match[doc]
                cell[0] = score
                key = key_of(bits[0], doc)
                if key > floor and score != 0 and mask[doc] and group[doc] != own[query] and day[doc] < before[query]:
                    keys[n] = key
                    n += 1
                    if n == keys.size:
                        keep_best(keys, n, k)
                        n = k
                        floor = keys[:k].min()
                        bits[0] = code_of(floor)
                        bar = cell[0] - extra
                        bar -= np.float32(1e-5) * abs(bar)  # what an addition in another order may differ by
        write_best(keys, n, out_docs[query], out_scores[query])


@njit(nogil=True, cache=True)
def add_term(
    scores: Any, weight: Any, term: int, starts: Any, docs: Any, weights: Any, row_of: Any, rows: Any
) -> None:  # pragma: no cover - compiled
    """Add one term to the scores of all documents. The row of a frequent term is read in order, several at once."""
    if row_of[term] >= 0:
        row = rows[row_of[term]]
        for doc in range(scores.size):
            scores[doc] += weight * row[doc]
        return
    held, values = docs[starts[term] : starts[term + 1]], weights[starts[term] : starts[term + 1]]
    for p in range(held.size):
        scores[np.uint32(held[p])] += weight * values[p]  # unsigned: no place is counted from the end


@njit(nogil=True, cache=True)
def count_reaching(scores: Any, bar: Any, first: int, last: int) -> int:  # pragma: no cover - compiled
    """Return how many scores from `first` to `last` (excluded) reach the bar. Several at once, in vector registers."""
    part = scores[first:last]
    n = 0
    for i in range(part.size):
        if part[i] >= bar:
            n += 1
    return n


@njit(nogil=True, cache=True)
def collect_best(
    scores: Any, least: Any, mask: Any, group: Any, day: Any, own: Any, before: Any, keys: Any, k: int
) -> int:  # pragma: no cover - compiled
    """Put the keys of the `k` best partial scores of at least `least` first; return how many, at most `k`."""
    bits = scores.view(np.uint32)
    n = 0
    floor = np.uint64(0)
    for block in range(0, len(scores), STRIDE):
        end = min(block + STRIDE, len(scores))
        if count_reaching(scores, least, block, end) == 0:
            continue
        for doc in range(block, end):
            score = scores[doc]
            if score != 0 and score >= least and mask[doc] and group[doc] != own and day[doc] < before:
                key = key_of(bits[doc], doc)
                if key > floor:
                    keys[n] = key
                    n += 1
                    if n == keys.size:
                        keep_best(keys, n, k)
                        n = k
                        floor = keys[:k].min()
                        least = scores[np.int64(_LOW - (floor & _LOW))]
    if n > k:
        keep_best(keys, n, k)
        n = k
    return n


@njit(nogil=True, cache=True)
def counts_for(query: int, doc: int, limits: Any) -> bool:  # pragma: no cover - compiled
    """Say whether a document exists for a query."""
    apart: bool = limits.group[doc] != limits.own[query]
    earlier: bool = limits.day[doc] < limits.before[query]
    return limits.mask[doc] and apart and earlier


@njit(nogil=True, cache=True)
def key_of(bits: Any, doc: Any) -> Any:  # pragma: no cover - compiled
    """Return the key of a candidate, from the bits of its score."""
    code = bits ^ (_ALL if bits & _SIGN else _SIGN)
    return (np.uint64(code) << np.uint64(32)) | (_LOW - np.uint64(doc))


@njit(nogil=True, cache=True)
def code_of(key: Any) -> Any:  # pragma: no cover - compiled
    """Return the bits of the score in a key."""
    code = np.uint32(key >> np.uint64(32))
    return code ^ (_SIGN if code & _SIGN else _ALL)


@njit(nogil=True, cache=True)
def write_best(keys: Any, n: int, docs: Any, scores: Any) -> None:  # pragma: no cover - compiled
    """Write the best of the first `n` keys, best first."""
    k = docs.size
    if n > k:
        keep_best(keys, n, k)
        n = k
    found = keys[:n]
    found.sort()
    bits = np.empty(1, np.uint32)
    as_score = bits.view(np.float32)
    for i in range(n):
        key = found[n - 1 - i]
        bits[0] = code_of(key)
        scores[i] = as_score[0]
        docs[i] = np.int32(_LOW - (key & _LOW))


@njit(nogil=True, cache=True)
def keep_best(keys: Any, n: int, k: int) -> None:  # pragma: no cover - compiled
    """Move the `k` greatest of the first `n` keys to the front, in no order (Hoare's selection)."""
    left, right = 0, n - 1
    while left < right:
        a, b, c = keys[left], keys[(left + right) // 2], keys[right]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = left, right
        while i <= j:
            while keys[i] > pivot:
                i += 1
            while keys[j] < pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            right = j
        elif k - 1 >= i:
            left = i
        else:
            return
