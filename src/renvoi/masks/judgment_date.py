"""The day of a decision, where the decision is named with it. Other dates stay."""

from __future__ import annotations

from collections.abc import Iterator

from renvoi.masks._reading import Reading
from renvoi.types import Span


def judgment_date(reading: Reading) -> Iterator[Span]:
    """Yield the dates that citations carry."""
    for mention in reading.mentions:
        if mention.date:
            yield Span(*mention.date, "judgment_date", mention.form)
