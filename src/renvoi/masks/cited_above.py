""" "cited above", "ibid.": they say that a decision is cited."""

from __future__ import annotations

from collections.abc import Iterator

from renvoi.masks._reading import Reading
from renvoi.types import Span


def cited_above(reading: Reading) -> Iterator[Span]:
    """Yield "cited above" with the comma before it."""
    for m in reading.rules.cited_above.finditer(reading.plain):
        yield Span(*m.span(), "cited_above", "words")
