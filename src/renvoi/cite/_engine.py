"""A grammar, compiled: what unit, number list or anchor stands at a place in a text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from renvoi.grammar import Grammar, Level, compile_seeds
from renvoi.ids import clean_number
from renvoi.types import Path, Step

_FLATTENED = re.compile(r"(?<=[\da-z])\s+(?=\d)")
_KNOWN = 1 << 14  # how many different units are kept as read
# "§§ 42 a og b": the letter before it stands alone too.
_LONE_LETTER = r"(?:(?<=\s[a-z]\sog\s)|(?<=\s[a-z]\seller\s)|(?<=\s[a-z],\s))[a-hj-z](?!\w|\.)"


Item = tuple[str, str | None, int, int]  # number, end of range, start, end
Items = tuple[Item, ...]


class Unit(NamedTuple):
    """A mark with its numbers: "§§ 5-7"."""

    level: Level
    items: Items
    start: int
    end: int


class Engine:
    """A grammar, compiled."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.levels = {level.name: level for level in grammar.levels}
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
                item_or_letter = rf"(?:{item}|{_LONE_LETTER})" if level.letters_go_on else item
                more = rf"(?:(?:{grammar.list_and}){item_or_letter}(?!{grammar.stop_after}))*"
                parts.append(rf"(?P<m{n}>(?:{level.marks})\s?{item}{more})")
                self._by_group[f"m{n}"] = (level, self._split(level), False)
        self._unit = re.compile("|".join(parts))
        lone = [part for part, name in zip(parts, self._by_group, strict=True) if self._by_group[name][0].lone]
        anchors = "|".join(f"(?P<a{n}>{pattern})" for n, pattern in enumerate(grammar.anchors))
        self.anchor = re.compile(anchors or r"(?!)")
        self.anchor_meaning = [meaning.split(":") for meaning in grammar.anchors.values()]
        self.begin = re.compile("|".join([*lone, anchors] if anchors else lone))
        self.seed = compile_seeds(grammar.seeds)
        self.lead = re.compile(rf"{grammar.ordinal}|(?<!\w)(?:{grammar.leads})(?!\w)")
        self.is_lead = lru_cache(maxsize=_KNOWN)(lambda word: self.lead.search(word) is not None)
        self._read = lru_cache(maxsize=_KNOWN)(self._items)
        self.join = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in grammar.joins.items()))
        self.act_join = re.compile(grammar.joins.get("act", r"\s"))
        self._splits = {level.name: self._split(level) for level in grammar.levels}
        self._marks = {level.name: re.compile(level.marks) for level in grammar.levels}
        self._maybe = {level.name: re.compile(level.maybe) for level in grammar.levels if level.maybe}
        self.plural = {level.name: re.compile(level.plural) for level in grammar.levels if level.plural}
        self._paren = re.compile(r"\s?\((\w{1,6})\)")
        self._parens = [(re.compile(pattern), levels) for pattern, levels in grammar.parens.items()]
        self.of_sections = re.compile(grammar.acts.of_sections)
        self.further = re.compile(grammar.acts.further)
        self.version = re.compile(grammar.acts.version)
        self.changed = re.compile(grammar.acts.changed)
        self.in_force = re.compile(grammar.acts.in_force)
        self.exception = re.compile(rf"(?:{grammar.exceptions})\s*$")
        self._ranks = {path_name(level): level.rank for level in grammar.levels}
        self.quoted_label = re.compile(grammar.quoted_label)
        self.article_rank = min(self.levels[name].rank for name in grammar.articles if name in self.levels)
        self._bare = {
            level.name: re.compile(self._item(level) + rf"(?![\w%]|{grammar.stop_after})")
            for level in grammar.levels
            if level.plural
        }

    def unit_at(self, text: str, at: int, numbers: frozenset[str] = frozenset()) -> Unit | None:
        """Return the unit that begins exactly at `at`; `numbers` are those that the act really has."""
        found = self._unit.match(text, at)
        if not found:
            return None
        level, items = self._read(found[0], found.lastgroup or "")
        if not items:
            return None
        end = found.end()
        items = tuple([(first, until, at + start, at + stop) for first, until, start, stop in items])
        if level.maybe and items[-1][1] is None:
            more = self._maybe[level.name].match(text, end)
            if more and items[-1][0] + more[0].strip() in numbers:
                end = more.end()
                first, _, start, _ = items[-1]
                items = (*items[:-1], (first + more[0].strip(), None, start, end))
        return Unit(level, items, at, end)

    def _items(self, unit: str, group: str) -> tuple[Level, Items]:
        """Return the level and the numbers of a unit as it is written, with their places in it.

        The same few units make up most of all citations: `unit_at` keeps what was read here.
        """
        level, split, ordinal = self._by_group[group]
        mark = None if ordinal else self._marks[level.name].match(unit)
        items: list[Item] = []
        last = ""
        for item in split.finditer(unit, mark.end() if mark else 0):
            first, second = self._clean(item[1], level, last), item[2]
            last = first
            until = self._clean(second, level, first) if second else None
            if until is not None:
                last = until
            items.append((first, until, item.start() if items else 0, item.end()))
        if items and ordinal:
            items[-1] = (*items[-1][:3], len(unit))
        return level, tuple(items)

    def merge(self, above: Path, path: Path) -> Path:
        """Return a path completed by what another one says above its top level."""
        if not path:
            return above
        rank = self._ranks.get(path[0].level, 0)
        return (*(step for step in above if self._ranks.get(step.level, 99) < rank), *path)

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

    def bare_at(self, text: str, at: int, level: Level) -> Unit | None:
        """Return a number without its mark: "Articles 5(1) and 6(2)"."""
        found = self._bare[level.name].match(text, at)
        if not found:
            return None
        split = self._splits[level.name].match(text, at)
        assert split is not None
        until = self._clean(split[2], level, "") if split[2] else None
        return Unit(level, ((self._clean(split[1], level, ""), until, at, found.end()),), at, found.end())

    def _item(self, level: Level) -> str:
        more = rf"(?:{level.number}" + ("|[a-zæøå](?!\\w))" if not level.letters else ")")
        return rf"(?:{level.number})(?:(?:{self.grammar.list_to}){more})?"

    def _split(self, level: Level) -> re.Pattern[str]:
        more = rf"({level.number}" + ("|[a-zæøå](?!\\w))" if not level.letters else ")")
        # "og" holds no letter g.
        if level.letters_go_on:
            return re.compile(rf"(?<!\w)({level.number}|{_LONE_LETTER})(?:(?:{self.grammar.list_to}){more})?")
        return re.compile(rf"(?<!\w)({level.number})(?:(?:{self.grammar.list_to}){more})?")

    def _clean(self, printed: str, level: Level, before: str) -> str:
        word = self.grammar.ordinals.get(printed.lower().strip(" ."))
        if word:
            return word
        # "209 1" is 209¹ whose superscript the text has flattened.
        number = clean_number(_FLATTENED.sub("^", printed))
        if "(" in number:  # a superscript written in parentheses: 21(1)
            number = number.replace("(", "-").replace(")", "")
        if not level.letters and len(number) == 1 and number.islower():
            number = re.sub(r"[a-zæøå]*$", "", before) + number  # "§ 96 k-o"
        return number


@lru_cache(maxsize=_KNOWN)
def step_of(level_name: str, number: str) -> Step:
    """Return the step of a level's name in grammars and a number."""
    return Step(level_name.rstrip("0123456789§"), number)


def path_name(level: Level) -> str:
    """Return a level's name in paths: "point2" and "para§" are other ways to write "point" and "para"."""
    return level.name.rstrip("0123456789§")
