"""Ranges of numbers as they are written in law: 12 a to 12 c, 21 to 21², (i) to (iv)."""

from __future__ import annotations

import re

from renvoi.types import Path, Step

_ROMAN = {
    tens + ones: n
    for n, (tens, ones) in enumerate(
        ((t, o) for t in ("", "x") for o in ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")), 0
    )
    if n
}


def expand_by_number(path: Path, until: Path | None) -> list[Path]:
    """Return the paths of a range in an act we do not hold: by the numbers as written."""
    if until is None:
        return [path]
    stem, level = path[:-1], path[-1].level
    first, last = path[-1].number, until[-1].number
    if first.isdigit() and last.isdigit() and 0 <= int(last) - int(first) < 1000:
        return [(*stem, Step(level, str(n))) for n in range(int(first), int(last) + 1)]
    raised = re.fullmatch(r"(\d+)(?:-(\d+))?", first), re.fullmatch(r"(\d+)-(\d+)", last)
    if raised[0] and raised[1] and raised[0][1] == raised[1][1]:  # 235 to 235², 67⁵ to 67⁸
        low, high = int(raised[0][2] or 0), int(raised[1][2])
        inner = [Step(level, f"{raised[1][1]}-{n}") for n in range(max(low, 1), high + 1)]
        return [(*stem, step) for step in ([path[-1]] if low == 0 else []) + inner]
    low_chapter, high_chapter = (_ROMAN.get(number.lower(), 0) if number.isupper() else 0 for number in (first, last))
    if 0 < low_chapter < high_chapter:  # "kapitel II-IV"
        return [(*stem, Step(level, r.upper())) for r, n in _ROMAN.items() if low_chapter <= n <= high_chapter]
    low_roman, high_roman = _ROMAN.get(first), _ROMAN.get(last)
    if level == "point" and low_roman and high_roman and low_roman < high_roman:  # "(i) to (iv)"; "(c) to (v)" is none
        return [(*stem, Step(level, number)) for number, n in _ROMAN.items() if low_roman <= n <= high_roman]
    letters = re.fullmatch(r"(\d*)([a-zæøå])", first), re.fullmatch(r"(\d*)([a-zæøå])", last)
    if letters[0] and letters[1] and letters[0][1] == letters[1][1] and letters[0][2] <= letters[1][2]:
        run = range(ord(letters[0][2]), ord(letters[1][2]) + 1)
        return [(*stem, Step(level, letters[0][1] + chr(c))) for c in run]
    between: list[str] = []
    ends = re.match(r"\d+", first), re.match(r"\d+", last)
    if ends[0] and ends[1]:
        start, stop = int(ends[0][0]), int(ends[1][0])
        between = [str(n) for n in range(start + 1, stop + (last != ends[1][0])) if str(n) not in (first, last)]
        if re.fullmatch(r"\d+[b-z]", last) and first != ends[1][0] + "a":  # to 42f: 42a to 42e too
            between += [f"{stop}{chr(c)}" for c in range(ord("a"), ord(last[-1])) if f"{stop}{chr(c)}" != first]
    return [(*stem, Step(level, number)) for number in (first, *between, last)]


def sort_key(number: str) -> tuple[tuple[int, str], ...]:
    """Order 12, 12a, 12b, 13 and 21, 21-1, 21-1a, 22."""
    return tuple(
        (int(digits or 0), letters) for digits, letters in re.findall(r"(\d*)([^\d-]*)-?", number) if digits or letters
    )
