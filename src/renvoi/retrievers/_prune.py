"""The best `k` without adding up everything, and yet exactly.

Terms are worked through from the one that can add most to the one that can add least (MaxScore: H. Turtle, J. Flood,
Query evaluation: strategies and optimizations, 1995). As soon as `k` documents are known whose full scores are
beyond what untouched documents can still reach, and few enough are left that could pass them, those few are scored in
full from their own lists of terms, in the order in which the exhaustive search adds. So both give the same scores to
the last bit, and the same ranking.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from renvoi.retrievers._search import (
    STRIDE,
    add_term,
    code_of,
    collect_best,
    count_reaching,
    keep_best,
    key_of,
    write_best,
)

_MARGIN = 1e-5  # of the greatest possible score; sums in another order differ by less
_LOW = np.uint64(0xFFFFFFFF)
_SCORE_ONE = 256  # postings that are added in the time of scoring one document in full


@njit(nogil=True, cache=True)
def search_pruned(
    first: int, last: int, q_starts: Any, q_terms: Any, q_weights: Any, q_lengths: Any, starts: Any, docs: Any,
    weights: Any, row_of: Any, rows: Any, bounds: Any, doc_starts: Any, doc_terms: Any, doc_weights: Any,
    per_word: Any, per_match: Any, mask: Any, group: Any, day: Any, own: Any, before: Any, out_docs: Any,
    out_scores: Any
) -> None:  # fmt: skip  # pragma: no cover - compiled
    """Write the best documents of queries `first` to `last` (excluded), best first. As `search_all`, and:

    Args:
        bounds: the greatest weight of each term, at least 0.
        doc_starts: where each document's terms start.
        doc_terms: ascending within a document.
        doc_weights: the same numbers as `weights`.
    """
    n_docs = mask.size
    k = out_docs.shape[1]
    scores = np.zeros(n_docs, np.float32)
    asked = np.zeros(starts.size - 1, np.float32)  # the weight of a term in the query
    keys = np.empty(2 * k + 64, np.uint64)
    most_word = np.float64(per_word.max()) if per_word.size else 0.0
    most_match = np.float64(per_match.max()) if per_match.size else 0.0
    cell = np.empty(1, np.float32)
    bits = cell.view(np.uint32)
    for query in range(first, last):
        q_first, q_last = q_starts[query], q_starts[query + 1]
        n_terms = q_last - q_first
        most = np.empty(n_terms, np.float64)
        for i in range(n_terms):
            most[i] = np.float64(q_weights[q_first + i]) * bounds[q_terms[q_first + i]]
            asked[q_terms[q_first + i]] = q_weights[q_first + i]
        order = np.argsort(-most)
        left = np.empty(n_terms + 1, np.float64)  # what the terms from i on can add
        left[n_terms] = most_word * q_lengths[query] + most_match
        for i in range(n_terms - 1, -1, -1):
            left[i] = left[i + 1] + most[order[i]]
        margin = _MARGIN * left[0]
        length = np.float32(q_lengths[query])

        scores[:] = 0
        floor = np.uint64(0)  # the key of the k-th best document known in full
        least = -np.inf  # its score
        bar = np.float32(-np.inf)
        done = 0
        next_look = max(8 * k, n_docs // 8)
        added = 0
        while True:
            size = 0
            if done < n_terms:
                term = q_terms[q_first + order[done]]
                size = starts[term + 1] - starts[term]
            if done == n_terms or (added and added + size > next_look):
                # Score the k best so far in full; what they reach, the others must reach too.
                n = collect_best(scores, bar, mask, group, day, own[query], before[query], keys, k)
                if n >= k:
                    # Sums only grow: the next k best have at least the worst of these.
                    bits[0] = code_of(keys[:n].min())
                    bar = cell[0]
                    for i in range(n):
                        found: Any = np.int64(_LOW - (keys[i] & _LOW))
                        cell[0] = _score(found, asked, doc_starts, doc_terms, doc_weights, length, per_word, per_match)
                        keys[i] = key_of(bits[0], found)
                    floor = max(floor, keys[:n].min())
                    bits[0] = code_of(floor)
                    least = np.float64(cell[0])
                next_look *= 2
            if done == n_terms:
                break
            if left[done] + margin < least:
                # Untouched documents are out. Is what is left worth more than scoring the rest in full?
                reach = np.float32(least - left[done] - margin)
                if size * 8 > n_docs and count_reaching(scores, reach, 0, n_docs) * _SCORE_ONE < size:
                    break
            add_term(scores, q_weights[q_first + order[done]], term, starts, docs, weights, row_of, rows)
            added += size
            done += 1

        n = 0
        bar = np.float32(least - left[done] - margin)
        for block in range(0, n_docs, STRIDE):
            end = min(block + STRIDE, n_docs)
            if count_reaching(scores, bar, block, end) == 0:
                continue
            for doc in range(block, end):
                if scores[doc] < bar or scores[doc] == 0:
                    continue
                if not (mask[doc] and group[doc] != own[query] and day[doc] < before[query]):
                    continue
                cell[0] = _score(doc, asked, doc_starts, doc_terms, doc_weights, length, per_word, per_match)
                key = key_of(bits[0], doc)
                if key >= floor and cell[0] != 0:
                    keys[n] = key
                    n += 1
                    if n == keys.size:
                        keep_best(keys, n, k)
                        n = k
                        floor = keys[:k].min()
                        bits[0] = code_of(floor)
                        least = np.float64(cell[0])
                        bar = np.float32(least - left[done] - margin)
        write_best(keys, n, out_docs[query], out_scores[query])
        for i in range(q_first, q_last):
            asked[q_terms[i]] = 0


@njit(nogil=True, cache=True)
def _score(
    doc: int, asked: Any, doc_starts: Any, doc_terms: Any, doc_weights: Any, length: Any, per_word: Any, per_match: Any
) -> Any:  # pragma: no cover - compiled
    """Return the full score of a document, added up as `search_all` does."""
    score = np.float32(0)
    for p in range(doc_starts[doc], doc_starts[doc + 1]):
        score += asked[doc_terms[p]] * doc_weights[p]  # adds 0 for a term that is not asked for
    if score != 0:
        if per_word.size:
            score += length * per_word[doc]
        if per_match.size:
            score += per_match[doc]
    return score
