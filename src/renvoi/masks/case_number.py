"""Case numbers: "C-422/11 P", "26/62" after "Case", "Opinion 1/08"."""

from __future__ import annotations

from collections.abc import Iterator

from renvoi.cite_cases.authorities import is_old_number
from renvoi.masks._reading import Reading
from renvoi.types import Span


def case_number(reading: Reading) -> Iterator[Span]:
    """Yield every list of case numbers, of this case too."""
    p = reading.plain
    for token in reading.rules.token.finditer(p):
        if token["cases"]:
            yield Span(*token.span(), "case_number", "with court")
        elif token["cut"]:
            yield Span(*token.span(), "case_number", "without year")
        elif token["opinion"]:
            yield Span(token.start(), token.end(), "case_number", "opinion of the court")
        elif token["old"] and is_old_number(p, token, reading.rules):
            yield Span(*token.span(), "case_number", "without court")
