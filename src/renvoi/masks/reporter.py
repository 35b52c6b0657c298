"""Places in printed reports: "[1995] ECR I-4921"."""

from __future__ import annotations

from collections.abc import Iterator

from renvoi.masks._reading import Reading
from renvoi.types import Span


def reporter(reading: Reading) -> Iterator[Span]:
    """Yield every place in a printed report."""
    for m in reading.rules.reporter.finditer(reading.plain):
        yield Span(*m.span(), "reporter", "European Court Reports")
