"""Find a plugin by its file name.

A shelf is a package whose modules each hold one public object named as the file: `models/bm25.py` holds `bm25`.
Listing a shelf reads file names and imports nothing; there is no list to edit.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from renvoi.errors import UnknownName


@cache
def names(shelf: str) -> tuple[str, ...]:
    """Return the names on a shelf, sorted, without importing any of its modules.

    >>> "_app" in names("cli")
    False
    """
    spec = find_spec(f"renvoi.{shelf}")
    assert spec is not None and spec.submodule_search_locations, f"{shelf} is no package of renvoi"
    folder = Path(next(iter(spec.submodule_search_locations)))
    return tuple(sorted(file.stem for file in folder.glob("*.py") if not file.stem.startswith("_")))


def load(shelf: str, name: str) -> Any:
    """Import the module `name` of a shelf and return the object of the same name.

    Raises:
        UnknownName: no such file is on the shelf; the message names the closest.
    """
    if name not in names(shelf):
        raise UnknownName(shelf, name, names(shelf))
    return getattr(import_module(f"renvoi.{shelf}.{name}"), name)
