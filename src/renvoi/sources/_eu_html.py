"""EUR-Lex HTML with classes > blocks: Official Journal (`oj-normal`, earlier `normal`), consolidated (`norm`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from lxml import etree

from renvoi.errors import BadInput
from renvoi.sources._eu_blocks import Block, Role, is_label
from renvoi.tree import fold

_INLINE = {"span", "a", "i", "b", "em", "strong", "sup", "sub", "u", "br", "font", "small", "ins", "del", "img", "abbr"}
_ROLES: dict[str, Role] = {
    "doc-ti": "title", "ti-section-1": "division", "title-division-1": "division", "ti-section-2": "division_heading",
    "title-division-2": "division_heading", "ti-art": "article", "title-article-norm": "article",
    "title-article-quoted": "article", "sti-art": "article_heading", "stitle-article-norm": "article_heading",
    "stitle-article-quoted": "article_heading", "title-annex-1": "annex", "title-annex-2": "annex_heading",
    "ti-annotation": "group", "note": "note", "footnote": "note", "signatory": "closing", "final": "closing",
}  # fmt: skip
# What frames the text on the page: title page of a consolidated text, head lines, marks.
FURNITURE = re.compile(r"hd-|title-doc-|title-fam-|title-member-|toc-|reference$|disclaimer$|arrow$|modref$|separator")
_MARKS = re.compile(r"[▼►]\s?[A-Z]\d*|◄")
_DELETED = re.compile(r"[—–_]{3,}")
_ANNEX = re.compile(r"\W*(?:ANNEX(?:ES)?|ANHANG|[IVX\d]*\.?\s*MELLÉKLET)\b[\s\u00a0]*[IVXLC\d]*[A-Za-z]?\.?\s*$", re.I)
# A note's mark, "(1)", with the brackets that stand outside its link; the notes themselves are provisions.
_MARK = "\ue000"
_NOTE_MARK = re.compile(rf"\s*\(\s*{_MARK}\s*\)|\s*{_MARK}")
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def parse(data: bytes, where: str) -> etree._Element:
    """Return the page's root, without name spaces.

    Raises:
        BadInput: the file is cut off or is no HTML.
    """
    text = data.lstrip(b"\xef\xbb\xbf\r\n\t ")
    if b"</html>" not in text[-400:].lower():
        raise BadInput(where, "the page is cut off: no </html> at its end", "fetch it again")
    try:
        root = etree.fromstring(text, etree.XMLParser(resolve_entities=False, huge_tree=True, no_network=True))
        if root.find(".//{*}body") is None or any(isinstance(e, etree._Entity) for e in root.iter()):
            raise etree.XMLSyntaxError("entities", 0, 0, 0)
    except etree.XMLSyntaxError:
        root = etree.fromstring(text, etree.HTMLParser(encoding="utf-8", huge_tree=True))
    if root is None:
        raise BadInput(where, "no HTML", "check what was fetched")
    for element in root.iter():
        if isinstance(element.tag, str) and "}" in element.tag:
            element.tag = element.tag.rpartition("}")[2]
    return root


class BlockReader:
    """Reads a body into blocks and counts what it leaves out."""

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()

    def read(self, element: etree._Element) -> list[Block]:
        """Return the blocks inside an element."""
        return list(self._blocks(element))

    def _blocks(self, element: etree._Element) -> Iterator[Block]:
        run = [element.text or ""]
        for child in element:
            if not isinstance(child.tag, str):
                run.append(child.tail or "")
            elif child.tag in _INLINE:
                run.append(self._inline(child))
                run.append(child.tail or "")
            else:
                yield from self._flush(run)
                yield from self._block(child)
                run = [child.tail or ""]
        yield from self._flush(run)

    def _flush(self, run: list[str]) -> Iterator[Block]:
        text = self._unmark("".join(run))
        if fold(text):
            yield Block("text", text)

    def _block(self, element: etree._Element) -> Iterator[Block]:
        classes = (element.get("class") or "").replace("oj-", "").split()
        if any(FURNITURE.match(name) for name in classes):
            text = fold("".join(element.itertext()))
            if _DELETED.search(text):
                yield Block("deleted")
            if text:
                self.left_out["modification_mark" if set(classes) & {"modref", "arrow"} else "page_furniture"] += 1
        elif element.tag == "table":
            yield from self._table(element, classes)
        elif "grid-container" in classes or "enumeration-spacing" in classes:
            yield from self._grid(element)
        elif (number := self._own_number(element)) is not None:
            label = fold("".join(number.itertext()))
            tail = number.tail
            element.remove(number)
            element.text = (element.text or "") + (tail or "")
            yield Block("para", label=label, parts=tuple(self._blocks(element)))
        elif element.tag == "p":
            yield from self._paragraph(element, classes)
        elif (element.get("id") or "").startswith("fnp_") or "final" in classes:
            yield from (
                Block("closing" if b.role == "text" else b.role, b.text, b.label, b.parts)
                for b in self._blocks(element)
            )
        elif "eli-title" in classes:
            yield from (
                Block("article_heading" if b.role == "text" else b.role, b.text, b.label, b.parts)
                for b in self._blocks(element)
            )
        else:
            yield from self._blocks(element)

    def _own_number(self, element: etree._Element) -> etree._Element | None:
        first = next((child for child in element if isinstance(child.tag, str)), None)
        is_number = first is not None and "no-parag" in (first.get("class") or "")
        return first if is_number and not fold(element.text or "") else None

    def _paragraph(self, element: etree._Element, classes: list[str]) -> Iterator[Block]:
        if any(isinstance(c.tag, str) and c.tag not in _INLINE for c in element):
            yield from self._blocks(element)
            return
        role: Role = next((_ROLES[name] for name in classes if name in _ROLES), "text")
        if any(name.startswith(("ti-grseq", "title-gr-seq")) for name in classes):
            role = "group"
        if role == "note":
            yield self._note(element)
            return
        text = self._unmark(self._inline(element))
        if not fold(text):
            if _DELETED.search("".join(element.itertext())):
                yield Block("deleted")
            return
        if role == "title" and _ANNEX.match(fold(text)):
            role = "annex"
        yield Block(role, text)

    def _note(self, element: etree._Element) -> Block:
        text = fold("".join(element.itertext()))
        found = re.match(r"\(?\s*([\d*]+[a-z]?)\s*\)?\s*", text)
        label = fold(found[0]).replace("( ", "(").replace(" )", ")") if found else ""
        return Block("note", text[found.end() :] if found else text, label)

    def _grid(self, element: etree._Element) -> Iterator[Block]:
        cells = [child for child in element if isinstance(child.tag, str)]
        label = fold("".join(cells[0].itertext())) if cells else ""
        label = fold(self._unmark(label))
        if len(cells) >= 2 and is_label(label):
            parts = [block for cell in cells[1:] for block in self._cell(cell)]
            yield Block("item", label=label, parts=tuple(parts))
        else:
            yield from self._blocks(element)

    def _cell(self, cell: etree._Element) -> list[Block]:
        return list(self._block(cell)) if cell.tag == "p" else list(self._blocks(cell))

    def _table(self, table: etree._Element, classes: list[str]) -> Iterator[Block]:
        rows = [row for row in table.iter("tr") if next(row.iterancestors("table")) is table]
        made: list[Block] = []
        for row in rows:
            cells = [
                c
                for c in row
                if isinstance(c.tag, str) and (fold("".join(c.itertext())) or c.find(".//img") is not None)
            ]
            if len(cells) == 1 and len(rows) == 1:
                made += self._blocks(cells[0])
            elif len(cells) == 2 and "table" not in classes and is_label(label := fold("".join(cells[0].itertext()))):
                made.append(Block("item", label=label, parts=tuple(self._blocks(cells[1]))))
            elif cells:
                break
        else:
            yield from made
            return
        cells_of = (
            [" ".join(map(_flat, self._blocks(cell))) for cell in row if isinstance(cell.tag, str)] for row in rows
        )
        text = " | ".join(cell for row in cells_of for cell in row if fold(cell))
        if fold(text):
            yield Block("table", text)

    def _inline(self, element: etree._Element) -> str:
        if element.tag == "br":
            return " "
        if element.tag == "img":
            self.left_out["image"] += 1
            return " "
        classes = (element.get("class") or "").split()
        if self._is_note_mark(element):
            self.left_out["note_mark"] += 1
            return _MARK
        text = element.text or ""
        for child in element:
            if isinstance(child.tag, str):
                text += self._inline(child)
            text += child.tail or ""
        if (
            element.tag == "sup" or "oj-super" in classes or "super" in classes or "superscript" in classes
        ) and text.strip().isdigit():
            return text.strip().translate(_SUPERSCRIPT)
        return text

    def _is_note_mark(self, element: etree._Element) -> bool:
        if element.tag != "a":
            return False
        name, target = element.get("id") or "", element.get("href") or ""
        return name.startswith(("ntc", "src.")) or target.startswith(("#ntr", "#E0"))

    def _unmark(self, text: str) -> str:
        text, n = _MARKS.subn("", text)
        self.left_out["modification_mark"] += n
        return _NOTE_MARK.sub("", text)


def _flat(block: Block) -> str:
    return " ".join(filter(None, (block.label, block.text, " ".join(_flat(part) for part in block.parts))))
