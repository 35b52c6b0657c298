"""Export lists and notices of EUR-Lex and Cellar > what is known of each judgment: ECLI, title, name, dates.

Read are EUR-Lex search exports (CSV with byte-order mark and M/D/Y dates; XML), title lists whose letters were mangled
by a wrong encoding (repaired), Cellar notices, and any TSV with the columns `celex` and `ecli`.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from lxml import etree

from renvoi import cases
from renvoi.errors import BadInput
from renvoi.tree import fold
from renvoi.types import Document, Finding

_CELEX = re.compile(r"(6\d{4}[CTF][A-Z]\d{4}(?:\(\d\d\))?)(?:_(?:SUM|INF|RES|EXT))?")
_CUT_TITLE = re.compile(r"^Summary of the |^Information on ", re.IGNORECASE)
_US_DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})$")


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """What lists say of one decision. Empty where no list says it."""

    celex: str
    ecli: str = ""
    title: str = ""
    name: str = ""  # "A v B"
    case_numbers: tuple[str, ...] = ()
    decided: date | None = None
    lodged: date | None = None


@dataclass(frozen=True, slots=True)
class CaseTable:
    """Records by CELEX number, and what was odd in the lists."""

    records: Mapping[str, CaseRecord]
    by_ecli: Mapping[str, str]  # ECLI > CELEX
    findings: tuple[Finding, ...]
    files: Mapping[str, int]  # rows used, by file


def read_case_metadata(folder: Path) -> CaseTable:
    """Return what the lists under a folder say, one record a CELEX number.

    Where lists differ, the first in the order XML, CSV, TSV, notices wins and the difference is counted.

    Raises:
        BadInput: the folder is not there, or no file in it is a list or notice of judgments.
    """
    if not folder.is_dir():
        raise BadInput(folder, "is no folder", "give the folder that holds the export lists")
    merged: dict[str, CaseRecord] = {}
    findings: list[Finding] = []
    used: dict[str, int] = {}
    unread: list[str] = []
    files = [p for p in sorted(folder.rglob("*")) if p.suffix.lower() in (".xml", ".csv", ".tsv")]
    files.sort(key=lambda p: ([".xml", ".csv", ".tsv"].index(p.suffix.lower()), "notice" in str(p).lower(), str(p)))
    for file in files:
        differing: Counter[str] = Counter()
        n = 0
        for record in _read_list(file):
            n += 1
            old = merged.get(record.celex)
            merged[record.celex] = record if old is None else _merge(old, record, differing)
        if n:
            used[str(file.relative_to(folder))] = n
        else:
            unread.append(file.name)
        findings += [Finding(file.name, "metadata_disagrees", what, count) for what, count in sorted(differing.items())]
    if not merged:
        raise BadInput(
            folder, "holds no list or notice of judgments", "give EUR-Lex exports (CSV, XML) or Cellar notices"
        )
    findings += [Finding(name, "no_metadata_in_file", "holds no record of a judgment") for name in unread]
    by_ecli: dict[str, str] = {}
    for celex, record in merged.items():
        if record.ecli:
            by_ecli.setdefault(record.ecli, celex)
    return CaseTable(merged, by_ecli, tuple(findings), used)


def add_metadata(documents: Sequence[Document], table: CaseTable) -> tuple[Document, ...]:
    """Return the documents with what the table knows and their own text does not say.

    A decision's date in the text is kept; where the table has another, it is a finding.
    """
    return tuple(_with_record(d, table.records[d.id]) if d.id in table.records else d for d in documents)


def named_records(table: CaseTable, documents: Iterable[Document]) -> list[CaseRecord]:
    """Return the records of a table, and one for each decision among the documents whose name only it knows."""
    records = dict(table.records)
    for document in documents:
        known, name = records.get(document.id), document.metadata.get("name", "")
        if name and not (known and known.name):
            numbers = tuple(document.metadata.get("case_numbers", ()))
            ecli = document.metadata.get("ecli") or ""
            records[document.id] = CaseRecord(document.id, ecli, document.title, name, numbers, document.date)
    return list(records.values())


def repair_letters(text: str) -> str:
    """Return text whose UTF-8 was read as Windows-1252, once or several times, as it was.

    >>> repair_letters("PrÃ©sident de lâ€™AutoritÃ©"), repair_letters("café")
    ('Président de l’Autorité', 'café')
    """
    for _ in range(3):
        if not re.search(r"[ÃÂâÄÅ]", text):
            break
        try:
            repaired = b"".join(_cp1252(letter) for letter in text).decode("utf-8")
        except (UnicodeEncodeError, UnicodeDecodeError):
            break
        text = repaired
    return text


def _cp1252(letter: str) -> bytes:
    """Return the byte of a letter, also for the five that Windows-1252 leaves undefined."""
    return bytes([ord(letter)]) if ord(letter) < 256 else letter.encode("cp1252")


def _read_list(file: Path) -> Iterator[CaseRecord]:
    data = file.read_bytes()
    if file.suffix.lower() == ".xml":
        yield from _read_xml(data)
    else:
        yield from _read_table(data, "\t" if file.suffix.lower() == ".tsv" else ",")


def _read_xml(data: bytes) -> Iterator[CaseRecord]:
    try:
        root = etree.fromstring(data.removeprefix(b"\xef\xbb\xbf"), etree.XMLParser(resolve_entities=False))
    except etree.XMLSyntaxError:
        return
    if root.tag == "NOTICE":
        yield from _read_notice(root)
        return
    for row in root.iter("row"):
        cells = [fold(cell.text or "") for cell in row.findall("col")]
        identifiers = next((c for c in cells if c.startswith("celex:")), "")
        m = re.search(r"celex:(6[^,]*)", identifiers)
        if not m:
            continue
        ecli = re.search(r"ecli:(ECLI:[^,]+)", identifiers)
        day = next((c for c in cells if re.fullmatch(r"\d{4}-\d\d-\d\d", c)), "")
        yield from _record(m[1], title=cells[0], ecli=ecli[1] if ecli else "", decided=_date(day))


def _read_notice(root: Any) -> Iterator[CaseRecord]:
    """Read a Cellar notice of a decision; notices of other works say nothing here."""
    celex = root.xpath("string(//WORK//RESOURCE_LEGAL_ID_CELEX/VALUE | //SAMEAS/URI[TYPE='celex']/IDENTIFIER)")
    if not celex.startswith("6"):
        return
    yield from _record(
        celex.split(".")[0],
        title=fold(root.xpath("string(//EXPRESSION//EXPRESSION_TITLE/VALUE)")),
        ecli=root.xpath("string(//ECLI/VALUE | //SAMEAS/URI[TYPE='ecli']/IDENTIFIER)"),
        decided=_date(root.xpath("string(//WORK_DATE_DOCUMENT/VALUE | //WORK/DATE_DOCUMENT/VALUE)")),
        lodged=_date(root.xpath("string(//RESOURCE_LEGAL_DATE_REQUEST_OPINION/VALUE | //DATE_LODGED/VALUE)")),
    )


def _read_table(data: bytes, separator: str) -> Iterator[CaseRecord]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)
    names = {name.strip().lower(): name for name in reader.fieldnames or ()}
    celex = names.get("celex number") or names.get("celex")
    if celex is None:
        return

    def get(row: dict[str, str], *columns: str) -> str:
        return next((fold(row[names[c]] or "") for c in columns if c in names and row[names[c]]), "")

    for row in reader:
        title = get(row, "title")
        if not title and "ruling_title" in names:
            parts = (get(row, "ruling_title"), get(row, "ruling_name"), get(row, "ruling_type"), get(row, "case_label"))
            title = "#".join(part for part in parts if part and part != "not_specified")
        yield from _record(
            row[celex] or "",
            title=title,
            ecli=get(row, "ecli identifier", "ecli"),
            decided=_date(get(row, "date of document", "document_date", "date")),
            lodged=_date(get(row, "lodge_date", "lodged")),
        )


def _record(
    celex: str, *, title: str = "", ecli: str = "", decided: date | None = None, lodged: date | None = None
) -> Iterable[CaseRecord]:
    m = _CELEX.match(celex.strip())
    if not m:
        return ()
    title = fold(html.unescape(repair_letters(title)))
    if _CUT_TITLE.match(title):
        title = ""
    parts = [part.strip() for part in title.split("#") if part.strip()]
    numbers = cases.parse_case_numbers(parts[-1]) if len(parts) > 1 else ()
    name = parts[1].rstrip(". ") if len(parts) > 2 else ""
    try:
        ecli = cases.normalise_ecli(ecli) if ecli else ""
    except ValueError:
        ecli = ""
    return (CaseRecord(m[1], ecli, title, name, tuple(dict.fromkeys(n.text for n in numbers)), decided, lodged),)


def _date(text: str) -> date | None:
    """Return a date written Y-M-D or, as the exports do, M/D/Y.

    >>> _date("6/30/2016"), _date("2016-06-30"), _date("")
    (datetime.date(2016, 6, 30), datetime.date(2016, 6, 30), None)
    """
    m = _US_DATE.match(text.strip())
    try:
        if m:
            return date(int(m[3]), int(m[1]), int(m[2]))
        return date.fromisoformat(text.strip()[:10]) if text.strip() else None
    except ValueError:
        return None


def _merge(old: CaseRecord, new: CaseRecord, differing: Counter[str]) -> CaseRecord:
    for what in ("ecli", "decided", "lodged"):
        a, b = getattr(old, what), getattr(new, what)
        if a and b and a != b:
            differing[what] += 1
    longer = old.name and old.title
    return CaseRecord(
        old.celex,
        old.ecli or new.ecli,
        old.title if longer or not new.title else new.title,
        old.name or new.name,
        old.case_numbers or new.case_numbers,
        old.decided or new.decided,
        old.lodged or new.lodged,
    )


def _with_record(document: Document, record: CaseRecord) -> Document:
    metadata = dict(document.metadata)
    findings = list(document.findings)
    if record.decided and document.date and record.decided != document.date:
        note = f"the lists say {record.decided}, the text {document.date}"
        findings.append(Finding(document.id, "date_disagrees", note))
    if record.ecli:
        if metadata.get("ecli") not in (None, record.ecli):
            findings.append(Finding(document.id, "ecli_disagrees", f"{metadata['ecli']}, the lists {record.ecli}"))
        metadata.setdefault("ecli", record.ecli)
    if record.lodged:
        metadata.setdefault("lodged", record.lodged.isoformat())
    if len(record.case_numbers) > len(metadata.get("case_numbers", ())):
        metadata["case_numbers"] = list(record.case_numbers)
    names = list(document.short_titles)
    if record.name:
        metadata.setdefault("name", record.name)
        if record.name not in names:
            names.append(record.name)
    return replace(
        document,
        title=document.title if document.title and document.title != document.id else record.title or document.title,
        short_titles=tuple(names),
        date=document.date or record.decided,
        metadata=metadata,
        findings=tuple(findings),
    )
