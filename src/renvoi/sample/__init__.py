"""Small fictional acts and judgments in their publishers' own formats, for the demo and for tests.

Everything in `da/`, `pl/`, `eu/` and `cjeu/` was written for this project: no such act, case, party or place exists.
"""

from __future__ import annotations

from pathlib import Path

SETS = ("da", "pl", "eu", "cjeu")


def sample_files(name: str) -> tuple[Path, ...]:
    """Return the files of one set of the sample, sorted by name.

    Args:
        name: one of `SETS`. Companion files (`.meta.json`) lie beside the acts and are not listed.
    """
    folder = Path(__file__).parent / name
    return tuple(sorted(file for file in folder.iterdir() if file.suffix in (".xml", ".html", ".xhtml")))
