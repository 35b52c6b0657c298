"""Lines of EUR-Lex's list "instruments cited" > which decision or act, which of its paragraphs, cited where."""

from __future__ import annotations

import re
from dataclasses import dataclass

from renvoi.errors import BadInput

_LINE = re.compile(
    r"\s*(?P<cited>[0-9][0-9A-Z]{6,}(?:\(\d+\))*)(?:\s*-\s*(?P<sub>[A-Z0-9][A-Z0-9./]*))?\s*(?::\s*(?P<rest>.*))?$"
)
_PARAGRAPH = re.compile(r"[NP](\d+)[A-Z]?$")
_ITEM = re.compile(r"(?P<first>\d+)[A-Za-z]?(?!\w)(?:\s*[-\u2010-\u2015\u2212\u00ad]+\s*(?P<last>\d+)[A-Za-z]?(?!\w))?")
_WIDEST = 5000  # paragraphs in one range; a wider one is a slip


@dataclass(frozen=True, slots=True)
class InstrumentCited:
    """One line of the list."""

    cited: str  # CELEX number, with its "(01)"; "" where the line gives paragraphs only
    paragraph: int | None  # of the cited decision; None where the whole is cited, or a part of an act
    citing: tuple[int, ...]  # paragraphs of the citing judgment, ascending as written, ranges expanded
    sub: str | None = None  # the part of an act as EUR-Lex codes it: "A06P1L1LC"


def parse_instruments_cited(line: str) -> InstrumentCited:
    """Return what one line of the list says.

    >>> parse_instruments_cited("62020CJ0132-N94: N 354 - 356 361")
    InstrumentCited(cited='62020CJ0132', paragraph=94, citing=(354, 355, 356, 361), sub=None)
    >>> parse_instruments_cited("P 60 - 62, 75 and 81-83").citing
    (60, 61, 62, 75, 81, 82, 83)

    Raises:
        BadInput: the line neither begins with a CELEX number nor is a list of paragraphs.
    """
    m = _LINE.match(" ".join(line.split()))
    if not m:
        citing = expand_numbers(line)
        if not citing or re.match(r"\s*[NP]?\s*\d", line) is None:
            raise BadInput(repr(line), "is no line of an 'instruments cited' list", "give CELEX[-PART]: N NUMBERS")
        return InstrumentCited("", None, citing)
    sub = m["sub"]
    paragraph = _PARAGRAPH.match(sub) if sub else None
    return InstrumentCited(
        m["cited"],
        int(paragraph[1]) if paragraph else None,
        expand_numbers(m["rest"] or ""),
        None if paragraph else sub,
    )


def expand_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of a list, ranges expanded, each once and in the order written.

    A letter after a number ("12A") is left aside. A range that runs backwards is its two ends.
    """
    found: dict[int, None] = {}
    for m in _ITEM.finditer(text):
        first, last = int(m["first"]), int(m["last"] or m["first"])
        for number in range(first, last + 1) if 0 <= last - first <= _WIDEST else (first, last):
            found[number] = None
    return tuple(found)
