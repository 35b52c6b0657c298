"""The compiled loop that reads a document together with one that it cites.

For a query of terms t with weights x(t, c) in document c, and a helper h of c (a provision that c cites, or a paragraph
that cites c), the pair scores

    s(c, h) = sum over t of max(x(t, c), w(c, h) x(t, h))

and c scores the best of s(c) and its pairs. A word found on both sides counts once, so a helper adds only what its
receiver lacks: a long provision that repeats the same words gains nothing, one that matches by itself loses nothing.
With `second`, a share of what the next best helper adds to that pair is added.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from renvoi.retrievers import ANY_DAY
from renvoi.retrievers._search import (
    STRIDE,
    add_term,
    code_of,
    count_reaching,
    counts_for,
    keep_best,
    key_of,
    write_best,
)

_STEPS_OF_A_SEARCH = 16  # postings that are walked in the time of finding one document in a long list


class Edges(NamedTuple):
    """Links by helper."""

    starts: Any  # (n_docs + 1,) where the links of each document start
    to: Any  # the receiver of a link
    kind: Any  # 0 if the receiver cites the helper, 1 if the helper cites the receiver
    source: Any  # the helper of a link
    day: Any  # when the link was made; one of the query's day or later does not exist for it


class Settings(NamedTuple):
    """What along's options say."""

    strength: Any  # (2,) weight of the links of a kind
    by_helper: Any  # (most links + 1,) share of its weight that a link keeps whose helper has so many links,
    by_receiver: Any  # and whose receiver has
    second: float  # share of what a second helper adds
    prior: float  # times log(1 + links that reach the document) is added to a document that matches
    depth: int  # helpers of a query: its best documents by themselves


class Found(NamedTuple):
    """What is written, (n_queries, k) each."""

    docs: Any  # -1 where there are fewer
    scores: Any
    helpers: Any  # the helper that raised the document, -1 for none


class _Pairs(NamedTuple):
    """The links of one query, between documents numbered by their place in `held`."""

    held: Any
    helper: Any
    receiver: Any
    weight: Any


@njit(nogil=True, cache=True)
def search_along(
    first: int, last: int, queries: Any, words: Any, edges: Any, degrees: Any, settings: Any, limits: Any, out: Any
) -> None:  # pragma: no cover - compiled
    """Write the best documents of queries `first` to `last` (excluded), best first.

    Args:
        first: number of the first query.
        last: number after the last query.
        queries: `Terms`.
        words: `Words`.
        edges: `Edges`.
        degrees: of all links, as `count_links` writes them; read only.
        settings: `Settings`.
        limits: `Limits`.
        out: `Found`.
    """
    n_docs = limits.mask.size
    k = out.docs.shape[1]
    scores = np.zeros(n_docs, np.float32)
    slot_of = np.full(n_docs, -1, np.int32)
    keys = np.empty(2 * max(k, settings.depth) + 64, np.uint64)
    counted = ANY_DAY
    for query in range(first, last):
        if limits.before[query] != counted:
            counted = limits.before[query]
            degrees = np.zeros((4, n_docs), np.int32)
            count_links(degrees, edges, counted)
        a, b = queries.starts[query], queries.starts[query + 1]
        terms, weights = queries.items[a:b], queries.weights[a:b]
        scores[:] = 0
        for i in range(terms.size):
            add_term(scores, weights[i], terms[i], words.starts, words.items, words.values, words.row_of, words.rows)
        seeds = find_helpers(scores, query, edges, settings.depth, limits, keys)
        pairs = follow_links(seeds, query, edges, settings, limits, degrees, slot_of)
        x = weigh_held(pairs.held, slot_of, terms, weights, words)
        best, by = read_together(scores[pairs.held], x, pairs, settings.second)
        scores[pairs.held] = best
        n = select_best(scores, query, 0, edges, settings.prior, degrees[0], limits, k, keys)
        out.docs[query] = -1
        write_best(keys, n, out.docs[query], out.scores[query])
        for i in range(k):
            doc = out.docs[query, i]
            link = by[slot_of[doc]] if doc >= 0 and slot_of[doc] >= 0 else -1
            out.helpers[query, i] = pairs.held[pairs.helper[link]] if link >= 0 else -1
        slot_of[pairs.held] = -1


@njit(nogil=True, cache=True)
def find_helpers(
    scores: Any, query: int, edges: Any, depth: int, limits: Any, keys: Any
) -> Any:  # pragma: no cover - compiled
    """Return the best documents by themselves that have links, best first, at most `depth`."""
    n = select_best(scores, query, 1, edges, 0.0, np.empty(0, np.int32), limits, depth, keys)
    seeds = np.empty(depth, np.int32)
    write_best(keys, n, seeds, np.empty(depth, np.float32))
    return seeds[: min(n, depth)]


@njit(nogil=True, cache=True)
def follow_links(
    seeds: Any, query: int, edges: Any, settings: Any, limits: Any, degrees: Any, slot_of: Any
) -> Any:  # pragma: no cover - compiled
    """Return the links from the seeds that exist for a query, and every document at an end of one.

    Writes each such document's place in `held` to `slot_of`, which is -1 elsewhere.
    """
    n = 0
    for helper in seeds:
        n += edges.starts[helper + 1] - edges.starts[helper]
    held = np.empty(seeds.size + n, np.int32)
    pairs = _Pairs(held, np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.float32))
    n_held = 0
    n = 0
    for helper in seeds:
        for e in range(edges.starts[helper], edges.starts[helper + 1]):
            to, kind = edges.to[e], edges.kind[e]
            if settings.strength[kind] == 0 or edges.day[e] >= limits.before[query]:
                continue
            if not counts_for(query, to, limits):
                continue
            for doc in (helper, to):
                if slot_of[doc] < 0:
                    slot_of[doc] = n_held
                    held[n_held] = doc
                    n_held += 1
            pairs.helper[n] = slot_of[helper]
            pairs.receiver[n] = slot_of[to]
            pairs.weight[n] = (
                settings.strength[kind]
                * settings.by_helper[degrees[2 * kind, helper]]
                * settings.by_receiver[degrees[2 * kind + 1, to]]
            )
            n += 1
    return _Pairs(held[:n_held], pairs.helper[:n], pairs.receiver[:n], pairs.weight[:n])


@njit(nogil=True, cache=True)
def weigh_held(held: Any, slot_of: Any, terms: Any, weights: Any, words: Any) -> Any:  # pragma: no cover - compiled
    """Return what each term of a query weighs in each of some documents, (n_held, n_terms).

    A short list of postings is walked, in a long one each document is sought.
    """
    x = np.zeros((held.size, terms.size), np.float32)
    for i in range(terms.size):
        row = words.row_of[terms[i]]
        if row >= 0:
            for slot in range(held.size):
                x[slot, i] = weights[i] * words.rows[row, held[slot]]
            continue
        start, end = words.starts[terms[i]], words.starts[terms[i] + 1]
        if end - start <= _STEPS_OF_A_SEARCH * held.size:
            for p in range(start, end):
                slot = slot_of[words.items[p]]
                if slot >= 0:
                    x[slot, i] = weights[i] * words.values[p]
            continue
        docs = words.items[start:end]
        for slot in range(held.size):
            p = np.searchsorted(docs, held[slot])
            if p < docs.size and docs[p] == held[slot]:
                x[slot, i] = weights[i] * words.values[start + p]
    return x


@njit(nogil=True, cache=True)
def add_up_pair(own: Any, theirs: Any, weight: Any) -> Any:  # pragma: no cover - compiled
    """Return the score of a pair: the greater weight of each term."""
    total = np.float32(0)
    for t in range(own.size):
        total += max(own[t], weight * theirs[t])
    return total


@njit(nogil=True, cache=True)
def read_together(alone: Any, x: Any, pairs: Any, second: float) -> Any:  # pragma: no cover - compiled
    """Return the score of each held document with its best helpers, and the link to the best one (-1 for none)."""
    best = alone.copy()
    by = np.full(best.size, -1, np.int32)
    for link in range(pairs.weight.size):
        c = pairs.receiver[link]
        together = add_up_pair(x[c], x[pairs.helper[link]], pairs.weight[link])
        if together > best[c]:
            best[c] = together
            by[c] = link
    if second == 0:
        return best, by
    y = x.copy()  # of the pair
    for c in range(best.size):
        if by[c] >= 0:
            helper, weight = pairs.helper[by[c]], pairs.weight[by[c]]
            for t in range(x.shape[1]):
                y[c, t] = max(x[c, t], weight * x[helper, t])
    more = best.copy()
    for link in range(pairs.weight.size):
        c = pairs.receiver[link]
        if by[c] >= 0:
            more[c] = max(more[c], add_up_pair(y[c], x[pairs.helper[link]], pairs.weight[link]))
    for c in range(best.size):
        best[c] += second * (more[c] - best[c])
    return best, by


@njit(nogil=True, cache=True)
def select_best(
    scores: Any, query: int, least: int, edges: Any, prior: float, cited: Any, limits: Any, k: int, keys: Any
) -> int:  # pragma: no cover - compiled
    """Write the keys of the best `k` documents with at least `least` links, and of some more; return their number.

    `cited` counts the links that reach each document; it is read where `prior` is above 0.
    """
    n_docs = scores.size
    cell = np.empty(1, np.float32)
    bits = cell.view(np.uint32)
    most = prior * np.log(1.0 + cited.max()) if prior > 0 else 0.0
    n = 0
    floor = np.uint64(0)
    bar = np.float32(-np.inf)
    for block in range(0, n_docs, STRIDE):
        end = min(block + STRIDE, n_docs)
        if count_reaching(scores, bar, block, end) == 0:
            continue
        for doc in range(block, end):
            score = scores[doc]
            if score == 0 or score < bar or edges.starts[doc + 1] - edges.starts[doc] < least:
                continue
            if prior > 0:
                score += prior * np.log(1.0 + cited[doc])
            cell[0] = score
            key = key_of(bits[0], doc)
            if key > floor and counts_for(query, doc, limits):
                keys[n] = key
                n += 1
                if n == keys.size:
                    keep_best(keys, n, k)
                    n = k
                    floor = keys[:k].min()
                    bits[0] = code_of(floor)
                    bar = np.float32(cell[0] - most)
                    bar -= np.float32(1e-5) * abs(bar)
    return n


@njit(nogil=True, cache=True)
def count_links(degrees: Any, edges: Any, before: int) -> None:  # pragma: no cover - compiled
    """Count the links of each document that were made before a day.

    Args:
        degrees: (4, n_docs), written: as helper and as receiver of links of kind 0, then of kind 1.
        edges: `Edges`.
        before: the day.
    """
    degrees[:] = 0
    for e in range(edges.to.size):
        if edges.day[e] < before:
            degrees[2 * edges.kind[e], edges.source[e]] += 1
            degrees[2 * edges.kind[e] + 1, edges.to[e]] += 1
