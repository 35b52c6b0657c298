"""Text of a paragraph > the same text without what gives its cited decisions away.

A mask only says where: it takes a `Reading` and yields spans. One place, `hide`, puts them together and hides them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from renvoi import registry
from renvoi.cite_cases import Memory
from renvoi.masks._cut import places_to_cut, replace
from renvoi.masks._reading import Reading, names_by_case, read
from renvoi.types import Span

How = Literal["placeholder", "remove"]
__all__ = ["DEFAULT", "PLACEHOLDERS", "How", "Masked", "Reading", "cut", "find_spans", "hide", "names_by_case", "read"]

# In the order of precedence: where two spans overlap the earlier kind names the joint one.
DEFAULT = (
    "own_number",
    "ecli",
    "case_number",
    "reporter",
    "pinpoint",
    "judgment_date",
    "case_name",
    "short_name",
    "cited_above",
)
PLACEHOLDERS = {
    "own_number": "",
    "ecli": "[ecli]",
    "case_number": "[number]",
    "reporter": "[report]",
    "pinpoint": "[paragraph]",
    "judgment_date": "[date]",
    "case_name": "[name]",
    "short_name": "[name]",
    "cited_above": "[above]",
    "ner": "[name]",
}


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with its citations hidden, and what was hidden."""

    text: str
    spans: tuple[Span, ...]  # into the text as given, in order, without overlap


def hide(
    text: str,
    names: Sequence[str] | None = None,
    *,
    known: Iterable[str] = (),
    memory: Memory | None = None,
    how: How = "placeholder",
    model: str = "",
) -> Masked:
    """Return a text without what the masks find. Where they find nothing it comes back as it was, byte for byte.

    Args:
        text: of a paragraph; its own number may lead it.
        names: of the masks to use; default: all but `ner`.
        known: names of decisions the text is known to cite, hidden wherever they stand.
        memory: of the judgment the paragraph stands in: its short names are known then.
        how: a placeholder for each kind, or removal with the commas and brackets that stood between.
        model: of spaCy, for the mask `ner`.

    Raises:
        UnknownName: no mask has that name.
    """
    reading = read(text, known, memory, model)
    spans = find_spans(reading, DEFAULT if names is None else names)
    if not spans:
        return Masked(text, ())
    if how == "remove":
        return Masked(replace(text, places_to_cut(text, spans)), spans)
    return Masked(replace(text, [(s.start, s.end, PLACEHOLDERS.get(s.kind, f"[{s.kind}]")) for s in spans]), spans)


def cut(text: str, spans: Sequence[Span]) -> str:
    """Return a text without the given spans, the commas and brackets around them closed up."""
    return replace(text, places_to_cut(text, spans)) if spans else text


def find_spans(reading: Reading, names: Sequence[str]) -> tuple[Span, ...]:
    """Return what the named masks find, in order; overlapping spans are joined and keep the kind of the first mask."""
    found = [
        (span, rank)
        for rank, name in enumerate(names)
        for span in registry.load("masks", name)(reading)
        if span.end > span.start and not _cuts_a_word(reading.text, span)
    ]
    found.sort(key=lambda item: (item[0].start, item[1], -item[0].end))
    joined: list[tuple[Span, int]] = []
    for span, rank in found:
        if joined and span.start < joined[-1][0].end:
            last, last_rank = joined[-1]
            kept = last if last_rank <= rank else span
            joined[-1] = (Span(last.start, max(last.end, span.end), kept.kind, kept.rule), min(rank, last_rank))
        else:
            joined.append((span, rank))
    return tuple(span for span, _ in joined)


def _cuts_a_word(text: str, span: Span) -> bool:
    at_start = span.start and text[span.start - 1].isalpha() and text[span.start].isalpha()
    at_end = span.end < len(text) and text[span.end - 1].isalpha() and text[span.end].isalpha()
    return bool(at_start or at_end)
