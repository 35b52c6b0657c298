"""CLML, the Crown Legislation Markup Language of legislation.gov.uk."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import ExitStack
from datetime import date
from typing import Any

from lxml import etree

from renvoi.errors import BadInput
from renvoi.sources import Raw, Source, _xml
from renvoi.tree import TreeBuilder, fold
from renvoi.types import Document, Finding, SourceFile

_NUMBERED = {"P1": "sec", "P2": "subsec", "P3": "point", "P4": "point", "P5": "point", "P6": "point", "P7": "point"}
_DIVISIONS = {"Part": "part", "Chapter": "chap", "Pblock": "group", "PsubBlock": "group", "EUPart": "part",
              "EUChapter": "chap", "EUSection": "sect"}  # fmt: skip
_TRANSPARENT = {
    "Primary", "Secondary", "Body", "Schedules", "ScheduleBody", "P1para", "P2para", "P3para", "P4para", "P5para",
    "P6para", "P7para", "Para", "P", "P2group", "P3group", "BlockText", "UnorderedList", "OrderedList", "ListItem",
    "AppendText", "Text", "PrimaryPreamble", "EnactingText", "SecondaryPreamble", "SignedSection", "Appendix",
}  # fmt: skip
_RUNNING = {"Text", "AppendText", "LongTitle", "DateText", "Reference"}
_INLINE = {"CommentaryRef", "FootnoteRef", "MarginNoteRef"}  # marks of notes
_DOTS = re.compile(r"[.\s…]*")


def _recognises(data: bytes) -> bool:
    return b"http://www.legislation.gov.uk/namespaces/legislation" in data[:3000] and b"<Legislation" in data[:3000]


def _read(raw: Raw) -> tuple[Document, ...]:
    root = _xml.parse_xml(raw.path, raw.data)
    uri = re.search(r"legislation\.gov\.uk/(?:id/)?([a-z]+)/(\d{4})/(\d+)", root.get("IdURI") or "")
    if uri is None:
        raise BadInput(raw.path, "has no IdURI with type, year and number, so the act cannot be identified")
    id = f"uk/{uri[1]}/{uri[2]}/{uri[3]}"
    reader = _Reader(TreeBuilder(id, str(raw.path)))
    reader.document(root)
    title = fold(root.findtext(".//{http://purl.org/dc/elements/1.1/}title") or "")
    enacted = root.find(".//{*}EnactmentDate")
    made = enacted.get("Date") if enacted is not None else None
    status = root.find(".//{*}DocumentStatus")
    revised = status is None or status.get("Value") != "final"
    return (
        Document(
            id=id,
            jurisdiction=raw.jurisdiction or "uk",
            language="en",
            kind="act",
            title=title,
            short_titles=(re.sub(r"\s\d{4}$", "", title),),
            date=date.fromisoformat(made) if made else None,
            text_state="consolidated" if revised else "as_enacted",
            source=SourceFile(str(raw.path), raw.sha256, "clml"),
            provisions=reader.tree.provisions(),
            metadata={"as_of": root.get("RestrictStartDate"), "extent": root.get("RestrictExtent")},
            findings=tuple(
                Finding(str(raw.path), "skipped_element", tag, n) for tag, n in sorted(reader.skipped.items())
            ),
        ),
    )


class _Reader:
    """Walks one act. Sections are numbered through it; everything in a schedule is nested."""

    def __init__(self, tree: TreeBuilder) -> None:
        self.tree = tree
        self.skipped: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._in_schedule = False

    def document(self, root: Any) -> None:
        for child in root:
            name = _name(child)
            if name in ("Metadata", "Contents"):  # the contents repeat the headings
                if name == "Contents":
                    self.skipped[name] += 1
            elif name == "Commentaries" or name in ("Footnotes", "MarginNotes"):
                for note in child:
                    self._note(note)
            else:
                self._element(child)

    def _element(self, e: Any) -> None:
        name = _name(e)
        if name in ("PrimaryPrelims", "SecondaryPrelims"):
            with self.tree.open("preamble", "1", absolute=True, kind="preamble"):
                self.tree.text(_text(e))
        elif name in _NUMBERED:
            self._numbered(e, _NUMBERED[name])
        elif name in ("P1group",):
            self._group(e)
        elif name in _DIVISIONS:
            self._division(e, _DIVISIONS[name])
        elif name == "Schedule":
            self._schedule(e)
        elif name == "BlockAmendment":
            self._quotation(e)
        elif name in _RUNNING:
            self.tree.text(_text(e))
        elif name in _TRANSPARENT:
            for child in e:
                self._element(child)
        elif name == "Title":  # of all schedules together
            with self.tree.open("heading", self._next("heading"), absolute=True, kind="heading"):
                self.tree.text(_text(e))
        elif name not in _INLINE:
            self.skipped[name] += 1
            self.tree.text(_text(e))

    def _numbered(self, e: Any, level: str, heading: str = "") -> None:
        printed = e.find("{*}Pnumber")
        number = _text(printed)
        level = "para" if level == "sec" and self._in_schedule else level
        with self.tree.open(
            level, number or f"x{self._next(level)}", label=number, heading=heading, absolute=level == "sec"
        ):
            for child in e:
                if child is not printed:
                    self._element(child)
            if not re.sub(r"[.\s…]", "", _text(e, but=printed)):
                self.tree.repealed()

    def _group(self, e: Any) -> None:
        heading = " ".join(_text(t) for t in e.findall("{*}Title"))
        rest = [child for child in e if _name(child) != "Title"]
        if len(rest) == 1 and _name(rest[0]) == "P1":
            self._numbered(rest[0], "sec", heading)
            return
        gone = not re.sub(r"[.\s…]", "", "".join(_text(child) for child in rest))
        with self.tree.open("group", self._next("group"), heading=heading, absolute=True, kind="division"):
            self._paragraphs(rest, gone)

    def _division(self, e: Any, level: str) -> None:
        label = _text(e.find("{*}Number"))
        heading = " ".join(_text(t) for t in e.findall("{*}Title"))
        article = re.fullmatch(r"Article (\d+\w*)", label)
        number = article[1] if article else re.sub(r"^(?:part|chapter)\s+", "", label, flags=re.I)
        level = "art" if article else level
        if not number:
            level, number = "group", self._next("group")
        rest = [child for child in e if _name(child) not in ("Number", "Title")]
        gone = not re.sub(r"[.\s…]", "", "".join(_text(child) for child in rest))
        with self.tree.open(
            level, number, label=label, heading=heading, absolute=level == "group" or not self._in_schedule,
            kind=None if article else "division",
        ):  # fmt: skip
            self._paragraphs(rest, gone, within_article=article is not None)
            if article and gone:
                self.tree.repealed()

    def _paragraphs(self, elements: list[Any], gone: bool, *, within_article: bool = False) -> None:
        """Read what a division holds; running text without a number of its own becomes a paragraph."""
        if within_article and len(elements) == 1:  # the article's own text
            self._element(elements[0])
            return
        for n, child in enumerate(elements, 1):
            if _name(child) in ("P", "Para", "Text") and _text(child):
                number = f"u{n}"
                with self.tree.open("para", number, state="repealed" if gone else None):
                    self._element(child)
            else:
                self._element(child)

    def _schedule(self, e: Any) -> None:
        label = _text(e.find("{*}Number"))
        block = e.find("{*}TitleBlock")
        number = re.sub(r"^schedules?\s*", "", label, flags=re.I) or "1"
        outer, self._in_schedule = self._in_schedule, True
        with self.tree.open(
            "annex", number, label=label, heading=_text(block), absolute=True, kind="annex", scope=True
        ):
            for child in e:
                if _name(child) not in ("Number", "TitleBlock"):
                    self._element(child)
        self._in_schedule = outer

    def _quotation(self, e: Any) -> None:
        with ExitStack() as stack:
            stack.enter_context(
                self.tree.open("quote", self._next("quote"), kind="quotation", state="quoted", scope=True)
            )
            outer, self._in_schedule = self._in_schedule, False
            for child in e:
                self._element(child)
            self._in_schedule = outer

    def _note(self, e: Any) -> None:
        with self.tree.open("note", self._next("note"), absolute=True, kind="footnote"):
            self.tree.text(_text(e))

    def _next(self, what: str) -> str:
        self._counts[what] += 1
        return str(self._counts[what])


def _name(e: Any) -> str:
    return str(etree.QName(e).localname) if isinstance(e.tag, str) else ""


def _text(e: Any, but: Any = None) -> str:
    """Return the text of an element without one of its children; blocks are parted by a blank."""
    if e is None:
        return ""
    parts: list[str] = []
    _collect(e, parts, but)
    return fold("".join(parts))


def _collect(e: Any, parts: list[str], but: Any) -> None:
    if e is but:
        return
    parts.append(e.text or "")
    for child in e:
        _collect(child, parts, but)
        parts.append(child.tail or "")
    if _name(e) in _RUNNING or _name(e) in ("Title", "Number", "Pnumber"):
        parts.append(" ")


clml = Source(recognises=_recognises, read=_read, priority=50)
