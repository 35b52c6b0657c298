"""Case number <-> CELEX <-> ECLI of the courts of the European Union.

A case number ("C-422/11 P") and a CELEX number (62011CJ0422) are made from one another by rule. An ECLI is numbered
by the day of the decision and needs a table (see `pincite/metadata.py`); here it is only brought to one form.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

DecisionKind = Literal["judgment", "order", "opinion", "view", "court_opinion", "notice"]

# Second letter of the type in a CELEX number; the first is the court. "opinion" is an Advocate General's.
_KIND_LETTERS = {"judgment": "J", "order": "O", "opinion": "C", "view": "P", "court_opinion": "V", "notice": "N"}
_KINDS = {letter: kind for kind, letter in _KIND_LETTERS.items()}

_HYPHENS = "\u00ad\u2010\u2011\u2012\u2013\u2014\u2212\\-"
_BLANK = r"[\s\u00a0\u202f]"
_SUFFIX = r"P\(R\)|P\(I\)|P-R|P-DEP|PPU|P|RENV-OP|RENV|REV-OP|REV|RX-II|RX|R-II|R|DEP|OPPO|OP|OST|INTP|AJ|SA|TO|II|III"
# A number with its court and year; either may be missing in a list ("C-6 and 9/90", "56 and 58/64").
_NUMBER = re.compile(
    rf"(?:\b(?P<court>[CTF]){_BLANK}?[{_HYPHENS}]{_BLANK}?)?(?<![\d/])(?P<number>\d{{1,4}})"
    rf"(?:{_BLANK}?/{_BLANK}?(?P<year>\d\d)(?![\d/])(?P<suffix>(?:{_BLANK}?[{_HYPHENS}]?{_BLANK}?(?:{_SUFFIX})(?!\w))*))?"
)
_JOIN = re.compile(
    rf"{_BLANK}*(?:,{_BLANK}*(?:and{_BLANK}+)?|;{_BLANK}*|and{_BLANK}+|&{_BLANK}*|(?P<to>to{_BLANK}+|[–]{_BLANK}*))"
)
_HEAD = re.compile(rf"\b(?:joined{_BLANK}+)?cases?{_BLANK}+(?:no{_BLANK}*\.?{_BLANK}*)?(?=\d)", re.IGNORECASE)
_OPINION = re.compile(rf"\b(?P<head>Opinion|OPINION|Ruling){_BLANK}+(?P<number>\d{{1,3}})/(?P<year>\d\d)(?!\d)")
_COURT_NUMBER = re.compile(rf"\b[CTF]{_BLANK}?[{_HYPHENS}]{_BLANK}?\d")
_CELEX = re.compile(r"6(?P<year>(?:19|20)\d\d)(?P<court>[CTF])(?P<type>[A-Z])(?P<number>\d{4})(?:\((?P<part>\d\d)\))?")
_ECLI = re.compile(r"(?:ECLI:)?EU:(?P<court>[CTF]):(?P<year>\d{4}):(?P<number>\d{1,4})\b")
_MOST_IN_RANGE = 60


class CaseNumber(NamedTuple):
    """One case number and its place in the text."""

    text: str  # in one form: "C-422/11 P", "26/62", "Opinion 1/08"
    start: int
    end: int


@lru_cache(maxsize=4096)
def parse_case_numbers(text: str) -> tuple[CaseNumber, ...]:
    """Return the case numbers written in a text, in order, ranges expanded.

    Numbers without a court letter (before 1989) are taken only after the word "Case" or "Cases": anything else may be
    a date or a directive. Where a list shares court or year, each member gets them.

    >>> [number.text for number in parse_case_numbers("Joined Cases C-422/11 P and C-423/11 P, and Case 26/62")]
    ['C-422/11 P', 'C-423/11 P', '26/62']
    >>> [n.text for n in parse_case_numbers("Cases C-6 and 9/90; Directive 75/34; C\u2011478/11 P to C\u2011480/11 P")]
    ['C-6/90', 'C-9/90', 'C-478/11 P', 'C-479/11 P', 'C-480/11 P']
    """
    starts = [m.end() for m in _HEAD.finditer(text)] + [m.start() for m in _COURT_NUMBER.finditer(text)]
    found: list[CaseNumber] = []
    position = 0
    for start in sorted(set(starts)):
        if start < position:
            continue
        numbers, position = _read_list(text, start, position)
        found += numbers
    for m in _OPINION.finditer(text):
        found.append(CaseNumber(f"Opinion {int(m['number'])}/{m['year']}", m.start(), m.end()))
    return tuple(sorted(found, key=lambda number: (number.start, number.end)))


def normalise_case_number(printed: str) -> str:
    """Return one case number in the one form used here, without leading zeros.

    >>> normalise_case_number("C \u2011 0422/11 P"), normalise_case_number("Case 026/62")
    ('C-422/11 P', '26/62')

    Raises:
        ValueError: it is no case number.
    """
    numbers = parse_case_numbers(printed) or parse_case_numbers("Case " + printed)
    if not numbers:
        raise ValueError(f"{printed!r} is no case number, like C-422/11 P, 26/62 or Opinion 1/08")
    return numbers[0].text


def without_suffix(case_number: str) -> str:
    """Return the identity of a case: its number without P, PPU, RENV …

    >>> without_suffix("C-422/11 P")
    'C-422/11'
    """
    return case_number if case_number.startswith("Opinion") else case_number.partition(" ")[0]


@lru_cache(maxsize=16384)
def celex_from_case_number(case_number: str, kind: DecisionKind = "judgment") -> str:
    """Return the CELEX number of a decision in a case. In joined cases the first number names the decision.

    >>> celex_from_case_number("C-422/11 P"), celex_from_case_number("T-1/15", kind="order")
    ('62011CJ0422', '62015TO0001')
    >>> celex_from_case_number("26/62"), celex_from_case_number("Opinion 1/08")
    ('61962CJ0026', '62008CV0001')

    Raises:
        ValueError: it is no case number.
    """
    printed = normalise_case_number(case_number)
    if printed.startswith("Opinion "):
        printed, kind = printed.removeprefix("Opinion "), "court_opinion"
    number = without_suffix(printed)
    court, hyphen, rest = number.partition("-")
    if not hyphen:
        court, rest = "C", number
    serial, _, year = rest.partition("/")
    century = "19" if int(year) >= 52 else "20"
    return f"6{century}{year}{court}{_KIND_LETTERS[kind]}{int(serial):04d}"


@lru_cache(maxsize=16384)
def case_number_from_celex(celex: str) -> str:
    """Return the case number, without suffix, that a CELEX number stands for.

    The Court of Justice writes "C-" since 1989; a case of that year may have been published without.

    >>> case_number_from_celex("62011CJ0422"), case_number_from_celex("61962CJ0026")
    ('C-422/11', '26/62')
    >>> case_number_from_celex("62008CV0001")
    'Opinion 1/08'

    Raises:
        ValueError: it is no CELEX number of a decision.
    """
    m = _CELEX.match(celex)
    if not m:
        raise ValueError(f"{celex!r} is no CELEX number of a decision, like 62011CJ0422")
    number = f"{int(m['number'])}/{m['year'][2:]}"
    if m["type"] in "VX" and m["court"] == "C":
        return f"Opinion {number}"
    return number if m["court"] == "C" and int(m["year"]) < 1989 else f"{m['court']}-{number}"


def kind_from_celex(celex: str) -> str:
    """Return what a CELEX number says the document is: "judgment", "order", "opinion" … or "other".

    >>> kind_from_celex("62011CJ0422"), kind_from_celex("62020CN0184"), kind_from_celex("32016R0679")
    ('judgment', 'notice', 'other')
    """
    m = _CELEX.match(celex)
    return _KINDS.get(m["type"], "other") if m else "other"


def name_case(id: str) -> str | None:
    """Return the case number of a decision by its CELEX number; None for anything else.

    >>> name_case("62011CJ0422"), name_case("dk/lbk/2015/1")
    ('C-422/11', None)
    """
    return None if kind_from_celex(id) == "other" else case_number_from_celex(id)


@lru_cache(maxsize=16384)
def same_case(celex: str) -> str:
    """Return a key that is equal for all decisions of one case: court, year and number.

    >>> same_case("62011CJ0422") == same_case("62011CO0422(01)")
    True
    """
    m = _CELEX.match(celex)
    return f"{m['court']}{m['year']}{m['number']}" if m else celex


def normalise_ecli(printed: str) -> str:
    """Return an ECLI in its full form.

    >>> normalise_ecli("EU:C:2012:553")
    'ECLI:EU:C:2012:553'

    Raises:
        ValueError: it is no ECLI of these courts.
    """
    m = _ECLI.search(printed)
    if not m:
        raise ValueError(f"{printed!r} is no ECLI of the EU's courts, like EU:C:2012:553")
    return f"ECLI:EU:{m['court']}:{m['year']}:{int(m['number'])}"


def _read_list(text: str, start: int, floor: int) -> tuple[list[CaseNumber], int]:
    """Read "C-6 and 9/90 P, C-11/90" from `start` on; return its numbers and where it ends."""
    matches: list[tuple[re.Match[str], bool]] = []
    position, is_range = start, False
    while m := _NUMBER.match(text, position):
        matches.append((m, is_range))
        join = _JOIN.match(text, m.end())
        if not join:
            break
        position, is_range = join.end(), bool(join["to"])
    while matches and not matches[-1][0]["year"]:  # "Case 5 and 6 others" is no list
        matches.pop()
    if not matches:
        return [], floor
    numbers: list[CaseNumber] = []
    court, year = "", ""
    years = [m["year"] for m, _ in matches]
    for i, (m, is_range) in enumerate(matches):
        court = m["court"] or court
        year = next(y for y in years[i:] if y)
        suffix = re.sub(rf"^[{_HYPHENS}\s]+", "", " ".join((m["suffix"] or "").split()))
        serial = int(m["number"])
        if is_range and numbers:
            first = int(re.split(r"[-/]", without_suffix(numbers[-1].text))[1 if court else 0])
            if 0 < serial - first <= _MOST_IN_RANGE:
                numbers += [_number(court, n, year, suffix, m) for n in range(first + 1, serial)]
        numbers.append(_number(court, serial, year, suffix, m))
    return numbers, matches[-1][0].end()


def _number(court: str, serial: int, year: str, suffix: str, m: re.Match[str]) -> CaseNumber:
    printed = f"{court}-{serial}/{year}" if court else f"{serial}/{year}"
    return CaseNumber(f"{printed} {suffix}".strip(), m.start(), m.end())
