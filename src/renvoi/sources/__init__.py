"""A publisher's bytes > Document. One file a format; its object, named as the file, is a `Source`.

Sources are found from content, never from the file name. A source that recognises the bytes reads all of them or
raises `BadInput`; what it skips it reports as a `Finding`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from renvoi.types import Document


@dataclass(frozen=True, slots=True)
class Raw:
    """A file as it came from its publisher."""

    path: Path  # for messages and for companion files (`.meta.json`); the format is told from `data`
    data: bytes
    sha256: str
    jurisdiction: str | None = None  # as the user says it, for formats that do not tell


@dataclass(frozen=True, slots=True)
class Source:
    """One format: how to recognise it and how to read it."""

    recognises: Callable[[bytes], bool]  # cheap: looks at the first kilobytes
    read: Callable[[Raw], tuple[Document, ...]]  # usually one document; JSONL files hold many
    priority: int = 0  # where several recognise a file the highest reads it; plain text is lowest
