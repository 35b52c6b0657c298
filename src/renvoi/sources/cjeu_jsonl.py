"""Judgments as JSON lines whose paragraph numbers were inferred from the layout, plain or gzipped.

One line a judgment: `celex, ecli, date, title, count_check, paragraphs: [{number_inferred, text}]`. That the numbers
are inferred goes with every document (`numbers: "inferred"` in its metadata) up to the dataset card.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from datetime import date
from typing import Any

from renvoi import cases, ids
from renvoi.errors import BadInput
from renvoi.sources import Raw, Source
from renvoi.tree import fold
from renvoi.types import Document, Finding, Provision, SourceFile, Step

_GZIP = b"\x1f\x8b"
_ENGLISH_MONTHS = "january february march april may june july august september october november december".split()
# After the date, up to a stop that ends a sentence: not the one of "S.p.A." or "Ltd.".
_NAME = re.compile(r"(?:19|20)\d\d ?\. ?(?:# ?)?(.+?)(?:(?<=[a-zà-ÿ]{4})\.|(?<=\))\.| ?#|\.$|$)")
_DATE = re.compile(r"\b(\d{1,2}) ([A-Z][a-z]+) ((?:19|20)\d\d)\b")


def _recognises(data: bytes) -> bool:
    head = data[:4_000_000] if not data.startswith(_GZIP) else _inflate_head(data)
    return head.lstrip().startswith(b"{") and b'"number_inferred"' in head[:200_000] and b'"celex"' in head[:20_000]


def _inflate_head(data: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(data[:100_000], 200_000)
    except zlib.error:
        return b""


def _read(raw: Raw) -> tuple[Document, ...]:
    return tuple(_document(row, line, raw) for line, row in _rows(raw))


def _rows(raw: Raw) -> Iterator[tuple[int, dict[str, Any]]]:
    data = raw.data
    if data.startswith(_GZIP):
        try:
            data = zlib.decompress(data, wbits=31)
        except zlib.error as error:
            raise BadInput(raw.path, f"is cut or damaged ({error})", "fetch it again") from None
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            yield number, {"celex": row["celex"], "paragraphs": row["paragraphs"], **row}
        except (ValueError, KeyError, TypeError) as error:
            raise BadInput(f"{raw.path} line {number}", f"is no judgment ({error!r})", "mend or remove it") from None


def _document(row: dict[str, Any], line: int, raw: Raw) -> Document:
    celex = row["celex"]
    title = fold(row.get("title") or "")
    decided = date.fromisoformat(row["date"]) if row.get("date") else _date_in(title)
    provisions: list[Provision] = []
    findings = [
        Finding(celex, "numbers_inferred", f"count check: {row.get('count_check', 'none')}", len(row["paragraphs"]))
    ]
    last = 0
    empty = 0
    for paragraph in row["paragraphs"]:
        text = fold(paragraph["text"])
        number = paragraph["number_inferred"]
        if number <= last:
            raise BadInput(
                f"{raw.path} line {line}", f"paragraph {number} of {celex} follows {last}", "numbers must grow"
            )
        last = number
        if not text:
            empty += 1
            continue
        path = (Step("para", str(number)),)
        provisions.append(
            Provision(ids.format_id(celex, path), celex, path, f"{number}.", "", text, len(provisions), None, "leaf")
        )
    if not provisions:
        raise BadInput(f"{raw.path} line {line}", f"{celex} has no paragraph with text", "remove the line")
    if empty:
        findings.append(Finding(celex, "empty_paragraph", "left out", empty))
    name = _name(title)
    metadata: dict[str, Any] = {
        "celex": celex,
        "ecli": cases.normalise_ecli(row["ecli"]) if row.get("ecli") else None,
        "case_numbers": [cases.case_number_from_celex(celex)],
        "name": name,
        "numbers": "inferred",
        "count_check": row.get("count_check"),
        "origin": row.get("source"),
    }
    return Document(
        id=celex,
        jurisdiction="cjeu",
        language=row.get("language") or "en",
        kind=cases.kind_from_celex(celex),
        title=title or celex,
        short_titles=(name,) if name else (),
        date=decided,
        text_state="as_enacted",
        source=SourceFile(str(raw.path), raw.sha256, "cjeu_jsonl"),
        provisions=tuple(provisions),
        metadata={key: value for key, value in metadata.items() if value},
        findings=tuple(findings),
    )


def _date_in(title: str) -> date | None:
    m = _DATE.search(title)
    if not m or m[2].lower() not in _ENGLISH_MONTHS:
        return None
    return date(int(m[3]), _ENGLISH_MONTHS.index(m[2].lower()) + 1, int(m[1]))


def _name(title: str) -> str:
    """Return the name of the case in a title.

    >>> _name("Order of the Court of 10 June 1987. Alder SA v Birch Office. ECSC - Quotas.")
    'Alder SA v Birch Office'
    >>> _name("Judgment of the Court of 4 June 1992. # Criminal proceedings against Anna Cedar. # Foodstuffs.")
    'Anna Cedar'
    """
    m = _NAME.search(title)
    if not m:
        return ""
    name = m[1].strip(" .#")
    return re.sub(r"^(?:Criminal )?proceedings against ", "", name, flags=re.IGNORECASE)


cjeu_jsonl = Source(recognises=_recognises, read=_read, priority=6)
