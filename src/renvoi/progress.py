"""One way to report progress: a bar with ETA on a terminal, plain lines elsewhere, nothing when quiet."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sized
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

T = TypeVar("T")

quiet = False  # set once by the command line
_PLAIN_EVERY_S = 10.0


def track(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """Yield `items`, reporting on stderr how far they are.

    Args:
        items: anything iterable; its length is asked for if it has one.
        what: said before the count: "reading files".
        total: how many there will be, where `items` does not know.
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    if quiet:
        yield from items
    elif sys.stderr.isatty():
        yield from _bar(items, what, total)
    else:
        yield from _lines(items, what, total)


def say(line: str) -> None:
    """Print one line on stderr unless quiet."""
    if not quiet:
        Console(stderr=True, highlight=False, soft_wrap=True).print(line, markup=False)


def _bar(items: Iterable[T], what: str, total: int | None) -> Iterator[T]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        yield from bar.track(items, total=total, description=what)


def _lines(items: Iterable[T], what: str, total: int | None) -> Iterator[T]:
    last = time.monotonic()
    for n, item in enumerate(items, 1):
        yield item
        if time.monotonic() - last > _PLAIN_EVERY_S:
            last = time.monotonic()
            say(f"{what}: {n}" + (f" of {total}" if total else ""))
