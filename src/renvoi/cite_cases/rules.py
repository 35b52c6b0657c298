"""The patterns of a grammar, compiled once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from renvoi.case_grammar import CaseGrammar

Pattern = re.Pattern[str]
_CAPITAL = re.compile(r"[^\W_a-z]")  # or a digit, or any letter that is not plain lower case

NTH = ("first", "second", "third", "fourth")  # of several judgments under appeal
_NTH = "|".join(NTH)


@dataclass(frozen=True, slots=True)
class Rules:
    """Compiled patterns; `token` finds everything a citation is made of, in one pass."""

    token: Pattern  # groups ecli, foreign, cases, old, opinion, pin, appeal, that, plural, noun, cited
    signs: tuple[str, ...]  # a paragraph without any of these words, nor a match of `worth`, cites no judgment
    worth: Pattern
    filler: Pattern
    pin: Pattern
    pin_word: Pattern
    pin_item: Pattern
    pin_range: Pattern
    pin_join: Pattern
    date: Pattern
    head_date: Pattern
    decided: Pattern  # "judgment of 3 May 2031," and "; of 3 May 2031,": head or list, date, comma
    head_name: Pattern
    head_case: Pattern  # "judgment of 3 May 2031 in", before "Case C-1/30"
    head_end: Pattern  # "judgment in", before a number
    titled: Pattern  # "(Title) of 30 November 2009, (": between the number of an opinion and its ECLI
    case_word: Pattern
    old_before: Pattern
    old_after: Pattern
    name_end: Pattern  # a case name at the end of a stretch
    name_start: Pattern  # a case name at the start of a stretch
    called: Pattern  # words beside a short name: "judgment in" (`after` it the name), "case-law" (`before` it)
    decision: Pattern  # how the words begin that `other_court` does
    own_opinion_dated: Pattern  # "his Opinion of 31 May 2016"
    other_court: Pattern  # a judgment or order that is not of these courts, after which "that judgment" is not ours
    reporter: Pattern
    cited_above: Pattern
    under_appeal: Pattern
    defines_appeal: Pattern  # where "the judgment under appeal" is introduced; groups `plural`, `nth`
    this_judgment: Pattern
    own_opinion: Pattern
    that_judgment: Pattern
    thereof: Pattern
    operative: Pattern
    legislation: Pattern
    legislation_before: Pattern
    common: frozenset[str]  # words of institutions' and states' names

    def find_name_end(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Return `name_end.search`, without trying where the last word cannot be of a name."""
        last = text.rstrip(" ,([").rpartition(" ")[2]
        return self.name_end.search(text, start) if last.endswith(")") or _CAPITAL.search(last) else None

    def names_other_court(self, text: str, start: int, end: int) -> bool:
        """Tell whether a decision of another court is named in a stretch."""
        words = self.decision.finditer(text, start, end)
        return any(self.other_court.match(text, word.start(), end) for word in words)


@cache
def compile_rules(grammar: CaseGrammar) -> Rules:
    """Return the compiled patterns of a grammar."""
    g = grammar
    item = rf"{g.pin_item}(?:{g.et_seq})?"
    one = rf"{item}(?:{g.pin_range}{item})?"
    pin = rf"{g.pin_word}\s?{one}(?:{g.pin_join}{one})*"
    name = (
        rf"(?<![\w'])(?:{g.name_join}\s)?{g.name_word}(?:,?\s(?:{g.name_join}\s){{0,3}}{g.name_word}|"
        rf"\s?\([^()]{{1,80}}\))*"
    )
    token = "|".join(
        (
            rf"(?P<ecli>{g.ecli})",
            rf"(?P<cases>{g.number})",
            rf"(?P<cut>{g.cut_number})",
            rf"(?P<old>{g.old_number})",
            rf"(?P<pin>{pin})",
            rf"(?P<opinion>{g.opinion_number})",
            rf"(?P<appeal>{g.under_appeal})",
            rf"(?P<that>{g.that_judgment})",
            rf"(?P<cited>{g.cited_above})",
        )
    )
    dated = rf"(?P<date>{g.today}|{g.date})"
    return Rules(
        token=re.compile(rf"(?<![A-Za-z])(?={g.starts})(?:{token})"),
        signs=("aragraph", "judgment", "order", "Opinion", "EU:", "oint", "cited", "§", "bid", "AGRAPH", "para", "CE:"),
        worth=re.compile(r"[CTF]\s?-{1,2}\s?\d|\d/\d"),
        filler=re.compile(rf"(?:{g.filler}|{g.reporter}|{g.cited_above}|{g.page})*"),
        pin=re.compile(pin),
        pin_word=re.compile(g.pin_word),
        pin_item=re.compile(r"\d{1,4}"),
        pin_range=re.compile(rf"(?P<first>\d{{1,4}})(?:{g.pin_range}(?P<last>\d{{1,4}}))?"),
        pin_join=re.compile(
            rf"(?:\s?(?:{g.filler}))*?{g.pin_join}$|\s?(?:and\s)?(?:the\scase-law\scited(?:\sthere(?:in)?)?)?,?\s?(?:and\s)?$"
        ),
        date=re.compile(dated),
        head_date=re.compile(rf"(?P<head>{g.head}){g.head_by}$"),
        decided=re.compile(rf"(?:(?:{g.head}){g.head_by}|[,;]\s(?:and\s)?of\s){dated}[\s,(]*"),
        head_name=re.compile(
            rf"(?P<head>{g.head})(?P<by>[^,;.()]{{0,60}}?)(?:,|\s(?:in|of))\s(?:the\s)?(?P<name>{name})[\s,(\[]*$"
        ),
        head_case=re.compile(rf"(?P<head>{g.head}){g.head_by}{dated}?,?\s?(?:in\s|of\s)?(?:the\s)?$"),
        head_end=re.compile(rf"(?P<head>{g.head}){g.head_by}(?:in|of|,)?\s?[(\s]*$"),
        titled=re.compile(rf",?\s?(?:\(.{{1,160}}?\)\s?)?(?:,?\s?of\s{dated})?[\s,(]*(?:\u2018[^']*'?[\s,]*)?"),
        case_word=re.compile(g.case_word),
        old_before=re.compile(g.old_number_before),
        old_after=re.compile(g.old_number_after),
        name_end=re.compile(rf"(?P<name>{name})[\s,(\[]*$"),
        name_start=re.compile(rf"\s?,?\s?\(?(?P<name>{name})"),
        # A pattern that begins with a set of letters is tried at these only.
        called=re.compile(
            r"[JjOocft](?<![A-Za-z].)(?:(?P<after>(?:(?<=[Jj])udgments?|(?<=[Oo])rders?|(?<=O)pinion)\s(?:in|of)\s(?:the\s)?(?:cases?\s(?:of\s)?)?)(?=[A-Z])"
            r"|(?P<before>(?<=j)udgment|(?<=o)rder|(?<=c)(?:ase(?!\sin)|ase-law|onditions?|riteri(?:a|on))|(?<=f)ormula|(?<=t)est)\b)"
        ),
        decision=re.compile(r"[jJoOd](?<![A-Za-z].)(?:udgment|rder|pinion|ecision)"),
        own_opinion_dated=re.compile(rf"\b(?:his|her|the|General's)\s(?P<opinion>Opinion\sof\s{dated})"),
        other_court=re.compile(
            rf"(?:{g.head}|decision)\s(?:No\s|of\s(?:{g.date})|of\sthe\s[A-Z]\w+\s\(|by\sthe\s|of\sthe\s(?:referring|national))"
        ),
        reporter=re.compile(g.reporter),
        cited_above=re.compile(g.cited_above),
        under_appeal=re.compile(
            rf",?\s?(?:of|in|to|from)\s(?:the\s|both\s|that\s|those\s)?(?:(?:two|{_NTH})\s)?(?:{g.under_appeal})"
        ),
        defines_appeal=re.compile(
            rf"\u2018(?:the\s)?(?:(?P<nth>{_NTH})\s)?(?=\w+?(?P<plural>s)?\s)(?:{g.under_appeal}|contested\s(?:judgment|order)(?P<plurals>s)?)"
        ),
        this_judgment=re.compile(g.this_judgment),
        own_opinion=re.compile(g.own_opinion),
        that_judgment=re.compile(rf",?\s(?:of|in|to)\s(?:{g.that_judgment})"),
        thereof=re.compile(g.thereof),
        operative=re.compile(g.operative),
        legislation=re.compile(g.legislation),
        legislation_before=re.compile(g.legislation_before),
        common=frozenset(word for name in g.institutions for word in name.casefold().split()),
    )
