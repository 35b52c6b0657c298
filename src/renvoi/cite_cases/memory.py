"""What a judgment has said so far: the names it knows and what "that judgment" can mean."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache

from renvoi import cases
from renvoi.cite_cases.case import Case, name_key
from renvoi.cite_cases.titles import TitleIndex


@dataclass(slots=True)
class Memory:
    """Grows while a judgment is read, paragraph by paragraph."""

    own: str = ""  # CELEX number of the judgment that is read; "" where not known
    joined: tuple[str, ...] = ()  # its case numbers, if several were joined
    under_appeal: list[Case] = field(default_factory=list)
    names: dict[str, Case] = field(default_factory=dict)  # every name a decision goes by, in one form
    last: list[Case] = field(default_factory=list)  # the decisions of the last group of citations
    group: list[Case] = field(default_factory=list)  # the last two or more that were named together
    titles: TitleIndex | None = None  # full titles, for names whose first citation was not read
    before: date | None = None  # the day of the judgment that is read
    common: set[str] = field(default_factory=lambda: {"and", "others", "v", "the", "of"})  # words that name no case
    known: dict[str, Case] = field(default_factory=dict)  # by key: the fullest citation so far

    def meet(self, case: Case, names: tuple[str, ...] = ()) -> None:
        """Remember a decision under its names."""
        earlier = self.known.get(case.key)
        if earlier is None or (not earlier.ecli and case.ecli):
            self.known[case.key] = case
        if case.ecli and case.numbers:
            self.known[case.ecli] = case
        for name in names:
            if name:
                self.names[name_key(name)] = case

    def complete(self, case: Case) -> Case:
        """Return the decision with what an earlier, fuller citation of the same one said."""
        if not case.numbers and case.ecli:
            return self.known.get(case.ecli) or (self.titles and self.titles.find_ecli(case.ecli, case.name)) or case
        earlier = self.known.get(case.key)
        if earlier is None or earlier.type != case.type:
            return case
        return replace(case, celex=earlier.celex, ecli=case.ecli or earlier.ecli, name=case.name or earlier.name)

    def look_up(self, name: str) -> Case | None:
        """Return the one decision that a name means by the lists of titles; None where none or several do."""
        return self.titles.find(name, self.before) if self.titles else None

    def is_own(self, case: Case) -> bool:
        """Tell whether a decision is of the case that is read."""
        return case.key in _keys_of(self.own, self.joined)

    def is_appealed(self, case: Case) -> bool:
        """Tell whether a decision is under appeal in the case that is read, by any of its joined numbers."""
        return any(
            case.key == appealed.key or (case.numbers and case.key in appealed.joined_keys)
            for appealed in self.under_appeal
        )

    def restore(self, case: Case, cut: str, year: int | None) -> Case:
        """Return the decision whose number lost its year ("C-175"), by its name in this judgment or in the titles.

        Args:
            case: as read, without a number.
            cut: court and serial.
            year: of the decision, where reporter or ECLI tells it.
        """
        if case.ecli and self.titles and (found := self.titles.find_ecli(case.ecli, case.name)):
            return found
        earlier = self.names.get(name_key(case.name)) if case.name else None
        if earlier and earlier.numbers and earlier.numbers[0].startswith(cut + "/"):
            return earlier
        found = self.titles.find_cut(cut, case.name, self.before, year) if self.titles and case.name else None
        return found or replace(case, name=f"{case.name} ({cut}/)".strip())

    def recall(self, name: str) -> Case | None:
        """Return the decision that goes by a name, or whose name begins with it; None if there is none."""
        key = name_key(name)
        if not key:
            return None
        if key in self.names:
            return self.names[key]
        if self.common.issuperset(key.replace(".", "").split()):
            return None
        found = [
            case for known, case in self.names.items() if known.startswith(key + " ") or f" {key} " in f" {known} "
        ]
        return found[-1] if found and len({case.key for case in found}) == 1 else None

    @property
    def own_opinion(self) -> Case:
        """The Advocate General's Opinion in the case that is read."""
        if not self.own:
            return Case(type="opinion", name="Opinion of the Advocate General")
        number = cases.case_number_from_celex(self.own)
        return Case((number,), self.own[:5] + "CC" + self.own[7:11], type="opinion")

    @property
    def own_case(self) -> Case:
        """The case that is read."""
        return Case((cases.case_number_from_celex(self.own),), self.own) if self.own else Case(name="this judgment")


@lru_cache(maxsize=1024)
def _keys_of(own: str, joined: tuple[str, ...]) -> frozenset[str]:
    """Return the keys of a judgment's own case."""
    keys = {Case((number,)).key for number in joined}
    return frozenset(keys | {cases.same_case(own)} if own else keys)
