"""The compiled loops that compare a paragraph with a question, word by word in order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

_MOST = 256  # words of a question that are compared in order
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE = np.uint64(1)


class Question(NamedTuple):
    """A question read for comparing. Its distinct known terms have local numbers, in the order they come in."""

    length: int  # words compared
    n: int  # distinct known terms
    worth: float  # idf of these, summed; at least 1
    pairs: float  # idf of the words of its distinct neighbouring pairs, summed; at least 1
    near: Any  # (n, n) 1 where a stands before b, 2 where one word is between, 3 both
    seen: Any  # (n, n) the last paragraph that had the pair, (0) next to each other, (1) with one word between
    at: Any  # (n, words / 64) where a term stands, as bits


@njit(nogil=True, cache=True)
def read_question(terms: Any, local: Any, worth: Any) -> Any:  # pragma: no cover - compiled
    """Return a question ready to be compared; writes `local`, the number of each of its terms, -1 for others."""
    length = min(terms.size, _MOST)
    n = 0
    total = 0.0
    for i in range(terms.size):
        term = terms[i]
        if term >= 0 and local[term] < 0:
            local[term] = n
            n += 1
            total += worth[term]
    near = np.zeros((n, n), np.uint8)
    at = np.zeros((max(n, 1), (length + 63) // 64 + 1), np.uint64)
    pairs = 0.0
    for i in range(length):
        if terms[i] < 0:
            continue
        a = local[terms[i]]
        at[a, i // 64] |= _ONE << np.uint64(i % 64)
        if i + 1 < length and terms[i + 1] >= 0:
            if not near[a, local[terms[i + 1]]] & 1:
                pairs += worth[terms[i]] + worth[terms[i + 1]]
            near[a, local[terms[i + 1]]] |= 1
        if i + 2 < length and terms[i + 2] >= 0:
            near[a, local[terms[i + 2]]] |= 2
    seen = np.full((2, max(n, 1), max(n, 1)), -1, np.int32)
    return Question(length, n, max(total, 1.0), max(pairs, 1.0), near, seen, at)


@njit(nogil=True, cache=True)
def compare(
    terms: Any, local: Any, worth: Any, question: Any, number: int
) -> tuple[float, float, int, float, float, int]:  # pragma: no cover - compiled
    """Return what a paragraph has in common with a question.

    Args:
        terms: of the paragraph, in order.
        local: see `read_question`.
        worth: idf of each term.
        question: read.
        number: of the paragraph; each needs another.

    Returns:
        Idf of the words of shared neighbouring pairs; idf of shared pairs with one word between; longest chain of
        pairs, in words; idf of words that the question has; idf of all words; length of the longest common subsequence.
    """
    pairs, skips, both, total = 0.0, 0.0, 0.0, 0.0
    longest, run = 0, 0
    last, before_last = -1, -1
    last_worth = 0.0
    n_words = (question.length + 63) // 64
    open_ = np.full(max(n_words, 1), _ALL, np.uint64)  # H. Hyyrö: bit-parallel LCS; a 0 is a matched word
    for p in range(terms.size):
        one = local[terms[p]]
        weight = worth[terms[p]]
        total += weight
        if one >= 0:
            both += weight
            _match(open_, question.at[one], n_words)
        if one >= 0 and last >= 0 and question.near[last, one] & 1:
            run = max(run, 1) + 1
            longest = max(longest, run)
            if question.seen[0, last, one] != number:
                question.seen[0, last, one] = number
                pairs += weight + last_worth
        else:
            run = 0
        apart = one >= 0 and before_last >= 0 and question.near[before_last, one] & 2
        if apart and question.seen[1, before_last, one] != number:
            question.seen[1, before_last, one] = number
            skips += weight
        before_last, last, last_worth = last, one, weight
    common = 0
    for w in range(n_words):
        left = ~open_[w]
        while left:
            left &= left - _ONE
            common += 1
    return pairs, skips, longest, both, total, common


@njit(nogil=True, cache=True)
def _match(open_: Any, at: Any, n_words: int) -> None:  # pragma: no cover - compiled
    """Do one step of V = (V + (V & M)) | (V & ~M) over several words."""
    carry = np.uint64(0)
    for w in range(n_words):
        taken = open_[w] & at[w]
        added = open_[w] + taken
        over = _ONE if added < taken else np.uint64(0)
        more = added + carry
        if more < added:
            over = _ONE
        open_[w] = more | (open_[w] & ~at[w])
        carry = over
