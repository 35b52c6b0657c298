"""What "that judgment", "the judgment under appeal", "ibid." and a short name stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from renvoi.cite_cases.authorities import Authority
from renvoi.cite_cases.case import Case, find_months, name_key, parse_day
from renvoi.cite_cases.memory import Memory
from renvoi.cite_cases.mention import Mention, MentionKind
from renvoi.cite_cases.pins import Owned, nth_of
from renvoi.cite_cases.rules import NTH, Rules

_LEGISLATION = re.compile(
    r"\b(?:[Aa]rticles?|[Dd]irectives?|[Rr]egulations?|Annex|[Dd]ecision|Law|Code|Treaty|Protocol|Charter|[Cc]onvention|"
    r"[Aa]greement|[Pp]rovisions?|Rules?)\b"
)
# A judgment of somebody else, which "that judgment" after it means.
_OTHER_JUDGMENT = re.compile(r"\b(?:an?|any|its|his|her|such|each|final|first|interim)\s(?:\w+\s)?(?:judgment|order)\b")
_OTHER_JUDGMENTS = re.compile(
    r"(?<!the\s)(?<!those\s)(?<!these\s)\b(?:judgments|orders)\s(?!under)|\bjudgments\sof\sthe\s"
)
_APPEALED = re.compile(r"\bappeal(?:ed|s)?\b[^.;]{0,60}\b(?:against|from|of)\s$|\b(?:against|setting|After)\s$")
_LONGEST_DECIDED = 320  # characters from "judgment" to the month of its date
_WORD_BEFORE = re.compile(r"[\w'.)]\s")
UNKNOWN_APPEAL = Case(name="judgment under appeal")


def resolve(o: Owned, mentions: list[Mention], memory: Memory, p: str) -> list[Case]:
    """Return the decisions that own pins without a number of their own; empty where nothing tells."""
    if o.form == "this":
        return [memory.own_case]
    if o.form == "under_appeal":
        return _appealed(o, memory)
    if o.form == "opinion":
        if o.noun == "that":
            opinions = [m.case for m in mentions if m.case.type == "opinion"]
            return [opinions[-1] if opinions else memory.own_opinion]
        return [memory.own_opinion]
    if o.case is not None:
        return [o.case]
    if o.noun == "thereof" and not _of_a_decision(o.start, mentions, p):
        return []
    return antecedents(o.start, o.noun, o.plural, mentions, memory, p)


def _of_a_decision(at: int, mentions: list[Mention], p: str) -> bool:
    """Tell whether "paragraph 9 thereof" is of a decision: one is named before it, and nothing of legislation since."""
    earlier = [m.end for m in mentions if m.start < at and m.kind != "this_judgment"]
    return bool(earlier) and not _LEGISLATION.search(p, max(earlier), at)


def _appealed(o: Owned, memory: Memory) -> list[Case]:
    if not memory.under_appeal:
        return [UNKNOWN_APPEAL]
    nth = NTH.index(o.noun) if o.noun in NTH else 0
    return list(memory.under_appeal) if o.plural else memory.under_appeal[nth : nth + 1] or [UNKNOWN_APPEAL]


def antecedents(at: int, noun: str, plural: bool, mentions: list[Mention], memory: Memory, p: str) -> list[Case]:
    """Return what "that judgment" at a place stands for: the last decision named before it.

    "those judgments" are the last group of at least two in one sentence.
    """
    earlier = [m for m in mentions if m.start < at and m.kind != "this_judgment"]
    former, noun = noun.startswith("former "), noun.removeprefix("former ")
    wanted = {"order": "order", "Opinion": "opinion"}.get(noun.rstrip("s"))
    if wanted and any(m.case.type == wanted for m in earlier):
        earlier = [m for m in earlier if m.case.type == wanted]
    elif wanted == "opinion":
        return [memory.own_opinion]
    elif wanted and not plural and (orders := [c for c in (*memory.under_appeal, *memory.last) if c.type == wanted]):
        return orders[-1:]
    elif noun.startswith("judgment"):
        earlier = [m for m in earlier if m.case.type != "opinion"]
    if former and len({m.case.identity for m in earlier}) > 1:
        latter = earlier[-1].case.identity
        return [next(m.case for m in reversed(earlier) if m.case.identity != latter)]
    if not plural:
        return [earlier[-1].case] if earlier else memory.last[-1:]
    by_sentence: dict[int, list[Case]] = {}
    for m in earlier:
        by_sentence.setdefault(len(re.findall(r"[a-z)\]]\.\s+[A-Z]", p[: m.start])), []).append(m.case)
    for sentence in sorted(by_sentence, reverse=True):
        group = list({case.identity: case for case in by_sentence[sentence]}.values())
        if len(group) > 1:
            return group
    return (
        memory.group
        if len({m.case.identity for m in earlier}) < 2
        else list({m.case.identity: m.case for m in earlier}.values())
    )


def find_bare_appeals(tokens: list[re.Match[str]], owned: list[Owned], authorities: list[Authority]) -> list[Owned]:
    """Return "the judgment under appeal" where it stands without pins: "that judgment" may mean it later."""
    taken = [(o.start, o.end) for o in owned] + [(a.start, a.end) for a in authorities]
    return [
        Owned(
            token.start(),
            token.end(),
            [],
            "under_appeal",
            noun=nth_of(token.string[max(0, token.start() - 8) : token.start()]),
            plural=token["appeal"].split()[0].endswith("s"),
        )
        for token in tokens
        if token["appeal"] and not any(start < token.end() and token.start() < end for start, end in taken)
    ]


def find_called(
    p: str, m: re.Match[str], taken: list[tuple[int, int]], mentions: list[Mention], memory: Memory, rules: Rules
) -> Mention | None:
    """Return the mention that words beside a known short name make: "the judgment in Bosman", "the Bosman case-law".

    Args:
        p: the paragraph.
        m: a match of `Rules.called`.
        taken: places of other citations; a name inside one is theirs.
        mentions: likewise.
        memory: with the names known up to here.
        rules: of the grammar.
    """
    known = _known(p, m, memory, rules)
    if known is None:
        return None
    start, end, case, name = known
    if any(low < end and start < high for low, high in [*taken, *((o.start, o.end) for o in mentions)]):
        return None
    if m["after"] and m[0].startswith("Opinion") and case.type == "judgment" and case.celex:
        case = replace(case, type="opinion", celex=case.celex[:5] + "CC" + case.celex[7:11], ecli=None)
    return Mention(start, end, case, _kind(case, memory), name=name, form="short")


def find_bare(
    p: str,
    tokens: list[re.Match[str]],
    called: list[re.Match[str]],
    mentions: list[Mention],
    memory: Memory,
    rules: Rules,
) -> list[Mention]:
    """Return the mentions without pins: "that judgment", "Bosman, cited above", a name before its own citation."""
    found: list[Mention] = []

    def free(start: int, end: int) -> bool:
        return not any(m.start < end and start < m.end for m in (*mentions, *found))

    for token in tokens:
        start, end = token.span()
        if token.lastgroup not in ("that", "plural", "noun", "cited") or not free(start, end):
            continue
        if token["that"] and _worth(p, token, mentions, memory, rules):
            noun = "former " * token[0].startswith("the former ") + token["noun"]
            for case in antecedents(start, noun, noun.endswith("s"), mentions, memory, p):
                found.append(Mention(start, end, case, _kind(case, memory), form="anaphor"))
        elif token["cited"] and (short := _named_before(p, start, rules, memory)):
            found.append(Mention(short[0], end, short[1], _kind(short[1], memory), form="short"))
    for m in rules.own_opinion_dated.finditer(p) if "Advocate General" in p and "Opinion of" in p else ():
        if free(*m.span("opinion")):
            opinion = memory.own_opinion
            found.append(Mention(*m.span("opinion"), opinion, "opinion", date=m.span("date"), form="opinion"))
    for m in called:
        if known := find_called(p, m, [], [*mentions, *found], memory, rules):
            found.append(known)
    if memory.titles:
        for m in _decided(p, rules):
            if (dated := _dated(p, m, memory, rules)) and free(dated.start, dated.end):
                found.append(dated)
                memory.meet(dated.case, (dated.case.name,))
    return found


def _decided(p: str, rules: Rules) -> Iterator[re.Match[str]]:
    """Yield the matches of `Rules.decided` that have a day: they are looked for around the months of a text."""
    at = 0
    for month in find_months(p):
        at = max(at, month.start() - _LONGEST_DECIDED)
        while m := rules.decided.search(p, at, month.end() + len(" 2031")):
            at = m.end()
            if m.end("date") >= month.end():
                whole = rules.decided.match(p, m.start())
                if whole:
                    yield whole
                break
        at = max(at, month.end())


def _dated(p: str, m: re.Match[str], memory: Memory, rules: Rules) -> Mention | None:
    """Return the mention in "judgment of 3 May 2031, Alder", whose number stands in a footnote or nowhere."""
    day, named = parse_day(m["date"]), rules.name_start.match(p, m.end())
    if day is None or named is None or memory.titles is None:
        return None
    found = memory.titles.find_day(day, named["name"])
    if found is None:
        return None
    case, start = found[0], named.start("name")
    end = start + found[1]
    return Mention(m.start(), end, case, _kind(case, memory), (), (start, end), m.span("date"), form="full")


def _kind(case: Case, memory: Memory) -> MentionKind:
    if case.type == "opinion":
        return "opinion"
    return "procedural_history" if memory.is_appealed(case) or memory.is_own(case) else "precedent"


def _known(p: str, m: re.Match[str], memory: Memory, rules: Rules) -> tuple[int, int, Case, tuple[int, int]] | None:
    """Return the known name in "judgment in NAME" (its longest beginning) or "NAME case-law" (its longest end).

    Start and end are with the words beside it; the name's own place comes last.
    """
    if m["after"]:
        named = rules.name_start.match(p, m.end(), m.end() + 120)
    else:
        low = max(0, m.start() - 60)
        if not _WORD_BEFORE.fullmatch(p[m.start() - 2 : m.start()]):
            return None
        named = rules.find_name_end(p[low : m.start()].rstrip("' "))
    if not named:
        return None
    offset = 0 if m["after"] else low
    start, end = offset + named.start("name"), offset + named.end("name")
    while start < end:
        if case := memory.names.get(name_key(p[start:end])):
            return (m.start() if m["after"] else start), (end if m["after"] else m.end()), case, (start, end)
        cut = p.rfind(" ", start, end) if m["after"] else p.find(" ", start, end)
        if cut <= start:
            return None
        start, end = (start, cut) if m["after"] else (cut + 1, end)
    return None


def _worth(p: str, token: re.Match[str], mentions: list[Mention], memory: Memory, rules: Rules) -> bool:
    """Tell whether "that judgment" means a decision cited: one stands before it, and no other does nearer."""
    noun = token["noun"].rstrip("s")
    plural = noun != token["noun"]
    before = [m for m in mentions if m.start < token.start() and m.kind != "this_judgment"]
    if noun == "case" and (not before or p[: token.start()].endswith(("in ", "In "))):
        return False
    if noun == "Opinion":
        return any(m.case.type == "opinion" for m in before) or "Advocate General" in p[: token.start()]
    known = [m.case for m in before] or (memory.group if plural else memory.last)
    if not known or (noun == "order" and not any(case.type == "order" for case in known)):
        return False
    since = max((m.end for m in before), default=0)
    if rules.names_other_court(p, since, token.start()):
        return False
    if before and noun == "decision":
        return True
    nearer = _OTHER_JUDGMENTS if plural else _OTHER_JUDGMENT
    if noun == "decision" or nearer.search(p, since, token.start()):
        return False
    # Who appeals against a judgment of this Court? It is a national court's that is meant.
    return before != [] or not _APPEALED.search(p[: token.start()]) or any(memory.is_appealed(c) for c in known[-1:])


def _named_before(p: str, at: int, rules: Rules, memory: Memory) -> tuple[int, Case] | None:
    window = p[max(0, at - 160) : at].rstrip(" ,(")
    named = rules.find_name_end(window)
    if not named:
        return None
    start, end = named.span("name")
    offset = max(0, at - 160)
    while start < end:
        if case := memory.recall(window[start:end]):
            return offset + start, case
        cut = window.find(" ", start, end)
        if cut < 0:
            break
        start = cut + 1
    case = memory.look_up(named["name"])
    return (offset + named.start("name"), case) if case else None
