"""Title, blocks and counts > Document: the last step all EU formats share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date

from renvoi.errors import BadInput
from renvoi.sources import Raw
from renvoi.sources._eu_act import build
from renvoi.sources._eu_blocks import Block
from renvoi.sources._eu_names import read_title
from renvoi.types import Document, Finding, SourceFile


def make(
    raw: Raw, format: str, title: str, language: str, blocks: Sequence[Block], left_out: Counter[str], *,
    celex: str = "", consolidated_on: date | None = None, adopted: date | None = None, kind: str = "act",
) -> Document:  # fmt: skip
    """Return the document of an act.

    Args:
        raw: the file.
        format: name of the source.
        title: as printed, in one line.
        language: ISO 639-1.
        blocks: in document order.
        left_out: what the source left out, by kind; becomes findings.
        celex: where the source knows it; otherwise told from the title.
        consolidated_on: date of a consolidated text; the id then ends in "@" and this date.
        adopted: date of the act where the source knows it.
        kind: "act", or "proposal".

    Raises:
        BadInput: there is no CELEX number and the title has none of the known forms.
        EmptyAct: there is no provision, or one has no text.
    """
    where = str(raw.path)
    read = read_title(title)
    celex = celex or read.celex
    if not celex:
        raise BadInput(where, f"no act number in its title {title[:60]!r}", "check that the file is an EU act")
    document_id = f"{celex}@{consolidated_on.isoformat()}" if consolidated_on else celex
    provisions, found = build(document_id, where, blocks)
    findings = [Finding(where, kind, "", n) for kind, n in sorted((left_out + found).items()) if n]
    metadata: dict[str, object] = {"celex": celex, "names": list(read.names)}
    if consolidated_on:
        metadata["consolidated_on"] = consolidated_on.isoformat()
    return Document(
        id=document_id,
        jurisdiction="eu",
        language=language,
        kind=kind,
        title=title,
        short_titles=read.short_titles,
        date=adopted or read.date,
        text_state="consolidated" if consolidated_on else "as_enacted",
        source=SourceFile(where, raw.sha256, format),
        provisions=provisions,
        metadata=metadata,
        findings=tuple(findings),
    )
