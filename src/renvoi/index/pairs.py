"""Adjacent word pairs as terms: law restates its formulas word for word.

A pair is one number, `first * n_words + second`, and its term number is `n_words` plus its place among all pairs of the
index, so that pairs and words are one space of terms and no pair is ever written out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Held = Callable[[], NDArray[Any]]
Block = tuple[int, Held, Held]  # whose surfaces; their numbers; where each text's end


def number_pairs(
    blocks: Sequence[Block], terms: Sequence[NDArray[np.int32]], n_words: int, pool: ThreadPoolExecutor,
    keep: Callable[[NDArray[Any]], Held],
) -> tuple[NDArray[np.int64], list[Block]]:  # fmt: skip
    """Return all pairs, ascending, and the blocks with pairs in place of surfaces.

    Args:
        blocks: of texts that are cut into surfaces.
        terms: by worker, the term of each of its surfaces.
        n_words: of the vocabulary.
        pool: threads.
        keep: puts an array away.
    """

    def cut(block: Block) -> tuple[NDArray[np.int64], Held, Held]:
        worker, numbers, ends = block
        keys, key_ends = find_pairs(numbers(), ends(), terms[worker], n_words)
        return np.unique(keys), keep(keys), keep(key_ends)

    parts = list(pool.map(cut, blocks))
    pairs = np.unique(np.concatenate([part[0] for part in parts] or [np.empty(0, np.int64)]))

    def place(part: tuple[NDArray[np.int64], Held, Held]) -> Block:
        return 0, keep(np.searchsorted(pairs, part[1]()).astype(np.int32)), part[2]

    return pairs, list(pool.map(place, parts))


def find_known(keys: NDArray[np.int64], pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the place of each key among the pairs, -1 where it is none."""
    if len(pairs) == 0:
        return np.full(len(keys), -1)
    at = np.minimum(np.searchsorted(pairs, keys), len(pairs) - 1)
    return np.where(pairs[at] == keys, at, -1)


@njit(nogil=True, cache=True)
def find_pairs(numbers: Any, ends: Any, term_of: Any, n_words: int) -> Any:  # pragma: no cover - compiled
    """Return the pairs of neighbouring terms of each text, and where each text's pairs end.

    Words that are not indexed (stop words) are passed over: what stands on both sides of one is a pair.
    """
    keys = np.empty(numbers.size, np.int64)
    key_ends = np.empty(ends.size, np.int64)
    n = 0
    start = 0
    for text in range(ends.size):
        last = -1
        for i in range(start, ends[text]):
            term = term_of[numbers[i]]
            if term < 0:
                continue
            if last >= 0:
                keys[n] = np.int64(last) * n_words + term
                n += 1
            last = term
        start = ends[text]
        key_ends[text] = n
    return keys[:n].copy(), key_ends
