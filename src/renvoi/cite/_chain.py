"""Read one text's citations as chains of units; the rules stand in the package's docstring."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from renvoi.acts import ActFinder, Mention, eu_celex
from renvoi.cite._engine import Engine, Unit, path_name, step_of
from renvoi.grammar import Level
from renvoi.ids import clean_number
from renvoi.types import Path, Reference, Step

_SENTENCE_END = re.compile(r"(?<!nr)(?<!stk)(?<!jf)(?<!pkt)(?<!art)(?<!ust)\.\s+[A-ZÆØÅĄĆĘŁŃÓŚŹŻ]|;")

Scope = Literal["act", "here", "preceding", "following", "mentioned"]


class Setting(NamedTuple):
    """What a provision's place in its document says about the references in it."""

    finder: ActFinder
    numbers: frozenset[str]  # numbers of the act's own sections or articles
    top: str  # the level of its sections or articles
    pointed: tuple[tuple[Path, str], ...] = ()  # the acts that provisions of this act amend or repeal
    enabling: str | None = None  # the act that an order is made under
    act: str | None = None  # the act that unnamed references belong to, where it is not the citing one
    act_after: int = 0  # … from this place in the text on
    address: Path = ()  # where in that act an amending provision works, or a quoted one stands
    quoted: bool = False  # the text is quoted: it stands at its address, whatever it cites
    path: Path = ()  # where the text stands
    named: str | None = None  # the act that the lead-in named last
    earlier: Sequence[str] = ()  # the texts of the article, of which so many stand before
    n_earlier: int = 0
    lead: Reference | None = None  # what the lead-in ends with: "w art. 21 ust. 1:" and then "pkt 78 – …"


@dataclass(slots=True)
class Draft:
    """A reference being read."""

    start: int
    end: int
    steps: list[tuple[Level, str]]
    scope: Scope
    unit: int  # number of the unit in the citation; siblings of one list share it
    until: str | None = None
    act: str | None = None
    closed: bool = False  # its act is settled
    governed: bool = False  # its top level is settled
    preposed: bool = False
    silent: bool = False  # an anchor: it completes others and is no reference itself


@dataclass(slots=True)
class Chain:
    """The state of one citation."""

    drafts: list[Draft] = field(default_factory=list)
    group: int = 0  # the first draft that a later act name governs
    pending: list[Draft] = field(default_factory=list)  # wait for the parent that is being read
    parent: Draft | None = None
    act: str | None = None  # named before its units
    act_set: bool = False
    units: int = 0
    plural: Level | None = None
    end: int = 0


class Reader:
    """Reads the citations of one text, left to right."""

    def __init__(self, engine: Engine, text: str, mentions: Sequence[Mention], setting: Setting) -> None:
        self.engine = engine
        self.text = text
        self.setting = setting
        self.mentions = mentions
        self.at_start = {m.start: m for m in mentions}
        self.at_end = {m.end: m for m in mentions if m.before or m.kind == "named"}
        self.last: Draft | None = None  # the last reference with an article of its own, for "that Article"
        self.last_act: str | None = None
        self.worked = setting.address  # the place in the amended act named last
        self.carried: tuple[str | None, int] = (None, 0)  # the act of the citation before, and where that ended

    def read(self) -> Iterator[tuple[int, int, tuple[Reference, ...]]]:
        """Yield start, end and references of each citation."""
        at = 0
        while True:
            begin = self.engine.begins(self.text, at)
            if not begin:
                return
            inside = self._inside_mention(begin.start())
            if inside is not None:
                at = inside
                continue
            chain = self._chain(begin.start())
            if chain is None:
                at = begin.start() + 1
                continue
            self._carry(chain, begin.start())
            at = max(chain.end, begin.start() + 1)
            references = tuple(self._reference(d) for d in chain.drafts if not d.silent)
            if references:
                excepted = bool(self.engine.exception.search(self.text, max(0, begin.start() - 40), begin.start()))
                if excepted:
                    references = tuple(_excepted(r) for r in references)
                yield min(begin.start(), references[0].start), chain.end, references

    def _carry(self, chain: Chain, start: int) -> None:
        """Give a citation whose sections the citing act does not have the act named before it in the same sentence."""
        top = self.setting.top
        settled = [d.act for d in chain.drafts if d.closed]
        loose = [d for d in chain.drafts if not d.closed and d.scope == "act" and d.steps[0][0].name == top]
        act, end = self.carried
        own = self.setting.numbers
        strange = any(d.steps[0][1] not in own for d in loose)
        if (
            act
            and own
            and loose
            and not settled
            and strange
            and not self.setting.act
            and not _SENTENCE_END.search(self.text, end, start)
        ):
            for draft in loose:
                draft.act, draft.closed = act, True
            settled = [act]
        if settled:
            self.carried = settled[-1], chain.end
        elif loose:
            self.carried = None, chain.end

    def _inside_mention(self, at: int) -> int | None:
        for m in self.mentions:
            if m.start < at < m.end:
                return m.end
        return None

    def _chain(self, at: int) -> Chain | None:
        chain = Chain(end=at)
        before = self.at_end.get(self._skip_back(at)) if self.at_end else None
        if before is not None and (before.before or self.text[before.end : at] == " "):
            self._prepose(chain, before)
        if not self._read_unit(chain, at, ""):
            return None
        while True:
            at = chain.end
            if self._read_parens(chain, at, ""):
                continue
            if self._read_act(chain, at):
                continue
            join = self._joined(chain, at)
            if join:
                continue
            break
        self._settle_parent(chain)
        return chain

    def _joined(self, chain: Chain, at: int) -> bool:
        """Read a join and the unit after it; False where the citation ends."""
        join = self.engine.join.match(self.text, at)
        if not join:
            return False
        kind = join.lastgroup or "and"
        if kind == "in":
            unit = self.engine.unit_at(self.text, join.end())
            kind = "comma" if unit and unit.level.rank > chain.drafts[-1].steps[-1][0].rank else "of"
        mention = self.at_start.get(join.end())
        if mention is not None and mention.before:
            saved = (chain.act, chain.act_set, chain.group)
            chain.group = len(chain.drafts)
            self._prepose(chain, mention)
            if self._read_unit(chain, self._skip(mention.end, " ,"), "and"):
                return True
            chain.act, chain.act_set, chain.group = saved
        if kind in ("apart", "with"):
            chain.group = len(chain.drafts)
        if kind == "except" and chain.drafts[-1].closed and not chain.drafts[-1].preposed:
            chain.act, chain.act_set = chain.drafts[-1].act, True  # "… ustawy X, z wyjątkiem art. 5"
        if self.engine.grammar.blank_nests and join[0] == " ":
            kind = "blank"
        return self._read_unit(chain, join.end(), kind) or self._read_parens(chain, join.end(), kind)

    def _skip(self, at: int, characters: str = " ") -> int:
        """Return where the text goes on after some characters."""
        while at < len(self.text) and self.text[at] in characters:
            at += 1
        return at

    def _skip_back(self, at: int, characters: str = " ,") -> int:
        """Return where the text before some characters ends."""
        while at and self.text[at - 1] in characters:
            at -= 1
        return at

    def _prepose(self, chain: Chain, mention: Mention) -> None:
        chain.act = self._act_of(mention)
        chain.act_set = True

    def _act_of(self, mention: Mention) -> str | None:
        if mention.kind == "this":
            return self.setting.act
        if mention.kind == "enabling":
            return self.setting.enabling or self.setting.act
        if mention.kind == "same":
            earlier = [
                m
                for m in self.mentions
                if m.end <= mention.start
                and m.kind in ("named", "this")
                and not self.engine.version.search(self.text, max(0, m.start - 200), m.start)
            ]
            # "that Directive" is the last act named that is called one.
            kind = self.text[mention.start : mention.end].rsplit(maxsplit=1)[-1].lower()
            fitting = [m.name for m in earlier if kind in m.name.lower()]
            if fitting:
                return fitting[-1]
            if (not earlier or " " in self.text[mention.start : mention.end]) and self.last_act is None:
                named = (self.setting.named or "", *self._named_before())
                if called := next((name for name in named if kind in name.lower()), None):
                    return called
            if not earlier and self.last_act is None and self.setting.named:
                return self.setting.named
            if earlier:
                return earlier[-1].name or self.setting.act
            known = self.last_act or self.setting.act
            return known or ("" if self.engine.grammar.acts.same_is_other else None)  # "" is ambiguous
        return mention.name

    def _named_before(self) -> Iterator[str]:
        """Yield the acts that the article named before, last first."""
        for text in reversed(self.setting.earlier[: self.setting.n_earlier]):
            yield from (m.name for m in reversed(self.setting.finder.find(text)) if m.kind == "named")

    # Units ---------------------------------------------------------------------------------------------------------

    def _read_unit(self, chain: Chain, at: int, join: str) -> bool:
        unit = self.engine.unit_at(self.text, at, self.setting.numbers)
        if unit is None:
            anchor = self.engine.anchor.match(self.text, at)
            if anchor:
                return self._read_anchor(chain, anchor, join)
            bracketed = self.engine.parens_at(self.text, at) is not None  # "points (a)(i) and (ii)": see _read_parens
            if chain.plural is not None and not bracketed and join in ("and", "comma", "to"):
                unit = self.engine.bare_at(self.text, at, chain.plural)
        if unit is None or self._inside_mention(unit.start) is not None:
            return False
        level = self._level_of(chain, unit)
        unit = self._without_sections(chain, level, unit)
        if level.plural and self.engine.plural[level.name].match(self.text, unit.start):
            chain.plural = level
        elif chain.plural is not None and level.rank <= chain.plural.rank and unit.level is not chain.plural:
            chain.plural = None
        if (
            chain.drafts
            and self._rooted(chain.drafts[-1])
            and not level.absolute
            and self._governor_follows(level, unit.end)
        ):
            join = "apart"  # "Article 25(9), the second subparagraph of Article 26(2)": it has a root of its own
        self._place(chain, level, unit.items, join)
        chain.end = unit.end
        return True

    def _rooted(self, draft: Draft) -> bool:
        return draft.steps[0][0].absolute or draft.governed

    def _governor_follows(self, level: Level, at: int) -> bool:
        """Tell whether "of" and a higher unit or an anchor come next: "point 8(a), (b) and (d) of Article 7"."""
        at = self._after_parens(at)
        join = self.engine.join.match(self.text, at)
        if not join or join.lastgroup != "of":
            return False
        unit = self.engine.unit_at(self.text, join.end())
        if unit is not None:
            return unit.level.rank != level.rank
        return self.engine.anchor.match(self.text, join.end()) is not None

    def _after_parens(self, at: int) -> int:
        """Return where a list of "(…)" ends."""
        while True:
            parens = self.engine.parens_at(self.text, at)
            if parens is None:
                join = self.engine.join.match(self.text, at)
                parens = self.engine.parens_at(self.text, join.end()) if join and join.lastgroup != "of" else None
            if parens is None:
                return at
            at = parens[2]

    def _without_sections(self, chain: Chain, level: Level, unit: Unit) -> Unit:
        """Cut a list where it goes on with sections: "§§ 67, stk. 2, 70, stk. 2, 72 og 74" has no stk. 70."""
        if chain.plural is None or level.rank <= chain.plural.rank or len(unit.items) < 2:
            return unit
        section = next((n for d in reversed(chain.drafts) for lv, n in d.steps if lv is chain.plural), "")
        reached = _leading_number(section)
        for n, item in enumerate(unit.items[1:], 1):
            if _leading_number(item[0]) > reached > 0:
                return Unit(unit.level, unit.items[:n], unit.start, unit.items[n - 1][3])
        return unit

    def _level_of(self, chain: Chain, unit: Unit) -> Level:
        """Return the level a unit's mark means here: "§" may be an article's part or, in a regulation, the article."""
        level = unit.level
        if not level.outside_article:
            return level
        other = self.engine.levels[level.outside_article]
        last = chain.drafts[-1].steps if chain.drafts and not _named_after(chain.drafts[-1]) else []
        if any(step[0].name == "art" for step in last):
            return level
        if any(step[0] is other for step in last) or self.setting.top == other.name:
            return other
        nested = self.engine.unit_at(self.text, self._skip(unit.end, " ,"))
        if nested is not None and nested.level.rank == level.rank and nested.level is not level:
            return other
        return level

    def _read_parens(self, chain: Chain, at: int, join: str) -> bool:
        found = self.engine.parens_at(self.text, at)
        if found is None or not chain.drafts:
            return False
        number, names, end = found
        last = chain.drafts[-1].steps
        depth = last[-1][0]
        if join:
            level = self._beside(last, number, [self.engine.levels[name] for name in names])
        else:
            deeper = (self.engine.levels[name] for name in names if self.engine.levels[name].rank > depth.rank)
            level = next(deeper, None)
        if level is None:
            return False
        start = at + (1 if self.text[at] == " " else 0)
        self._place(chain, level, ((number, None, start, end),), join)
        chain.end = end
        return True

    def _beside(self, last: list[tuple[Level, str]], number: str, levels: Sequence[Level]) -> Level | None:
        """Return the level of a further "(…)": that of the deepest step numbered in the same way."""
        steps = [step for step in reversed(last) if step[0] in levels]
        for alike in (_shape(number), "letter", "roman"):
            found = next((step[0] for step in steps if _shape(step[1]) == alike), None)
            if found is not None and (alike == "digit") == number[0].isdigit():
                return found
        return steps[0][0] if steps and not number[0].isdigit() else None

    def _place(self, chain: Chain, level: Level, items: Sequence[tuple[str, str | None, int, int]], join: str) -> None:
        """Add a unit's references to the chain."""
        last = chain.drafts[-1] if chain.drafts else None
        if join == "to" and last is not None and last.steps[-1][0] is level and last.until is None:
            last.until = items[0][0]
            last.end = items[0][3]
            items = items[1:]
            if not items:
                return
        chain.units += 1
        if join not in ("", "blank", "comma", "of", "to"):
            self._settle_parent(chain)
            last = chain.drafts[-1] if chain.drafts else None
        if join == "of" and last is not None and self._opens_parent(chain, level):
            self._settle_parent(chain)
            chain.pending = self._governed_by(chain, level)
            parent = self._draft(chain, items[-1], [(level, items[-1][0])], "act" if level.absolute else "here")
            parent.silent = True
            chain.parent = parent
            chain.drafts.append(parent)
            return
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
            self._settle_parent(chain)
            start = None
        for n, item in enumerate(items):
            draft = self._draft(chain, item, [*base, (level, item[0])], scope)
            if n == 0 and start is not None:
                draft.start = start
            chain.drafts.append(draft)

    def _draft(
        self, chain: Chain, item: tuple[str, str | None, int, int], steps: list[tuple[Level, str]], scope: Scope
    ) -> Draft:
        draft = Draft(item[2], item[3], steps, scope, chain.units, until=item[1])
        if chain.act_set:
            draft.act, draft.closed, draft.preposed = chain.act, True, True
        return draft

    def _base(self, chain: Chain, level: Level, join: str) -> tuple[list[tuple[Level, str]] | None, Scope]:
        """Return the steps a new unit inherits, or None where it lies inside the last reference."""
        if not chain.drafts or level.absolute:
            return [], "act" if level.absolute else "here"
        last = chain.drafts[-1]
        if join == "apart" or _named_after(last):
            return [], "here"
        if level.rank < self.engine.article_rank <= last.steps[0][0].rank:
            # "działu IV rozdziału 5 z wyłączeniem art. 144a, rozdziału 6": back to the division named before
            last = next((d for d in reversed(chain.drafts) if d.steps[0][0].rank < level.rank), last)
        above = [step for step in last.steps if step[0].rank < level.rank]
        deeper = len(above) == len(last.steps)
        if join == "blank" and last.steps[-1][0] is not level:
            return None, "act"
        if deeper:
            if join in ("", "comma", "of") and last.until is None:
                return None, "act"
            if join in ("", "comma", "of"):
                return list(last.steps), last.scope
            return [], "here"
        return above, last.scope

    # What governs --------------------------------------------------------------------------------------------------

    def _opens_parent(self, chain: Chain, level: Level) -> bool:
        last = chain.drafts[-1]
        return last.steps[0][0].rank != level.rank and not self._rooted(last)

    def _governed_by(self, chain: Chain, level: Level) -> list[Draft]:
        governed: list[Draft] = []
        for draft in reversed(chain.drafts):
            top = draft.steps[0][0]
            if top.rank >= self.engine.article_rank > level.rank and draft.steps[0][0].absolute:
                continue  # "rozdziałów 5, 6, z wyłączeniem art. 171a, rozdziału 10 działu IV"
            if draft.closed or self._rooted(draft) or top.rank == level.rank:
                break
            governed.append(draft)
        return governed

    def _settle_parent(self, chain: Chain) -> None:
        """Put the parent that was read before the references that wait for it."""
        parent = chain.parent
        if parent is None:
            return
        for draft in chain.pending:
            draft.steps = [*parent.steps, *draft.steps]
            draft.scope = parent.scope
            draft.end = max(draft.end, parent.end) if draft is chain.pending[0] else draft.end
            draft.governed = parent.steps[0][0].absolute or parent.scope == "mentioned"
        chain.drafts.remove(parent)
        chain.parent, chain.pending = None, []

    def _read_anchor(self, chain: Chain, anchor: re.Match[str], join: str) -> bool:
        """Read "denne paragraf", "that Article", "the preceding paragraph"."""
        where, name = self.engine.anchor_meaning[int((anchor.lastgroup or "a0")[1:])]
        level = self.engine.levels[name]
        steps: list[tuple[Level, str]] = []
        scope: Scope = where  # type: ignore[assignment]
        act: str | None = None
        if where == "mentioned":
            earlier = self._last_with(chain, level)
            if earlier is None:
                return False
            steps = [step for step in earlier.steps if step[0].rank <= level.rank]
            scope, act = earlier.scope, earlier.act
        elif where in ("preceding", "following"):
            steps = [(level, "")]
        chain.end = anchor.end()
        if join == "of":
            self._settle_parent(chain)
            for draft in self._governed_by(chain, level) if steps or where == "here" else []:
                draft.steps = [*steps, *draft.steps]
                draft.scope, draft.governed = scope, True
                if act is not None:
                    draft.act, draft.closed = act, True
            if where == "here":
                chain.group = len(chain.drafts)
            return True
        chain.units += 1
        self._settle_parent(chain)
        draft = Draft(anchor.start(), anchor.end(), steps or [(level, "")], scope, chain.units, governed=True)
        draft.silent = where in ("here", "mentioned")
        draft.act, draft.closed = act, act is not None
        if where == "here":  # only a stem: what follows is completed by the citing provision
            draft.steps = [(level, "")]
        chain.drafts.append(draft)
        return True

    def _last_with(self, chain: Chain, level: Level) -> Draft | None:
        for draft in reversed(chain.drafts):
            if any(step[0] is level for step in draft.steps):
                return draft
        if self.last is not None and any(step[0] is level for step in self.last.steps):
            return self.last
        return None

    def _read_act(self, chain: Chain, at: int) -> bool:
        """Read the name of an act that governs the references before it."""
        join = self.engine.act_join.match(self.text, at)
        mention = self.at_start.get(join.end()) if join else None
        if mention is None or mention.before or join is None:
            return False
        self._settle_parent(chain)
        act: str | None
        if mention.kind == "pointer":
            pointed = self._pointed(mention)
            if pointed is None:
                return False
            act, end = pointed
            self.last_act = act
        else:
            act, end = self._act_of(mention), mention.end
        group = chain.drafts[chain.group :]
        if join.groupdict().get("version"):
            # "§ 143 e, jf. lovbekendtgørelse nr. 857" says which version of the last one's act is meant.
            group = [draft for draft in group if draft.unit == chain.units and not draft.closed]
        elif any(draft.preposed for draft in group):
            group = [draft for draft in group if draft.unit == chain.units]
        elif chain.group and join[0].startswith(",") and self._closes_parenthesis(chain):
            group = [draft for draft in chain.drafts if not draft.closed]
        for draft in group:
            top = draft.steps[0][0]
            if top.absolute or draft.scope == "act" or top.rank < self.engine.article_rank:
                draft.act, draft.closed = act, True
        chain.group = len(chain.drafts)
        chain.act, chain.act_set = None, False
        chain.end = end
        return True

    def _closes_parenthesis(self, chain: Chain) -> bool:
        """Tell whether "§ 45, jf. § 46, i lov om X" names the act of both: the comma after a lone section says so."""
        return len(chain.drafts[-1].steps) == 1

    def _pointed(self, mention: Mention) -> tuple[str, int] | None:
        """Return the act that the provision named after a pointer amends, and where its address ends."""
        at = self._skip(mention.end)
        steps: list[Step] = []
        while unit := self.engine.unit_at(self.text, at):
            steps.append(Step(path_name(unit.level), unit.items[0][0]))
            at = self._skip(unit.end)
            end = unit.end
            if len(unit.items) > 1:
                break
        if not steps:
            return None
        steps = list(self.engine.merge(self.setting.path, tuple(steps)))  # "ust. 1" is of the same article
        whole = tuple(steps)
        near = {
            path: act
            for path, act in reversed(self.setting.pointed)
            if path[: len(whole)] == whole or whole[: len(path)] == path
        }
        if whole in near:
            return near[whole], end
        if len(set(near.values())) == 1:
            return next(iter(near.values())), end
        return f"{mention_text(self.text, mention, end)}", end

    def _eu_act_near(self, draft: Draft) -> str:
        """Return the EU act or treaty named nearest: a national act has no articles of its own. "" if there is none."""
        named = [m for m in self.mentions if m.kind == "named" and (eu_celex(m.name) or "rakt" in m.name.lower())]
        before = [m for m in named if m.end <= draft.start]
        after = [m for m in named if m.start >= draft.end]
        return before[-1].name if before else after[0].name if after else ""

    # Out -----------------------------------------------------------------------------------------------------------

    def _reference(self, draft: Draft) -> Reference:
        steps = draft.steps
        scope = draft.scope
        if scope == "here" and len(steps) > 1 and steps[0][1] == "":
            steps = steps[1:]
        path = tuple([step_of(level.name, number) for level, number in steps])
        until = None if draft.until is None else (*path[:-1], Step(path[-1].level, draft.until))
        foreign = self.setting.act if draft.start >= self.setting.act_after else None
        act = draft.act if draft.closed else foreign
        if scope == "here" and act is not None and not draft.closed and path[0].number:
            path, until, scope = self._addressed(draft, path, until)
        lead = self.setting.lead
        if lead is not None and scope == "here" and not draft.closed and draft.start == 0 and path[0].number:
            whole = self.engine.merge(lead.path, path)
            if len(whole) > len(path):
                until = None if until is None else (*whole[:-1], until[-1])
                path, scope, act = whole, lead.scope, lead.act
        if act is None and path[0].level == "art" and self.setting.top not in ("art", ""):
            act = self._eu_act_near(draft)
        if path[0].level in self.engine.grammar.articles and not draft.silent:
            self.last = draft
        if draft.closed and draft.act:
            self.last_act = draft.act
        if act is not None and act == self.setting.act and scope == "act":
            self.worked = path
        kind = "other_act" if act else ("relative" if scope != "act" else "internal")
        return Reference(draft.start, draft.end, path, until, act, scope, kind)

    def _addressed(self, draft: Draft, path: Path, until: Path | None) -> tuple[Path, Path | None, Scope]:
        """Complete a path by the place in the amended act that the amending provision has named."""
        address = self.worked
        if self.setting.quoted:
            address = self.setting.address
            for label in self.engine.quoted_label.finditer(self.text, 0, draft.start):
                name = label.lastgroup or ""
                address = self.engine.merge(address, (Step(name.rstrip("_"), clean_number(label[name])),))
        whole = self.engine.merge(address, path)
        if whole == path:
            return path, until, draft.scope
        return whole, None if until is None else (*whole[:-1], until[-1]), "act"


def _named_after(draft: Draft) -> bool:
    """Tell whether an act was named after a reference: nothing that follows lies inside it."""
    return draft.closed and not draft.preposed


def _leading_number(number: str) -> int:
    digits = re.match(r"\d+", number)
    return int(digits[0]) if digits else 0


def _shape(number: str) -> str:
    """Return how a number is written: (ii) is roman, (b) a letter; (i) and (v) alone may be either."""
    if number[:1].isdigit():
        return "digit"
    return "roman" if re.fullmatch(r"[ivx]+", number) else "letter"


def mention_text(text: str, mention: Mention, end: int) -> str:
    """Return an act's name as its pointer gives it: "ustawy zmienianej w art. 13"."""
    return text[mention.start : end]


def _excepted(r: Reference) -> Reference:
    return Reference(r.start, r.end, r.path, r.until, r.act, r.scope, r.kind, True)
