"""The compiled loop that reads a document together with one that it cites.

For a query of terms t with weights x(t, c) in document c, and a helper h of c (a provision that c cites, or a paragraph
that cites c), the pair scores

    s(c, h) = sum over t of max(x(t, c), w(c, h) x(t, h))

and c scores the best of s(c) and its pairs. A word found on both sides counts once, so a helper adds only what its
receiver lacks: a long provision that repeats the same words gains nothing, one that matches by itself loses nothing.
With `second`, a share of what the next best helper adds to that pair is added.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from renvoi.retrievers._search import STRIDE, add_term, code_of, count_reaching, keep_best, key_of, write_best


@njit(nogil=True, cache=True)
def search_along(
    first: int, last: int, q_starts: Any, q_terms: Any, q_weights: Any, starts: Any, docs: Any, weights: Any,
    row_of: Any, rows: Any, d_starts: Any, d_terms: Any, d_values: Any, helpers: Any, e_starts: Any, e_to: Any,
    e_kind: Any, e_from: Any, e_day: Any, strength: Any, by_helper: float, by_receiver: float, second: float,
    prior: float, depth: int, mask: Any, group: Any, day: Any, own: Any, before: Any, out_docs: Any, out_scores: Any,
    out_helpers: Any
) -> None:  # fmt: skip  # pragma: no cover - compiled
    """Write the best documents of queries `first` to `last` (excluded), best first.

    Args:
        first: number of the first query.
        last: number after the last query.
        q_starts: where each query's terms start.
        q_terms: terms, ascending within a query.
        q_weights: weight of each term in its query.
        starts: postings by term, with docs and weights.
        docs: see starts.
        weights: see starts.
        row_of: see `search_all`.
        rows: see `search_all`.
        d_starts: the same weights by document, with d_terms (ascending) and d_values.
        d_terms: see d_starts.
        d_values: see d_starts.
        helpers: documents that have links, ascending.
        e_starts: where the links of each helper start in the next four.
        e_to: the receiver of a link.
        e_kind: 0 if the receiver cites the helper, 1 if the helper cites the receiver.
        e_from: the helper of a link.
        e_day: when the link was made; one of the query's day or later does not exist for it.
        strength: (2,) weight of the links of a kind.
        by_helper: a link is divided by the number of its helper's links to this power,
        by_receiver: and by the number of its receiver's to this one.
        second: share of what a second helper adds.
        prior: times log(1 + links that reach the document) is added to a document that matches.
        depth: helpers of a query: its best documents by themselves.
        mask: see `Allowed`, this and the next four; holds for helpers too.
        group: see mask.
        day: see mask.
        own: see mask.
        before: see mask.
        out_docs: (n_queries, k), -1 where there are fewer.
        out_scores: (n_queries, k).
        out_helpers: (n_queries, k), the helper that raised the document, -1 for none.
    """
    n_docs = mask.size
    k = out_docs.shape[1]
    scores = np.zeros(n_docs, np.float32)
    slot_of = np.full(n_docs, -1, np.int32)
    degrees = np.zeros((4, n_docs), np.int32)  # helper's and receiver's, of either kind
    keys = np.empty(2 * max(k, depth) + 64, np.uint64)
    seeds = np.empty(depth, np.int32)
    unused = np.empty(depth, np.float32)
    helped = np.empty(k, np.float32)
    counted = before[first] if first < last else 0
    count_links(degrees, e_from, e_to, e_kind, e_day, counted)
    most_cited = float(degrees[0].max())
    cell = np.empty(1, np.float32)
    bits = cell.view(np.uint32)
    for query in range(first, last):
        a, b = q_starts[query], q_starts[query + 1]
        n_terms = b - a
        out_docs[query] = -1
        out_helpers[query] = -1
        if before[query] != counted:
            counted = before[query]
            count_links(degrees, e_from, e_to, e_kind, e_day, counted)
            most_cited = float(degrees[0].max())
        scores[:] = 0
        for i in range(a, b):
            add_term(scores, q_weights[i], q_terms[i], starts, docs, weights, row_of, rows)
        # The helpers: the best by themselves.
        n = 0
        floor = np.uint64(0)
        for doc in helpers:
            if scores[doc] > 0:
                cell[0] = scores[doc]
                key = key_of(bits[0], doc)
                if key > floor and mask[doc] and group[doc] != own[query] and day[doc] < before[query]:
                    keys[n] = key
                    n += 1
                    if n == keys.size:
                        keep_best(keys, n, depth)
                        n = depth
                        floor = keys[:depth].min()
        n_seeds = min(n, depth)
        write_best(keys, n, seeds, unused)
        # The links from them, and a row of weights for every document at an end of one.
        n_links = 0
        for s in range(n_seeds):
            n_links += e_starts[seeds[s] + 1] - e_starts[seeds[s]]
        held = np.empty(n_seeds + n_links, np.int32)
        l_from = np.empty(n_links, np.int32)
        l_to = np.empty(n_links, np.int32)
        l_weight = np.empty(n_links, np.float32)
        n_held = 0
        n_links = 0
        for s in range(n_seeds):
            helper = seeds[s]
            for e in range(e_starts[helper], e_starts[helper + 1]):
                to = e_to[e]
                kind = e_kind[e]
                if strength[kind] == 0 or e_day[e] >= before[query]:
                    continue
                if not mask[to] or group[to] == own[query] or day[to] >= before[query]:
                    continue
                if slot_of[helper] < 0:
                    slot_of[helper] = n_held
                    held[n_held] = helper
                    n_held += 1
                if slot_of[to] < 0:
                    slot_of[to] = n_held
                    held[n_held] = to
                    n_held += 1
                l_from[n_links] = slot_of[helper]
                l_to[n_links] = slot_of[to]
                l_weight[n_links] = (
                    strength[kind]
                    / max(degrees[2 * kind, helper], 1) ** by_helper
                    / max(degrees[2 * kind + 1, to], 1) ** by_receiver
                )
                n_links += 1
        x = np.zeros((n_held, n_terms), np.float32)
        best = np.empty(n_held, np.float32)
        by = np.full(n_held, -1, np.int32)
        for s in range(n_held):
            doc = held[s]
            best[s] = scores[doc]
            i = a
            for p in range(d_starts[doc], d_starts[doc + 1]):
                while i < b and q_terms[i] < d_terms[p]:
                    i += 1
                if i == b:
                    break
                if q_terms[i] == d_terms[p]:
                    x[s, i - a] = q_weights[i] * d_values[p]
        for link in range(n_links):
            c, h = l_to[link], l_from[link]
            together = np.float32(0)
            for t in range(n_terms):
                together += max(x[c, t], l_weight[link] * x[h, t])
            if together > best[c]:
                best[c] = together
                by[c] = link
        if second > 0:
            y = x.copy()
            for c in range(n_held):
                if by[c] >= 0:
                    for t in range(n_terms):
                        y[c, t] = max(x[c, t], l_weight[by[c]] * x[l_from[by[c]], t])
            more = best.copy()
            for link in range(n_links):
                c, h = l_to[link], l_from[link]
                if by[c] >= 0:
                    together = np.float32(0)
                    for t in range(n_terms):
                        together += max(y[c, t], l_weight[link] * x[h, t])
                    more[c] = max(more[c], together)
            for c in range(n_held):
                best[c] += second * (more[c] - best[c])
        for s in range(n_held):
            scores[held[s]] = best[s]
        n = 0
        floor = np.uint64(0)
        bar = np.float32(-np.inf)
        for block in range(0, n_docs, STRIDE):
            end = min(block + STRIDE, n_docs)
            if count_reaching(scores, bar, block, end) == 0:
                continue
            for doc in range(block, end):
                score = scores[doc]
                if score == 0 or score < bar:
                    continue
                if prior > 0:
                    score += prior * np.log(1.0 + degrees[0, doc])
                cell[0] = score
                key = key_of(bits[0], doc)
                if key > floor and mask[doc] and group[doc] != own[query] and day[doc] < before[query]:
                    keys[n] = key
                    n += 1
                    if n == keys.size:
                        keep_best(keys, n, k)
                        n = k
                        floor = keys[:k].min()
                        bits[0] = code_of(floor)
                        bar = np.float32(cell[0] - prior * np.log(1.0 + most_cited))
                        bar -= np.float32(1e-5) * abs(bar)
        write_best(keys, n, out_docs[query], helped)
        for i in range(min(n, k)):
            out_scores[query, i] = helped[i]
            slot = slot_of[out_docs[query, i]]
            if slot >= 0 and by[slot] >= 0:
                out_helpers[query, i] = held[l_from[by[slot]]]
        for s in range(n_held):
            slot_of[held[s]] = -1


@njit(nogil=True, cache=True)
def count_links(
    degrees: Any, e_from: Any, e_to: Any, e_kind: Any, e_day: Any, before: int
) -> None:  # pragma: no cover - compiled
    """Count the links of each document that were made before a day: as helper and as receiver, of either kind."""
    degrees[:] = 0
    for e in range(e_to.size):
        if e_day[e] < before:
            degrees[2 * e_kind[e], e_from[e]] += 1
            degrees[2 * e_kind[e] + 1, e_to[e]] += 1
