"""What the stages of the job pass to each other, and how it is written as JSON lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pointer:
    """One citation in a target, with what it reaches."""

    source_id: str  # the provision whose own text holds it
    start: int  # characters into that text, end excluded
    end: int
    targets: tuple[str, ...]  # ids of the provisions it reaches, in the order cited; empty where unresolved
    exception: bool = False  # named after "bortset fra", "z wyjątkiem", "with the exception of"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A target chunk, and the chunks that its references reach."""

    id: str  # of the target chunk
    document_id: str
    pointers: tuple[Pointer, ...]  # in document order
    contexts: tuple[str, ...]  # chunk ids, in document order, never the target itself
    implicit: tuple[str, ...]  # lead-ins and headings above the target, outermost first
    n_tokens: int  # of the target and its contexts


@dataclass(frozen=True, slots=True)
class Draft:
    """A question that a writer made for a target."""

    id: str  # of the query
    target_id: str
    text: str
    used: tuple[str, ...]  # the contexts whose substance it speaks in
    writer: str  # "template", or the model's name
    pattern: str = ""  # which template
    marks: Mapping[str, Any] = field(default_factory=dict)  # what later stages found: overlap, ranks, set, answers


@dataclass(frozen=True, slots=True)
class Drop:
    """What a stage did not pass on, and why."""

    id: str
    reason: str
    note: str = ""


def query_id(target_id: str) -> str:
    """Return the id of the query made for a target.

    >>> query_id("dk/lov/2021/1~sec_4")
    'q:dk/lov/2021/1~sec_4'
    """
    return f"q:{target_id}"


def to_row(item: Candidate | Draft | Drop) -> dict[str, Any]:
    """Return an item as a JSON object, empty values left out."""
    return {key: value for key, value in asdict(item).items() if value not in ("", (), {}, None)}


def candidate_from(row: Mapping[str, Any]) -> Candidate:
    """Return the candidate that `to_row` wrote."""
    pointers = tuple(_tupled(Pointer, {"targets": (), **pointer}) for pointer in row.get("pointers", ()))
    return _tupled(Candidate, {"contexts": (), "implicit": (), **row, "pointers": pointers})


def draft_from(row: Mapping[str, Any]) -> Draft:
    """Return the draft that `to_row` wrote."""
    return _tupled(Draft, {"used": (), **row})


def count_reasons(drops: Iterable[Drop]) -> dict[str, int]:
    """Return how many were dropped for each reason, most first."""
    counts: dict[str, int] = {}
    for drop in drops:
        counts[drop.reason] = counts.get(drop.reason, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _tupled(kind: type[T], row: Mapping[str, Any]) -> T:
    known = {f.name for f in fields(kind)}  # type: ignore[arg-type]
    return kind(**{k: tuple(v) if isinstance(v, Sequence) and not isinstance(v, str) else v
                   for k, v in row.items() if k in known})  # fmt: skip
