"""Find a decision by the name others call it, in lists of full titles.

"Geigy v Commission, cited above" is "J. R. Geigy AG v Commission of the European Communities" in the lists. A name
without "v" is that of a reference for a preliminary ruling, so direct actions stand back for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache

from renvoi import cases
from renvoi.case_grammar import plain
from renvoi.case_metadata import CaseRecord
from renvoi.cite_cases.case import Case

_WORD = re.compile(r"[^\W_]{2,}")
# States as their titles call them ("French Republic") and as others do.
_STATES = {
    "french": "france", "italian": "italy", "hellenic": "greece", "portuguese": "portugal", "czech": "czech",
    "slovak": "slovakia", "luxemburg": "luxembourg",
}  # fmt: skip
_SILENT = frozenset("and of the others v for de la le der die und das di del ag sa gmbh ltd spa".split())
_VERSUS = re.compile(r"\sv\s?\.?\s")
_INSTITUTION = re.compile(
    r"\b(?:Commission|Council|Parliament|OHIM|EUIPO|Office for Harmonisation|Intellectual Property Office|High "
    r"Authority|"
    r"European Central Bank|Court of Auditors|Court of Justice)\b"
)


class TitleIndex:
    """Judgments by the words of their parties' names."""

    def __init__(self, records: Iterable[CaseRecord]) -> None:
        self._records: dict[str, CaseRecord] = {}
        self._by_word: dict[str, set[str]] = {}
        self._by_serial: dict[str, list[CaseRecord]] = {}
        self._by_ecli: dict[str, str] = {}
        self._by_day: dict[date, list[CaseRecord]] = {}
        for record in records:
            if record.name and cases.kind_from_celex(record.celex) == "judgment":
                self._records[record.celex] = record
                number = cases.case_number_from_celex(record.celex)
                for serial in {n.partition("/")[0] for n in (number, *record.case_numbers)}:
                    self._by_serial.setdefault(serial, []).append(record)
                if record.decided:
                    self._by_day.setdefault(record.decided, []).append(record)
                if record.ecli:
                    self._by_ecli[record.ecli.removeprefix("ECLI:")] = record.celex
                for word in _words(record.name):
                    self._by_word.setdefault(word, set()).add(record.celex)

    def find(self, name: str, before: date | None = None) -> Case | None:
        """Return the one judgment that a name fits; None where none or several do.

        Args:
            name: "Geigy v Commission", "TWD Textilwerke Deggendorf".
            before: only judgments of an earlier day.
        """
        words = _words(name)
        if not words or not any(word not in _COURT_WORDS for word in words):
            return None
        found = set.intersection(*(self._by_word.get(word, set()) for word in words))
        fitting = [self._records[celex] for celex in found if self._fits(name, self._records[celex], before)]
        if not _VERSUS.search(plain(name)):
            preliminary = [r for r in fitting if not _INSTITUTION.search(_parties(r.name)[-1])]
            fitting = preliminary or fitting
        if len({cases.same_case(record.celex) for record in fitting}) != 1:
            return None
        return _case(fitting[0], name)

    def find_ecli(self, ecli: str, name: str) -> Case | None:
        """Return the judgment with an ECLI; None where no list has it."""
        celex = self._by_ecli.get(ecli)
        return _case(self._records[celex], name) if celex else None

    def find_cut(self, cut: str, name: str, before: date | None = None, year: int | None = None) -> Case | None:
        """Return the one judgment whose number begins with "C-175" and whose parties have words of the name.

        Args:
            cut: court and serial.
            name: as cited.
            before: only judgments of an earlier day.
            year: only judgments of that year.
        """
        words = _words(name)
        fitting = [
            record
            for record in self._by_serial.get(cut, ())
            if len(words & _words(record.name)) >= min(2, len(words))
            and self._fits(name, record, before)
            and not (year and record.decided and record.decided.year != year)
        ]
        return _case(fitting[0], name) if len({cases.same_case(r.celex) for r in fitting}) == 1 else None

    def find_day(self, day: date, text: str) -> tuple[Case, int] | None:
        """Return the one judgment of a day whose parties have the words of the longest beginning of a text.

        With it the length of that beginning; None where none or several have.
        """
        first = _words(text.partition(" ")[0])
        held = [r for r in self._by_day.get(day, ()) if first <= _words(r.name)]
        end = len(text) if held else 0
        while end > 0:
            name = text[:end]
            words = _words(name)
            fitting = [r for r in held if words and words <= _words(r.name) and self._fits(name, r, None)]
            if len({cases.same_case(r.celex) for r in fitting}) == 1:
                return _case(fitting[0], name), end
            end = name.rfind(" ")
        return None

    def _fits(self, name: str, record: CaseRecord, before: date | None) -> bool:
        if before and record.decided and record.decided >= before:
            return False
        asked, held = _parties(plain(name)), _parties(plain(record.name))
        if len(asked) == 2 and len(held) == 2:
            return all(_words(part) <= _words(whole) for part, whole in zip(asked, held, strict=True))
        return True


def _case(record: CaseRecord, name: str) -> Case:
    ecli = record.ecli.removeprefix("ECLI:") or None
    return Case((cases.case_number_from_celex(record.celex),), record.celex, ecli, name)


def _parties(name: str) -> list[str]:
    return _VERSUS.split(name, maxsplit=1)


@lru_cache(maxsize=1 << 16)
def _words(name: str) -> frozenset[str]:
    words = [word.casefold() for word in _WORD.findall(plain(name))]
    return frozenset([_STATES.get(word, word) for word in words if word not in _SILENT])


_COURT_WORDS = _words("European Commission Council Parliament Member State States Republic Kingdom OHIM EUIPO Court")
