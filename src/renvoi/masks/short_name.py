"""Short names reused without a number: "Alder may rely on …" after a citation of Alder v Commission."""

from __future__ import annotations

from collections.abc import Iterator

from renvoi.masks._reading import Reading, find_whole, names_pattern
from renvoi.types import Span


def short_name(reading: Reading) -> Iterator[Span]:
    """Yield every whole occurrence of a party, or short name, of a decision named or known."""
    pattern = names_pattern(reading.names, reading.shouted)
    if pattern:
        for start, end in find_whole(pattern, reading.plain):
            yield Span(start, end, "short_name", "reused")
