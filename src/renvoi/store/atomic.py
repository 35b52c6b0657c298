"""Write whole or not at all: a temporary neighbour, then a rename."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from renvoi.errors import OutputExists


@contextmanager
def fresh_folder(path: Path, *, force: bool = False) -> Iterator[Path]:
    """Yield an empty folder that becomes `path` when the block ends well, and vanishes when it does not.

    Raises:
        OutputExists: `path` exists and `force` is not given.
    """
    if path.exists() and not force:
        raise OutputExists(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    try:
        yield made
        if path.is_dir():
            old = Path(tempfile.mkdtemp(prefix=f".{path.name}-old-", dir=path.parent))
            os.replace(path, old / path.name)
            os.replace(made, path)
            shutil.rmtree(old)
        else:
            os.replace(made, path)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    os.chmod(path, 0o755)


def write_text(path: Path, text: str, *, force: bool = True) -> None:
    """Write a file whole or not at all.

    Raises:
        OutputExists: `path` exists and `force` is False.
    """
    if path.exists() and not force:
        raise OutputExists(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def write_json(path: Path, value: Any) -> None:
    """Write a value as readable JSON, keys in their own order."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=1, default=str) + "\n")
