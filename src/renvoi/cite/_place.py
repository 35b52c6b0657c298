"""Where a unit's references stand in their citation: inside the last one, beside it, or at the end of its range."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from renvoi.cite._engine import Engine, Item
from renvoi.cite._govern import governed_by, opens_parent, settle_parent
from renvoi.cite._state import Chain, Draft, Scope, named_after
from renvoi.grammar import Level


class Placer:
    """Adds the units of one text to its citations."""

    def __init__(self, engine: Engine, text: str) -> None:
        self.engine = engine
        self.text = text

    def place(self, chain: Chain, level: Level, items: Sequence[Item], join: str) -> None:
        """Add a unit's references to the chain."""
        last = chain.drafts[-1] if chain.drafts else None
        if join == "to" and last is not None and last.steps[-1][0] is level and last.until is None:
            last.until = items[0][0]
            last.end = items[0][3]
            items = items[1:]
            if not items:
                return
        listed = join == "of" and last is not None and self.text[last.end : last.end + 1] == ","
        if listed and last is not None and level.rank > last.steps[-1][0].rank and not level.absolute:
            join = "and"  # "the exception of paragraph 5, of the second subparagraph of paragraph 2"
        if join == "of" and last is not None and level.absolute and self._is_only_where(last, level):
            return
        if join == "apart" and not level.absolute:
            chain.act, chain.act_set = None, False  # "lovens § 50, jf. dog stk. 2": the citing section's
        if chain.act_set and last is not None and last.preposed and self._is_other_kind(level, last):
            chain.act, chain.act_set, chain.group = None, False, len(chain.drafts)  # "kodeksens artikel 5, jf. § 3"
        chain.units += 1
        if join not in ("", "blank", "comma", "of", "to"):
            settle_parent(chain)
            last = chain.drafts[-1] if chain.drafts else None
        if join == "of" and last is not None and opens_parent(self.engine, chain, level, items[-1][0]):
            settle_parent(chain)
            chain.pending = governed_by(self.engine, chain, level, items[-1][0])
            parent = self._draft(chain, items[-1], [(level, items[-1][0])], "act" if level.absolute else "here")
            parent.silent = True
            chain.parent = parent
            chain.drafts.append(parent)
            return
        if last is not None and join in ("", "blank", "comma") and _ends_range(last, level):
            last = self._split_range(chain, last)
        base, scope = self._base(chain, level, join)
        if base is None:  # lies inside the last one
            assert last is not None
            base, scope = list(last.steps), last.scope
            inside = chain.drafts.pop()
            if inside is chain.parent:
                parent = self._draft(chain, items[-1], [*base, (level, items[-1][0])], scope)
                parent.start, parent.silent = inside.start, True
                chain.parent = parent
                chain.drafts.append(parent)
                return
            if inside.silent:
                chain.drafts.append(inside) if inside.scope not in ("here", "mentioned", "preceding") else None
            start = inside.start
        else:
            settle_parent(chain)
            start = None
        for n, item in enumerate(items):
            draft = self._draft(chain, item, [*base, (level, item[0])], scope)
            if n == 0 and start is not None:
                draft.start = start
            chain.drafts.append(draft)

    def _is_other_kind(self, level: Level, last: Draft) -> bool:
        """Tell whether no act that holds the last reference holds a unit of a level: an article, and a section."""
        top = last.steps[0][0]
        return level is not top and level.rank == top.rank == self.engine.article_rank

    def _is_only_where(self, last: Draft, level: Level) -> bool:
        """Tell whether a division says only where a section stands: "§ 66 i lovens kapitel 10"."""
        top = last.steps[0][0]
        section = top.absolute and top.rank == self.engine.article_rank and not named_after(last)
        return section and level.rank < self.engine.article_rank and level.name != "annex"

    def _split_range(self, chain: Chain, last: Draft) -> Draft:
        """Take the end off a range and return it: "Nr. 5 bis 7 Buchst. a" is numbers 5 and 6, and letter a of 7."""
        assert last.until is not None
        level, first = last.steps[-1]
        before = _number_before(last.until)
        if before is None:
            return last
        start = 1 + max(self.text.rfind(sign, last.start, last.end - 1) for sign in " -–—‑")
        end = replace(last, start=max(start, last.start), steps=[*last.steps[:-1], (level, last.until)], until=None)
        last.until = None if before == first else before
        chain.drafts.append(end)
        return end

    def _draft(self, chain: Chain, item: Item, steps: list[tuple[Level, str]], scope: Scope) -> Draft:
        draft = Draft(item[2], item[3], steps, scope, chain.units, until=item[1])
        if chain.act_set:
            draft.act, draft.closed, draft.preposed = chain.act, True, True
        return draft

    def _base(self, chain: Chain, level: Level, join: str) -> tuple[list[tuple[Level, str]] | None, Scope]:
        """Return the steps a new unit inherits, or None where it lies inside the last reference."""
        if not chain.drafts or level.absolute:
            return [], "act" if level.absolute else "here"
        last = chain.drafts[-1]
        if join == "except" and last.steps[-1][0].rank < level.rank and last.until is None:
            return list(last.steps), last.scope  # "działu IV ustawy X, z wyłączeniem rozdziałów 17 i 18"
        if join == "apart" or named_after(last):
            return [], "here"
        if level.rank < self.engine.article_rank <= last.steps[0][0].rank:
            # "działu IV rozdziału 5 z wyłączeniem art. 144a, rozdziału 6": back to the division named before
            last = next((d for d in reversed(chain.drafts) if d.steps[0][0].rank < level.rank), last)
        above = [step for step in last.steps if step[0].rank < level.rank]
        deeper = len(above) == len(last.steps)
        if join == "blank" and last.steps[-1][0] is not level:
            return None, "act"
        if deeper and join == "comma" and self.engine.grammar.blank_nests and chain.group in chain.asides:
            # "Nr. 1, auch in Verbindung mit Satz 3, Nr. 2": the list goes on from before the aside
            above = [step for step in chain.drafts[chain.group - 1].steps if step[0].rank < level.rank]
            return above, chain.drafts[chain.group - 1].scope
        if deeper:
            if join in ("", "comma", "of") and last.until is None:
                return None, "act"
            if join in ("", "comma", "of"):
                return list(last.steps), last.scope
            return [], "here"
        return above, last.scope if above else "here"


def _ends_range(draft: Draft, level: Level) -> bool:
    """Tell whether a unit of a level lies in the end of a range."""
    inner = draft.until is not None and level.rank > draft.steps[-1][0].rank and not level.absolute
    return inner and not draft.silent and not named_after(draft)


def _number_before(number: str) -> str | None:
    """Return the number before the end of a range: 6 before 7, 7a before 7b, 7 before 7a."""
    parts = re.fullmatch(r"(\d*)([a-z]?)", number)
    if parts is None or not number:
        return None
    digits, letter = parts[1], parts[2]
    if letter > "a":
        return digits + chr(ord(letter) - 1)
    if letter:
        return digits or None
    return str(int(digits) - 1)
