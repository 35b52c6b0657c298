"""Read one text's citations as chains of units; the rules stand in the package's docstring."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from renvoi.acts import Mention
from renvoi.cite._begin import Beginnings
from renvoi.cite._engine import Engine, Unit, path_name
from renvoi.cite._govern import governed_by, settle_parent
from renvoi.cite._names import SENTENCE_END, Names, skip
from renvoi.cite._out import Writer, as_excepted
from renvoi.cite._place import Placer
from renvoi.cite._reach import is_of_other_kind, is_strange, leading_number, reach
from renvoi.cite._state import Chain, Draft, Scope, Setting, is_rooted, named_after
from renvoi.grammar import Level
from renvoi.types import Reference

_CLOSERS = ".;:)"  # no join begins with these, nor with the end of the text
# Between a section and what is excepted from it: "finder tilsvarende anvendelse, bortset fra".
_VERB = re.compile(r"\s[a-zäöüß][^.,;:§\d]{3,35},?\s(?:[a-zæøåäöü]+\s){2,3}")
_LETTER_APART = re.compile(r"\s[a-hj-z](?![\w.])")


class Reader:
    """Reads the citations of one text, left to right."""

    def __init__(self, engine: Engine, text: str, mentions: Sequence[Mention], setting: Setting) -> None:
        self.engine = engine
        self.text = text
        self.setting = setting
        self.names = Names(engine, text, mentions, setting)
        self.placer = Placer(engine, text)
        self.writer = Writer(engine, text, self.names, setting)
        self.carried: tuple[str | None, int] = (None, 0)  # the act of the citation before, and where that ended

    def read(self, first: int, beginnings: Beginnings) -> Iterator[tuple[int, int, tuple[Reference, ...]]]:
        """Yield start, end and references of each citation, from the first place on where one may begin."""
        start: int | None = first
        while start is not None:
            inside = self.names.inside(start)
            if inside is not None:
                start = beginnings.after(inside)
                continue
            chain = self._chain(start)
            if chain is None:
                start = beginnings.after(start + 1)
                continue
            self._carry(chain, start)
            excepted = bool(self.engine.exception.search(self.text, max(0, start - 40), start))
            if excepted:
                self._complete_exception(chain, start)
            repealed = self.names.excepted_from(start) if excepted and self.setting.act is None else None
            for draft in chain.drafts if repealed is not None else ():
                self._as_article(draft, repealed)
                if not draft.closed and draft.scope == "act":
                    draft.act, draft.closed = repealed, True
            top = chain.drafts[0].steps[0][0]
            self.writer.start, self.writer.end = start, chain.end
            self.writer.leads = path_name(top) if chain.drafts[0].start == 0 else ""
            references = tuple(self.writer.reference(d) for d in chain.drafts if not d.silent)
            if references:
                if excepted:
                    references = tuple(as_excepted(r) for r in references)
                yield min(start, references[0].start), chain.end, references
            start = beginnings.after(max(chain.end, start + 1))

    def _complete_exception(self, chain: Chain, start: int) -> None:
        """Read "§ 69 gælder ikke, bortset fra stk. 1": excepted right behind its verb, it is of the section named."""
        last, top = self.writer.last, chain.drafts[0].steps[0][0]
        within = last is not None and chain.drafts[0].scope == "here" and top.rank > self.engine.article_rank
        if last is None or not within or not _VERB.fullmatch(self.text, last.end, start):
            return
        above = [step for step in last.steps if step[0].rank < top.rank]
        for draft in chain.drafts:
            if draft.scope == "here":
                draft.steps, draft.scope, draft.act, draft.closed = (
                    [*above, *draft.steps],
                    last.scope,
                    last.act,
                    last.closed,
                )

    def _as_article(self, draft: Draft, act: str | None) -> None:
        """Read "§ 5" of an order as its article: Polish orders have sections, statutes have articles with sections."""
        level, number = draft.steps[0]
        open_ = level.outside_article and draft.scope == "here" and not draft.closed
        if open_ and act and self.engine.of_sections.match(act):
            draft.steps[0], draft.scope = (self.engine.levels[level.outside_article], number), "act"

    def _carry(self, chain: Chain, start: int) -> None:
        """Give a citation whose sections the citing act does not have the act named before it in the same sentence."""
        top = self.setting.top
        settled = [d.act for d in chain.drafts if d.closed]
        loose = [d for d in chain.drafts if not d.closed and d.scope == "act" and d.steps[0][0].name == top]
        act, end = self.carried
        own = self.setting.numbers
        strange = any(is_strange(d, own) for d in loose)
        if (
            act
            and own
            and loose
            and not settled
            and strange
            and not self.setting.act
            and not SENTENCE_END.search(self.text, end, start)
        ):
            for draft in loose:
                draft.act, draft.closed = act, True
            settled = [act]
        if settled:
            self.carried = settled[-1], chain.end
        elif loose:
            self.carried = None, chain.end

    def _chain(self, at: int) -> Chain | None:
        chain = Chain(end=at)
        before = self.names.at_end.get(self._skip_back(at)) if self.names.at_end else None
        if before is not None and (before.before or self.text[before.end : at] == " "):
            self._prepose(chain, before)
        if not self._read_unit(chain, at, ""):
            return None
        while self.text[chain.end : chain.end + 1] not in _CLOSERS:
            at = chain.end
            if self._read_parens(chain, at, ""):
                continue
            if self._read_act(chain, at):
                continue
            join = self._joined(chain, at)
            if join:
                continue
            break
        settle_parent(chain)
        return chain

    def _joined(self, chain: Chain, at: int) -> bool:
        """Read a join and the unit after it; False where the citation ends."""
        join = self.engine.join.match(self.text, at)
        if not join:
            return False
        kind = join.lastgroup or "and"
        if kind == "scope":
            return self._read_scope(chain, join.end())
        if kind == "in":
            unit = self.engine.unit_at(self.text, join.end())
            kind = "comma" if unit and unit.level.rank > chain.drafts[-1].steps[-1][0].rank else "of"
        mention = self.names.at_start.get(join.end())
        if mention is not None and mention.before:
            saved = (chain.act, chain.act_set, chain.group)
            chain.group = len(chain.drafts)
            self._prepose(chain, mention)
            if self._read_unit(chain, skip(self.text, mention.end, " ,"), "and"):
                return True
            chain.act, chain.act_set, chain.group = saved
        if kind in ("apart", "with"):
            chain.aside = chain.group if kind == "with" else len(chain.drafts)
            chain.group = len(chain.drafts)
            chain.asides.add(len(chain.drafts))
        elif kind == "and" and self._ends_aside(chain, join):
            chain.group = min(chain.group, chain.aside)  # "§ 5, jf. § 6, og § 7 i lov om X": one list, one act
        if kind == "more":
            if named_after(chain.drafts[-1]):
                return False
            kind = "comma"
        if kind == "anew":
            chain.group, kind = len(chain.drafts), "and"
        if kind == "except" and chain.drafts[-1].closed and not chain.drafts[-1].preposed:
            chain.act, chain.act_set = chain.drafts[-1].act, True  # "… ustawy X, z wyjątkiem art. 5"
        if self.engine.grammar.blank_nests and join[0] == " ":
            kind = "blank"
        return self._read_unit(chain, join.end(), kind) or self._read_parens(chain, join.end(), kind)

    def _read_scope(self, chain: Chain, at: int) -> bool:
        """Read "pkt 28 w zakresie art. 61": an article of the act that 28 amends; what follows goes on from 28."""
        outer = chain.drafts[-1]
        act = None if outer.closed else self.names.amended_at(outer.steps)
        if act is None:
            return False
        saved = (chain.act, chain.act_set, chain.group)
        chain.act, chain.act_set = act, True
        read = self._read_unit(chain, at, "apart")
        while read and self.engine.unit_at(self.text, skip(self.text, chain.end)):
            read = self._read_unit(chain, skip(self.text, chain.end), "")
        chain.act, chain.act_set, chain.group = saved
        settle_parent(chain)
        chain.drafts.append(replace(outer, silent=True))
        return chain.end > at

    def _ends_aside(self, chain: Chain, join: re.Match[str]) -> bool:
        """Tell whether a list goes on behind one "jf. § 6": a comma, "and" and a further section, no preposition."""
        if not join[0].startswith(",") or len(join[0].split()) > 2:
            return False
        unit = self.engine.unit_at(self.text, join.end())
        return unit is not None and unit.level.absolute and len(chain.drafts) == chain.group + 1

    def _skip_back(self, at: int, characters: str = " ,") -> int:
        """Return where the text before some characters ends."""
        while at and self.text[at - 1] in characters:
            at -= 1
        return at

    def _prepose(self, chain: Chain, mention: Mention) -> None:
        chain.act = self.names.act_of(mention)
        chain.act_set = True

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
        if unit is None or self.names.inside(unit.start) is not None:
            return False
        level = self._level_of(chain, unit, join)
        if len(unit.items) > 1 and chain.drafts:
            unit = self._without_sections(chain, level, unit)
        if level.plural and self.engine.plural[level.name].match(self.text, unit.start):
            chain.plural = level
        elif chain.plural is not None and level.rank <= chain.plural.rank and unit.level is not chain.plural:
            chain.plural = None
        if (
            chain.drafts
            and is_rooted(chain.drafts[-1])
            and not level.absolute
            and self._governor_follows(level, unit.end)
        ):
            if join in ("", "blank", "comma") and self._read_inner(chain, unit):
                return True
            join = "apart"  # "Article 25(9), the second subparagraph of Article 26(2)": it has a root of its own
        self.placer.place(chain, level, unit.items, join)
        chain.end = unit.end
        return True

    def _read_inner(self, chain: Chain, unit: Unit) -> bool:
        """Read "Article 16(2), first indent of second subparagraph": what governs lies inside the article itself."""
        join = self.engine.join.match(self.text, unit.end)
        outer = self.engine.unit_at(self.text, join.end()) if join else None
        last = chain.drafts[-1]
        if outer is None or outer.level.absolute or named_after(last) or last.until is not None:
            return False
        if outer.level.rank <= last.steps[-1][0].rank or unit.level.rank <= outer.level.rank:
            return False
        if self._governor_follows(outer.level, outer.end):
            return False
        self.placer.place(chain, outer.level, outer.items[:1], "comma")
        self.placer.place(chain, unit.level, unit.items, "comma")
        chain.end = outer.end
        return True

    def _governor_follows(self, level: Level, at: int) -> bool:
        """Tell whether "of" and a higher unit or an anchor come next: "point 8(a), (b) and (d) of Article 7"."""
        at = self._after_parens(at)
        join = self.engine.join.match(self.text, at)
        if not join or join.lastgroup != "of":
            return False
        unit = self.engine.unit_at(self.text, join.end())
        if unit is not None:
            return unit.level.rank != level.rank
        anchored = self.engine.anchor.match(self.text, join.end()) is not None
        return anchored and not join[0].startswith(",")  # "§ 16, jf. stk. 1, nr. 2, i denne paragraf": both are

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
        """Cut a list where it goes on with sections: "§§ 67, stk. 2, 70, stk. 2, 72 og 74" has no stk. 70.

        A letter that stands apart is a section's, even behind one "§": "§ 25 a, stk. 2, eller 25 b".
        """
        top = chain.plural or chain.drafts[-1].steps[0][0]
        if not top.plural or level.rank <= top.rank:
            return unit
        section = next((n for d in reversed(chain.drafts) for lv, n in d.steps if lv is top), "")
        reached = leading_number(section)
        plain = any(name == level.name for name, _ in self.engine.grammar.optional)  # "nr. 2 e" is a number's own
        for n, item in enumerate(unit.items[1:], 1):
            lettered = plain and top.letters_go_on and _LETTER_APART.match(self.text, item[3]) is not None
            at = leading_number(item[0])
            if (chain.plural is not None and at > reached > 0) or (lettered and at >= reached > 0):
                chain.plural = top
                return Unit(unit.level, unit.items[:n], unit.start, unit.items[n - 1][3])
        return unit

    def _level_of(self, chain: Chain, unit: Unit, join: str) -> Level:
        """Return the level a unit's mark means here: "§" may be an article's part or, in a regulation, the article."""
        level = unit.level
        outer, inner = level.inside
        if inner and chain.drafts and not named_after(chain.drafts[-1]):
            within = self.engine.levels[inner]
            steps = chain.drafts[-1].steps
            if any(step[0] is within for step in steps):
                return within
            if join in ("", "blank", "comma") and any(step[0].name == outer for step in steps):
                return within
        if not level.outside_article:
            return level
        other = self.engine.levels[level.outside_article]
        last = chain.drafts[-1].steps if chain.drafts and not named_after(chain.drafts[-1]) else []
        if any(step[0].name == "art" for step in last):
            return level
        if any(step[0] is other for step in last) or self.setting.top == other.name:
            return other
        nested = self.engine.unit_at(self.text, skip(self.text, unit.end, " ,"))
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
        self.placer.place(chain, level, ((number, None, start, end),), join)
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
            if join != "of" and act is not None:
                chain.act, chain.act_set = act, True  # "dessen Absatz 1" is of the act cited before
        elif where in ("preceding", "following"):
            steps = [(level, "")]
        chain.end = anchor.end()
        if join == "of":
            settle_parent(chain)
            for draft in governed_by(self.engine, chain, level) if steps or where == "here" else []:
                draft.steps = [*steps, *draft.steps]
                draft.scope, draft.governed = scope, True
                if act is not None:
                    draft.act, draft.closed = act, True
            if where == "here":
                self._take_home(chain, level)
                chain.group = len(chain.drafts)
            return True
        chain.units += 1
        settle_parent(chain)
        draft = Draft(anchor.start(), anchor.end(), steps or [(level, "")], scope, chain.units, governed=True)
        draft.silent = where in ("here", "mentioned")
        draft.act, draft.closed, draft.preposed = act, act is not None, act is not None
        if where == "here":  # only a stem: what follows is completed by the citing provision
            draft.steps = [(level, "")]
        chain.drafts.append(draft)
        return True

    def _take_home(self, chain: Chain, level: Level) -> None:
        """Give the citing provision what stands behind "jf.": "lov X § 16, jf. stk. 1 i denne paragraf"."""
        last = chain.drafts[-1]
        if last.scope != "act" or level.rank != self.engine.article_rank or chain.group not in chain.asides:
            return
        for draft in chain.drafts[chain.group :]:
            draft.steps = [(level, ""), *(step for step in draft.steps if step[0].rank > level.rank)]
            draft.scope, draft.act, draft.closed, draft.governed = "here", None, True, True

    def _last_with(self, chain: Chain, level: Level) -> Draft | None:
        for draft in reversed(chain.drafts):
            if any(step[0] is level for step in draft.steps):
                return draft
        return self.writer.latest.get(level.name)

    def _complete_thereof(self, chain: Chain) -> None:
        """Put what was cited last before "point (h) thereof", unless an act was named in between."""
        drafts = [d for d in chain.drafts if d.unit == chain.drafts[-1].unit]
        before = chain.drafts[: -len(drafts)]
        last = before[-1] if before else self.writer.latest.get("")
        if last is None or any(is_rooted(d) for d in drafts):
            return
        top = drafts[0].steps[0][0]
        steps = [step for step in last.steps if step[0].rank < top.rank]
        named = any(last.end < m.start < drafts[0].start for m in self.names.mentions)
        if top.rank <= self.engine.article_rank or not steps or named:
            return
        if SENTENCE_END.search(self.text, last.end, drafts[0].start):
            return
        for draft in drafts:
            draft.steps, draft.scope, draft.governed = [*steps, *draft.steps], last.scope, True
            draft.act, draft.closed = last.act, last.closed

    def _read_act(self, chain: Chain, at: int) -> bool:
        """Read the name of an act that governs the references before it."""
        join = self.engine.act_join.match(self.text, at) if self.names.at_start else None
        mention = self.names.at_start.get(join.end()) if join else None
        if mention is None or mention.before or join is None:
            return False
        settle_parent(chain)
        act: str | None
        if mention.kind == "pointer":
            pointed = self.names.pointed(mention)
            if pointed is None:
                return False
            act, end = pointed
            self.names.last_act = act
        else:
            act, end = self.names.act_of(mention), mention.end
            if self.text.startswith("there", mention.start):
                self._complete_thereof(chain)
                if chain.drafts[-1].governed:
                    chain.end = end
                    return True
        group = chain.drafts[reach(self.setting, chain) :]
        if join.groupdict().get("version"):
            # "§ 143 e, jf. lovbekendtgørelse nr. 857" says which version of the last one's act is meant.
            group = [draft for draft in group if draft.unit == chain.units and not draft.closed]
        elif any(draft.preposed for draft in group):
            group = [draft for draft in group if draft.unit == chain.units]
        elif chain.group and join[0].startswith(",") and self._closes_parenthesis(chain):
            group = [draft for draft in chain.drafts if not draft.closed]
        further = self.names.further(mention) if mention.kind == "named" else []
        for draft in group:
            self._as_article(draft, act)
            top = draft.steps[0][0]
            if is_of_other_kind(self.engine, draft, chain.drafts[-1]):
                continue
            if top.absolute or draft.scope == "act" or top.rank < self.engine.article_rank:
                draft.act, draft.closed = act, True
        for name, last in further:
            chain.drafts += [replace(draft, act=name, steps=list(draft.steps)) for draft in group if draft.act == act]
            end = last
        chain.group = chain.aside = len(chain.drafts)
        chain.act, chain.act_set = None, False
        chain.end = end
        return True

    def _closes_parenthesis(self, chain: Chain) -> bool:
        """Tell whether "§ 45, jf. § 46, i lov om X" names the act of both: the comma after a lone section says so."""
        return len(chain.drafts[-1].steps) == 1


def _shape(number: str) -> str:
    """Return how a number is written: (ii) is roman, (b) a letter; (i) and (v) alone may be either."""
    if number[:1].isdigit():
        return "digit"
    return "roman" if re.fullmatch(r"[ivx]+", number) else "letter"
