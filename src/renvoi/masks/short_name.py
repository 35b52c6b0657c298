"""Short names reused without a number: "Alder may rely on …" after a citation of Alder v Commission."""

from __future__ import annotations

from collections.abc import Iterator

from renvoi.masks._reading import Reading, find_whole, names_pattern
from renvoi.types import Span


def short_name(reading: Reading) -> Iterator[Span]:
    """Yield every whole occurrence of a party, or short name, of a decision named or known."""
    letters = [c for c in reading.plain if c.isalpha()]
    shouted = len(letters) > 20 and sum(c.isupper() for c in letters) > 0.8 * len(letters)  # pages before 1990
    pattern = names_pattern(reading.names, fold=shouted)
    if pattern:
        for start, end in find_whole(pattern, reading.plain):
            yield Span(start, end, "short_name", "reused")
