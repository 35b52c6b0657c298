"""Akoma Ntoso 3.0 judgments, as the National Archives (United Kingdom) publish them."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from typing import Any

from lxml import etree

from renvoi.errors import BadInput
from renvoi.sources import Raw, Source, _xml
from renvoi.tree import TreeBuilder, fold
from renvoi.types import Document, Finding, SourceFile

_BLOCKS = {"p", "num", "heading", "td", "th", "br", "block", "li"}
_CONTAINERS = {"content", "intro", "wrapUp", "decision", "judgmentBody", "introduction", "background", "motivation",
               "arguments", "remedies", "conclusions"}  # fmt: skip
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _recognises(data: bytes) -> bool:
    head = data[:3000]
    return b"<akomaNtoso" in head and b"<judgment" in data[:6000]


def _read(raw: Raw) -> tuple[Document, ...]:
    root = _xml.parse_xml(raw.path, raw.data)
    judgment = root.find("{*}judgment")
    uri = root.find(".//{*}FRBRWork/{*}FRBRthis")
    place = re.search(r"/id/([\w/-]+)$", uri.get("value") or "") if uri is not None else None
    body = judgment.find("{*}judgmentBody") if judgment is not None else None
    if place is None or body is None:
        raise BadInput(raw.path, "has no FRBRthis with an id, or no judgmentBody", "fetch the file again")
    day = root.find(".//{*}FRBRWork/{*}FRBRdate")
    citation = fold(root.findtext(".//{*}cite") or "")
    name = root.find(".//{*}FRBRWork/{*}FRBRname")
    title = (name.get("value") if name is not None else "") or citation or place[1]
    reader = _Reader(TreeBuilder(f"uk/{place[1]}", str(raw.path)))
    for part in judgment:
        reader.part(part)
    reader.notes()
    decided = date.fromisoformat(day.get("date")) if day is not None and day.get("date") else None
    if decided is not None and decided.year < 1100:  # the publisher's placeholder
        decided = None
    if decided is None:
        reader.found["no_date", "FRBRdate"] += 1
    return (
        Document(
            id=reader.tree.document_id,
            jurisdiction=raw.jurisdiction or "uk",
            language="en",
            kind="judgment",
            title=fold(title),
            short_titles=(citation,) if citation and citation != title else (),
            date=decided,
            text_state="as_enacted",
            source=SourceFile(str(raw.path), raw.sha256, "akn"),
            provisions=reader.tree.provisions(),
            metadata={
                "citation": citation,
                "court": fold(root.findtext(".//{*}court") or ""),
                "case_numbers": [fold(e.text or "") for e in root.iterfind(".//{*}caseNumber")],
            },
            findings=tuple(Finding(str(raw.path), kind, tag, n) for (kind, tag), n in sorted(reader.found.items())),
        ),
    )


class _Reader:
    """Walks one judgment: numbered paragraphs are provisions, what they quote is their text."""

    def __init__(self, tree: TreeBuilder) -> None:
        self.tree = tree
        self.found: Counter[tuple[str, str]] = Counter()
        self._taken: set[str] = set()
        self._counts: Counter[str] = Counter()
        self._notes: list[str] = []
        self._within = False  # a provision is open

    def part(self, e: Any) -> None:
        name = _name(e)
        if name == "meta":
            return
        if name == "judgmentBody":
            self._block(e)
        elif _text(e, self._notes):
            kind: Any = "preamble" if name in ("header", "coverPage") else "closing"
            with self.tree.open(kind, self._next(kind), absolute=True, kind=kind):
                self.tree.text(_text(e, []))

    def notes(self) -> None:
        """Write the footnotes met on the way."""
        for n, text in enumerate(self._notes, 1):
            with self.tree.open("note", str(n), absolute=True, kind="footnote"):
                self.tree.text(text)

    def _block(self, e: Any) -> None:
        name = _name(e)
        if name in ("paragraph", "subparagraph"):
            self._paragraph(e)
        elif name == "level":
            self._level(e)
        elif name in _CONTAINERS and (e.find(".//{*}paragraph") is not None or e.find(".//{*}level") is not None):
            for child in e:
                self._block(child)
        else:
            self._running(e)

    def _running(self, e: Any) -> None:
        text = _text(e, self._notes)
        if not text:
            return
        if self._within:
            self.tree.text(text)
        else:  # text without a number
            self.found["unnumbered_paragraph", _name(e)] += 1
            with self.tree.open("para", f"u{self._next('unnumbered')}", absolute=True):
                self.tree.text(text)

    def _level(self, e: Any) -> None:
        heading = e.find("{*}heading")
        if heading is not None and not self._within and _text(heading, []):
            with self.tree.open("heading", self._next("heading"), absolute=True, kind="heading"):
                self.tree.text(_text(heading, self._notes))
        for child in e:
            if child is not heading or self._within:
                self._block(child)

    def _paragraph(self, e: Any) -> None:
        label = _text(e.find("{*}num"), [])
        if _quoted(e) or not _text(e, []):
            self._running(e)
            return
        level = "para" if _name(e) == "paragraph" else "point"
        number = re.sub(r"[\s().\[\]]+", " ", label).strip().replace(" ", ".")
        if not (e.get("eId") or "para_").startswith("para_"):  # a numbered heading of a level, not a paragraph
            number = "" if level == "para" else number
        if level == "para" and (not number or number in self._taken):
            if number:
                self.found["repeated_number", label] += 1
            number = f"u{self._next('unnumbered')}"
        elif level == "point":
            parent = id(e.getparent())
            if not number or f"{parent} {number}" in self._taken:
                number = f"x{self._next('point')}"
            self._taken.add(f"{parent} {number}")
        self._taken.add(number if level == "para" else "")
        with self.tree.open(level, number, label=label, absolute=level == "para"):
            outer, self._within = self._within, True
            for child in e:
                if _name(child) != "num":
                    self._block(child)
            self._within = outer

    def _next(self, what: str) -> str:
        self._counts[what] += 1
        return str(self._counts[what])


def _quoted(e: Any) -> bool:
    return any(_name(above) == "embeddedStructure" for above in e.iterancestors())


def _name(e: Any) -> str:
    return str(etree.QName(e).localname) if isinstance(e.tag, str) else ""


def _text(e: Any, notes: list[str]) -> str:
    """Return the text of an element; its footnotes are added to `notes` instead."""
    if e is None:
        return ""
    parts: list[str] = []
    _collect(e, parts, notes)
    return fold("".join(parts))


def _collect(e: Any, parts: list[str], notes: list[str]) -> None:
    parts.append(e.text or "")
    for child in e:
        if _name(child) == "authorialNote":
            inner: list[str] = []
            _collect(child, inner, notes)
            notes.append(fold("".join(inner)))
        elif _name(child) == "span" and "super" in (child.get("style") or ""):
            parts.append("".join(child.itertext()).translate(_SUPERSCRIPTS))
        else:
            _collect(child, parts, notes)
        parts.append(child.tail or "")
    if _name(e) in _BLOCKS:
        parts.append(" ")


akn = Source(recognises=_recognises, read=_read, priority=50)
