"""What a jurisdiction of case law says about how its courts cite judgments: words and patterns, no code.

The engine in `cite_cases` reads them. Patterns are matched against the text in its plain form (`plain`): same length,
every hyphen "-", every blank " ", typographic apostrophes "'"; so they need not know the odd characters of the web.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_PLAIN = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212\u00ad\u2015", "-"),
    **dict.fromkeys("\u00a0\u202f\u2009\u2007\u2002\u2003\t\n\r\u200b\u2060\ufeff", " "),
    **dict.fromkeys("\u2019\u02bc\u00b4\u201d", "'"),
    **dict.fromkeys("`\u201c", "\u2018"),
    "\u0421": "C",  # Cyrillic, typed for the court's letter: they look the same
    "\u0422": "T",
}
_ODD = re.compile("[" + re.escape("".join(_PLAIN)) + "]")


def plain(text: str) -> str:
    """Return the text with odd hyphens, blanks and quotes made plain; every character keeps its place.

    >>> plain("C\u201133/14\u00a0P")
    'C-33/14 P'
    """
    return _ODD.sub(lambda m: _PLAIN[m[0]], text)


@dataclass(frozen=True, slots=True)
class CaseExample:
    """A text and what must be found in it: the grammar's own test."""

    text: str
    found: tuple[tuple[str, tuple[int, ...], str], ...]  # case number or CELEX, paragraphs, kind


@dataclass(frozen=True, slots=True, eq=False)
class CaseGrammar:
    """The words of one court system. Every field is a regular expression, or a part of one, on plain text."""

    name: str
    starts: str  # how every part of a citation begins: a cheap test before the patterns are tried
    number: str  # a list of case numbers that carry their court ("C-402/05 P and C-415/05 P")
    cut_number: str  # a number that lost its year ("C-175/Mayeur"), in texts that lost their digits before blanks
    old_number: str  # a list of numbers without court ("46/87 and 227/88"); counts only beside other marks
    old_number_before: str  # what may stand directly before such a list
    old_number_after: str  # or directly after it
    ecli: str  # group `foreign` where the decision is of another court system
    opinion_number: str  # a numbered opinion of the court itself ("Opinion 1/08")
    date: str
    today: str  # "today's judgment": date of the citing judgment
    head: str  # judgment, order, Opinion …; groups `plural`, `order`, `opinion`
    head_by: str  # what may stand between head and date: "of the Court of Justice of"
    case_word: str  # "Case", "Joined Cases" directly before a number
    reporter: str  # "[1995] ECR I-4921"
    pin_word: str  # "paragraphs", "point"
    pin_item: str
    pin_join: str
    pin_range: str
    et_seq: str
    page: str  # "p. 12": no paragraph
    filler: str  # what may stand between the parts of one citation
    cited_above: str
    under_appeal: str  # "the judgment under appeal"
    this_judgment: str  # directly after a pin: "above", "of the present judgment"
    own_opinion: str  # directly after a pin: "of his Opinion"
    that_judgment: str  # "that judgment", "the same order"; groups `noun`, `plural`
    thereof: str
    operative: str  # "of the operative part"
    legislation: str  # directly after a pin: "of Article 6", "of that directive"
    legislation_before: str  # directly before a pin: "Article 4,"
    name_word: str  # a word of a case name
    name_join: str  # a word inside a case name
    institutions: frozenset[str] = frozenset()  # parties whose name alone names no case
    styles: Mapping[str, str] = field(default_factory=dict)  # labels, as in `ids.format_label`
    examples: tuple[CaseExample, ...] = ()
