"""One way to report progress: a bar with ETA on a terminal, plain lines elsewhere, nothing when quiet."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
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


@contextmanager
def counter(what: str, total: int) -> Iterator[Callable[[str], None]]:
    """Yield a function to call once for each thing done, with a note to show, such as what was spent so far.

    Args:
        what: said before the count: "writing".
        total: how many there will be.
    """
    if quiet:
        yield lambda note: None
    elif sys.stderr.isatty():
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
        )
        with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=Console(stderr=True)) as bar:
            task = bar.add_task(what, total=total, note="")
            yield lambda note: bar.update(task, advance=1, note=note)
    else:
        started = last = time.monotonic()
        done = 0

        def count(note: str) -> None:
            nonlocal done, last
            done += 1
            now = time.monotonic()
            if now - last > _PLAIN_EVERY_S or done == total:
                last = now
                left = (now - started) / done * (total - done)
                say(f"{what}: {done} of {total}, {note}" + (f", about {left:.0f} s left" if done < total else ""))

        yield count


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
