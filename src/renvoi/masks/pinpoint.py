"""Paragraphs of decisions: "paragraphs 12 to 15 and 20", "p. 12" of a report. Those of legislation stay."""

from __future__ import annotations

import re
from collections.abc import Iterator

from renvoi.masks._reading import Reading
from renvoi.types import Span

_PAGE = re.compile(r"\bp{1,2}\.\s?\d+(?:\s?-\s?\d+)?")
_AFTER_NAME = re.compile(r"[A-ZÀ-Ž]\w+[\s)]*,\s(?:at\s|see\s)?$")
_OF_LAW = re.compile(
    r"\b(?:Article|Directive|Regulation|Annex|Decision|Law|Act|Code|Rule|Charter|Section|Title|Chapter)\b[^.;]{0,60}$"
)


def pinpoint(reading: Reading) -> Iterator[Span]:
    """Yield the lists of paragraphs of every decision named, with their word."""
    p = reading.plain
    seen = set()
    for mention in reading.mentions:
        for start, end in mention.lists:
            if (start, end) not in seen:
                seen.add((start, end))
                yield Span(start, end, "pinpoint", mention.form)
        for m in _PAGE.finditer(p, mention.start, min(len(p), mention.end + 20)):
            yield Span(*m.span(), "pinpoint", "page")
    after_date = {m.end() for m in reading.rules.decided.finditer(p)}
    for m in reading.rules.pin.finditer(p):
        if any(start <= m.start() < end for start, end in seen) or reading.rules.legislation.match(p, m.end()):
            continue
        if m.start() in after_date:
            yield Span(*m.span(), "pinpoint", "after a date")
            continue
        before = p[max(0, m.start() - 80) : m.start()]
        if p[m.start()].isupper():  # "Paragraph 1 of the Law": a section of a national law
            continue
        if _AFTER_NAME.search(before) and not _OF_LAW.search(before) and not re.match(r"\s?\(", p[m.end() :]):
            yield Span(*m.span(), "pinpoint", "after a name")
