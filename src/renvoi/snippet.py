"""A text and the terms of a question > where the question's words stand, and the piece that shows most of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from renvoi.analysis import Analysis, terms_of

_WORD = re.compile(r"[^\W_]+")
_BEFORE = 60  # characters shown before the first word found


class Mark(NamedTuple):
    """A word of the question in a text, characters, end excluded."""

    start: int
    end: int
    term: str


def find_marks(text: str, terms: Collection[str], analysis: Analysis) -> list[Mark]:
    """Return the words of a text that are indexed as one of `terms`; a term of two words marks both, side by side.

    >>> find_marks("He must notify: notification is due.", {"notifi"}, Analysis("en"))
    [Mark(start=8, end=14, term='notifi')]
    """
    words = list(_WORD.finditer(text))
    stems = terms_of([word[0] for word in words], replace(analysis, stop_words=False))
    found = [Mark(*w.span(), stem) for w, stem in zip(words, stems, strict=True) if stem in terms]
    pairs = {tuple(term.split(" ")) for term in terms if " " in term}
    if pairs:
        for n in range(len(words) - 1):
            if (stems[n], stems[n + 1]) in pairs:
                pair = f"{stems[n]} {stems[n + 1]}"
                found += [Mark(*words[m].span(), pair) for m in (n, n + 1) if stems[m] not in terms]
    return sorted({(mark.start, mark.end): mark for mark in found}.values())


def cut_snippet(text: str, marks: Sequence[Mark], width: int = 320) -> tuple[int, int]:
    """Return the piece of a text, about `width` characters, that shows the most different terms; the first such.

    >>> cut_snippet("a short text", [])
    (0, 12)
    """
    if len(text) <= width + _BEFORE:
        return 0, len(text)
    best, most = 0, 0
    for n, mark in enumerate(marks):
        start = max(0, mark.start - _BEFORE)
        terms = {other.term for other in marks[n:] if other.end <= start + width}
        if len(terms) > most:
            best, most = start, len(terms)
    if best <= _BEFORE:
        best = 0
    end = min(len(text), best + width)
    start = best if best == 0 else text.find(" ", best) + 1
    return start, end if end == len(text) else max(text.rfind(" ", start, end), start + 1)
