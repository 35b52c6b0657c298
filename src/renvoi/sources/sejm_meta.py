"""Records of acts from the Sejm's ELI service (`ACT.meta.json`, `ACT.struct.json`): companions of an act's text.

They are recognised so that the refusal says what they are; in a folder, beside the text, `ingest` passes them over.
"""

from __future__ import annotations

from renvoi.errors import BadInput
from renvoi.sources import Raw, Source
from renvoi.types import Document


def _read(raw: Raw) -> tuple[Document, ...]:
    raise BadInput(
        raw.path.name,
        "a record about an act, without its text",
        "give the act's text.html and keep this file beside it",
    )


def _recognises(data: bytes) -> bool:
    head = data[:4_000]
    is_meta = head.lstrip()[:1] == b"{" and b'"displayAddress"' in head and b'"announcementDate"' in head
    return is_meta or (head.lstrip()[:1] == b"[" and b'"symbol"' in head and b'"type": "part"' in head)


sejm_meta = Source(_recognises, _read, priority=5)
