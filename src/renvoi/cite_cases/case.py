"""A decision as a text tells of it, and the names it goes by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from renvoi import cases
from renvoi.case_grammar import plain
from renvoi.cases import DecisionKind

_MONTHS = "January February March April May June July August September October November December".split()
_MONTH = re.compile("|".join(_MONTHS))


@dataclass(frozen=True, slots=True)
class Case:
    """A decision as far as the text tells."""

    numbers: tuple[str, ...] = ()  # "C-402/05 P"; the first leads
    celex: str | None = None
    ecli: str | None = None
    name: str = ""
    date: str = ""  # as printed
    type: DecisionKind = "judgment"
    foreign: bool = False  # of another court system, such as the European Court of Human Rights

    @property
    def identity(self) -> str:
        """The CELEX number, else the leading case number, else the ECLI, else the name."""
        if self.celex or not self.numbers:
            return self.celex or self.key
        return cases.without_suffix(self.numbers[0])

    @property
    def key(self) -> str:
        """Equal for all decisions of one case."""
        if self.celex:
            return cases.same_case(self.celex)
        if self.numbers:
            return cases.same_case(cases.celex_from_case_number(self.numbers[0]))
        return self.name if self.foreign else self.ecli or self.name

    @property
    def joined_keys(self) -> tuple[str, ...]:
        """The key under each case number, for a decision in joined cases."""
        return tuple(cases.same_case(cases.celex_from_case_number(number)) for number in self.numbers[1:])


def parse_day(printed: str) -> date | None:
    """Return the day of a date as judgments print it; None for what is none.

    >>> parse_day("3 May 2031"), parse_day("today's date")
    (datetime.date(2031, 5, 3), None)
    """
    parts = printed.split()
    if len(parts) != 3 or parts[1] not in _MONTHS or not (parts[0] + parts[2]).isdigit():
        return None
    try:
        return date(int(parts[2]), _MONTHS.index(parts[1]) + 1, int(parts[0]))
    except ValueError:
        return None


def find_months(text: str) -> Iterator[re.Match[str]]:
    """Yield the months in a text: every date that `parse_day` reads holds one."""
    return _MONTH.finditer(text)


@lru_cache(maxsize=16384)
def name_key(name: str) -> str:
    """Return a name in one form: plain, no leading or trailing marks, blanks folded.

    >>> name_key(" Mory and Others v\u00a0Commission ,")
    'mory and others v commission'
    """
    return " ".join(re.sub(r"[\u2018'*_,;()]+", " ", plain(name)).split()).strip(" .").casefold()


@lru_cache(maxsize=16384)
def short_names(name: str, institutions: frozenset[str]) -> tuple[str, ...]:
    """Return the names a decision is later called by: its name, the parties that tell it apart, without "and Others".

    >>> short_names("Mory and Others v Commission", frozenset({"Commission"}))
    ('Mory and Others v Commission', 'Mory and Others', 'Mory')
    """
    bare = re.sub(r"\s?\([^()]*\)\s*$", "", plain(name)).strip(" ,")
    found = [name, bare]
    for party in re.split(r"\sv\s?\.?\s", bare):
        party = party.strip()
        for form in (party, re.sub(r"\sand\sOthers$", "", party)):
            if (
                form
                and form not in institutions
                and not all(p in institutions for p in re.split(r",?\sand\s|,\s", form))
            ):
                found.append(form)
    return tuple(dict.fromkeys(found))
