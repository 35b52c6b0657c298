"""Longest common subsequences of word sequences, bit-parallel (Hyyrö 2004), with bounds that skip most of them.

The words of a query stand one to a bit; a candidate is read once, and each of its words that the query has costs one
addition over as many 64-bit machine words as the query needs. Words the query lacks cost a table look-up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit, prange

Ints = npt.NDArray[np.int32]


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
def _bound(words: Any, slot: Any, frequency: Any, used: Any, stamp: Any, mark: int) -> int:
    """Return how many words the candidate shares with the query, each at most as often as both have it."""
    bound = 0
    for word in words:
        place = slot[word]
        if place:
            if stamp[place] != mark:
                stamp[place] = mark
                used[place] = 0
            if used[place] < frequency[place]:
                used[place] += 1
                bound += 1
    return bound


@njit(cache=True)
def lcs_lengths(query: Ints, words: Ints, starts: npt.NDArray[np.int64], chosen: Ints, n_words: int) -> Ints:
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
    query_starts: npt.NDArray[np.int64],
    words: Ints,
    starts: npt.NDArray[np.int64],
    barred: Ints,
    barred_starts: npt.NDArray[np.int64],
    owner: Ints,
    own: Ints,
    day: Ints,
    before: Ints,
    n_words: int,
) -> tuple[Ints, Ints, Ints]:
    """Return for each query the candidate with the longest common subsequence, its length, and how many were compared.

    Exact: a candidate is left out only if it shares too few words to win. Of equal lengths the first candidate wins;
    -1 where a query has no candidate.

    Args:
        queries: word numbers of all queries, one after the other; `query_starts` as `starts`.
        words: of all candidates; candidate j is `words[starts[j]:starts[j + 1]]`.
        barred: candidates that do not count (the relevant ones), by query as `barred_starts` says.
        owner: document number of each candidate; `own` that of each query (-1: none): its own is left out.
        day: of each candidate; `before` of each query: only earlier candidates count.
        n_words: size of the vocabulary.
    """
    n_queries, n = len(query_starts) - 1, len(starts) - 1
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
        used, stamp = np.zeros(len(query) + 1, np.int32), np.full(len(query) + 1, -1, np.int32)
        bounds = np.full(n, -1, np.int32)
        for j in range(n):
            if day[j] < before[q] and owner[j] != own[q]:
                bounds[j] = _bound(words[starts[j] : starts[j + 1]], slot, frequency, used, stamp, j)
        for i in range(barred_starts[q], barred_starts[q + 1]):
            bounds[barred[i]] = -1
        # Highest bound first, so that the best is found early; a counting sort keeps equal bounds in order.
        counts = np.zeros(len(query) + 2, np.int64)
        for j in range(n):
            counts[len(query) - bounds[j]] += 1
        places = np.zeros(len(query) + 2, np.int64)
        for i in range(1, len(places)):
            places[i] = places[i - 1] + counts[i - 1]
        order = np.empty(n, np.int32)
        for j in range(n):
            order[places[len(query) - bounds[j]]] = j
            places[len(query) - bounds[j]] += 1
        state = np.zeros(masks.shape[1], np.uint64)
        for i in range(n):
            j = order[i]
            if bounds[j] < 0 or bounds[j] < length[q]:
                break
            # At an equal bound a candidate can only tie, which counts if it comes first.
            if best[q] >= 0 and bounds[j] == length[q] and j > best[q]:
                continue
            compared[q] += 1
            found = _length(len(query), words[starts[j] : starts[j + 1]], slot, masks, state)
            if best[q] < 0 or found > length[q] or (found == length[q] and j < best[q]):
                best[q], length[q] = j, found
    return best, length, compared
