"""Where in a text citations may begin."""

from __future__ import annotations

import re

from renvoi.cite._engine import Engine

_WORD_START = re.compile(r"§|\b\w|\b\(")
_BEHIND = 80  # characters before a seed in which a citation's first unit begins: "the second, third and fourth …"


class Beginnings:
    """The places of one text where a citation may begin, asked for from left to right.

    A cheap pattern finds words that every mark holds; the full one is tried only at those words, and at the words
    before them where the last of these is one that a unit or anchor may begin with.
    """

    def __init__(self, engine: Engine, text: str) -> None:
        self._engine = engine
        self._text = text
        self._seeds = engine.seed.finditer(text)
        self._seed = next(self._seeds, None)

    def after(self, at: int) -> int | None:
        """Return the first place from `at` on where a citation may begin."""
        begin, text, tried = self._engine.begin, self._text, at
        seed = self._seed
        while seed is not None:
            start, end = seed.span()
            if start >= tried:
                first = self._first_word(start, tried)
                if first > tried and begin.match(text, first) and text[first] != "(":
                    self._seed = seed
                    return first
                for word in _WORD_START.finditer(text, first, end):
                    if begin.match(text, word.start()):
                        self._seed = seed
                        return word.start()
                tried = end
            seed = next(self._seeds, None)
        self._seed = None
        return None

    def _first_word(self, seed: int, tried: int) -> int:
        """Return where the first word begins that a unit with a seed may begin with."""
        text = self._text
        own = text.rfind(" ", tried, seed) + 1
        if own <= tried:
            return tried
        previous = text.rfind(" ", tried, own - 1) + 1
        if previous > tried:
            led = self._engine.is_lead(text[previous : own - 1])
        else:
            led = self._engine.lead.search(text, tried, own - 1) is not None
        return max(tried, seed - _BEHIND) if led else own
