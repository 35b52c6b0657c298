"""Which act the words of one text name: "samme lov", "ustawy zmienianej w art. 13"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from renvoi.acts import Mention, eu_celex
from renvoi.cite._engine import Engine, path_name
from renvoi.cite._state import Draft, Setting
from renvoi.grammar import Level
from renvoi.types import Step

SENTENCE_END = re.compile(r"(?<!nr)(?<!stk)(?<!jf)(?<!pkt)(?<!art)(?<!ust)\.\s+[A-ZÆØÅĄĆĘŁŃÓŚŹŻ]|;")


class Names:
    """The acts named in one text."""

    def __init__(self, engine: Engine, text: str, mentions: Sequence[Mention], setting: Setting) -> None:
        self.engine = engine
        self.text = text
        self.setting = setting
        self.mentions = mentions
        self.at_start = {m.start: m for m in mentions}
        self.at_end = {m.end: m for m in mentions if m.before or m.kind == "named"}
        self.last_act: str | None = None

    def inside(self, at: int) -> int | None:
        """Return the end of the name that a place lies in."""
        for m in self.mentions:
            if m.start < at < m.end:
                return m.end
        return None

    def act_of(self, mention: Mention) -> str | None:
        """Return the act that a mention means: None is the citing one, "" is ambiguous."""
        if mention.kind == "this":  # an amending provision speaks of its own act, what it quotes of the amended one
            amending = self.setting.act is not None and not self.setting.quoted and not self.setting.carried
            return None if amending else self.setting.act
        if mention.kind == "enabling":
            return self.setting.enabling or self._law_before(mention) or self.setting.act
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
            fitting = [m.name for m in earlier if self._is_called(m.name, kind)]
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

    def _law_before(self, mention: Mention) -> str | None:
        """Return the act that "lovens" means where the same sentence named one: "lov om X, jf. lovens § 3"."""
        at = mention.start
        if self.text.startswith("ved ", at - 4):  # "som affattet ved lovens § 1"
            return None
        earlier = [m for m in self.mentions if m.end <= at and m.kind in ("named", "this")]
        if not earlier or earlier[-1].kind == "this" or "lov" not in earlier[-1].name.lower():
            return None
        last = earlier[-1]
        ended = SENTENCE_END.search(self.text, last.end, at)
        return None if ended or not self.text.startswith("lovens", at) else last.name

    def _is_called(self, name: str, kind: str) -> bool:
        if kind in name.lower():
            return True
        calls = self.engine.grammar.acts.also_called
        return any(re.match(word, kind) and re.match(names, name) for word, names in calls)

    def excepted_from(self, at: int) -> str | None:
        """Return the act whose repeal an exception at a place is made from: "Lov om X ophæves bortset fra § 7"."""
        repeal = self.engine.grammar.acts.repeal
        earlier = [
            m
            for m in self.mentions
            if m.end <= at
            and m.kind == "named"
            and not self.engine.version.search(self.text, max(0, m.start - 200), m.start)
        ]
        if not earlier or not re.search(repeal, self.text[earlier[-1].end : at]):
            return None
        return earlier[-1].name

    def _named_before(self) -> Iterator[str]:
        """Yield the acts that the article named before, last first."""
        for text in reversed(self.setting.earlier[: self.setting.n_earlier]):
            yield from (m.name for m in reversed(self.setting.finder.find(text)) if m.kind == "named")

    def pointed(self, mention: Mention) -> tuple[str, int] | None:
        """Return the act that the provision named after a pointer amends, and where its address ends."""
        at = skip(self.text, mention.end)
        steps: list[Step] = []
        while unit := self.engine.unit_at(self.text, at):
            steps.append(Step(path_name(unit.level), unit.items[0][0]))
            at = skip(self.text, unit.end)
            end = unit.end
            if len(unit.items) > 1:
                break
        if not steps:
            return None
        steps = list(self.engine.merge(self.setting.path, tuple(steps)))  # "ust. 1" is of the same article
        whole = tuple(steps)
        near = dict(reversed(list(self.setting.pointed.near(whole))))  # the first of a provision's acts counts
        if whole in near:
            return near[whole], end
        if len(set(near.values())) == 1:
            return next(iter(near.values())), end
        return f"{mention_text(self.text, mention, end)}", end

    def further(self, mention: Mention) -> list[tuple[str, int]]:
        """Return the acts that a plural goes on with, and their ends: "Regulations (EU) 2031/1 and (EU) 2031/2"."""
        kind = self.text[mention.start : mention.end].split(" ", 1)[0]
        found: list[tuple[str, int]] = []
        at = mention.end
        while kind.endswith("s") and (more := self.engine.further.match(self.text, at)):
            found.append((f"{kind.removesuffix('s')} {more['name']}", more.end()))
            at = more.end()
        return found

    def amended_at(self, steps: Sequence[tuple[Level, str]]) -> str | None:
        """Return the act that a provision of the citing act amends, or None."""
        path = tuple(Step(path_name(level), number) for level, number in steps)
        amending = (act for above, act in self.setting.pointed.near(path) if len(above) <= len(path))
        return next(amending, None)

    def eu_act_near(self, draft: Draft) -> str:
        """Return the EU act or treaty named nearest: a national act has no articles of its own. "" if there is none."""
        named = [m for m in self.mentions if m.kind == "named" and (eu_celex(m.name) or "rakt" in m.name.lower())]
        before = [m for m in named if m.end <= draft.start]
        after = [m for m in named if m.start >= draft.end]
        return before[-1].name if before else after[0].name if after else ""


def skip(text: str, at: int, characters: str = " ") -> int:
    """Return where the text goes on after some characters."""
    while at < len(text) and text[at] in characters:
        at += 1
    return at


def mention_text(text: str, mention: Mention, end: int) -> str:
    """Return an act's name as its pointer gives it: "ustawy zmienianej w art. 13"."""
    return text[mention.start : end]
