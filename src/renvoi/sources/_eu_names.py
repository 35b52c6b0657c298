"""What the title of an EU act says: CELEX number, names others cite it by, short titles, date."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

_MONTHS = {
    name: number
    for names in (
        "January February March April May June July August September October November December",
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "január február március április május június július augusztus szeptember október november december",
    )
    for number, name in enumerate(names.split(), 1)
}
_DATE = re.compile(r"(\d{1,2})\.?\s+(\w+)\s+(\d{4})|(\d{4})\.\s+(\w+)\s+(\d{1,2})\.")

# The letter of each type of act in a CELEX number; the longer name first.
_TYPES = {
    "framework decision": "F", "rahmenbeschluss": "F", "regulation": "R", "verordnung": "R", "rendelet": "R",
    "directive": "L", "richtlinie": "L", "irányelv": "L", "decision": "D", "beschluss": "D", "recommendation": "H",
}  # fmt: skip
_TYPE = re.compile("|".join(_TYPES), re.I)
_NUMBER = re.compile(
    r"(?:\((?P<body>EU|EC|EEC|EG|EWG|EAEC|Euratom|ECSC|EU, Euratom|EC, Euratom)\)\s*)?"
    r"(?P<no>(?:No|Nr\.?|no)\s*)?(?P<a>\d{1,4})/(?P<b>\d{1,4})(?:/(?P<suffix>EU|EC|EEC|JHA|CFSP|Euratom|ECSC|EG|EWG|JI))?"
)
_SHORT = re.compile(r"\(([^()]*\b(?:Regulation|regulation|Act|Directive|directive|Code|Law|Instrument)\b[^()]*)\)")
_NOT_SHORT = re.compile(r"Text with|recast|codif|Directive within|within the meaning", re.I)


@dataclass(frozen=True, slots=True)
class ActTitle:
    """A title taken apart. `celex` is empty where the title has no number."""

    celex: str
    names: tuple[str, ...]
    short_titles: tuple[str, ...]
    date: date | None


def read_title(title: str) -> ActTitle:
    """Take a title apart.

    >>> read_title("REGULATION (EU) No 907/2014 OF THE COUNCIL of 3 May 2014 on kites (Kite Regulation)").celex
    '32014R0907'
    >>> read_title("Directive 95/46/EC of 24 October 1995 on kites").celex
    '31995L0046'
    >>> read_title("Decision No 243/2012/EU of 14 March 2012 on radio").celex
    '32012D0243'
    """
    kind, number = _TYPE.search(title), _NUMBER.search(title)
    written = _find_date(title)
    celex, names = "", []
    if kind and number and number.start() - kind.end() < 40:
        year, serial = year_and_number(number["a"], number["b"], bool(number["no"]), number["suffix"] or "")
        celex = f"3{year}{_TYPES[kind[0].lower()]}{serial:04d}"
        word = kind[0].capitalize() if kind[0].isupper() else kind[0]
        after = number.start() < kind.start()  # Hungarian: "(EU) 2016/679 rendelet"
        names.append(f"{_spaced(number[0])} {word.lower()}" if after else f"{word} {_spaced(number[0])}")
        before = title[: kind.start()].strip()
        if 0 < len(before) < 60 and not after and not any(c.isdigit() for c in before):
            words = " ".join(part.capitalize() if part.isupper() else part for part in before.split())
            names.append(f"{words} {names[0]}")
            if "egated" in words or "mplementing" in words:
                names.append(f"{words.split()[-1]} {names[0]}")
    elif kind and (alone := re.match(r"\s*(?:\(\w+\)\s*)?(?:No|Nr\.?)\s*\d+\b", title[kind.end() :])):
        names.append(f"{kind[0].capitalize()} {_spaced(alone[0])}")
    shorts = dict.fromkeys(m[1].strip() for m in _SHORT.finditer(title) if not _NOT_SHORT.search(m[1]))
    return ActTitle(celex, tuple(dict.fromkeys(names)), tuple(s for s in shorts if len(s) < 80), written)


def year_and_number(a: str, b: str, no: bool, suffix: str) -> tuple[int, int]:
    """Return year and number of "a/b", whose order depends on type and time.

    "No 596/2014" and "No 243/2012/EU" have the number first; "2016/679", "2014/65/EU" and "95/46/EC" the year.

    >>> year_and_number("596", "2014", True, ""), year_and_number("95", "46", False, "EC")
    ((2014, 596), (1995, 46))
    >>> year_and_number("243", "2012", False, "EU"), year_and_number("4064", "89", True, "")
    ((2012, 243), (1989, 4064))
    """
    number_first = no or (not _is_year(a) and _is_year(b))
    year, serial = (b, a) if number_first else (a, b)
    return (int(year) if len(year) == 4 else 1900 + int(year)), int(serial)


def _is_year(digits: str) -> bool:
    return len(digits) == 4 and "1951" <= digits <= "2099" or len(digits) == 2 and digits >= "51"


def _find_date(title: str) -> date | None:
    for found in _DATE.finditer(title):
        day, month, year = found.group(1, 2, 3) if found[1] else found.group(6, 5, 4)
        if month.lower() in (name.lower() for name in _MONTHS):
            return date(int(year), next(n for name, n in _MONTHS.items() if name.lower() == month.lower()), int(day))
    return None


def _spaced(number: str) -> str:
    return " ".join(number.split())
