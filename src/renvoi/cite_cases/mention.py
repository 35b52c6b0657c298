"""One decision cited at one place of a paragraph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from renvoi.cite_cases.case import Case

MentionKind = Literal["precedent", "procedural_history", "this_judgment", "opinion"]


@dataclass(frozen=True, slots=True)
class Pin:
    """One number or range of paragraph numbers, and where it stands."""

    start: int
    end: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Mention:
    """One decision cited at one place. Offsets are into the text as given."""

    start: int
    end: int
    case: Case
    kind: MentionKind
    pins: tuple[Pin, ...] = ()
    name: tuple[int, int] | None = None  # where the case name stands
    date: tuple[int, int] | None = None  # where its date stands
    lists: tuple[tuple[int, int], ...] = ()  # where the pins stand, with their word: "paragraphs 24 and 26"
    aliases: tuple[str, ...] = ()  # what else the decision may be called hereafter
    form: str = ""  # "full", "short", "under_appeal", "this", "opinion", "anaphor", "ibid"
