"""What a jurisdiction's way of citing is made of: data for the one engine in `cite.py`.

A grammar says how levels are marked and numbered, how units are joined, and how acts are named. It holds its own
examples, which the tests run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_FREQUENT = "eanirtosdlzmkgucwypvhfbj"  # letters of European texts, the most frequent first
_PLAIN = re.compile(r"(?:[\w §-]|\\\.)+")


@dataclass(frozen=True, slots=True)
class Level:
    """How one level of a path is written."""

    name: str  # as in paths: "sec"
    rank: int  # depth: a higher rank lies inside a lower one
    marks: str = ""  # pattern of what stands before the numbers: "§§?"
    number: str = r"\d+"  # pattern of one number
    plural: str = ""  # the marks after which a bare number may follow a whole unit: "Articles 5(1) and 6(2)"
    ordinal_marks: str = ""  # pattern of what stands after ordinals: "pkt\\.": "1. og 2. pkt."
    absolute: bool = False  # always counted from the top of the act
    fragment: bool = False  # below every provision: sentences
    letters: bool = False  # numbers are letters; a range runs through the alphabet
    lone: bool = True  # may begin a citation
    maybe: str = ""  # pattern that belongs to the number if the act has such a number: "§ 79 i"
    outside_article: str = ""  # the level it means where no article stands above it: Polish "§"
    inside: tuple[str, str] = (
        "",
        "",
    )  # (outer, inner): what it means directly behind an outer level: "Artikel 246a § 1"
    letters_go_on: bool = False  # a letter may stand for its number with another letter: "§§ 42 a og b"


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """How the writers of one jurisdiction cite. Two are the same only if they are one object."""

    language: str
    levels: tuple[Level, ...]
    list_and: str  # pattern between the numbers of one list: ",|\\s+og\\s+"
    list_to: str  # pattern between the ends of a range
    stop_after: str  # a list never goes on with a number that is followed by this: "2 years"
    joins: Mapping[str, str]  # between units: "and", "anew", "more", "with", "apart", "to", "of", "in"; see cite
    ordinals: Mapping[str, str]  # word > number
    ordinal: str  # pattern of one ordinal
    styles: Mapping[str, str]  # level > how a person writes it: "stk. {}"
    chunk_levels: tuple[str, ...]  # what retrieval sees
    articles: tuple[str, ...]  # the levels that are the act's basic unit: "sec", "art"
    acts: ActNames
    seeds: str  # alternatives, each beginning with a plain letter or sign, one of which every first unit holds
    anchors: Mapping[str, str]  # pattern > "here:sec", "preceding:sec", "mentioned:art"
    leads: str = r"(?!)"  # words that, as ordinals do, may stand before the seed in a first unit: "denne" paragraf
    exceptions: str = r"(?!)"  # pattern directly before an excepted citation
    quoted_label: str = r"(?!)"  # a label inside a quoted text that is not cut into provisions; one group a level
    examples: tuple[Example, ...] = ()
    bare_division: str = ""  # what a division is called whose label is a number alone: "Abschnitt XI"
    printed: Mapping[str, str] = field(default_factory=dict)  # where labels differ from `styles`; see ids.format_label
    optional: tuple[tuple[str, str], ...] = ()  # (level, number) that may be left unwritten: a single "stk. 1"
    blank_nests: bool = False  # units with only a blank between them lie in one another, whatever their levels
    same_levels: tuple[tuple[str, str], ...] = ()  # a cited level that a document may hold as another one
    parens: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # pattern in "(…)" after a unit > levels to try


@dataclass(frozen=True, slots=True)
class ActNames:
    """How acts are named in running text."""

    this: str  # the citing act: "denne lov"
    same: str  # the act named last: "samme lov"
    enabling: str  # in an order, the act it is made under; elsewhere the citing act: "lovens"
    opening: str  # opens a long name whose end must be found: "lov om"
    closed: str  # a name that the pattern matches whole: "Regulation (EU) 2016/679"
    genitive: str  # a name that stands before what it governs: "straffelovens"
    stop: str  # words that no long name goes on with
    defined: str  # how an act is given a short name: "zwanej dalej „ustawą o X”"; groups: name
    amended: (
        str  # how an amending provision opens: "I lov om X foretages følgende ændringer"; the act follows the match
    )
    pointer: str = r"(?!)"  # an act named by the provision that amends it: "ustawy zmienianej w"
    kinds: str = r"(?!)"  # words of a name that say only its kind: "ustawa z dnia … r."
    well_known: tuple[str, ...] = ()  # names in the form in which they are written after a reference
    version: str = r"(?!)"  # pattern before a name that only tells which version of an act is meant
    genitive_ending: str = ""  # taken off a genitive to name the act
    seeds: str = ""  # as a grammar's: each name holds one in its first three words; "" if none are known
    repeal: str = r"(?!)"  # what stands between a repealed act's name and the exceptions from its repeal
    goes_on: str = r"(?!)"  # what a title goes on with, however often a shorter one is named: "lov om leje af boliger"
    trailing: str = r"(?!)"  # what a long name never ends with
    same_names: tuple[tuple[str, str], ...] = ()  # (pattern of whole names, one key of the act they all name)
    also_called: tuple[tuple[str, str], ...] = ()  # (word, names it fits too): "tej ustawy" may be a code
    of_sections: str = r"(?!)"  # names of acts whose articles are sections: "§ 5 rozporządzenia"
    changed: str = (
        r"(?!)"  # pattern behind a section of the act that is amended: "§ 5, som affattet ved denne lovs § 1"
    )
    in_force: str = r"(?!)"  # pattern before one: "den hidtil gældende § 5"
    correlation: str = r"(?!)"  # how an annex begins whose table sets other acts' provisions beside this one's
    further: str = r"(?!)"  # pattern of a further act behind a plural: "Regulations (EU) No 1/2031 and (EU) No 2/2031"
    same_is_other: bool = False  # "tej ustawy" is never the citing act, even where no other is named before it


@dataclass(frozen=True, slots=True)
class Example:
    """A text, where it stands, and what it cites in the grammar's own notation."""

    text: str
    targets: tuple[str, ...]  # "§ 12 a/stk. 2"; "ACT|§ 3" for another act
    at: str


def compile_seeds(seeds: str) -> re.Pattern[str]:
    """Return a pattern of alternative words, each looked for by its rarest letter: few places of a text are tried.

    A match begins at that letter, in the first word of an alternative that is several; what is no plain word is
    looked for as it is.

    >>> compile_seeds("rtikel|lov").pattern
    'k(?<=rtik)el|v(?<=lov)'
    """
    return re.compile("|".join(_by_rarest(word) if _PLAIN.fullmatch(word) else word for word in seeds.split("|")))


def _by_rarest(word: str) -> str:
    word = word.replace("\\", "")
    first = word.partition(" ")[0]
    rarity = [_FREQUENT.find(letter) % len(word + _FREQUENT) for letter in first]  # letters not listed are the rarest
    at = rarity.index(max(rarity))
    before = f"(?<={re.escape(word[: at + 1])})" if at else ""
    return re.escape(word[at]) + before + re.escape(word[at + 1 :])
