"""Longest common subsequences of word sequences, bit-parallel (Hyyrö 2004), with bounds that skip most of them.

The words of a query stand one to a bit; a candidate is read once, and each of its words that the query has costs one
addition over as many 64-bit machine words as the query needs. Words the query lacks cost a table look-up. The bounds
come from postings, so that a candidate costs nothing for the words that the query lacks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit, prange

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


@njit(cache=True)
def _fill(query: Any, slot: Any, masks: Any, frequency: Any) -> int:
    """Give every distinct word of a query a slot from 1, its positions as bits and its frequency; return how many."""
    n = 0
    for position in range(len(query)):
        word = query[position]
        if slot[word] == 0:
            n += 1
            slot[word] = n
        place = slot[word]
        masks[place, position >> 6] |= np.uint64(1) << np.uint64(position & 63)
        frequency[place] += 1
    return n


@njit(cache=True)
def _length(query_length: int, words: Any, slot: Any, masks: Any, state: Any) -> int:
    """Return the length of the longest common subsequence of the query and `words`."""
    n = (query_length + 63) >> 6
    for i in range(n):
        state[i] = ~np.uint64(0)
    for word in words:
        place = slot[word]
        if place == 0:
            continue
        carry = np.uint64(0)
        for i in range(n):
            old = state[i]
            met = old & masks[place, i]
            total = old + met
            over = np.uint64(1) if total < old else np.uint64(0)
            total += carry
            if total < carry:
                over = np.uint64(1)
            carry = over
            state[i] = total | (old & ~masks[place, i])
    length = 0
    for position in range(query_length):
        if not (state[position >> 6] >> np.uint64(position & 63)) & np.uint64(1):
            length += 1
    return length


@njit(cache=True)
def post(words: Ints, starts: Longs, n_words: int) -> tuple[Longs, Ints, Ints]:
    """Return where each word stands: its candidates and how often they have it, candidates in order.

    Args:
        words: of all candidates, one after the other.
        starts: candidate j is `words[starts[j]:starts[j + 1]]`.
        n_words: size of the vocabulary.

    Returns:
        first (n_words + 1), candidates, counts: word w has `candidates[first[w]:first[w + 1]]`.
    """
    last = np.full(n_words, -1, np.int32)
    first = np.zeros(n_words + 1, np.int64)
    for j in range(len(starts) - 1):
        for word in words[starts[j] : starts[j + 1]]:
            if last[word] != j:
                last[word] = j
                first[word + 1] += 1
    for word in range(n_words):
        first[word + 1] += first[word]
    candidates = np.empty(first[n_words], np.int32)
    counts = np.zeros(first[n_words], np.int32)
    free = first[:-1].copy()
    last[:] = -1
    for j in range(len(starts) - 1):
        for word in words[starts[j] : starts[j + 1]]:
            if last[word] != j:
                last[word] = j
                candidates[free[word]] = j
                free[word] += 1
            counts[free[word] - 1] += 1
    return first, candidates, counts


@njit(cache=True)
def _bounds(query: Any, slot: Any, frequency: Any, first: Any, candidates: Any, counts: Any, n: int) -> Any:
    """Return for each candidate how many words it shares with the query, each at most as often as both have it."""
    bounds = np.zeros(n, np.int32)
    done = np.zeros(len(frequency), np.bool_)
    for word in query:
        place = slot[word]
        if done[place]:
            continue
        done[place] = True
        most = frequency[place]
        for p in range(first[word], first[word + 1]):
            bounds[candidates[p]] += min(most, counts[p])
    return bounds


@njit(cache=True)
def _by_bound(bounds: Any, highest: int) -> Any:
    """Return candidates with the highest bound first, those with an equal one in order; negative ones are left out."""
    places = np.zeros(highest + 2, np.int64)
    for bound in bounds:
        if bound >= 0:
            places[highest - bound + 1] += 1
    for i in range(1, len(places)):
        places[i] += places[i - 1]
    order = np.empty(places[-1], np.int32)
    for j in range(len(bounds)):
        if bounds[j] >= 0:
            order[places[highest - bounds[j]]] = j
            places[highest - bounds[j]] += 1
    return order


@njit(cache=True)
def lcs_lengths(query: Ints, words: Ints, starts: Longs, chosen: Ints, n_words: int) -> Ints:
    """Return the length of the longest common subsequence of a query and each chosen candidate.

    Args:
        query: word numbers, below `n_words`.
        words: of all candidates, one after the other.
        starts: candidate j is `words[starts[j]:starts[j + 1]]`.
        chosen: candidates.
        n_words: size of the vocabulary.
    """
    slot = np.zeros(n_words, np.int32)
    masks = np.zeros((len(query) + 1, (len(query) + 63) // 64), np.uint64)
    frequency = np.zeros(len(query) + 1, np.int32)
    _fill(query, slot, masks, frequency)
    state = np.zeros(masks.shape[1], np.uint64)
    lengths = np.zeros(len(chosen), np.int32)
    for i in range(len(chosen)):
        j = chosen[i]
        lengths[i] = _length(len(query), words[starts[j] : starts[j + 1]], slot, masks, state)
    return lengths


@njit(cache=True, parallel=True)
def best_others(
    queries: Ints,
    query_starts: Longs,
    words: Ints,
    starts: Longs,
    first: Longs,
    candidates: Ints,
    counts: Ints,
    barred: Ints,
    barred_starts: Longs,
    owner: Ints,
    own: Ints,
    day: Ints,
    before: Ints,
) -> tuple[Ints, Ints, Ints]:
    """Return for each query the candidate with the longest common subsequence, its length, and how many were compared.

    Exact: a candidate is left out only if it shares too few words to win. Of equal lengths the first candidate wins;
    -1 where a query has no candidate.

    Args:
        queries: word numbers of all queries, one after the other; `query_starts` as `starts`.
        words: of all candidates; candidate j is `words[starts[j]:starts[j + 1]]`.
        first, candidates, counts: where each word stands, see `post`.
        barred: candidates that do not count (the relevant ones), by query as `barred_starts` says.
        owner: document number of each candidate; `own` that of each query (-1: none): its own is left out.
        day: of each candidate; `before` of each query: only earlier candidates count.
    """
    n_queries, n, n_words = len(query_starts) - 1, len(starts) - 1, len(first) - 1
    best, length, compared = (
        np.full(n_queries, -1, np.int32),
        np.zeros(n_queries, np.int32),
        np.zeros(n_queries, np.int32),
    )
    for q in prange(n_queries):
        query = queries[query_starts[q] : query_starts[q + 1]]
        slot = np.zeros(n_words, np.int32)
        masks = np.zeros((len(query) + 1, (len(query) + 63) // 64), np.uint64)
        frequency = np.zeros(len(query) + 1, np.int32)
        _fill(query, slot, masks, frequency)
        bounds = _bounds(query, slot, frequency, first, candidates, counts, n)
        for j in range(n):
            if day[j] >= before[q] or owner[j] == own[q]:
                bounds[j] = -1
        for i in range(barred_starts[q], barred_starts[q + 1]):
            bounds[barred[i]] = -1
        state = np.zeros(masks.shape[1], np.uint64)
        for j in _by_bound(bounds, len(query)):
            if bounds[j] < length[q]:
                break
            # At an equal bound a candidate can only tie, which counts if it comes first.
            if best[q] >= 0 and bounds[j] == length[q] and j > best[q]:
                continue
            compared[q] += 1
            found = _length(len(query), words[starts[j] : starts[j + 1]], slot, masks, state)
            if best[q] < 0 or found > length[q] or (found == length[q] and j < best[q]):
                best[q], length[q] = j, found
    return best, length, compared
