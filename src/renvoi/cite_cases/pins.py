"""Whose paragraphs are these? Give every pin of a paragraph ("paragraphs 24 to 26") an owner, or none."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from renvoi.cite_cases.authorities import Authority
from renvoi.cite_cases.case import Case
from renvoi.cite_cases.memory import Memory
from renvoi.cite_cases.rules import NTH, Rules


@dataclass(slots=True)
class Owned:
    """One or several pins with one owner."""

    start: int
    end: int
    pins: list[tuple[int, int]]  # places of the lists of numbers
    form: str  # "full", "under_appeal", "this", "opinion", "anaphor", "short", "ibid"
    authority: Authority | None = None
    case: Case | None = None  # of a short name
    noun: str = ""  # of an anaphor: "judgment", "orders"
    plural: bool = False
    operative: bool = False  # of the operative part: no numbered paragraph
    name: tuple[int, int] | None = None
    extra: list[Authority] = field(default_factory=list)


_GAP_OF = re.compile(
    r"\s?,?\s?(?:of|in|to|from)\s(?:(?:the|its|that|his|her|my|our|both|those|these|above-mentioned|two|three|same|in)\s|"
    r"today's\s|grounds\sof\s|reasoning\sin\s)*"
)
_ALONE = re.compile(r",?\s(?:respectively|alone|only|itself)(?=,?\s(?:of|in)\s)")  # between pins and whose they are
_NEXT_PIN = re.compile(
    r"\s?(?:and\sthe\s(?:other\s)?case-law\s(?:there\s)?cited(?:\sthere(?:in)?)?)?[\s,]*"
    r"(?:and|or|as\swell\sas|&)?,?\s?(?:also\s)?"
    r"(?:(?:in\sparticular|especially|inter\salia),?\s)?(?:(?:in|from|at|to|of)\s)?(?:the\s)?"
)


_IN_BRACKETS = re.compile(r"\s?\(\w{1,4}\)")
_IBID = re.compile(r"\b[Ii]bid(?:em)?\.?,?\s?(?:at\s)?$")
_THAT_JUDGMENT = re.compile(
    r"\b(?:that|the\ssame|the\slatter)\s(?P<noun>judgment|order)[\s,]*(?:cited above,?\s?)?(?:at\s|see\s|"
    r"in\sparticular\s)?$"
)
_BETWEEN = re.compile(  # a short name and its pins
    r"(?:[\s,(\[)]|\u2018[^']{1,60}'|in particular|at|(?:already\s)?(?:cited|mentioned|referred\sto)\s(?:above|"
    r"in\sparagraphs?\s\d+\s(?:above|of\s(?:this|the\spresent)\sjudgment)))*$"
)
_HEAD = re.compile(r"(?:judgments?|orders?|Opinion|cases?|Cases?)\s(?:in|of)?\s?$")


def find_owners(
    p: str,
    pins: list[re.Match[str]],
    authorities: list[Authority],
    tokens: list[re.Match[str]],
    rules: Rules,
    memory: Memory,
) -> list[Owned]:
    """Return pins with their owners, by place. Pins of legislation and of nobody are left out."""
    owned: list[Owned | None] = []
    for i, pin in enumerate(pins):
        before = owned[i - 1] if i else None
        owned.append(_owner(p, pin, authorities, rules, memory, before, pins[i - 1] if i else None))
    for i in range(len(pins) - 2, -1, -1):
        later = owned[i + 1]
        if owned[i] is not None or later is None or later.form in ("full", "ibid"):
            continue
        if _NEXT_PIN.fullmatch(p, pins[i].end(), pins[i + 1].start()) and not _legislative(p, pins[i], rules):
            owned[i] = later
            later.pins.insert(0, pins[i].span())
            later.start = min(later.start, pins[i].start())
    result: list[Owned] = []
    for o in owned:
        if o is not None and not any(o is r for r in result):
            result.append(o)
            result += [Owned(o.start, o.end, o.pins, "full", authority=other) for other in o.extra]
    return sorted(result, key=lambda o: o.start)


def _legislative(p: str, pin: re.Match[str], rules: Rules) -> bool:
    return bool(
        rules.legislation.match(p, pin.end())
        or rules.legislation_before.search(p[max(0, pin.start() - 60) : pin.start()])
        or _IN_BRACKETS.match(p, pin.end(), pin.end() + 8)
    )


def _owner(
    p: str, pin: re.Match[str], authorities: list[Authority], rules: Rules, memory: Memory,
    before: Owned | None, previous: re.Match[str] | None,
) -> Owned | None:  # fmt: skip
    span = [pin.span()]
    at = m.end() if (m := _ALONE.match(p, pin.end())) else pin.end()
    if m := rules.operative.match(p, at):
        span = _before_last_word(p, pin, rules)
        under = rules.under_appeal.match(p, m.end()) or rules.under_appeal.search(p, m.end() - 9, m.end() + 40)
        form = "under_appeal" if under else "anaphor"
        return Owned(pin.start(), under.end() if under else m.end(), span, form, operative=not span)
    if m := rules.under_appeal.match(p, at):
        return Owned(pin.start(), m.end(), span, "under_appeal", noun=nth_of(m[0]), plural="s under" in m[0])
    if m := rules.this_judgment.match(p, at):
        return Owned(pin.start(), m.end(), span, "this")
    if m := _GAP_OF.match(p, at):
        for a in authorities:
            if m.start() < a.start <= m.end() + 1 and a.start >= at and not a.dated:
                o = Owned(pin.start(), pin.end(), span, "before", authority=a)
                o.extra = _sharing(p, a, authorities, rules)
                return o
    if m := rules.own_opinion.match(p, at):
        return Owned(pin.start(), _opinion_end(p, m.end()), span, "opinion", noun="that" if " that " in m[0] else "")
    if m := rules.that_judgment.match(p, at):
        noun = "former " * (" former " in m[0]) + m["noun"]
        return Owned(pin.start(), m.end(), span, "anaphor", noun=noun, plural=noun.endswith("s"))
    if m := rules.thereof.match(p, at):
        return Owned(pin.start(), m.end(), span, "anaphor", noun="thereof")
    if short := _short_after(p, pin, rules, memory):
        return short
    if _legislative(p, pin, rules):
        return None
    for a in reversed(authorities):
        if (
            a.end <= pin.start()
            and not any(a.end < b.start < pin.start() for b in authorities)
            and rules.filler.fullmatch(p, a.end, pin.start())
        ):
            return Owned(pin.start(), pin.end(), span, "full", authority=a)
    if (
        before is not None
        and previous is not None
        and before.form in ("full", "short", "ibid")
        and _NEXT_PIN.fullmatch(p, previous.end(), pin.start())
    ):
        before.pins.append(pin.span())
        before.end = max(before.end, pin.end())
        return before
    return _short_before(p, pin, rules, memory)


def _before_last_word(p: str, pin: re.Match[str], rules: Rules) -> list[tuple[int, int]]:
    """Return the pins before the last word: "paragraph 234" of "paragraph 234 and point 2 of the operative part"."""
    words = list(rules.pin_word.finditer(p, pin.start(), pin.end()))
    if len(words) < 2:
        return []
    return [
        (pin.start(), pin.start() + len(re.sub(r"\W+(?:and\W+)?(?:\w+\W+)?$", "", p[pin.start() : words[-1].start()])))
    ]


def _sharing(p: str, first: Authority, authorities: list[Authority], rules: Rules) -> list[Authority]:
    """Return the other members of "paragraph 148 of the judgments of A, and of B", where none has pins of its own.

    Also of "paragraph 24 of the order in A and of the order in B".
    """
    between = r"[\s,;)]*(?:and\s)?(?:of\s)?(?:the\s)?" if first.plural else r"[\s,)]*and\sof\s(?:the\s)?"
    sharing, end = [], first.end
    for a in authorities:
        if a.start <= first.start:
            continue
        if not re.fullmatch(between, p[end : a.start]):
            break
        sharing.append(a)
        end = a.end
    if any(rules.pin.search(p, a.end, a.end + 25) for a in (first, *sharing)):
        return []
    return sharing


def nth_of(words: str) -> str:
    """Return "second" of "of the second judgment under appeal"; "" where none of several is told."""
    return next((nth for nth in NTH if f" {nth} " in f" {words}"), "")


def _opinion_end(p: str, at: int) -> int:
    m = re.compile(r"\s(?:of|by)\s(?:the\s)?Advocate\sGeneral").match(p, at)
    return m.end() if m else at


_AFTER_NAME = re.compile(
    r",?\s(?:of|in)\s(?:the\s)?(?:judgments?\s(?:in\s|of\s)?|order\s(?:in\s|of\s)?)?(?:the\scase\s(?:of\s)?)?(?P<name>.{2,120})"
)


def _short_after(p: str, pin: re.Match[str], rules: Rules, memory: Memory) -> Owned | None:
    """Read "paragraph 93 of the judgment in Bosman", "paragraph 93 of Bosman"."""
    m = _AFTER_NAME.match(p, pin.end())
    if not m:
        return None
    named = rules.name_start.match(p, m.start("name"))
    if not named or named.start("name") != m.start("name"):
        return None
    case, end = _longest_known(p, named.start("name"), named.end("name"), memory)
    if case is None:
        return None
    if rest := rules.cited_above.match(p, end + (2 if p[end : end + 2] == ", " else 0)):
        end = rest.end()
    return Owned(pin.start(), end, [pin.span()], "short", case=case, name=(named.start("name"), end))


def _longest_known(p: str, start: int, end: int, memory: Memory) -> tuple[Case | None, int]:
    """Return the case that the longest known beginning of `p[start:end]` names."""
    while end > start:
        if case := memory.recall(p[start:end]):
            return case, end
        cut = max(p.rfind(" ", start, end), p.rfind(",", start, end))
        if cut <= start:
            break
        end = cut
    return None, start


def _short_before(p: str, pin: re.Match[str], rules: Rules, memory: Memory) -> Owned | None:
    """Read "Bosman, cited above, paragraph 93", "judgment in Taricco, paragraph 53", "ibid., paragraph 4"."""
    window = p[max(0, pin.start() - 200) : pin.start()]
    offset = pin.start() - len(window)
    if m := _IBID.search(window, max(0, len(window) - 16)):
        return Owned(offset + m.start(), pin.end(), [pin.span()], "ibid")
    if m := _THAT_JUDGMENT.search(window):
        return Owned(offset + m.start(), pin.end(), [pin.span()], "anaphor", noun=m["noun"])
    m = _BETWEEN.search(window)
    assert m is not None
    named = rules.find_name_end(window[: m.start()]) if m.start() else None
    if (closed := window.rstrip(" ,")).endswith(")"):  # "Alder v Commission (State aid), paragraph 9"
        bracketed = rules.find_name_end(closed)
        words = bracketed["name"].split(" ") if bracketed else []
        if any(memory.recall(" ".join(words[i:])) for i in range(len(words))):
            named = bracketed
    if not named:
        return None
    start, end = named.start("name"), named.end("name")
    whole = start
    while start < end:
        if case := memory.recall(window[start:end]):
            head = _HEAD.search(window[:start])
            where = offset + (head.start() if head else start)
            return Owned(where, pin.end(), [pin.span()], "short", case=case, name=(offset + start, offset + end))
        cut = window.find(" ", start, end)
        if cut < 0:
            break
        start = cut + 1
    if rules.cited_above.search(m[0]):  # a name from outside what was read
        lead = re.match(r"(?:(?:See|In|Case|Cases|Joined Cases|The|and)\s)*", named["name"])
        where = offset + whole + (lead.end() if lead else 0)
        name = p[where : offset + end]
        case = memory.look_up(name) or Case(name=name)
        return Owned(where, pin.end(), [pin.span()], "short", case=case, name=(where, offset + end))
    head = re.search(r"\b(?:judgment|order)\s(?:in|of)\s(?:the\scase\s(?:of\s)?)?$", window[:whole])
    if head and (found := memory.look_up(window[whole:end])):
        at = offset + head.start()
        return Owned(at, pin.end(), [pin.span()], "short", case=found, name=(offset + whole, offset + end))
    return None
