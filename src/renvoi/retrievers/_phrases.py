"""The compiled loops that say how much of a question a document says in the very same words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

_BASE = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)


@njit(nogil=True, cache=True)
def weigh_phrases(
    asked: Any, docs: Any, n_docs: int, starts: Any, terms: Any, n: int, out: Any
) -> None:  # pragma: no cover - compiled
    """Write log(1 + sum over shared phrases g of ln((C + 1) / df(g))^2) for each of C documents.

    A phrase is `n` words in a row; one that many of the C documents have (a formula) says little about each.

    Args:
        asked: terms of the question in order, -1 for an unknown word, which no phrase runs over.
        docs: documents to compare, the first `n_docs` of them.
        n_docs: C.
        starts: sequences of the documents, with terms.
        terms: see starts.
        n: words of a phrase.
        out: (n_docs,) written.
    """
    out[:n_docs] = 0
    size = 16
    while size < 2 * asked.size:
        size *= 2
    keys = np.zeros(size, np.uint64)  # 0 is empty
    numbers = np.empty(size, np.int32)
    hashes = np.empty(max(asked.size, 1), np.uint64)
    n_phrases = 0
    for i in range(hash_phrases(asked, 0, asked.size, n, hashes)):
        at = find_key(keys, hashes[i])
        if keys[at] == 0:
            keys[at] = hashes[i]
            numbers[at] = n_phrases
            n_phrases += 1
    if n_phrases == 0:
        return
    has = np.zeros((n_docs, n_phrases), np.bool_)
    df = np.zeros(n_phrases, np.int64)
    longest = 1
    for c in range(n_docs):
        longest = max(longest, starts[docs[c] + 1] - starts[docs[c]])
    hashes = np.empty(longest, np.uint64)
    for c in range(n_docs):
        for i in range(hash_phrases(terms, starts[docs[c]], starts[docs[c] + 1], n, hashes)):
            at = find_key(keys, hashes[i])
            if keys[at] != 0 and not has[c, numbers[at]]:
                has[c, numbers[at]] = True
                df[numbers[at]] += 1
    worth = np.zeros(n_phrases, np.float64)
    for g in range(n_phrases):
        if df[g]:
            worth[g] = np.log((n_docs + 1.0) / df[g]) ** 2
    for c in range(n_docs):
        total = 0.0
        for g in range(n_phrases):
            if has[c, g]:
                total += worth[g]
        out[c] = np.log1p(total)


@njit(nogil=True, cache=True)
def hash_phrases(terms: Any, first: int, last: int, n: int, out: Any) -> int:  # pragma: no cover - compiled
    """Write a hash (never 0) of each `n` known terms in a row from `first` to `last`; return how many there are.

    64 bits, rolling: a wrong match is expected once in some 10^12 comparisons with a question of 10,000 words.
    """
    leaving = _ONE
    for _ in range(n):
        leaving *= _BASE
    rolled = np.uint64(0)
    run = 0
    found = 0
    for p in range(first, last):
        if terms[p] < 0:
            rolled, run = np.uint64(0), 0
            continue
        rolled = rolled * _BASE + np.uint64(terms[p] + 1)
        run += 1
        if run > n:
            rolled -= leaving * np.uint64(terms[p - n] + 1)
        if run >= n:
            out[found] = max(rolled ^ (rolled >> np.uint64(29)), _ONE)
            found += 1
    return found


@njit(nogil=True, cache=True)
def find_key(keys: Any, key: Any) -> int:  # pragma: no cover - compiled
    """Return where a key stands in a table whose size is a power of 2, or the empty place where it would go."""
    last = np.uint64(keys.size - 1)
    at = key & last
    while keys[at] != 0 and keys[at] != key:
        at = (at + _ONE) & last
    return int(at)
