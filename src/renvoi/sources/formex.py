"""Formex 4: the XML the Publications Office makes its pages from. Acts and consolidated acts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date

from lxml import etree

from renvoi.errors import BadInput
from renvoi.sources import Raw, Source
from renvoi.sources._eu_blocks import Block
from renvoi.sources._eu_document import make
from renvoi.tree import fold
from renvoi.types import Document

_ROWS = ("CORPUS", "ROW", "BLK", "CELL", "DLIST.ITEM", "TITLE", "GR.NOTES")
_ROOTS = (b"<ACT", b"<CONS.ACT", b"<LEXP.COMBINED")
_SKIPPED = {"BIB.INSTANCE", "INFO.CONSLEG", "INFO.PROD", "FAM.COMP", "TOC", "CURR.TITLE"}
_BLOCKS = {
    "LIST", "ITEM", "NP", "P", "TBL",
    "QUOT.S", "DIVISION", "ARTICLE", "PARAG", "ALINEA", "GR.SEQ", "DLIST", "DLIST.ITEM",
    "FINAL", "SIGNATURE", "ANNEX", "CONS.ANNEX", "TXT", "GR.NOTES",
}  # fmt: skip


def recognises(data: bytes) -> bool:
    """Tell by the root element and the schema's name."""
    head = data[:3_000]
    return any(root in head for root in _ROOTS) and b"formex" in head.lower()


def read(raw: Raw) -> tuple[Document, ...]:
    """Return the act of a file.

    Raises:
        BadInput: the XML is broken; the line is named.
    """
    where = str(raw.path)
    try:
        parser = etree.XMLParser(resolve_entities=False, huge_tree=True, no_network=True)
        root = etree.fromstring(raw.data.lstrip(b"\xef\xbb\xbf"), parser)
    except etree.XMLSyntaxError as error:
        raise BadInput(where, f"broken XML in line {error.lineno}", "fetch the file again") from None
    reader = _Reader()
    title = next((_text_of(t) for t in root.iter("TITLE") if _above(t) in ("ACT", "CONS.DOC", "BIB.DATA")), "")
    language = next((fold(e.text or "").lower() for e in root.iter("LG.DOC")), "en")
    blocks = [b for b in reader.read(root) if b.role != "title"]
    info = next(root.iter("INFO.CONSLEG"), None)
    celex, on = "", None
    if info is not None:
        celex, day = "3" + info.get("CONSLEG.REF", ""), info.get("START.DATE", "")
        on = date(int(day[:4]), int(day[4:6]), int(day[6:]))
    adopted = next((_date(e) for t in root.iter("TITLE") for e in t.iter("DATE")), None)
    document = make(
        raw, "formex", title, language, [*blocks, *reader.notes], reader.left_out, celex=celex, consolidated_on=on,
        adopted=adopted,
    )  # fmt: skip
    return (document,)


class _Reader:
    """Reads elements into blocks; notes are kept apart and go to the end."""

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()
        self.notes: list[Block] = []

    def read(self, element: etree._Element) -> Iterator[Block]:
        """Yield the blocks inside an element, its own text between them."""
        run = [element.text or ""]
        for child in element:
            if isinstance(child.tag, str) and (
                child.tag in _BLOCKS or child.tag in _STRUCTURES or child.tag in _SKIPPED
            ):
                yield from self._flush(run)
                yield from self._block(child)
                run = [child.tail or ""]
            else:
                run += [self._inline(child), child.tail or ""]
        yield from self._flush(run)

    def _flush(self, run: list[str]) -> Iterator[Block]:
        if fold(text := "".join(run)):
            yield Block("text", text)

    def _block(self, element: etree._Element) -> Iterator[Block]:
        tag = element.tag
        if tag in _SKIPPED:
            self.left_out["bibliographic_data"] += 1
        elif tag in ("PARAG", "NP"):
            number = element.find("NO.PARAG" if tag == "PARAG" else "NO.P")
            label = fold(self._inline(number)) if number is not None else ""
            tail = ""
            if number is not None:
                tail = number.tail or ""
                element.remove(number)
            element.text = (element.text or "") + tail
            yield Block("para" if tag == "PARAG" else "item", label=label, parts=tuple(self.read(element)))
        elif tag == "TITLE":
            yield from self._title(element)
        elif tag == "TI.ART":
            yield Block("article", self._inline(element))
        elif tag == "STI.ART":
            yield Block("article_heading", self._inline(element))
        elif tag == "QUOT.S":
            yield Block("quote", parts=tuple(self.read(element)))
        elif tag in ("TBL", "DLIST"):
            separator = " | " if tag == "TBL" else " "
            text = separator.join(filter(fold, (_flat(block) for block in self.read_loose(element))))
            if fold(text):
                yield Block("table" if tag == "TBL" else "text", text)
        elif tag in ("FINAL", "SIGNATURE"):
            yield from (Block("closing", b.text, b.label, b.parts) for b in self.read(element))
        elif tag == "NO.GR.SEQ":
            yield Block("group", self._inline(element))
        else:
            yield from self.read(element)

    def read_loose(self, element: etree._Element) -> Iterator[Block]:
        """Yield the text of a table, row by row and cell by cell."""
        for leaf in element:
            if isinstance(leaf.tag, str) and leaf.tag in _ROWS:
                if leaf.tag == "CELL":
                    yield Block("text", " ".join(_flat(block) for block in self.read(leaf)))
                else:
                    yield from self.read_loose(leaf)
            elif isinstance(leaf.tag, str):
                yield Block("text", self._inline(leaf))

    def _title(self, element: etree._Element) -> Iterator[Block]:
        above = _above(element)
        lines = [self._inline(p) for p in element.iter("P") if p.find(".//P") is None]
        lines = [line for line in lines if fold(line)] or [self._inline(element)]
        first = fold(lines[0])
        if above in ("ACT", "CONS.DOC"):
            yield Block("title", " ".join(lines))
        elif above == "DIVISION":
            yield Block("division", first)
            yield from (Block("division_heading", line) for line in lines[1:])
        elif above in ("ANNEX", "CONS.ANNEX"):
            yield Block("annex", first)
            yield from (Block("annex_heading", line) for line in lines[1:])
        elif above == "QUOT.S":
            yield from (Block("text", line) for line in lines)
        else:
            yield Block("group", " ".join(lines))

    def _inline(self, element: etree._Element) -> str:
        if not isinstance(element.tag, str):
            return ""
        if element.tag in ("QUOT.START", "QUOT.END"):
            return chr(int(element.get("CODE", "0022"), 16))
        if element.tag == "NOTE":
            self._note(element)
            return ""
        if element.tag in ("INCL.ELEMENT", "IMG.CNT"):
            self.left_out["image"] += 1
        text = element.text or ""
        for child in element:
            space = " " if isinstance(child.tag, str) and child.tag in _BLOCKS | {"NO.P", "TERM"} else ""
            text += space + self._inline(child) + space + (child.tail or "")
        return text

    def _note(self, element: etree._Element) -> None:
        self.left_out["note_mark"] += 1
        text = " ".join(_flat(b) for b in self.read(element))
        if fold(text):
            self.notes.append(Block("note", text, f"({len(self.notes) + 1})"))


_STRUCTURES = {
    "ACT", "CONS.ACT", "CONS.DOC", "LEXP.COMBINED", "TITLE", "PREAMBLE", "PREAMBLE.INIT", "PREAMBLE.FINAL", "GR.VISA",
    "VISA",
    "GR.CONSID", "GR.CONSID.INIT", "CONSID", "ENACTING.TERMS", "TI.ART", "STI.ART", "ANNEXES", "CONTENTS", "NO.GR.SEQ",
    "PL.DATE", "SIGNATORY", "IMG.CNT",
}  # fmt: skip


def _above(element: etree._Element) -> str:
    parent = element.getparent()
    return str(parent.tag) if parent is not None else ""


def _flat(block: Block) -> str:
    return " ".join(filter(None, (block.label, block.text, " ".join(_flat(part) for part in block.parts))))


def _text_of(title: etree._Element) -> str:
    return fold(" ".join(_spread(p) for p in title.iter("P")))


def _spread(element: etree._Element) -> str:
    return " ".join(piece for piece in element.itertext() if piece)


def _date(element: etree._Element) -> date | None:
    day = element.get("ISO", "")
    return date(int(day[:4]), int(day[4:6]), int(day[6:])) if len(day) == 8 and day.isdigit() else None


formex = Source(recognises, read, priority=10)
