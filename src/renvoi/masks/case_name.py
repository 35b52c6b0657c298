"""Names of decisions in their citations, and the names the caller knows to be cited."""

from __future__ import annotations

from collections.abc import Iterator

from renvoi.masks._reading import Reading, find_whole, names_pattern
from renvoi.types import Span


def case_name(reading: Reading) -> Iterator[Span]:
    """Yield the names that stand in citations, and every whole occurrence of a known name."""
    for mention in reading.mentions:
        if mention.name:
            start, end = mention.name
            yield Span(start, end, "case_name", mention.form)
    pattern = names_pattern(reading.known, reading.shouted)
    if pattern:
        for start, end in find_whole(pattern, reading.plain):
            yield Span(start, end, "case_name", "known")
