"""Ids without blanks, for files whose columns blanks part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from renvoi import store
from renvoi.errors import BadInput

NAMES_FILE = "ids.tsv"


def safe_names(ids: Iterable[str]) -> dict[str, str]:
    """Return ids without blanks, which TREC's tools would take for the end of the column: `_` stands for a blank.

    Raises:
        BadInput: two ids would become one.
    """
    names = {name: re.sub(r"\s", "_", name) for name in ids}
    if len(set(names.values())) != len(names):
        raise BadInput("export", "two ids differ only in blanks and underscores, which TREC files cannot keep apart")
    return names


def write_names(folder: Path, names: Mapping[str, str]) -> None:
    """Write `ids.tsv` (written id, own id) where any id had to change."""
    changed = [(safe, own) for own, safe in names.items() if safe != own]
    if changed:
        store.write_text(folder / NAMES_FILE, "".join(f"{safe}\t{own}\n" for safe, own in changed))
