"""Split by the day of the decision: a range of days for each split, and what may be retrieved in it."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import polars as pl
from numpy.typing import NDArray

from renvoi.errors import BadInput

_SHINGLE = 5  # words
_SIBLINGS = 0.5  # Jaccard of shingles from which two decisions of one day are siblings
_DAY = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$")


@dataclass(frozen=True, slots=True)
class Days:
    """Days from `start` on and before `end`; None is open."""

    start: date | None
    end: date | None


def parse_days(text: str, where: str = "") -> Days:
    """Return a range of days; the end is excluded, and a year or month alone is all of it.

    >>> parse_days(":2017")
    Days(start=None, end=datetime.date(2017, 1, 1))
    >>> parse_days("2017")
    Days(start=datetime.date(2017, 1, 1), end=datetime.date(2018, 1, 1))
    >>> parse_days("2018-03:2022")
    Days(start=datetime.date(2018, 3, 1), end=datetime.date(2022, 1, 1))

    `where` is said in an error; default: the text itself.

    Raises:
        BadInput: it is no range.
    """
    start, colon, end = text.partition(":")
    try:
        if not colon:
            return Days(_first(start), _next(start))
        days = Days(_first(start) if start else None, _first(end) if end else None)
    except ValueError:
        raise BadInput(where or repr(text), "is no range of days", "write :2017, 2017, 2018-03:2022 or 2018:") from None
    if days.start and days.end and days.start >= days.end:
        raise BadInput(where or repr(text), "ends before it starts", "the end is excluded: 2018:2019 is the year 2018")
    return days


def check_apart(splits: Mapping[str, Days]) -> None:
    """Raise BadInput where two splits share a day."""
    names = sorted(splits, key=lambda name: splits[name].start or date.min)
    for a, b in zip(names, names[1:], strict=False):
        end, start = splits[a].end, splits[b].start
        if end is None or start is None or end > start:
            raise BadInput(f"{a} and {b}", "share days", "the end of a range is excluded")


def check_held(splits: Mapping[str, Days], decided: Sequence[date]) -> None:
    """Raise BadInput where no decision lies in a split."""
    for name, days in splits.items():
        if decided and not any(split_of(day, {name: days}) for day in decided):
            held = f"the decisions of the corpus are of {min(decided)} to {max(decided)}"
            raise BadInput(f"--{name}", "no decision lies in its days", f"{held}; --{name} none leaves the split out")


def split_of(day: date, splits: Mapping[str, Days]) -> str | None:
    """Return the split that a day lies in, None if none."""
    for name, days in splits.items():
        if (days.start is None or day >= days.start) and (days.end is None or day < days.end):
            return name
    return None


def find_siblings(documents: Sequence[str], days: Sequence[date], texts: Sequence[str]) -> dict[str, str]:
    """Return the cluster of every decision: decisions of one day with nearly the same text share one.

    A cluster is named by its first member; a decision without siblings is its own. All of a cluster lie on one day,
    hence in one split.
    """
    by_day: dict[date, list[int]] = {}
    for i, day in enumerate(days):
        by_day.setdefault(day, []).append(i)
    leader = list(range(len(documents)))

    def find(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    words: dict[str, int] = {}
    for group in by_day.values():
        if len(group) < 2:
            continue
        shingles = {i: _shingles(texts[i], words) for i in group}
        for n, i in enumerate(group):
            for j in group[n + 1 :]:
                a, b = shingles[i], shingles[j]
                if min(len(a), len(b)) < _SIBLINGS * max(len(a), len(b)):
                    continue
                shared = np.intersect1d(a, b, assume_unique=True).size
                if shared >= _SIBLINGS * (a.size + b.size - shared):
                    leader[max(find(i), find(j))] = min(find(i), find(j))
    return {name: documents[find(i)] for i, name in enumerate(documents)}


def cut_days(splits: Mapping[str, Days], split: str, decided: date, as_of: str) -> date:
    """Return the day before which a query's candidates must be.

    With `as_of` "split" that is the first day of the split, one fixed collection for all its queries (a split open at
    the start has none, there it is the query's own day); with "query" it is the query's own day.
    """
    start = splits[split].start
    return start if as_of == "split" and start is not None else decided


def candidates_before(paragraphs: pl.DataFrame, day: date) -> int:
    """Return how many paragraphs a query of that day may retrieve."""
    return paragraphs.filter(pl.col("date") < day).height


def _shingles(text: str, words: dict[str, int]) -> NDArray[np.uint64]:
    tokens = text.lower().split()
    for token in tokens:
        if token not in words:
            words[token] = zlib.crc32(token.encode())
    codes = np.array([words[token] for token in tokens], np.uint64)
    if codes.size < _SHINGLE:
        return np.unique(codes)
    mixed = np.zeros(codes.size - _SHINGLE + 1, np.uint64)
    for offset in range(_SHINGLE):
        mixed = mixed * np.uint64(0x9E3779B97F4A7C15) + codes[offset : offset + mixed.size]
    return np.unique(mixed)


def _first(text: str) -> date:
    m = _DAY.match(text.strip())
    if not m:
        raise ValueError(text)
    return date(int(m[1]), int(m[2] or 1), int(m[3] or 1))


def _next(text: str) -> date:
    m = _DAY.match(text.strip())
    if not m:
        raise ValueError(text)
    year, month = int(m[1]), int(m[2] or 0)
    if m[3]:
        return date.fromordinal(date(year, month, int(m[3])).toordinal() + 1)
    if month:
        return date(year + month // 12, month % 12 + 1, 1)
    return date(year + 1, 1, 1)
