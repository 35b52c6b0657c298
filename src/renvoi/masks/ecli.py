"""European Case Law Identifiers: "EU:C:2012:553"."""

from __future__ import annotations

from collections.abc import Iterator

from renvoi.masks._reading import Reading
from renvoi.types import Span


def ecli(reading: Reading) -> Iterator[Span]:
    """Yield every ECLI."""
    for token in reading.rules.token.finditer(reading.plain):
        if token["ecli"]:
            yield Span(*token.span(), "ecli", "foreign" if token["foreign"] else "of these courts")
