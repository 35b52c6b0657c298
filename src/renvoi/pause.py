"""Hold the garbage collector while much is made that lives on."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Run without the garbage collector: it would look through all documents again and again, and find nothing.

    For work that makes no reference cycles; everything else is freed as always. Also a decorator.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
