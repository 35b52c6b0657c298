"""Cut spans out of a text so that what is left still reads: no empty bracket, no hanging comma, no double blank."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from renvoi.types import Span

_BETWEEN = re.compile(
    r"[\s,;()\[\]\u2018\u2019']*(?:(?:not published|and the case-law(?: there)? cited|in particular|on appeal|"
    r"delivered today)[\s,;()]*)*(?:(?:and\s)?(?:(?:judgments?|orders?)\s)?of\s)?"
)
_AFTER_PIN = re.compile(r",?\s(?:of|in)(?=\s(?:the|that|those|this|its|his|her|my)\s)")
_JOIN_BEFORE = re.compile(r"[\s,]*(?:\b(?:and|or)\s)?(?:\b(?:of|in|on)\s?)?[\s,]*$")
# What introduces citations in brackets and says nothing once they are gone.
_SIGNAL = re.compile(
    r"(?:[\s,;.:]|\u2018[^\u2018\u2019)]{0,70}\u2019?|see|also|to that effect|by analogy|inter alia|in particular|"
    r"and|or|the|case-law|there(?:in)?|"
    r"cited|judgments?|"
    r"orders?|of|in|cases?|Cases?|Joined|most recently|not published|on appeal|to this effect|for example|e\.g\.|"
    r"above|cf\.?|"
    r"that effect|regard|with|similarly|See|Opinion|Advocate General|\w+(?=\sOpinion))*"
)


def replace(text: str, places: Iterable[tuple[int, int, str]]) -> str:
    """Return a text with each (start, end) replaced; places in order, without overlap."""
    parts, position = [], 0
    for start, end, instead in places:
        parts += [text[position:start], instead]
        position = end
    return "".join([*parts, text[position:]])


def places_to_cut(text: str, spans: Sequence[Span]) -> list[tuple[int, int, str]]:
    """Return what to cut for spans, and what takes its place: nothing, a blank, or "…" for a name in running text."""
    regions: list[tuple[int, int, bool]] = []  # start, end, only one name
    heads: set[int] = set()  # starts of regions that only a pinpoint fills, whose noun follows
    for span in spans:
        end = span.end
        kept = False  # "in paragraph 4 of its judgment": what stands before the pinpoint goes with what follows
        if span.kind == "pinpoint" and (m := _AFTER_PIN.match(text, end)):
            end, kept = m.end(), True
        lone = span.kind in ("case_name", "short_name", "ner")
        if regions and _BETWEEN.fullmatch(text, regions[-1][1], span.start):
            regions[-1] = (regions[-1][0], end, False)
        elif kept:
            end += len(text[end:]) - len(text[end:].lstrip())
            regions.append((span.start, end, False))
            heads.add(span.start)
        else:
            regions.append((span.start, end, lone))
    places: list[tuple[int, int, str]] = []
    for start, end, lone in regions:
        if places and start < places[-1][1]:
            start = places[-1][1]
            if start >= end:
                continue
        opened = _left_open(text, start, end)
        if opened and _only_signals(text, *opened, regions):
            end, lone = opened[1], False
        bracket = _enclosing(text, start, end)
        if bracket and _only_signals(text, *bracket, regions):
            places.append(_close_up(text, bracket[0], bracket[1], ""))
        elif lone:
            places.append((start, end, "…"))
        elif start in heads:
            places.append((start, end, ""))
        else:
            places.append(_close_up(text, *_balanced(text, start, end)))
    return places


def _enclosing(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the round bracket a region stands in, marks included."""
    depth = 0
    for at in range(start - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[at], 0)
        if depth < 0:
            break
    else:
        return None
    depth = text.count("(", start, end) - text.count(")", start, end)
    for close in range(end, len(text)):
        depth += {"(": 1, ")": -1}.get(text[close], 0)
        if depth < 0:
            return at, close + 1
    return None


def _left_open(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the round bracket that a region opens and does not close, marks included."""
    depth = 0
    for at in range(end - 1, start - 1, -1):
        depth += {")": 1, "(": -1}.get(text[at], 0)
        if depth < 0:
            inside = 1
            for close in range(end, len(text)):
                inside += {"(": 1, ")": -1}.get(text[close], 0)
                if not inside:
                    return at, close + 1
            return None
    return None


def _only_signals(text: str, start: int, end: int, regions: Sequence[tuple[int, int, bool]]) -> bool:
    left, position = [], start + 1
    for low, high, _ in regions:
        if high <= start or low >= end:
            continue
        left.append(text[position:low])
        position = max(position, high)
    left.append(text[position : end - 1])
    return bool(_SIGNAL.fullmatch(re.sub(r"[()]", " ", " ".join(left))))


def _balanced(text: str, start: int, end: int) -> tuple[int, int, str]:
    """Widen a region over the bracket it leaves open, and over the "of" before it; give back a bracket it must keep."""
    opened = text.count("(", start, end) - text.count(")", start, end)
    if opened > 0 and (m := re.compile(r"[\s,;]*\)").match(text, end)):
        end, opened = m.end(), opened - 1
    if opened < 0 and (m := re.compile(r"\([\s,]*$").search(text, 0, start)):
        start, opened = m.start(), opened + 1
    before, after = re.compile(r"\([\s,]*$").search(text, 0, start), re.compile(r"[\s,;]*\)").match(text, end)
    if not opened and before and after:
        start, end = before.start(), after.end()
    m = _JOIN_BEFORE.search(text, 0, start)
    return (m.start() if m and m.start() else start), end, " (" if opened > 0 else ")" if opened < 0 else ""


def _close_up(text: str, start: int, end: int, instead: str) -> tuple[int, int, str]:
    """Take the blanks around a cut so that one is left between words and none before a mark."""
    while start and text[start - 1].isspace():
        start -= 1
    if not start:
        while end < len(text) and (text[end].isspace() or text[end] == ","):
            end += 1
        return start, end, instead
    if gap := re.compile(r"\s+(?=[.,;:)\]])").match(text, end):
        end = gap.end()
    after = text[end : end + 1]
    if after.isspace() or not after or after in ".,;:)]\u2019":
        return start, end, instead
    return start, end, instead + " "
