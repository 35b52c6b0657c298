"""Where the time of a run goes: seconds by phase, for figures that set a score against its price.

A clock runs within `measure()`; elsewhere `phase` and `count_read` do nothing. Times are of the wall, so they mean
something only on a machine that does nothing else.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

Phase = Literal["indexing", "searching"]


@dataclass(slots=True)
class Clock:
    """What was measured so far."""

    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))  # by phase
    read: Counter[str] = field(default_factory=Counter)  # by phase: vectors that a cache held already
    now: str = ""  # the phase that runs


_clock: ContextVar[Clock | None] = ContextVar("clock", default=None)


@contextmanager
def measure() -> Iterator[Clock]:
    """Yield a clock that the phases within the block add to."""
    clock = Clock()
    token = _clock.set(clock)
    try:
        yield clock
    finally:
        _clock.reset(token)


@contextmanager
def phase(name: Phase) -> Iterator[None]:
    """Add the time of a block to a phase. Blocks do not stand in each other."""
    clock = _clock.get()
    if clock is None:
        yield
        return
    started = time.perf_counter()
    clock.now = name
    try:
        yield
    finally:
        clock.seconds[name] += time.perf_counter() - started
        clock.now = ""


def count_read(n: int) -> None:
    """Count vectors that were made in an earlier run, so that their time is not in this one."""
    clock = _clock.get()
    if clock is not None and n:
        clock.read[clock.now] += n
