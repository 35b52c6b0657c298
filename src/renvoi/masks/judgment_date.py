"""The day of a decision, where the decision is named with it. Other dates stay."""

from __future__ import annotations

import re
from collections.abc import Iterator

from renvoi.masks._reading import Reading, find_whole, names_pattern
from renvoi.types import Span

_SHARED = re.compile(r"\s?(?:,|,?\sand)\s(?:of\s)?")


def judgment_date(reading: Reading) -> Iterator[Span]:
    """Yield the dates that citations carry."""
    p = reading.plain
    for mention in reading.mentions:
        if mention.date:
            yield Span(*mention.date, "judgment_date", mention.form)
            yield from _dates_before(p, mention.date[0], reading)
    starts = {start for m in reading.mentions for start in (m.start, *(m.name or ())[:1], *(low for low, _ in m.lists))}
    pattern = names_pattern(reading.known, reading.shouted)
    starts |= {start for start, _ in find_whole(pattern, reading.plain)} if pattern else set()
    for m in reading.rules.decided.finditer(reading.plain):
        follows = re.match(r"paragraphs?\s\d|points?\s\d|and the case-law cited", reading.plain[m.end() : m.end() + 25])
        if follows or m.end() in starts:
            yield Span(*m.span("date"), "judgment_date", "before a name or pinpoint")


def _dates_before(p: str, at: int, reading: Reading) -> Iterator[Span]:
    """Yield the dates that share a head with the one at `at`: "judgments of 3 May 2031 and 7 June 2032, Alder"."""
    while dates := [
        m for m in reading.rules.date.finditer(p, max(0, at - 45), at) if _SHARED.fullmatch(p, m.end(), at)
    ]:
        at = dates[-1].start()
        yield Span(*dates[-1].span(), "judgment_date", "shares a head")
