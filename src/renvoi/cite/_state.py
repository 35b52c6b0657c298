"""The state of one text's reading: where it stands, the references being read, the citation they are in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from renvoi.acts import ActFinder
from renvoi.cite._pointed import Pointed
from renvoi.grammar import Level
from renvoi.types import Path, Reference

Scope = Literal["act", "here", "preceding", "following", "mentioned"]


class Setting(NamedTuple):
    """What a provision's place in its document says about the references in it."""

    finder: ActFinder
    numbers: frozenset[str]  # numbers of the act's own sections or articles
    top: str  # the level of its sections or articles
    pointed: Pointed = Pointed()  # the acts that provisions of this act amend, repeal or alone name
    enabling: str | None = None  # the act that an order is made under
    act: str | None = None  # the act that unnamed references belong to, where it is not the citing one
    act_after: int = 0  # … from this place in the text on
    address: Path = ()  # where in that act an amending provision works, or a quoted one stands
    carried: bool = False  # the text stands in a transitional part that `act` made
    quoted: bool = False  # the text is quoted: it stands at its address, whatever it cites
    path: Path = ()  # where the text stands
    named: str | None = None  # the act that the lead-in named last
    earlier: Sequence[str] = ()  # the texts of the article, of which so many stand before
    n_earlier: int = 0
    lead: Reference | None = None  # what the lead-in ends with: "w art. 21 ust. 1:" and then "pkt 78 – …"


@dataclass(slots=True)
class Draft:
    """A reference being read."""

    start: int
    end: int
    steps: list[tuple[Level, str]]
    scope: Scope
    unit: int  # number of the unit in the citation; siblings of one list share it
    until: str | None = None
    act: str | None = None
    closed: bool = False  # its act is settled
    governed: bool = False  # its top level is settled
    preposed: bool = False
    silent: bool = False  # an anchor: it completes others and is no reference itself


@dataclass(slots=True)
class Chain:
    """The state of one citation."""

    drafts: list[Draft] = field(default_factory=list)
    group: int = 0  # the first draft that a later act name governs
    aside: int = 0  # what that was before the last "jf."
    asides: set[int] = field(default_factory=set)  # the references that stand directly behind a "jf."
    pending: list[Draft] = field(default_factory=list)  # wait for the parent that is being read
    parent: Draft | None = None
    act: str | None = None  # named before its units
    act_set: bool = False
    units: int = 0
    plural: Level | None = None
    end: int = 0


def named_after(draft: Draft) -> bool:
    """Tell whether an act was named after a reference: nothing that follows lies inside it."""
    return draft.closed and not draft.preposed


def is_rooted(draft: Draft) -> bool:
    """Tell whether a reference has its top level: no unit that follows can govern it."""
    return draft.steps[0][0].absolute or draft.governed
