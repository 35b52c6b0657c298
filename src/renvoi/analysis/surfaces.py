"""Cut text into surfaces: once plainly, once for millions of words.

A surface is a longest stretch of letters, digits and numerals (Unicode L and N), with the combining marks and
invisible joiners that stand in it. Both ways cut alike; the fast one also writes A-Z as a-z.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from renvoi.analysis.legal import JOINED

# Soft hyphen, zero-width space and joiners, word joiner, byte order mark: inside a word they mean nothing.
IGNORED = dict.fromkeys((0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
_BMP = 0x10000
_FULL = re.compile("[^ ]+")


def _is_word(char: str) -> bool:
    if ord(char) >= _BMP:  # rare scripts and signs: kept, as one word
        return True
    return char.isalnum() or unicodedata.category(char)[0] == "M" or ord(char) in IGNORED or char in JOINED


@cache
def _word_characters() -> NDArray[np.bool_]:
    """Return for each code point below 0x10000 whether it belongs to a surface."""
    return np.array([_is_word(chr(code)) for code in range(_BMP)])


def find_surfaces(text: str) -> list[str]:
    """Return the surfaces of a text, as written.

    >>> find_surfaces("l'art. 21¹: 1.000 zł")
    ['l', 'art', '21¹', '1', '000', 'zł']
    """
    return [text[start:end] for start, end in find_spans(text)]


def find_spans(text: str) -> list[tuple[int, int]]:
    """Return where the surfaces of a text stand, characters, end excluded.

    >>> find_spans("l'art. 21¹")
    [(0, 1), (2, 5), (7, 10)]
    """
    return [match.span() for match in _FULL.finditer("".join(char if _is_word(char) else " " for char in text))]


class SurfaceTable:
    """Numbers for distinct surfaces, in the order they were first seen. One thread uses it at a time."""

    def __init__(self) -> None:
        self._slots = np.full(1 << 12, -1, np.int32)
        self._hashes = np.empty(1 << 11, np.uint64)
        self._ends = np.zeros((1 << 11) + 1, np.int64)
        self._pool = np.empty(1 << 14, np.uint8)
        self._n = 0

    def cut(self, data: bytes, ends: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the number of each surface, and where each text's surfaces end in that array.

        Args:
            data: texts in UTF-8, one after another.
            ends: where each text ends in `data`, bytes.
        """
        codes = np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8)
        numbers, number_ends, *state = _cut(
            codes, ends, _word_characters(), self._slots, self._hashes, self._ends, self._pool, self._n
        )
        self._slots, self._hashes, self._ends, self._pool, self._n = state
        return numbers, number_ends

    def surfaces(self) -> list[str]:
        """Return all surfaces seen; the place in the list is the number."""
        pool = self._pool.tobytes()
        ends = self._ends[: self._n + 1].tolist()
        return [pool[a:b].decode() for a, b in zip(ends, ends[1:], strict=False)]


_MIX = np.uint64(0x9E3779B97F4A7C15)


@njit(nogil=True, cache=True)
def _cut(
    codes: Any, text_ends: Any, is_word: Any, slots: Any, hashes: Any, ends: Any, pool: Any, n: int
) -> Any:  # pragma: no cover - compiled
    numbers = np.empty(max(16, codes.size // 4), np.int32)
    number_ends = np.empty(text_ends.size, np.int64)
    n_numbers = 0
    at = 0
    pool_size = ends[n]
    for text in range(text_ends.size):
        end = text_ends[text]
        while at < end:
            # One surface is hashed while it is copied to the end of the pool; it stays there if it is new.
            if pool.size - pool_size < end - at + 8:
                larger = np.empty(2 * pool.size + end - at + 8, np.uint8)
                larger[:pool_size] = pool[:pool_size]
                pool = larger
            write = pool_size
            mixed = np.uint64(0)
            word = np.uint64(0)
            while at < end:
                byte = codes[at]
                if byte < 0x80:
                    if byte - 65 < 26 and byte >= 65:
                        byte = np.uint8(byte + 32)
                    elif not (97 <= byte <= 122 or 48 <= byte <= 57):
                        break
                    width = 1
                elif byte < 0xE0:
                    width = 2
                    if not is_word[((byte & 0x1F) << 6) | (codes[at + 1] & 0x3F)]:
                        break
                elif byte < 0xF0:
                    width = 3
                    if not is_word[((byte & 0x0F) << 12) | ((codes[at + 1] & 0x3F) << 6) | (codes[at + 2] & 0x3F)]:
                        break
                else:
                    width = 4
                for offset in range(width):
                    if offset:
                        byte = codes[at + offset]
                    pool[write] = byte
                    write += 1
                    word = (word << np.uint64(8)) | np.uint64(byte)
                    if (write - pool_size) & 7 == 0:
                        mixed = (mixed ^ word) * _MIX
                        mixed ^= mixed >> np.uint64(29)
                        word = np.uint64(0)
                at += width
            length = write - pool_size
            if length == 0:
                byte = codes[at]  # a separator
                at += 1 if byte < 0x80 else (2 if byte < 0xE0 else 3)
                continue
            mixed = (mixed ^ word ^ (np.uint64(length) << np.uint64(56))) * _MIX
            mixed ^= mixed >> np.uint64(32)
            mask = slots.size - 1
            slot = np.int64(mixed & np.uint64(mask))
            number = -1
            while True:
                number = slots[slot]
                if number < 0:
                    break
                if hashes[number] == mixed and ends[number + 1] - ends[number] == length:
                    start = ends[number]
                    same = True
                    for i in range(length):
                        if pool[start + i] != pool[pool_size + i]:
                            same = False
                            break
                    if same:
                        break
                slot = (slot + 1) & mask
            if number < 0:
                number = n
                slots[slot] = n
                hashes[n] = mixed
                n += 1
                pool_size = write
                ends[n] = write
                if n == hashes.size:
                    slots, hashes, ends = _grow(slots, hashes, ends)
            if n_numbers == numbers.size:
                more = np.empty(2 * numbers.size, np.int32)
                more[:n_numbers] = numbers
                numbers = more
            numbers[n_numbers] = number
            n_numbers += 1
        number_ends[text] = n_numbers
    return numbers[:n_numbers].copy(), number_ends, slots, hashes, ends, pool, n


@njit(nogil=True, cache=True)
def _grow(slots: Any, hashes: Any, ends: Any) -> Any:  # pragma: no cover - compiled
    n = hashes.size
    new_hashes = np.empty(2 * n, np.uint64)
    new_hashes[:n] = hashes
    new_ends = np.zeros(2 * n + 1, np.int64)
    new_ends[: n + 1] = ends
    new_slots = np.full(2 * slots.size, -1, np.int32)
    mask = new_slots.size - 1
    for number in range(n):
        slot = np.int64(hashes[number] & np.uint64(mask))
        while new_slots[slot] >= 0:
            slot = (slot + 1) & mask
        new_slots[slot] = number
    return new_slots, new_hashes, new_ends
