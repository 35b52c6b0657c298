"""Find the decisions a paragraph names with a number or an ECLI, and how each citation begins."""

from __future__ import annotations

import re
from dataclasses import dataclass

from renvoi import cases
from renvoi.cases import DecisionKind
from renvoi.cite_cases.case import Case
from renvoi.cite_cases.rules import Rules

_ENGLISH_JOINS = re.compile(r"(?:(?:and|of|for|the|on|in|a|per)\s)+")
_WIDEST_LEAD = 320  # characters before a number in which its name and date are looked for
_LONGEST_CASE_WORD = 40  # characters: "Joined Cases No. "
_YEAR_OF_ECLI = re.compile(r"EU:[CTF]:(\d{4}):")
_YEAR_OF_REPORTER = re.compile(r"\[(\d{4})\]")
_ECLI_AFTER_NAME = re.compile(r"\s?[,(]?\s?((?:ECLI:)?EU:[CTF]:\d{4}:\d+)")
_SEVERAL_ORDERS = re.compile(r"\b(?:P-R|P\(R\)|R-II|RENV)")
_BRACKET = re.compile(r"\s?\(([^()]{3,160}(?:\([^()]*\)[^()]*)?)\)")
_NO_STOP = re.compile(r"[^.]{0,40}")
_SENTENCE_WORD = re.compile(r"(?:In|The|As|It|That|This|See|By|For|Cases?|Joined)\b")
_OPINION_OF = re.compile(
    r"\b(?:Opinion|View)s?\s(?:delivered\s)?(?:of|by)\s(?:Mr\s|the\s)?Advocate General\s[^,;()]{0,60}?$"
)
_IN_THE_CASE = re.compile(
    r"[\s,]*(?:(?:delivered\s)?in\s(?:the\scase(?:\sof)?\s)?(?:Cases?\s|Joined\sCases\s)?)?[\s,(]*"
)
_NAME_BEGINS = re.compile(
    r"[A-ZÀ-ÖØ-ÞĀ-Ž0-9\u2018'\[]|d[eui]\s|van\s|von\s|d'|le\s|la\s|l'|i\s|ten\s|the\s|[a-z]{1,2}[A-Z]"
)
_NO_NAME = re.compile(
    r"[a-z]{4,}\.\s[A-Z]|\bparagraphs?\s\d|\s(?:which|that|whether|is|was|were|has|held|must)\s|\)\s?,\s(?:and|or|the)\s"
)
_BETWEEN_CITATIONS = re.compile(r"[;]|\d/\d\d|[CTF]-\d|\sparagraphs?\s|EU:|\.\s[A-Z][a-z]{3,}\s[a-z]")
_NAME_FOLLOWS = re.compile(r"\s?,?\s?[A-ZÀ-Žd\u2018v]")
_GENERIC = re.compile(r"(?:the|The|[Pp]aragraph|EU:|ECLI|In|a|and|of|for|in|on|as|to|Article|Court|Commission$)\b")


@dataclass(slots=True)
class Authority:
    """A decision named with number or ECLI. Offsets are into the paragraph."""

    start: int  # of the citation: its head, date or name
    core: int  # of the number or ECLI
    end: int  # of the last of number, ECLI, reporter
    case: Case
    name: tuple[int, int] | None = None
    date: tuple[int, int] | None = None
    headed: bool = False  # "judgment of" or "Case", not a bare number
    decided: bool = False  # "judgment of": a decision, not only a case
    dated: bool = False  # begins with a date, as in a list: "and of 3 May 2031, Alder"
    cut: str = ""  # court and serial of a number that lost its year: "C-175"
    year: int | None = None  # of the decision, by reporter or ECLI
    plural: bool = False  # begins a list: "judgments of"


@dataclass(slots=True)
class _Lead:
    start: int
    name: tuple[int, int] | None = None
    date: tuple[int, int] | None = None
    type: DecisionKind | None = None
    headed: bool = False
    plural: bool = False
    by_case: bool = False  # "Case C-1/01 Name": the name follows


def find_authorities(p: str, tokens: list[re.Match[str]], rules: Rules) -> list[Authority]:
    """Return the decisions named in a plain text, in order."""
    found: list[Authority] = []
    floor = 0
    i = 0
    while i < len(tokens):
        token = tokens[i]
        i += 1
        if token.lastgroup == "pin" and found and rules.filler.fullmatch(p, found[-1].end, token.start()):
            floor = token.end()
        if token["old"] and not is_old_number(p, token, rules):
            continue
        if not (token["ecli"] or token["cases"] or token["cut"] or token["old"] or token["opinion"]):
            continue
        ecli, end = (token["ecli"], token.end()) if token["ecli"] else (None, token.end())
        titled = None
        following = next((n for n in range(i, min(i + 3, len(tokens))) if tokens[n]["ecli"]), None)
        if not ecli and following is not None and not tokens[following]["foreign"]:
            gap = token.end(), tokens[following].start()  # may hold "'the judgment under appeal'"
            titled = rules.titled.fullmatch(p, *gap) if token["opinion"] else None
            if titled or rules.filler.fullmatch(p, *gap):
                ecli, end = tokens[following]["ecli"], tokens[following].end()
                i = following + 1
        lead = _read_lead(p, max(floor, token.start() - _WIDEST_LEAD), token, found[-1] if found else None, rules)
        if titled and titled["date"]:
            lead.date = titled.span("date")
        found.append(_make(p, token, end, ecli, lead, rules))
        floor = found[-1].end
    return found


def is_old_number(p: str, token: re.Match[str], rules: Rules) -> bool:
    """Tell whether "46/87" at a token is a case number: other marks of a citation stand beside it."""
    if token[0][0] in "CTF":  # "C 601/15 PPU": the hyphen is missing
        return bool(rules.old_after.match(p, token.end()))
    years = [int(y) for y in re.findall(r"/(\d\d)", token[0])]
    if not years or not all(53 <= y <= 99 for y in years):
        return False
    before, after = p[max(0, token.start() - 250) : token.start()], p[token.end() : token.end() + 120]
    if rules.old_before.search(before) or rules.old_after.match(after):
        return True
    if not re.match(r"\s?[,)]", after) or max(years) > 91:
        return False
    dated = list(rules.date.finditer(before))
    return bool(dated) and bool(_name_of(before, dated[-1].end(), len(before)))


def _make(p: str, token: re.Match[str], end: int, ecli: str | None, lead: _Lead, rules: Rules) -> Authority:
    numbers: tuple[str, ...] = ()
    if not token["ecli"] and not token["cut"]:
        printed = token[0] if not token["old"] else "Cases " + re.sub(r"\b([CTF])\s(?=\d)", r"\1-", token[0])
        numbers = tuple(dict.fromkeys(n.text for n in cases.parse_case_numbers(printed)))
    name = lead.name
    if name is None and (lead.by_case or lead.headed) and not token["opinion"]:
        name = _name_after(p, token.end() if not ecli or lead.by_case else end, rules)
    if name and name[0] >= token.end():
        end = max(end, name[1])
        if not ecli and (m := _ECLI_AFTER_NAME.match(p, name[1])):
            ecli, end = m[1], m.end()
    if (m := rules.reporter.search(p, end, end + 120)) and rules.filler.fullmatch(p, end, m.start()):
        end = m.end()
    date = p[slice(*lead.date)] if lead.date else ""
    kind: DecisionKind = lead.type or ("court_opinion" if token["opinion"] else "judgment")
    case = Case(numbers, None, _clean_ecli(ecli, numbers), "", date, kind, foreign=bool(token["foreign"]))
    if token["opinion"]:
        name = _bracket(p, token.end())
    case = Case(
        numbers, _celex(case), case.ecli, p[name[0] : name[1]].strip() if name else "", date, kind, case.foreign
    )
    cut = re.sub(r"[\s-]+", "-", token["cut"].partition("/")[0]) if token["cut"] else ""
    return Authority(
        min(lead.start, token.start()),
        token.start(),
        end,
        case,
        name,
        lead.date,
        headed=lead.headed,
        decided=lead.type is not None or lead.date is not None or ecli is not None,
        dated=lead.date is not None and lead.start == lead.date[0],
        plural=lead.plural,
        cut=cut,
        year=_year(p[token.start() : end], ecli),
    )


def _year(text: str, ecli: str | None) -> int | None:
    m = _YEAR_OF_ECLI.search(ecli or "") or _YEAR_OF_REPORTER.search(text)
    return int(m[1]) if m else None


def _celex(case: Case) -> str | None:
    if not case.numbers or case.foreign:
        return None
    lead = case.numbers[0]
    suffix = lead.partition(" ")[2]
    if _SEVERAL_ORDERS.search(suffix) and case.type == "order":
        return None  # several orders may bear one number
    try:
        return cases.celex_from_case_number(lead, case.type)
    except ValueError:
        return None


def _clean_ecli(ecli: str | None, numbers: tuple[str, ...]) -> str | None:
    if not ecli:
        return None
    ecli = re.sub(r"\s", "", ecli).removeprefix("ECLI:").replace(",", ":").replace(";", ":")
    if ecli.endswith("X"):  # not numbered yet: "EU:C:2023:XXX"
        return None
    if re.match(r"EU:\d", ecli):  # the letter of the court is missing
        ecli = f"EU:{numbers[0][0] if numbers and numbers[0][0] in 'CTF' else 'C'}{ecli[2:]}"
    return ecli


def _bracket(p: str, at: int) -> tuple[int, int] | None:
    m = _BRACKET.match(p, at)
    return m.span(1) if m else None


def _read_lead(p: str, low: int, token: re.Match[str], previous: Authority | None, rules: Rules) -> _Lead:
    """Return how the citation begins: the stretch from head, date or name to the number at `token`."""
    at = token.start()
    if token["opinion"]:
        return _Lead(at, headed=True)
    window = p[low:at]
    if m := rules.case_word.search(window, max(0, len(window) - _LONGEST_CASE_WORD)):
        return _case_lead(p, low, low + m.start(), rules)
    dates = list(rules.date.finditer(window))
    for dated in reversed(dates[-2:]):
        name = _name_of(window, dated.end(), len(window))
        if name is None:
            continue
        head = rules.head_date.search(window, 0, dated.start())
        lead = _Lead(
            low + (head.start() if head else dated.start()),
            (low + name[0], low + name[1]),
            (low + dated.start(), low + dated.end()),
            headed=True,
        )
        if name[0] == name[1]:
            lead.name = None
        if head:
            lead.type, lead.plural = _type(head), head["plural"] is not None
        elif previous and _NO_STOP.fullmatch(p[previous.end : low + dated.start()]):
            lead.type = previous.case.type if previous.case.type != "court_opinion" else None
        return _opinion_before(p, low, lead)
    first = rules.decision.search(window)
    if first and (m := rules.head_name.search(window, first.start())):
        lead = _Lead(
            low + m.start(), (low + m.start("name"), low + m.end("name")), None, _type(m), True, m["plural"] is not None
        )
        return _opinion_before(p, low, lead)
    if first and (m := rules.head_end.search(window, first.start())):
        return _Lead(low + m.start(), None, None, _type(m), True, m["plural"] is not None)
    if m := _last_name(window, rules):
        start = m.start("name")
        if joins := _ENGLISH_JOINS.match(m["name"]):  # "relies on Alder v Commission (C-1/30)"
            start += joins.end()
        return _Lead(low + start, (low + start, low + m.end("name")))
    return _Lead(at)


def _last_name(window: str, rules: Rules) -> re.Match[str] | None:
    """Return a match of the name that ends a stretch, tried from the last clause on."""
    tail = max(0, len(window) - 160)
    m = rules.find_name_end(window, tail)
    if m and _SENTENCE_WORD.match(m["name"]):
        blank = m["name"].find(" ")
        return rules.find_name_end(window, m.start("name") + blank + 1) if blank > 0 else None
    return m


def _case_lead(p: str, low: int, start: int, rules: Rules) -> _Lead:
    before = p[low:start]
    if m := rules.head_case.search(before):
        return _opinion_before(
            p, low, _Lead(low + m.start(), None, _span(m, "date", low), _type(m), True, m["plural"] is not None, True)
        )
    return _Lead(start, None, None, None, True, False, True)


def _opinion_before(p: str, low: int, lead: _Lead) -> _Lead:
    """Let "Opinion of Advocate General Wahl in" before a head or name belong to the citation."""
    m = _OPINION_OF.search(p[max(low, lead.start - 110) : lead.start])
    if m and lead.type != "opinion":
        lead.start = max(low, lead.start - 110) + m.start()
        lead.type = "opinion"
    return lead


def _span(m: re.Match[str], group: str, offset: int) -> tuple[int, int] | None:
    return (offset + m.start(group), offset + m.end(group)) if m[group] else None


def _type(head: re.Match[str]) -> DecisionKind:
    word = head["head"].lower()
    return "order" if word.startswith("order") else "opinion" if word.startswith("opinion") else "judgment"


def _name_of(w: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the case name that fills `w[start:end]` (empty where nothing but marks does); None if that is no name."""
    m = _IN_THE_CASE.match(w, start, end)
    assert m is not None
    start = m.end()
    rest = w[start:end].rstrip(" ,([")
    if not rest:
        return start, start
    if len(rest) > 230 or not _NAME_BEGINS.match(rest) or ";" in rest or _NO_NAME.search(rest):
        return None
    return start, start + len(rest)


def _name_after(p: str, at: int, rules: Rules) -> tuple[int, int] | None:
    """Return the name after a number: up to the reporter where one follows, a phrase of name words otherwise."""
    reported = rules.reporter.search(p, at, at + 230)
    if reported:
        between = p[at : reported.start()]
        if not _BETWEEN_CITATIONS.search(between) and _NAME_FOLLOWS.match(between):
            start = at + len(between) - len(between.lstrip(" ,"))
            stop = at + len(between.rstrip(" ,("))
            return (start, stop) if start < stop else None
    m = re.compile(r"\s?,?\s?").match(p, at)
    assert m is not None
    if p[at:].lstrip()[:1] == ",":
        return (
            None
            if not (named := rules.name_start.match(p, at)) or len(named["name"]) < 4 or _generic(named["name"])
            else named.span("name")
        )
    named = rules.name_start.match(p, at)
    return named.span("name") if named and not _generic(named["name"]) else None


def _generic(name: str) -> bool:
    return bool(_GENERIC.match(name))
