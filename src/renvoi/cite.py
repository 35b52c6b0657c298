"""Text > Citations: one engine that reads every grammar.

A citation is a chain of units ("§ 7", "stk. 1", "nr. 2"), joined by words that say how the next unit relates to the
one before:

    (nothing) or a comma, then a deeper level    the unit lies inside the last one
    and, or, comma, then a level not deeper      a sibling: it inherits the levels above it
    of                                           the next unit, anchor or act governs what stood before
    with                                         "jf.": a sibling, and the end of what a later act name governs
    apart                                        "jf. dog": inherits nothing, the citing provision completes it
    to                                           the end of a range
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, NamedTuple

from renvoi import registry
from renvoi.acts import ActFinder, Mention
from renvoi.grammar import Grammar, Level
from renvoi import ids
from renvoi.ids import clean_number
from renvoi.types import Citation, Document, Path, Provision, Reference, Step

Scope = Literal["act", "here", "preceding", "following", "mentioned"]


class Setting(NamedTuple):
    """What a provision's place in its document says about the references in it."""

    finder: ActFinder
    numbers: frozenset[str]  # numbers of the act's own sections or articles
    top: str  # the level of its sections or articles
    act: str | None = None  # the act that unnamed references belong to, where it is not the citing one
    pointed: tuple[tuple[Path, str], ...] = ()  # the acts that provisions of this act amend or repeal


def find_citations(document: Document) -> list[Citation]:
    """Return the citations in a document's provisions, in document order."""
    grammar: Grammar = registry.load("jurisdictions", document.jurisdiction)
    engine = engine_for(grammar)
    found: list[Citation] = []
    for provision, setting in settings(document, grammar):
        found.extend(engine.find(provision.text, provision.id, setting))
    return found


def settings(document: Document, grammar: Grammar) -> Iterator[tuple[Provision, Setting]]:
    """Yield every provision with its setting: inside an amending provision unnamed references are the amended act's."""
    finder = ActFinder(grammar, (document.title, *(p.text for p in document.provisions)))
    top = next((p.path[-1].level for p in document.provisions if p.path[-1].level in grammar.articles), "")
    numbers = frozenset(p.path[-1].number for p in document.provisions if p.path[-1].level == top and len(p.path) == 1)
    amended = re.compile(grammar.acts.amended)
    acts: dict[str, str] = {}  # amending provision > the act it amends
    pointed: list[tuple[Path, str]] = []
    for p in document.provisions:
        opening = amended.search(p.text)
        if opening:
            named = [m for m in finder.find(p.text) if m.kind == "named" and m.start >= opening.start()]
            if named:
                pointed.append((p.path, named[0].name))
                if opening.lastgroup == "amends":
                    acts[p.id] = named[0].name
    plain = Setting(finder, numbers, top, None, tuple(pointed))
    above: dict[str, str | None] = {}
    for p in document.provisions:
        act = acts.get(p.id) or (above.get(p.parent) if p.parent else None)
        above[p.id] = act
        # The opening itself names the act; it cites nothing inside it.
        inside = act if act and p.id not in acts else None
        yield p, plain if inside is None else plain._replace(act=inside)


@cache
def engine_for(grammar_: Grammar | str) -> Engine:
    """Return the compiled engine of a grammar or of a jurisdiction's name."""
    grammar: Grammar = registry.load("jurisdictions", grammar_) if isinstance(grammar_, str) else grammar_
    return Engine(grammar)


@dataclass(slots=True)
class _Draft:
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


class _Unit(NamedTuple):
    level: Level
    items: tuple[tuple[str, str | None, int, int], ...]  # number, end of range, start, end
    start: int
    end: int


@dataclass(slots=True)
class _Chain:
    """The state of one citation."""

    drafts: list[_Draft] = field(default_factory=list)
    group: int = 0  # the first draft that a later act name governs
    pending: list[_Draft] = field(default_factory=list)  # wait for the parent that is being read
    parent: _Draft | None = None
    act: str | None = None  # named before its units
    act_set: bool = False
    units: int = 0
    plural: Level | None = None
    end: int = 0


class Engine:
    """A grammar, compiled."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.levels = {level.name: level for level in grammar.levels}
        self._article = next(level for level in grammar.levels if level.name in grammar.articles)
        self._number: list[re.Pattern[str]] = []
        self._by_group: dict[str, tuple[Level, re.Pattern[str], bool]] = {}
        parts = []
        for n, level in enumerate(grammar.levels):
            if level.ordinal_marks:
                item = rf"(?:{grammar.ordinal})"
                ordinals = rf"{item}(?:(?:{grammar.list_to}|{grammar.list_and}){item})*"
                parts.append(rf"(?P<o{n}>{ordinals}\s?(?:{level.ordinal_marks}))")
                self._by_group[f"o{n}"] = (level, re.compile(rf"({item})(?:(?:{grammar.list_to})({item}))?"), True)
            if level.marks:
                item = self._item(level)
                more = rf"(?:(?:{grammar.list_and}){item}(?!{grammar.stop_after}))*"
                parts.append(rf"(?P<m{n}>(?:{level.marks})\s?{item}{more})")
                self._by_group[f"m{n}"] = (level, self._split(level), False)
        self._unit = re.compile("|".join(parts))
        lone = [part for part, name in zip(parts, self._by_group, strict=True) if self._by_group[name][0].lone]
        anchors = "|".join(f"(?P<a{n}>{pattern})" for n, pattern in enumerate(grammar.anchors))
        self._anchor = re.compile(anchors or r"(?!)")
        self._anchor_meaning = [meaning.split(":") for meaning in grammar.anchors.values()]
        self._begin = re.compile("|".join([*lone, anchors] if anchors else lone))
        self._join = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in grammar.joins.items()))
        self._act_join = re.compile(grammar.joins.get("act", r"\s"))
        self._paren = re.compile(r"\s?\((\w{1,6})\)")
        self._parens = [(re.compile(pattern), levels) for pattern, levels in grammar.parens.items()]
        self._exception = re.compile(rf"(?:{grammar.exceptions})\s*$")
        self._bare = {level.name: re.compile(self._item(level) + r"(?![\w%])") for level in grammar.levels if level.plural}

    def find(self, text: str, source_id: str, setting: Setting) -> list[Citation]:
        """Return the citations in one provision's text."""
        if not self._begin.search(text):
            return []
        mentions = setting.finder.find(text)
        reader = _Reader(self, text, mentions, setting)
        return [Citation(source_id, start, end, references) for start, end, references in reader.read()]

    def unit_at(self, text: str, at: int, numbers: frozenset[str], top: str) -> _Unit | None:
        """Return the unit that begins exactly at `at`."""
        found = self._unit.match(text, at)
        if not found:
            return None
        level, split, ordinal = self._by_group[found.lastgroup or ""]
        mark = 0 if ordinal else self._mark_length(level, text, at, found.end())
        items = []
        last = ""
        end = found.end()
        for item in split.finditer(text, at + mark, end):
            first, second = self._clean(item[1], level, last), item[2]
            last = first
            until = self._clean(second, level, first) if second else None
            if until is not None:
                last = until
            items.append((first, until, item.start() if items else at, item.end()))
        if not items:
            return None
        if ordinal:
            items[-1] = (*items[-1][:3], end)
        if level.maybe and items[-1][1] is None:
            more = re.compile(level.maybe).match(text, end)
            if more and items[-1][0] + more[0].strip() in numbers:
                end = more.end()
                first, _, start, _ = items[-1]
                items[-1] = (first + more[0].strip(), None, start, end)
        return _Unit(level, tuple(items), at, end)

    def parens_at(self, text: str, at: int) -> tuple[str, tuple[str, ...], int] | None:
        """Return number, levels it may mean, and end of a "(…)" at `at`."""
        if not self._parens:
            return None
        found = self._paren.match(text, at)
        if not found:
            return None
        for pattern, levels in self._parens:
            if pattern.fullmatch(found[1]):
                return found[1], levels, found.end()
        return None

    def bare_at(self, text: str, at: int, level: Level) -> _Unit | None:
        """Return a number without its mark: "Articles 5(1) and 6(2)"."""
        found = self._bare[level.name].match(text, at)
        if not found:
            return None
        split = self._split(level).match(text, at)
        assert split is not None
        until = self._clean(split[2], level, "") if split[2] else None
        return _Unit(level, ((self._clean(split[1], level, ""), until, at, found.end()),), at, found.end())

    def _item(self, level: Level) -> str:
        more = rf"(?:{level.number}" + ("|[a-zæøå](?!\\w))" if not level.letters else ")")
        return rf"(?:{level.number})(?:(?:{self.grammar.list_to}){more})?"

    def _split(self, level: Level) -> re.Pattern[str]:
        more = rf"({level.number}" + ("|[a-zæøå](?!\\w))" if not level.letters else ")")
        return re.compile(rf"({level.number})(?:(?:{self.grammar.list_to}){more})?")

    def _mark_length(self, level: Level, text: str, start: int, end: int) -> int:
        found = re.compile(level.marks).match(text, start, end)
        return found.end() - start if found else 0

    def _clean(self, printed: str, level: Level, before: str) -> str:
        word = self.grammar.ordinals.get(printed.lower().strip(" ."))
        if word:
            return word
        number = clean_number(printed)
        if "(" in number:  # a superscript written in parentheses: 21(1)
            number = number.replace("(", "-").replace(")", "")
        if not level.letters and len(number) == 1 and number.isalpha():
            number = re.sub(r"[a-zæøå]*$", "", before) + number  # "§ 96 k-o"
        return number


class _Reader:
    """Reads the citations of one text, left to right."""

    def __init__(self, engine: Engine, text: str, mentions: Sequence[Mention], setting: Setting) -> None:
        self.engine = engine
        self.text = text
        self.setting = setting
        self.mentions = mentions
        self.at_start = {m.start: m for m in mentions}
        self.at_end = {m.end: m for m in mentions if m.before}
        self.last: _Draft | None = None  # the last reference with an article of its own, for "that Article"
        self.last_act: str | None = None

    def read(self) -> Iterator[tuple[int, int, tuple[Reference, ...]]]:
        """Yield start, end and references of each citation."""
        at = 0
        while True:
            begin = self.engine._begin.search(self.text, at)
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
            at = max(chain.end, begin.start() + 1)
            references = tuple(self._reference(d) for d in chain.drafts if not d.silent)
            if references:
                excepted = bool(self.engine._exception.search(self.text, max(0, begin.start() - 40), begin.start()))
                if excepted:
                    references = tuple(_excepted(r) for r in references)
                yield min(begin.start(), references[0].start), chain.end, references

    def _inside_mention(self, at: int) -> int | None:
        for m in self.mentions:
            if m.start < at < m.end:
                return m.end
        return None

    def _chain(self, at: int) -> _Chain | None:
        chain = _Chain(end=at)
        before = self.at_end.get(len(self.text[:at].rstrip(" ,")))
        if before is not None:
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

    def _joined(self, chain: _Chain, at: int) -> bool:
        """Read a join and the unit after it; False where the citation ends."""
        join = self.engine._join.match(self.text, at)
        while join:
            kind = join.lastgroup or "and"
            after = join.end()
            mention = self.at_start.get(after)
            if mention is not None and mention.before:
                unit_at = len(self.text) - len(self.text[mention.end :].lstrip(" ,"))
                saved = (chain.act, chain.act_set)
                chain.group = len(chain.drafts)
                self._prepose(chain, mention)
                if self._read_unit(chain, unit_at, "and"):
                    return True
                chain.act, chain.act_set = saved
            if kind == "apart" or kind == "with":
                chain.group = len(chain.drafts) if kind == "with" or kind == "apart" else chain.group
            if self._read_unit(chain, after, kind) or self._read_parens(chain, after, kind):
                return True
            return False
        return False

    def _prepose(self, chain: _Chain, mention: Mention) -> None:
        chain.act = self._act_of(mention)
        chain.act_set = True

    def _act_of(self, mention: Mention) -> str | None:
        if mention.kind == "this":
            return self.setting.act
        if mention.kind == "same":
            earlier = [m for m in self.mentions if m.end <= mention.start and m.kind in ("named", "this")]
            return (earlier[-1].name or self.setting.act) if earlier else self.last_act or self.setting.act
        return mention.name

    # Units ---------------------------------------------------------------------------------------------------------

    def _read_unit(self, chain: _Chain, at: int, join: str) -> bool:
        unit = self.engine.unit_at(self.text, at, self.setting.numbers, self.setting.top)
        if unit is None:
            anchor = self.engine._anchor.match(self.text, at)
            if anchor:
                return self._read_anchor(chain, anchor, join)
            if chain.plural is not None and join in ("and", "comma", "to"):
                unit = self.engine.bare_at(self.text, at, chain.plural)
        if unit is None or self._inside_mention(unit.start) is not None:
            return False
        level = self._level_of(chain, unit)
        if level.plural and re.match(level.plural, self.text[unit.start : unit.start + 20]):
            chain.plural = level
        elif chain.plural is not None and level.rank <= chain.plural.rank and unit.level is not chain.plural:
            chain.plural = None
        self._place(chain, level, unit.items, join)
        chain.end = unit.end
        return True

    def _level_of(self, chain: _Chain, unit: _Unit) -> Level:
        """Return the level a unit's mark means here: "§" may be an article's part or, in a regulation, the article."""
        level = unit.level
        if not level.outside_article:
            return level
        other = self.engine.levels[level.outside_article]
        last = chain.drafts[-1].steps if chain.drafts else []
        if any(step[0].name == "art" for step in last):
            return level
        if any(step[0] is other for step in last) or self.setting.top == other.name:
            return other
        nested = self.engine.unit_at(self.text, len(self.text) - len(self.text[unit.end :].lstrip(" ,")), frozenset(), "")
        if nested is not None and nested.level.rank == level.rank and nested.level is not level:
            return other
        return level

    def _read_parens(self, chain: _Chain, at: int, join: str) -> bool:
        found = self.engine.parens_at(self.text, at)
        if found is None or not chain.drafts:
            return False
        number, names, end = found
        last = chain.drafts[-1].steps
        depth = last[-1][0]
        level = None
        for name in names:
            candidate = self.engine.levels[name]
            same_or_above = any(step[0] is candidate for step in last)
            if (not join and candidate.rank > depth.rank) or (join and same_or_above):
                level = candidate
                break
        if level is None:
            return False
        start = at + (1 if self.text[at] == " " else 0)
        self._place(chain, level, ((number, None, start, end),), join)
        chain.end = end
        return True

    def _place(
        self, chain: _Chain, level: Level, items: Sequence[tuple[str, str | None, int, int]], join: str
    ) -> None:
        """Add a unit's references to the chain."""
        last = chain.drafts[-1] if chain.drafts else None
        if join == "to" and last is not None and last.steps[-1][0] is level and last.until is None:
            last.until = items[0][0]
            last.end = items[0][3]
            items = items[1:]
            if not items:
                return
        chain.units += 1
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
        self, chain: _Chain, item: tuple[str, str | None, int, int], steps: list[tuple[Level, str]], scope: Scope
    ) -> _Draft:
        draft = _Draft(item[2], item[3], steps, scope, chain.units, until=item[1])
        if chain.act_set:
            draft.act, draft.closed, draft.preposed = chain.act, True, True
        return draft

    def _base(self, chain: _Chain, level: Level, join: str) -> tuple[list[tuple[Level, str]] | None, Scope]:
        """Return the steps a new unit inherits, or None where it lies inside the last reference."""
        if not chain.drafts or level.absolute:
            return [], "act" if level.absolute else "here"
        last = chain.drafts[-1]
        if join == "apart":
            return [], "here"
        above = [step for step in last.steps if step[0].rank < level.rank]
        deeper = len(above) == len(last.steps)
        if deeper:
            if join in ("", "comma", "of") and last.until is None:
                return None, "act"
            if join in ("", "comma", "of"):
                return list(last.steps), last.scope
            return [], "here"
        return above, last.scope

    # What governs --------------------------------------------------------------------------------------------------

    def _opens_parent(self, chain: _Chain, level: Level) -> bool:
        last = chain.drafts[-1]
        return last.steps[0][0].rank > level.rank and not last.steps[0][0].absolute and not last.governed

    def _governed_by(self, chain: _Chain, level: Level) -> list[_Draft]:
        governed: list[_Draft] = []
        for draft in reversed(chain.drafts):
            top = draft.steps[0][0]
            if draft.governed or draft.closed or top.absolute or top.rank <= level.rank:
                break
            governed.append(draft)
        return governed

    def _settle_parent(self, chain: _Chain) -> None:
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

    def _read_anchor(self, chain: _Chain, anchor: re.Match[str], join: str) -> bool:
        """Read "denne paragraf", "that Article", "the preceding paragraph"."""
        where, name = self.engine._anchor_meaning[int((anchor.lastgroup or "a0")[1:])]
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
        draft = _Draft(anchor.start(), anchor.end(), steps or [(level, "")], scope, chain.units, governed=True)
        draft.silent = where in ("here", "mentioned")
        draft.act, draft.closed = act, act is not None
        if where == "here":  # only a stem: what follows is completed by the citing provision
            draft.steps = [(level, "")]
        chain.drafts.append(draft)
        return True

    def _last_with(self, chain: _Chain, level: Level) -> _Draft | None:
        for draft in reversed(chain.drafts):
            if any(step[0] is level for step in draft.steps):
                return draft
        if self.last is not None and any(step[0] is level for step in self.last.steps):
            return self.last
        return None

    def _read_act(self, chain: _Chain, at: int) -> bool:
        """Read the name of an act that governs the references before it."""
        join = self.engine._act_join.match(self.text, at)
        mention = self.at_start.get(join.end()) if join else None
        if mention is None or mention.before or join is None:
            return False
        self._settle_parent(chain)
        end = mention.end
        if mention.kind == "pointer":
            pointed = self._pointed(mention)
            if pointed is None:
                return False
            act, end = pointed
        else:
            act = self._act_of(mention)
        group = chain.drafts[chain.group :]
        if join.groupdict().get("version"):  # "§ 143 e, jf. lovbekendtgørelse nr. 857": the version of the last one's act
            group = [draft for draft in group if draft.unit == chain.units and not draft.closed]
        elif any(draft.preposed for draft in group):
            group = [draft for draft in group if draft.unit == chain.units and not draft.preposed]
        elif chain.group and join[0].startswith(",") and self._closes_parenthesis(chain):
            group = [draft for draft in chain.drafts if not draft.closed]
        for draft in group:
            if draft.steps[0][0].absolute or draft.scope == "act":
                draft.act, draft.closed = act, True
        chain.group = len(chain.drafts)
        chain.act, chain.act_set = None, False
        chain.end = end
        return True

    def _closes_parenthesis(self, chain: _Chain) -> bool:
        """Tell whether "§ 45, jf. § 46, i lov om X" names the act of both: the comma after a lone section says so."""
        return len(chain.drafts[-1].steps) == 1

    def _pointed(self, mention: Mention) -> tuple[str, int] | None:
        """Return the act that the provision named after a pointer amends, and where its address ends."""
        at = len(self.text) - len(self.text[mention.end :].lstrip())
        steps: list[Step] = []
        while unit := self.engine.unit_at(self.text, at, frozenset(), self.setting.top):
            steps.append(Step(path_name(unit.level), unit.items[0][0]))
            at = len(self.text) - len(self.text[unit.end :].lstrip())
            end = unit.end
            if len(unit.items) > 1:
                break
        if not steps:
            return None
        for path, act in self.setting.pointed:
            if path[: len(steps)] == tuple(steps) or tuple(steps)[: len(path)] == path:
                return act, end
        return f"{mention_text(self.text, mention, end)}", end

    # Out -----------------------------------------------------------------------------------------------------------

    def _reference(self, draft: _Draft) -> Reference:
        steps = [(level, number) for level, number in draft.steps]
        scope = draft.scope
        if scope == "here" and len(steps) > 1 and steps[0][1] == "":
            steps = steps[1:]
        path = tuple(Step(path_name(level), number) for level, number in steps)
        until = None if draft.until is None else (*path[:-1], Step(path[-1].level, draft.until))
        act = draft.act if draft.closed else self.setting.act
        if path[0].level in self.engine.grammar.articles and not draft.silent:
            self.last = draft
        if draft.closed and draft.act:
            self.last_act = draft.act
        kind = "other_act" if act else ("relative" if scope != "act" else "internal")
        return Reference(draft.start, draft.end, path, until, act, scope, kind)


def path_name(level: Level) -> str:
    """Return a level's name in paths: "point2" and "para§" are other ways to write "point" and "para"."""
    return level.name.rstrip("0123456789§")


def mention_text(text: str, mention: Mention, end: int) -> str:
    """Return an act's name as its pointer gives it: "ustawy zmienianej w art. 13"."""
    return text[mention.start : end]


def _excepted(r: Reference) -> Reference:
    return Reference(r.start, r.end, r.path, r.until, r.act, r.scope, r.kind, True)


def merge(citations: Iterable[Citation]) -> dict[str, list[Citation]]:
    """Return citations by the id of the provision they stand in."""
    by_source: dict[str, list[Citation]] = {}
    for citation in citations:
        by_source.setdefault(citation.source_id, []).append(citation)
    return by_source
