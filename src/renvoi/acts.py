"""Names of acts: where they stand in a text, and when two of them name the same act."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Literal, NamedTuple

import Stemmer

from renvoi.grammar import Grammar, compile_seeds

MentionKind = Literal["this", "same", "enabling", "named", "pointer"]


class Mention(NamedTuple):
    """An act named in a text."""

    start: int
    end: int
    kind: MentionKind  # "pointer": named by the provision that follows ("ustawy zmienianej w art. 13")
    name: str  # "" for all but "named"
    before: bool  # a genitive: it stands before what it governs


_EU_NUMBER = re.compile(
    r"(?P<kind>forordning|regulation|rozporządzeni|verordnung|direktiv|directive|dyrektyw|richtlini|"
    r"afgørelse|decision|decyzj|beschluss|framework decision|rammeafgørelse)\w*"
    r"(?P<between>[^,;.]{0,90}?)\s?(?:\((?:EU|UE|EF|EC|EØF|EEC|WE|EWG|EG|Euratom)(?:, \w+)?\)\s?)?"
    r"(?P<no>(?:no|nr)\.?\s)?(?P<a>\d{1,4})/(?P<b>\d{1,4})(?:/\w+)?",
    re.IGNORECASE,
)
_EU_LETTER = {"forordning": "R", "regulation": "R", "rozporządzeni": "R", "verordnung": "R",
              "direktiv": "L", "directive": "L", "dyrektyw": "L", "richtlini": "L",
              "framework decision": "F", "rammeafgørelse": "F"}  # fmt: skip
_NATIONAL_NUMBER = re.compile(
    r"\b(?:lov|lovbekendtgørelse|lbk|bekendtgørelse|bek)\.? nr\.? (\d+) af (?:\d{1,2}\.? \w+ )?(\d{4})", re.IGNORECASE
)
_JOURNAL_FOLLOWS = re.compile(r"\(\s?Dz\.")
_POLISH_JOURNAL = re.compile(r"Dz\.\s?U\.\s?(?:z )?(\d{4})(?: r\.)?,?(?: Nr \d+)?,? poz\. (\d+)")
_WORD = re.compile(r"[^\W\d_]+|\d+")
_WORD_START = re.compile(r"\b[\w-]")
_WORDS_BEFORE = 2  # a name's seed stands in one of its first three words: "den nævnte lov"
_KNOWN = 1 << 16  # how many texts' mentions a finder keeps
_PARENTHESIS = re.compile(r"\([^()]*\)")


def eu_celex(text: str) -> str | None:
    """Return the CELEX number of the EU act that a name gives by number, or None.

    "No N/Y" is number/year, a directive year/number, anything else by which part can be a year; acts since 2015
    are year/number (Interinstitutional style guide, 2.1.3).

    >>> eu_celex("Regulation (EU) 2016/679"), eu_celex("Regulation (EU) No 596/2014")
    ('32016R0679', '32014R0596')
    >>> eu_celex("Directive 95/46/EC"), eu_celex("Decision 243/2012/EU")
    ('31995L0046', '32012D0243')
    """
    found = _EU_NUMBER.search(text)
    if not found:
        return None
    letter = _EU_LETTER.get(found["kind"].lower(), "D")
    a, b = found["a"], found["b"]
    year_first = letter == "L" or (not found["no"] and _is_year(a)) or not _is_year(b)
    year, number = (a, b) if year_first else (b, a)
    full_year = int(year) if len(year) == 4 else int(year) + 1900
    return f"3{full_year}{letter}{int(number):04d}"


@lru_cache(maxsize=1 << 14)
def act_keys(name: str, grammar: Grammar) -> frozenset[str]:
    """Return keys of an act's name: two names with a common key name the same act.

    Case, inflection, words that say only the kind of act, dates and a version in parentheses do not count.
    """
    keys = set()
    celex = eu_celex(name)
    if celex:
        return frozenset({celex})
    for number, year in _NATIONAL_NUMBER.findall(name):
        keys.add(f"nr {number}/{year}")
    for year, position in _POLISH_JOURNAL.findall(name):
        keys.add(f"dz {year}/{position}")
    for names, key in grammar.acts.same_names:
        if re.fullmatch(names, name.strip(), re.IGNORECASE):
            keys.add(key)
    plain = _PARENTHESIS.sub(" ", name)
    plain = re.sub(grammar.acts.kinds, " ", plain, flags=re.IGNORECASE)
    words = tuple(word for word in _WORD.findall(plain.lower()))
    if words and not all(word.isdigit() for word in words):
        keys.add(" ".join(_stem(word, grammar.language) for word in words))
    return frozenset(keys)


class ActFinder:
    """Finds the acts that the texts of one document name.

    A long name ("lov om social service") has no mark at its end: it ends before punctuation or a word that names
    do not go on with, and where the same document has a shorter form of it much more often, at that form.
    """

    def __init__(self, grammar: Grammar, texts: Iterable[str] = ()) -> None:
        acts = grammar.acts
        self.grammar = grammar
        well_known = "|".join(re.escape(name) for name in sorted(acts.well_known, key=len, reverse=True))
        self._pattern = re.compile(
            f"(?P<this>{acts.this})|(?P<same>{acts.same})|(?P<enabling>{acts.enabling})|(?P<pointer>{acts.pointer})"
            f"|(?P<genitive>{acts.genitive})|(?P<closed>{acts.closed}{'|' + well_known if well_known else ''})"
            f"|(?P<opening>{acts.opening})"
        )
        self._closed = re.compile(acts.closed)
        self._goes_on = re.compile(acts.goes_on)
        self._trailing = re.compile(acts.trailing)
        self._end = re.compile(
            rf"[;:()\[\]„”\"]|,|(?<!m\.[mv])\.(?!\s?[a-zæøå]\.)(?=\s|$)"
            rf"|(?<=m\.[mv])\.(?=\s(?!for\s|på\s|ved\s|§)|$)|(?<!\w)(?:{acts.stop})(?!\w)"  # "… m.v. for …"
        )
        self._end_not_comma = re.compile(self._end.pattern.replace("|,|", "|", 1))
        # What no name holds, not even one whose journal follows: punctuation, or the beginning of another name.
        self._end_of_words = re.compile(rf"[;:()\[\]„”\"]|{acts.opening}")
        self._long: set[str] = set()  # names that hold a comma or a stop word, without their opening
        self._defined = re.compile(acts.defined)
        self._seed = compile_seeds(acts.seeds) if acts.seeds else None
        self._found: dict[str, tuple[Mention, ...]] = {}
        self._unnamed: set[str] = set()  # texts without a seed
        self._counts: Counter[str] = Counter()
        self.aliases: dict[str, str] = {}
        opening = re.compile(acts.opening)
        for text in texts:
            if self._seed is not None and self._seed.search(text) is None:
                self._unnamed.add(text)
            at = 0
            while text not in self._unnamed and (found := self._search(text, at, opening)):
                at = found.end()
                self._counts[text[found.start() : self._cut(text, at)].lower()] += 1
            self._learn_aliases(text)
        self._alias_pattern = re.compile(_any_of(set(self.aliases))) if self.aliases else None

    def find(self, text: str) -> tuple[Mention, ...]:
        """Return the mentions in a text, in order, none inside another."""
        known = self._found.get(text)
        if known is None:
            if len(self._found) >= _KNOWN:
                self._found.clear()
            known = self._found[text] = self._find(text)
        return known

    def _search(self, text: str, at: int, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return the first match of a pattern of names from `at` on: tried only at the words near a seed."""
        if self._seed is None:
            return pattern.search(text, at)
        tried = at
        for seed in self._seed.finditer(text, at):
            start, end = seed.span()
            if start < tried:
                continue
            for _ in range(_WORDS_BEFORE + 1):
                start = text.rfind(" ", tried, start)
                if start < 0:
                    start = tried
                    break
            for word in _WORD_START.finditer(text, start, end):
                found = pattern.match(text, word.start())
                if found is not None:
                    return found
            tried = end
        return None

    def _find(self, text: str) -> tuple[Mention, ...]:
        mentions: list[Mention] = []
        at = 0
        while text not in self._unnamed and (found := self._search(text, at, self._pattern)):
            kind = found.lastgroup
            start, end = found.span()
            before = kind == "genitive" or bool(found.groupdict().get("before_this"))
            if kind == "opening":
                whole = self._closed.match(text, end)  # "ustawy z dnia … – Kodeks pracy" needs no end to be found
                end = whole.end() if whole else self._shorten(text, start, self._cut(text, end))
            if kind in ("this", "same", "enabling", "pointer"):
                mentions.append(Mention(start, end, kind, "", found[0].rstrip().endswith("s")))  # type: ignore[arg-type]
            else:
                name = text[start:end].strip(" ,")
                if before:
                    name = name.removesuffix(self.grammar.acts.genitive_ending)
                name = self.aliases.get(name.lower(), name)
                mentions.append(Mention(start, start + len(text[start:end].rstrip(" ,")), "named", name, before))
            at = max(end, start + 1)
        if self._alias_pattern:
            for found in self._alias_pattern.finditer(_lower(text)):
                crossed = [m for m in mentions if m.start < found.end() and found.start() < m.end]
                if all(
                    found.start() <= m.start and m.end <= found.end() and m.name != self.aliases[found[0]]
                    for m in crossed
                ):
                    mentions = [m for m in mentions if m not in crossed]  # "køre- og hviletidsforordningen" is one name
                    mentions.append(Mention(found.start(), found.end(), "named", self.aliases[found[0]], False))
            mentions.sort()
        return tuple(mentions)

    def _cut(self, text: str, at: int) -> int:
        """Return where the long name that goes on at `at` ends by punctuation or a stop word."""
        found = self._end.search(text, at, at + 240)
        end = found.start() if found else min(len(text), at + 240)
        if found and found[0] == ",":
            end = self._past_commas(text, at, end)
        elif found and found[0][0].isalpha():
            end = self._past_words(text, at, end)
        end = len(text[:end].rstrip(" ,–-"))
        trailing = self._trailing.search(text, at, end)
        return trailing.start() if trailing else end

    def _past_commas(self, text: str, at: int, end: int) -> int:
        """Return where a name ends that goes on after a comma: its place in the journal follows, or did elsewhere."""
        further = self._end_not_comma.search(text, at, at + 300)
        if further and _JOURNAL_FOLLOWS.match(text, further.start()):
            self._long.add(text[at : further.start()].strip().lower())
            return further.start()
        return self._past_known(text, at, end)

    def _past_words(self, text: str, at: int, end: int) -> int:
        """Return where a name ends that goes on after a stop word: its place in the journal follows."""
        further = self._end_of_words.search(text, end, at + 300)
        if further and _JOURNAL_FOLLOWS.match(text, further.start()):
            self._long.add(text[at : further.start()].strip().lower())
            return further.start()
        return self._past_known(text, at, end)

    def _past_known(self, text: str, at: int, end: int) -> int:
        """Return where a name ends that was longer where its place in the journal followed."""
        return at + max(
            (len(name) for name in self._long if text[at : at + len(name)].lower() == name), default=end - at
        )

    def _shorten(self, text: str, start: int, end: int) -> int:
        if _JOURNAL_FOLLOWS.match(text, end + (text[end : end + 1] == " ")):
            return end
        name = text[start:end].lower()
        count = self._counts[name]
        best = end
        for blank in re.finditer(" ", name):
            shorter = name[: blank.start()]
            again = name.startswith(" om ", blank.start()) and name[: blank.start()].count(" om ") == 1
            if again and self._counts[shorter]:  # "lov om X om pligt til at …"
                return start + blank.start()
            common = self._counts[shorter] >= 3 and self._counts[shorter] >= 3 * count
            if common and not self._goes_on.match(name, blank.start()):
                best = start + blank.start()
                break
        return best

    def _learn_aliases(self, text: str) -> None:
        for found in self._defined.finditer(text):
            if "means" in found.re.groupindex:
                name, alias = found["means"], found["name"]
            else:
                named = list(self._named_before(text, found.start()))
                if not named:
                    continue
                name, alias = named[-1], found["name"]
            if alias.lower() != name.lower():
                self.aliases.setdefault(alias.lower(), name)

    def _named_before(self, text: str, at: int) -> Iterable[str]:
        for found in self._pattern.finditer(text, max(0, at - 400), at):
            if found.lastgroup == "opening":
                yield text[found.start() : self._cut(text, found.end())]
            elif found.lastgroup == "closed":
                yield found[0]


def _any_of(words: set[str]) -> str:
    """Return a pattern of some words, the longest first, that reads each common beginning once."""
    tails: dict[str, set[str]] = {}
    for word in words:
        if word:
            tails.setdefault(word[0], set()).add(word[1:])
    branches = [re.escape(first) + _any_of(tails[first]) for first in sorted(tails)]
    if not branches:
        return ""
    return (
        f"(?:{'|'.join(branches)})" + ("?" if "" in words else "") if len(branches) > 1 or "" in words else branches[0]
    )


def _lower(text: str) -> str:
    """Return a text in small letters, as long as it was."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


@cache
def _stem(word: str, language: str) -> str:
    stemmer = _stemmer(language)
    return str(stemmer.stemWord(word))


@cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer({"da": "danish", "pl": "polish", "en": "english", "de": "german"}[language])


def _is_year(number: str) -> bool:
    return len(number) == 4 and 1950 <= int(number) <= 2100
