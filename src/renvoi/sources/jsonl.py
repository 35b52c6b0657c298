"""Our own JSON lines: a document a line, with its provisions in order, as `dump` writes it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from datetime import date
from typing import Any

from renvoi import ids
from renvoi.errors import BadInput, DuplicateProvision, EmptyAct
from renvoi.sources import Raw, Source
from renvoi.types import Document, Finding, Provision, SourceFile

_FIELDS = ("jurisdiction", "language", "kind", "title", "text_state")


def dump(documents: Iterable[Document]) -> str:
    """Return documents as JSON lines that this source reads back equal, but for the source file."""
    lines = []
    for document in documents:
        row = asdict(document)
        row["provisions"] = [
            {
                "id": p.id, "label": p.label, "heading": p.heading, "text": p.text, "parent": p.parent, "kind": p.kind,
                "state": p.state,
            }
            for p in document.provisions
        ]  # fmt: skip
        lines.append(json.dumps({"renvoi": "document", **row}, ensure_ascii=False, default=str) + "\n")
    return "".join(lines)


def _recognises(data: bytes) -> bool:
    head = data[:200].removeprefix(b"\xef\xbb\xbf").lstrip()
    return head.startswith((b'{"renvoi": "document"', b'{"renvoi":"document"'))


def _read(raw: Raw) -> tuple[Document, ...]:
    try:
        text = raw.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(raw.path, f"byte {error.start} is not UTF-8", "save the file as UTF-8") from None
    return tuple(_document(line, n, raw) for n, line in enumerate(text.split("\n"), 1) if line.strip())


def _document(line: str, n: int, raw: Raw) -> Document:
    where = f"{raw.path}, line {n}"
    try:
        row: dict[str, Any] = json.loads(line)
        provisions = [_provision(p, order, row["id"]) for order, p in enumerate(row["provisions"])]
        document = Document(
            id=row["id"],
            **{name: row[name] for name in _FIELDS},
            short_titles=tuple(row.get("short_titles") or ()),
            date=date.fromisoformat(row["date"]) if row.get("date") else None,
            source=SourceFile(str(raw.path), raw.sha256, "jsonl"),
            provisions=tuple(provisions),
            metadata=row.get("metadata") or {},
            findings=tuple(Finding(**f) for f in row.get("findings") or ()),
        )
    except json.JSONDecodeError as error:
        raise BadInput(where, error.msg, "the file is cut off or damaged") from None
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(where, f"is no document of ours: {type(error).__name__} {error}") from None
    _check(document, where)
    return document


def _provision(row: dict[str, Any], order: int, document_id: str) -> Provision:
    _, path = ids.parse_id(row["id"])
    return Provision(
        id=row["id"], document_id=document_id, path=path, label=row["label"], heading=row["heading"], text=row["text"],
        order=order, parent=row.get("parent"), kind=row["kind"], state=row.get("state", "in_force"),
    )  # fmt: skip


def _check(document: Document, where: str) -> None:
    if not document.provisions:
        raise EmptyAct(where, "no provision found")
    seen: set[str] = set()
    for p in document.provisions:
        if p.id in seen:
            raise DuplicateProvision(where, f"{p.id} stands twice")
        if p.parent is not None and p.parent not in seen:
            raise BadInput(where, f"{p.id} stands before its parent {p.parent}, or without it")
        if not p.text and p.kind == "leaf" and p.state != "repealed":
            raise EmptyAct(where, f"{p.id} has no text")
        seen.add(p.id)


jsonl = Source(recognises=_recognises, read=_read, priority=60)
