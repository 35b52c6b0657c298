"""The compiled loops that say how much of a question a document says in the very same words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

_BASE = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_BLOCK = 1024  # words mixed at once; with the filter, they stay in the nearest cache
_MOST_BITS = 18  # of the filter: 32 KiB


class Phrases(NamedTuple):
    """The phrases of a question."""

    keys: Any  # a table of their hashes, see `find_key`; 0 is empty
    numbers: Any  # of each place of the table: phrases are numbered as they first come
    n: int  # how many there are
    powers: Any  # (words of a phrase,) what its words are multiplied with in a hash
    filter: Any  # bits, eight a byte: 1 where `mix_phrases` puts a phrase; few of what is none go there
    shift: Any  # what leads from a mixed number to the place in the filter


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
    phrases = read_phrases(asked, n)
    if phrases.n == 0:
        return
    blocks = (phrases.n + 7) // 8
    has = np.zeros((n_docs, 8 * blocks), np.bool_)
    mixed = np.empty(_BLOCK, np.uint32)
    for c in range(n_docs):
        find_phrases(terms[starts[docs[c]] : starts[docs[c] + 1]], phrases, mixed, has[c])
    by_block = has.view(np.uint64)  # eight phrases at once: a document has few
    df = np.zeros(8 * blocks, np.int64)
    for c in range(n_docs):
        for block in range(blocks):
            if by_block[c, block]:
                for g in range(8 * block, 8 * block + 8):
                    df[g] += has[c, g]
    worth = np.zeros(8 * blocks, np.float64)
    for g in range(phrases.n):
        if df[g]:
            worth[g] = np.log((n_docs + 1.0) / df[g]) ** 2
    for c in range(n_docs):
        total = 0.0
        for block in range(blocks):
            if by_block[c, block]:
                for g in range(8 * block, 8 * block + 8):
                    if has[c, g]:
                        total += worth[g]
        out[c] = np.log1p(total)


@njit(nogil=True, cache=True)
def read_phrases(asked: Any, n: int) -> Any:  # pragma: no cover - compiled
    """Return the phrases of a question: `n` known words in a row."""
    size, bits = 16, 9
    while size < 2 * asked.size:
        size *= 2
        bits = min(bits + 1, _MOST_BITS)
    keys = np.zeros(size, np.uint64)
    numbers = np.empty(size, np.int32)
    powers = np.ones(n, np.uint64)
    for i in range(n - 2, -1, -1):
        powers[i] = powers[i + 1] * _BASE
    held = np.zeros(1 << (bits - 3), np.uint8)
    shift = np.uint32(32 - bits)
    mixed = np.empty(max(asked.size, 1), np.uint32)
    count = 0
    for first in range(mix_phrases(asked, 0, powers, mixed)):
        key = hash_phrase(asked, first, powers)
        at = find_key(keys, key)
        if key and keys[at] == 0:
            keys[at] = key
            numbers[at] = count
            count += 1
            place = mixed[first] >> shift
            held[place >> np.uint32(3)] |= np.uint8(1) << np.uint8(place & np.uint32(7))
    return Phrases(keys, numbers, count, powers, held, shift)


@njit(nogil=True, cache=True)
def find_phrases(terms: Any, phrases: Any, mixed: Any, has: Any) -> None:  # pragma: no cover - compiled
    """Set to True which of the phrases a document has; `mixed` is overwritten."""
    for block in range(0, terms.size, mixed.size):
        for i in range(mix_phrases(terms, block, phrases.powers, mixed)):
            place = mixed[i] >> phrases.shift
            if not (phrases.filter[place >> np.uint32(3)] >> np.uint8(place & np.uint32(7))) & np.uint8(1):
                continue
            key = hash_phrase(terms, block + i, phrases.powers)
            at = find_key(phrases.keys, key)
            if key and phrases.keys[at]:
                has[phrases.numbers[at]] = True


@njit(nogil=True, cache=True)
def mix_phrases(terms: Any, first: int, powers: Any, out: Any) -> int:  # pragma: no cover - compiled
    """Write a number for the words from `first` on, from the next word on, and so on; return for how many.

    Several at once, in vector registers. Equal words give equal numbers, others mostly different ones.
    """
    n: int = max(min(out.size, terms.size - powers.size + 1 - first), 0)
    mixed = out[:n]
    mixed[:] = 0
    for i in range(powers.size):
        factor = np.uint32((powers[i] * _BASE) >> np.uint64(32)) | np.uint32(1)
        words = terms[first + i : first + i + n]
        for j in range(n):
            mixed[j] += factor * np.uint32(words[j])
    return n


@njit(nogil=True, cache=True)
def hash_phrase(terms: Any, first: int, powers: Any) -> Any:  # pragma: no cover - compiled
    """Return a hash of the words from `first` on, as many as there are powers; 0 if one is unknown, and never else.

    64 bits: a wrong match is expected once in some 10^12 comparisons with a question of 10,000 words.
    """
    hashed = np.uint64(0)
    for i in range(powers.size):
        if terms[first + i] < 0:
            return np.uint64(0)
        hashed += powers[i] * np.uint64(terms[first + i] + 1)
    return max(hashed ^ (hashed >> np.uint64(29)), _ONE)


@njit(nogil=True, cache=True)
def find_key(keys: Any, key: Any) -> int:  # pragma: no cover - compiled
    """Return where a key stands in a table whose size is a power of 2, or the empty place where it would go."""
    last = np.uint64(keys.size - 1)
    at = key & last
    while keys[at] != 0 and keys[at] != key:
        at = (at + _ONE) & last
    return int(at)
