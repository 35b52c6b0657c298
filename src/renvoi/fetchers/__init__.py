"""Identifiers > raw files, politely.

A file on this shelf holds a `Fetcher`: which requests get what an identifier names, and which answers are none although
the server says 200. `fetch` makes the requests, keeps the raw bytes with hash, address and time, and resumes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from renvoi.fetchers._polite import Polite


@dataclass(frozen=True, slots=True)
class Wanted:
    """One file to get."""

    url: str
    name: str  # of the file
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fetcher:
    """One publisher's service."""

    base: str  # its address, without a slash at the end
    wanted: Callable[[str, str, str, str], tuple[tuple[Wanted, ...], ...]]
    """(base, identifier, language, format) > the files of it; of each the alternatives, the best first.

    Raises BadInput for what is no identifier of the service, or for a format it does not have.
    """

    refuses: Callable[[bytes], str]  # why an answer is not what was asked for; "" if it is
    formats: tuple[str, ...]  # the default first
    listing: Callable[[Polite, str, date, date, str], list[str]] | None = None
    """(client, base, start, end excluded, language) > identifiers of what was decided in those days."""
