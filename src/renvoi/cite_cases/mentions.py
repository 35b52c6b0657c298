"""Text of a paragraph > every mention of a decision, with its pins and what it is cited as."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache

from renvoi import registry
from renvoi.case_grammar import CaseGrammar, plain
from renvoi.cite_cases import anaphora
from renvoi.cite_cases.authorities import Authority, find_authorities
from renvoi.cite_cases.case import Case, short_names
from renvoi.cite_cases.memory import Memory
from renvoi.cite_cases.mention import Mention, MentionKind, Pin
from renvoi.cite_cases.pins import Owned, find_owners
from renvoi.cite_cases.rules import NTH, Rules, compile_rules
from renvoi.types import Citation, Path, Reference, Step


def read_mentions(text: str, memory: Memory | None = None, grammar: CaseGrammar | None = None) -> list[Mention]:
    """Return the mentions of decisions in one paragraph, by place; `memory` learns from them.

    Args:
        text: of one paragraph; offsets in the answer are into it.
        memory: of the judgment so far; None reads the paragraph alone.
        grammar: of the citing court; by default the courts of the European Union.
    """
    grammar = grammar or _grammar()
    rules = compile_rules(grammar)
    memory = memory if memory is not None else Memory()
    memory.common |= rules.common
    p = plain(text)
    if not any(sign in p for sign in rules.signs) and not rules.worth.search(p):
        return []
    return _Reader(p, memory, grammar, rules).read()


@cache
def _grammar() -> CaseGrammar:
    found: CaseGrammar = registry.load("jurisdictions", "cjeu")
    return found


_ASKS_TO_ANNUL = re.compile(
    r"\bappeal(?P<appeals>s)?\b(?:[^.]|\.(?!\s+[A-Z][a-z]+\s[a-z]))*?\b(?:set(?:ting)?\saside|annul)"
)
_SEVERAL_APPEALED = re.compile(r"\b(?:judgments|orders|respectively)\b")


@dataclass(slots=True)
class _Reader:
    """One reading of one paragraph."""

    p: str
    memory: Memory
    grammar: CaseGrammar
    rules: Rules
    mentions: list[Mention] = field(default_factory=list)

    def read(self) -> list[Mention]:
        tokens = list(self.rules.token.finditer(self.p))
        authorities = find_authorities(self.p, tokens, self.rules)
        authorities = [a for a in authorities if a.decided or not self.memory.is_own(a.case)]
        pins = [t for t in tokens if t.lastgroup == "pin" and not _inside(t, authorities)]
        owned = find_owners(self.p, pins, authorities, tokens, self.rules, self.memory)
        self._note_appeal(authorities)
        events: list[tuple[int, Authority | Owned | re.Match[str]]] = [(a.start, a) for a in authorities]
        events += [(o.start, o) for o in owned if o.authority is None]
        events += [(o.start, o) for o in anaphora.find_bare_appeals(tokens, owned, authorities)]
        called = list(self.rules.called.finditer(self.p)) if self.memory.names or authorities else []
        events += [(m.start(), m) for m in called]
        taken = [(a.start, a.end) for a in authorities] + [(o.start, o.end) for o in owned]
        by_authority: dict[int, list[Owned]] = {}
        for o in owned:
            if o.authority is not None:
                by_authority.setdefault(id(o.authority), []).append(o)
        for _, event in sorted(events, key=lambda e: e[0]):
            if isinstance(event, Authority):
                self._add_authority(event, by_authority.get(id(event), []))
            elif isinstance(event, Owned):
                self._add_owned(event)
            elif known := anaphora.find_called(self.p, event, taken, self.mentions, self.memory, self.rules):
                self.mentions.append(known)
        # A second look finds more only where the first one learnt a name or kept a place free that nothing took.
        again = called if taken else []
        self.mentions += anaphora.find_bare(self.p, tokens, again, self.mentions, self.memory, self.rules)
        self.mentions.sort(key=lambda m: (m.start, m.end))
        self._remember(authorities)
        return self.mentions

    def _add_authority(self, a: Authority, owned: list[Owned]) -> None:
        case = self.memory.restore(a.case, a.cut, a.year) if a.cut else self.memory.complete(a.case)
        names = short_names(case.name, self.grammar.institutions) if case.name else ()
        aliases = (*names, *_defined(self.p, a, self.rules))
        lists = tuple(sorted(span for o in owned for span in o.pins))
        self.memory.meet(case, aliases)
        start = min([a.start, *(o.start for o in owned)])
        end = max([a.end, *(o.end for o in owned)])
        pins = tuple(sorted((pin for o in owned for pin in _pins(o, self.p, self.rules)), key=lambda pin: pin.start))
        self.mentions.append(
            Mention(start, end, case, self._kind(case), pins, a.name, a.date, lists, aliases, form="full")
        )
        if case.type == "opinion" and a.headed and re.search(r"\bjudgment\sof\b", self.p[a.start : a.core]):
            led_to = a.start + self.p[a.start : a.core].rfind("judgment")
            judgment = replace(case, type="judgment", ecli=None, celex=(case.celex or "").replace("CC", "CJ") or None)
            self.mentions.append(Mention(led_to, end, judgment, self._kind(judgment), name=a.name, form="full"))

    def _add_owned(self, o: Owned) -> None:
        cases = anaphora.resolve(o, self.mentions, self.memory, self.p)
        if not cases and o.noun not in ("", "thereof", "decisions"):
            cases = [Case(name=f"that {o.noun}")]  # a decision, but nothing here tells which
        pins = tuple(_pins(o, self.p, self.rules)) if not o.operative else ()
        for case in cases:
            kind: MentionKind = "this_judgment" if o.form == "this" else self._kind(case)
            if o.form == "under_appeal":
                kind = "procedural_history"
            self.mentions.append(Mention(o.start, o.end, case, kind, pins, o.name, lists=tuple(o.pins), form=o.form))

    def _kind(self, case: Case) -> MentionKind:
        if case.type == "opinion":
            return "opinion"
        return "procedural_history" if self.memory.is_appealed(case) or self.memory.is_own(case) else "precedent"

    def _note_appeal(self, authorities: list[Authority]) -> None:
        """Learn which decisions are under appeal: those a definition follows, or those an appeal asks to set aside.

        Several appeals joined ("By their appeals … the orders of …") are against as many decisions.
        """
        if "appeal" not in self.p or (self.memory.under_appeal and "under appeal" not in self.p):
            return
        cited = [a for a in authorities if not self.memory.is_own(a.case)]
        lower = [a for a in cited if _court(a.case) in ("T", "F")] or cited  # an appeal is against a lower court
        numbered = [n for n in self.rules.defines_appeal.finditer(self.p) if n["nth"]]
        for n in numbered:  # "(T-91/30) ('the first judgment under appeal')"
            if NTH.index(n["nth"]) == len(self.memory.under_appeal):
                self.memory.under_appeal += [a.case for a in lower if a.core < n.start()][-1:]
        if self.memory.under_appeal or numbered:
            return
        if m := self.rules.defines_appeal.search(self.p):
            before = [a.case for a in lower if a.core < m.start()]
            self.memory.under_appeal += before if m["plural"] else before[-1:]
        elif m := _ASKS_TO_ANNUL.search(self.p[:700]):
            below = [a.case for a in lower if _court(a.case) != "C"]
            several = m["appeals"] and _SEVERAL_APPEALED.search(self.p, m.end("appeals"))
            self.memory.under_appeal += below if several else below[:1]

    def _remember(self, authorities: list[Authority]) -> None:
        decisions = [m for m in self.mentions if m.kind != "this_judgment" and (m.case.numbers or m.case.celex)]
        end = decisions[-1].end if decisions else 0
        if decisions:
            last = decisions[-1]
            group = [m.case for m in decisions if m.kind == last.kind and abs(last.start - m.end) < 700]
            self.memory.last = list({c.key: c for c in group}.values()) or [last.case]
            if len(self.memory.last) > 1:
                self.memory.group = self.memory.last
        if self.memory.last and self.rules.names_other_court(self.p, end, len(self.p)):
            self.memory.last = []


def _court(case: Case) -> str:
    return case.numbers[0][0] if case.numbers and case.numbers[0][0] in "CTF" else "C" if case.numbers else ""


def _inside(token: re.Match[str], authorities: list[Authority]) -> bool:
    return any(a.core <= token.start() < a.end for a in authorities)


def _pins(o: Owned, p: str, rules: Rules) -> list[Pin]:
    pins = []
    for start, end in o.pins:
        for m in rules.pin_range.finditer(p, start, end):
            first, last = int(m["first"]), int(m["last"] or m["first"])
            pins.append(Pin(m.start(), m.end(), first, last if last >= first else first))
    return pins


def _defined(p: str, a: Authority, rules: Rules) -> list[str]:
    """Return the short names that a citation introduces: (C-1/30, 'the Alder judgment', EU:C:2031:1)."""
    found = []
    for m in re.finditer(r"\u2018([^\u2018';]{2,70})(?:'|,)", p[a.core : a.end + 130]):
        if rules.token.search(p, a.end, a.core + m.start()) and a.core + m.start() > a.end:
            break
        words = re.sub(
            r"^(?:the\s)?(?:(?:judgment|order|Opinion|case)\s(?:in\s|of\s)?)?|\s(?:judgment|order|case|Opinion|conditions?|criteri(?:a|on)|case-law|test|formula|doctrine)$",
            "",
            m[1],
        ).strip()
        if re.match(r"[A-ZÀ-Ž]", words) or re.match(r"^[a-z]+[A-Z]", words):
            found.append(words)
    return found


def as_citation(mention: Mention, source_id: str = "") -> Citation:
    """Return a mention in the words every jurisdiction shares: a citation with one reference for each pin."""
    act = None if mention.kind == "this_judgment" else mention.case.identity
    references = tuple(
        Reference(
            pin.start,
            pin.end,
            _paragraph(pin.first),
            until=_paragraph(pin.last) if pin.last != pin.first else None,
            act=act,
            kind=mention.kind,
        )
        for pin in mention.pins
    )
    if not references:
        references = (Reference(mention.start, mention.end, (), act=act, kind=mention.kind),)
    return Citation(source_id, mention.start, mention.end, references)


def _paragraph(number: int) -> Path:
    return (Step("para", str(number)),)
