"""Which of the numbers on a page open a paragraph: numbering only grows, and it grows by one almost always.

A judgment quotes texts that have numbers of their own, prints some numbers wrong, leaves some out, and runs two
paragraphs into one. The numbers that make the longest chain of single steps are its paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_STEP_BY_ONE = 1.0  # a step of exactly one is worth as much again as the number itself
_GAP_COST = 0.05  # for each number left out, up to a ceiling: a jump of 1700 is a misprint, not a gap
_GAP_CEILING = 1.8


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that may open a paragraph."""

    index: int  # of the block
    values: tuple[int, ...]  # what it may be numbered: as printed, then as its anchor says


def choose(candidates: Sequence[Candidate]) -> list[tuple[int, int]]:
    """Return (index, number) of the candidates that open a paragraph, numbers strictly growing.

    >>> quoted = [Candidate(0, (7,)), Candidate(1, (10,)), Candidate(2, (8,)), Candidate(3, (9,)), Candidate(4, (10,))]
    >>> choose(quoted)
    [(0, 7), (2, 8), (3, 9), (4, 10)]
    """
    printed = [c.values[0] for c in candidates if c.values]
    if printed == list(range(1, len(candidates) + 1)):
        return [(c.index, number) for c, number in zip(candidates, printed, strict=True)]
    nodes = [(c.index, value) for c in candidates for value in dict.fromkeys(c.values)]
    best: list[float] = []
    before: list[int] = []
    for i, (index, value) in enumerate(nodes):
        score, parent = 1.0 - min(_GAP_COST * (value - 1), _GAP_CEILING), -1
        for j in range(i - 1, -1, -1):
            other_index, other = nodes[j]
            if other_index == index or other >= value:
                continue
            gap = value - other - 1
            gain = best[j] + 1.0 + (_STEP_BY_ONE if gap == 0 else -min(_GAP_COST * gap, _GAP_CEILING))
            if gain > score:
                score, parent = gain, j
        best.append(score)
        before.append(parent)
    if not nodes:
        return []
    at = max(range(len(nodes)), key=best.__getitem__)
    chain = []
    while at >= 0:
        chain.append(nodes[at])
        at = before[at]
    return chain[::-1]


def split_joined(texts: Sequence[str], number: int, last: int) -> list[tuple[int, list[str]]]:
    """Split a paragraph in which the numbers up to `last` are missing, where they stand at the start of a text.

    Args:
        texts: the blocks of paragraph `number`.
        number: of the paragraph.
        last: the largest number that may be inside.

    >>> split_joined(["The first. 2 The second begins.", "3 The third."], 1, 3)
    [(1, ['The first.']), (2, ['The second begins.']), (3, ['The third.'])]
    """
    parts: list[tuple[int, list[str]]] = [(number, [])]
    wanted = number + 1
    for text in texts:
        rest = text
        while wanted <= last:
            opening = re.search(rf"(?:^|(?<=[.;:’”)]) ){wanted}(?: ?\.)? (?=[A-ZÀ-ÞĀ-Ž‘“«])", rest)
            if not opening or (opening.start() == 0 and not parts[-1][1]):
                break
            if rest[: opening.start()].strip():
                parts[-1][1].append(rest[: opening.start()].strip())
            parts.append((wanted, []))
            rest = rest[opening.end() :]
            wanted += 1
        if rest.strip():
            parts[-1][1].append(rest.strip())
    return parts
