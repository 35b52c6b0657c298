"""Records of acts from the Sejm's ELI service (`ACT.meta.json`, `ACT.struct.json`): companions of an act's text.

Beside the text they belong to it and give no document of their own; alone they are refused, for they hold no law.
"""

from __future__ import annotations

import re

from renvoi.errors import BadInput
from renvoi.sources import Raw, Source
from renvoi.types import Document


def _read(raw: Raw) -> tuple[Document, ...]:
    name = re.sub(r"[.-](?:meta|struct)\.json$", "", raw.path.name)
    if any(file.name != raw.path.name for file in raw.path.parent.glob(f"{name}.html")):
        return ()
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
