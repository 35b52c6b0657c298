"""What every mask looks at: a paragraph, the decisions it names, and the names it is known to cite."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from renvoi import registry
from renvoi.case_grammar import plain
from renvoi.cite_cases import Case, Memory, Mention, read_mentions
from renvoi.cite_cases.case import name_key, short_names
from renvoi.cite_cases.rules import Rules, compile_rules

_LEGAL_FORM = re.compile(
    r",?\s(?:GmbH(?:\s&\sCo\.?\s?(?:KG|OHG))?|AG|SA|S\.A\.|SpA|S\.p\.A\.|Srl|S\.r\.l\.|Ltd\.?|Limited|plc|PLC|Inc\.?|NV|N\.V\.|BV|B\.V\.|"
    r"A/S|ApS|AB|Oy|Oyj|SARL|SAS|SE|SL|S\.L\.|Lda|sp\.\sz\so\.o\.|s\.r\.o\.|a\.s\.|Kft\.?|Zrt\.?|e\.V\.|KG|OHG|eV|ASBL|VZW|LLC|LLP)(?=\s|,|$)"
)
# Words that alone name no case, though they may be all that is left of a party's name.
_COMMON = frozenset(
    "Others Other Another The In It This That Judgment Order Case Cases Court Member State States Article Directive "
    "Company Group "
    "Bank Minister Ministry Minist Republic Kingdom Federal National International European Europe Union City Land "
    "Region "
    "President Director General Inspector Commissioner Office Agency Authority Board Committee Association "
    "Federation Society "
    "University Hospital Services Service Trade Trading Holding Holdings Finance Financial Insurance Energy Telecom "
    "Media "
    "Revenue Customs Tax Treasury Secretary Department Home Justice Interior Finanzamt Hauptzollamt Bundesrepublik "
    "Deutschland "
    "Staatssecretaris Financiën Ministerio Ministre Ministero Agenzia Comune Stadt Landkreis Regina Queen King "
    "January February "
    "March April May June July August September October November December English French German Post".split()
)

# Words that make a lone name a decision's.
_EPONYM = (
    r"\b(?P<before>WORD)\s(?:judgments?|orders?|case|case-law|conditions?|criteri(?:a|on)|test|formula|doctrine)\b|"
    r"\b(?:(?:judgments?|orders?|cases?)\s(?:in|of)|"
    r"(?:laid down|set out|established|formulated|developed|stated)\s(?:in|by))\s(?:the\s)?(?P<after>WORD)(?![\w-])"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """One paragraph, read once for all masks."""

    text: str
    plain: str  # of the same length
    mentions: tuple[Mention, ...]
    known: tuple[str, ...]  # every form of the names the caller knows to be cited that gives a decision away
    names: tuple[str, ...]  # likewise of the names the text itself cites; both longest first
    shouted: bool  # a page of capital letters, as before 1990: names are found in any case
    rules: Rules
    model: str = ""  # of the mask `ner`


def read(text: str, known: Iterable[str] = (), memory: Memory | None = None, model: str = "") -> Reading:
    """Read a paragraph for the masks.

    Args:
        text: of a paragraph; its own number may lead it.
        known: names of the decisions it cites, full or short, such as its pairs and their metadata tell.
        memory: of the judgment it stands in, up to this paragraph.
        model: of spaCy, for the mask `ner`.
    """
    grammar = registry.load("jurisdictions", "cjeu")
    given = distinctive_forms(tuple(name for name in dict.fromkeys(known) if name.strip()))
    memory = memory if memory is not None else Memory()
    for form in given:
        memory.names.setdefault(name_key(form), Case(name=form))
    mentions = tuple(read_mentions(text, memory))
    cited = {name for m in mentions for name in (m.case.name, *m.aliases) if name}
    found = {form for name in cited for form in _forms(name, grammar.institutions)}
    found |= _eponyms(plain(text), (*given, *found), grammar.institutions)
    letters = [c for c in text if c.isalpha()]
    shouted = len(letters) > 20 and sum(c.isupper() for c in letters) > 0.8 * len(letters)
    rules = compile_rules(grammar)
    return Reading(text, plain(text), mentions, given, _longest_first(found), shouted, rules, model)


def names_by_case(texts: Iterable[str], own: str = "") -> dict[str, tuple[str, ...]]:
    """Return the names that a judgment's paragraphs give the decisions they cite, by the case's key.

    A short name is introduced once and used pages later: what hides a paragraph must have read the whole judgment.

    Args:
        texts: of its paragraphs, in order.
        own: its CELEX number.
    """
    memory = Memory(own=own)
    found: dict[str, dict[str, None]] = {}
    for text in texts:
        for m in read_mentions(text, memory):
            if m.kind != "this_judgment" and m.form == "full" and not memory.is_own(m.case):
                names = (m.case.name, *m.aliases)
                found.setdefault(m.case.key, {}).update(dict.fromkeys(name for name in names if name))
    return {key: tuple(names) for key, names in found.items() if names}


@lru_cache(maxsize=4096)
def distinctive_forms(known: tuple[str, ...]) -> tuple[str, ...]:
    """Return every form of names that gives a decision away, longest first: no institution, no common word alone."""
    institutions = registry.load("jurisdictions", "cjeu").institutions
    return _longest_first({form for name in known for form in _forms(name, institutions)})


def _longest_first(names: set[str]) -> tuple[str, ...]:
    return tuple(sorted((name for name in names if len(name) > 1), key=lambda name: (-len(name), name)))


def _forms(name: str, institutions: frozenset[str]) -> list[str]:
    """Return every form of a name worth hiding: whole, by party, without legal form, without "and Others"."""
    forms = []
    for form in short_names(" ".join(plain(name).split()), institutions):
        bare = re.sub(r"\s?\([^()]*\)", "", form)  # "Confédération du travail (CGT) and Others"
        forms += [form, _LEGAL_FORM.sub("", form), bare, re.sub(r"\sand\sOthers$", "", bare)]
    for form in list(forms):
        parts = re.split(r",\s|\sand\s", form)
        if len(parts) > 1 and " v " not in form:
            forms += [part for part in parts if part not in institutions]
    return [form.strip(" ,") for form in dict.fromkeys(forms) if _tells(form.strip(" ,"), institutions)]


def _eponyms(p: str, names: Iterable[str], institutions: frozenset[str]) -> set[str]:
    """Return first words of names that the text uses for the decision: "the Alder conditions", "laid down in Alder".

    "Alder Trans and Bezirk Nord" is called so; where nothing beside the word says that it is a decision, it stays.
    """
    first = {name.split(" ", 1)[0] for name in names if " " in name}
    able = [word for word in sorted(first) if len(word) > 3 and word[0].isupper() and _tells(word, institutions)]
    if not able:
        return set()
    word = "|".join(re.escape(one) for one in able)
    return {m["before"] or m["after"] for m in re.finditer(_EPONYM.replace("WORD", word), p)}


def _tells(form: str, institutions: frozenset[str]) -> bool:
    """Tell whether a form names a case: it has a word that is neither common nor an institution."""
    if re.search(r"\sv\s?\.?\s", form):  # "Spain v Council": only a case is called so
        return True
    words = re.findall(r"[^\W\d_][\w.'-]*", form)
    own = [
        w
        for w in words
        if w not in _COMMON and w not in institutions and w[:2] != w[:2].lower() and len(w.rstrip(".")) > 1
    ]  # "eTag" is a name too
    return bool(own)


def find_whole(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of a pattern that neither begin nor end inside a word."""
    for m in pattern.finditer(text):
        start, end = m.span()
        inside = (start and text[start].isalnum() and text[start - 1].isalnum()) or (
            end < len(text) and text[end - 1].isalnum() and text[end].isalnum()
        )
        if start < end and not inside:
            yield start, end


@lru_cache(maxsize=4096)
def names_pattern(names: tuple[str, ...], shouted: bool) -> re.Pattern[str] | None:
    """Return one pattern for names, blanks of any width; None for no name.

    A name is found as written and in capitals, on a page of capitals in any case.
    """
    written = dict.fromkeys(form for name in names for form in (name, name.upper() if len(name) > 2 else name))
    alternatives = [re.escape(name).replace(r"\ ", r"\s+") for name in written]
    return re.compile("|".join(alternatives), re.IGNORECASE if shouted else 0) if alternatives else None
