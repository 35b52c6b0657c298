"""The number that leads a paragraph of a judgment: "21 It follows …"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from renvoi.masks._reading import Reading
from renvoi.types import Span

_LEADING = re.compile(
    r"\s*(?:\d{1,4}[.)]?\s+)+(?=[A-ZÀ-Ž\u2018(\[\"'-])"
    r"(?!\[(?:ecli|number|report|paragraph|date|name|above)\])(?!(?:January|February|March|April|May|June|July|August|September|October|November|December)\b|Member\sStates?\b|%|EUR\b|[A-Z]{3}\s\d)"
)


def own_number(reading: Reading) -> Iterator[Span]:
    """Yield the leading number with the blanks after it."""
    if m := _LEADING.match(reading.plain):
        start = len(m[0]) - len(m[0].lstrip())
        yield Span(start, m.end(), "own_number", "leading number")
