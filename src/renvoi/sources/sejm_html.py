"""Acts of the Journal of Laws as HTML from the Sejm's ELI service (`text.html`), with metadata beside the file.

`<div class="unit unit_arti">` is an article, `unit_para` a § (the article of an order, or a part of an article),
`unit_pass` an ust., `unit_pint` a pkt, `unit_lett` a lit., `<ul class="enum">` a list of tirets, `cite-box` what an
amending act quotes, `gloss` a footnote. `ACT.html` is described by `ACT.meta.json`, the service's own record.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date
from typing import Any

from lxml import etree, html

from renvoi.errors import BadInput, EmptyAct
from renvoi.sources import Raw, Source, _pl
from renvoi.tree import TreeBuilder, fold
from renvoi.types import Document, Finding, Kind, SourceFile

_LEVELS = {
    "arti": "art", "pass": "para", "pint": "point", "lett": "letter", "tire": "indent", "dtir": "dindent",
    "chpt": "chap",
}  # fmt: skip
_BLOCKS = {"div", "ul", "ol", "li", "p", "section", "table", "tr", "tbody", "h1", "h2", "h3", "h4", "blockquote"}
_ABSOLUTE = {"art", "sec"}
_SKIPPED_CLASSES = {"show-all", "tooltip-text"}


def _read(raw: Raw) -> tuple[Document, ...]:
    where = raw.path.name
    text = raw.data.decode("utf-8-sig", errors="replace")
    if "\ufffd" in text:
        line = text[: text.index("\ufffd")].count("\n") + 1
        raise BadInput(f"{where}, line {line}", "not UTF-8", "save the page as the service sends it")
    if "</html>" not in text[-2000:].lower():
        raise BadInput(
            f"{where}, line {text.count(chr(10)) + 1}", "the page ends before </html>", "fetch the file again"
        )
    root = html.fromstring(raw.data, parser=html.HTMLParser(encoding="utf-8"))
    meta = _companion(raw)
    id = _document_id(meta, raw)
    reader = _Reader(id, where)
    reader.read(root)
    head = {name: _heading(root, f"head-{name}") for name in ("type", "date", "title")}
    title = fold(" ".join(head.values())) or fold(str(meta.get("title", "")))
    document = Document(
        id=id,
        jurisdiction="pl",
        language="pl",
        kind=_pl.kind_of(title),
        title=title,
        short_titles=_pl.short_titles(title),
        date=_date(meta) or _pl.date_in(head["date"]),
        text_state="as_enacted",
        source=SourceFile(str(raw.path), raw.sha256, "sejm_html"),
        provisions=reader.tree.provisions(),
        metadata={
            name: meta[name] for name in ("ELI", "displayAddress", "entryIntoForce", "status", "type") if meta.get(name)
        },
        findings=reader.findings(),
    )
    return (document,)


class _Reader:
    """Walks a page in document order and tells the tree what opens."""

    def __init__(self, id: str, where: str) -> None:
        self.tree = TreeBuilder(id, where)
        self.where = where
        self.skipped: Counter[str] = Counter()
        self.unknown: Counter[str] = Counter()
        self._stack: list[str] = []  # levels of the open provisions
        self._counters: list[Counter[str]] = [Counter()]  # quotes, tables, indents … of each open provision
        self._has_articles = False
        self._in_statute = False

    def read(self, root: etree._Element) -> None:
        parts = root.xpath("//div[contains(concat(' ', @class, ' '), ' part ')]")
        if not parts or not root.xpath("//div[contains(@class, 'unit_arti') or contains(@class, 'unit_para')]"):
            raise EmptyAct(self.where, "no article and no § found", "check that the page is an act, not a notice")
        self._in_statute = bool(parts[0].xpath(".//div[contains(@class, 'unit_arti')]"))
        for number, part in enumerate(parts):
            if number == 0:
                self._flow(part, skip={"h2"})
                self._notes(part.getparent())
            else:
                self._annex(part, number)
        self.skipped["table of contents"] += len(root.xpath("//*[@id='toc']"))
        self.skipped["script"] += len(root.xpath("//script"))
        self.skipped["button"] += len(root.xpath("//button"))

    def findings(self) -> tuple[Finding, ...]:
        skipped = [Finding(self.where, "skipped_element", what, n) for what, n in sorted(self.skipped.items()) if n]
        return (
            *skipped,
            *(Finding(self.where, "unknown_element", what, n) for what, n in sorted(self.unknown.items())),
        )

    def _annex(self, part: etree._Element, nth: int) -> None:
        heading = next(iter(part.xpath("./h2")), None)
        printed = _inline(heading) if heading is not None else ""
        found = re.search(r"[Zz]ałącznik(?:i)?\s+(?:nr\s+)?(\d+\w?|[IVXL]+\b)", printed)
        label, _, title = printed.partition(" - ")
        with self._open("annex", found[1] if found else str(nth), label=label, heading=title, kind="annex", scope=True):
            self._flow(part, skip={"h2"})
            self._notes(part.getparent())

    def _notes(self, section: etree._Element | None) -> None:
        if section is None:
            return
        for gloss in section.xpath("./div[contains(@class, 'gloss-section')]/div"):
            cells = [_inline(cell) for cell in gloss.xpath("./div")]
            label = cells[0] if cells else ""
            with self._open("note", label or self._next("note"), label=label, kind="footnote", absolute=True):
                self.tree.text(" ".join(cells[1:]))
        # The same texts stand again in the running text, as tooltips of their marks.
        self.skipped["tooltip that repeats a footnote"] += len(section.xpath(".//span[@class='tooltip-text']"))

    def _flow(self, element: etree._Element, skip: frozenset[str] | set[str] = frozenset()) -> None:
        """Read running text and blocks in the order they stand."""
        buffer = [element.text or ""]
        for child in element:
            if isinstance(child.tag, str) and child.tag in _BLOCKS:
                self._text(buffer)
                if child.tag not in skip and not _SKIPPED_CLASSES & set((child.get("class") or "").split()):
                    self._block(child)
            elif isinstance(child.tag, str):
                buffer.append(_inline(child, keep_blanks=True))
            buffer.append(child.tail or "")
        self._text(buffer)

    def _text(self, buffer: list[str]) -> None:
        text = fold("".join(buffer))
        buffer.clear()
        if not text:
            return
        if not self._stack:
            kind: Kind = "closing" if self._has_articles else "preamble"
            with self._open(kind, self._next(kind), kind=kind):
                self.tree.text(text)
            return
        self.tree.text(text)
        if _pl.is_repealed(text):
            self.tree.repealed()

    def _block(self, element: etree._Element) -> None:
        classes = (element.get("class") or "").split()
        if "unit" in classes:
            self._unit(element, classes)
        elif "cite-box" in classes:
            self._quotation(element)
        elif element.tag in ("ul", "ol"):
            self._list(element)
        elif element.tag in ("table", "tr"):
            self._table(element)
        else:
            if element.tag not in ("div", "section", "p", "li", "tbody"):
                self.unknown[str(element.tag)] += 1
            self._flow(element)

    def _unit(self, element: etree._Element, classes: list[str]) -> None:
        code = next((name[5:] for name in classes if name.startswith("unit_")), "")
        header = next(iter(element.xpath("./h3")), None)
        # The heading of a chapter holds paragraphs, which a parser of HTML moves out of the <h3>.
        lines = [_inline(p) for p in element.xpath("./h3/p | ./p")]
        label = lines[0] if lines else (_inline(header) if header is not None else "")
        heading = " ".join(lines[1:])
        level = _pl.division_level(label) or self._level(code)
        if code not in (*_LEVELS, "para") and _pl.division_level(label) is None:
            self.unknown[f"unit_{code}"] += 1
        number = _pl.number_in(label) or self._next(level)
        kind: Kind | None = "division" if _pl.division_level(label) else None
        if level in _ABSOLUTE:
            self._has_articles = True
        absolute = level in _ABSOLUTE or (kind == "division" and level == "chap" and "div" not in self._stack)
        with self._open(level, number, label=label, heading=heading, absolute=absolute, kind=kind):
            self._flow(element, skip={"h3", "p"})

    def _level(self, code: str) -> str:
        if code != "para":
            return _LEVELS.get(code, code or "unit")
        # A § is the article of an order and a paragraph of an article; what a statute quotes is from a statute.
        return "para" if self._in_statute and ("art" in self._stack or "quote" in self._stack) else "sec"

    def _quotation(self, box: etree._Element) -> None:
        marks = ["".join(_inline(e) for e in box.xpath(f"./div[@class='{name}']")).strip() for name in
                 ("qmark-opn", "qmark-cls", "trailer")]  # fmt: skip
        label = f"{marks[0]}…{marks[1]}{marks[2]}"
        with self._open("quote", self._next("quote"), label=label, kind="quotation", state="quoted", scope=True):
            for body in box.xpath("./div[@class='cite-body']"):
                self._flow(body)

    def _list(self, element: etree._Element) -> None:
        level = "dindent" if self._stack and self._stack[-1] in ("indent", "dindent") else "indent"
        for item in element.xpath("./li"):
            first = next(iter(item.xpath("./div")), None)
            label = _inline(first) if first is not None else ""
            with self._open(level, self._next(level), label=label if len(label) <= 3 else ""):
                if len(label) <= 3 and first is not None:
                    item.remove(first)
                self._flow(item)

    def _table(self, element: etree._Element) -> None:
        cells = [cell for cell in element.iter("td", "th") if cell.find(".//td") is None]
        text = " | ".join(filter(None, (_inline(cell) for cell in cells)))
        with self._open("table", self._next("table"), kind="table"):
            self.tree.text(text)

    def _next(self, what: str) -> str:
        self._counters[-1][what] += 1
        return str(self._counters[-1][what])

    def _open(self, level: str, number: str, **given: Any) -> _Opened:
        return _Opened(self, level, number, given)


class _Opened:
    """A provision of the tree that is open, with its place on the reader's stack."""

    def __init__(self, reader: _Reader, level: str, number: str, given: dict[str, Any]) -> None:
        self.reader, self.level = reader, level
        self.inner = reader.tree.open(level, number, **given)

    def __enter__(self) -> None:
        self.inner.__enter__()
        self.reader._stack.append(self.level)
        self.reader._counters.append(Counter())

    def __exit__(self, *exc: Any) -> None:
        self.reader._stack.pop()
        self.reader._counters.pop()
        self.inner.__exit__(*exc)


def _inline(element: etree._Element, keep_blanks: bool = False) -> str:
    """Return an element's text: superscripts raised, tooltips of footnote marks left out."""
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and not _SKIPPED_CLASSES & set((child.get("class") or "").split()):
            gap = " " if child.tag in _BLOCKS or child.tag in ("br", "td", "th") else ""
            parts.append(gap + _inline(child, keep_blanks=True) + gap)
        parts.append(child.tail or "")
    text = "".join(parts)
    if element.tag == "sup":
        text = _pl.raise_text(text)
    return text if keep_blanks else fold(text)


def _heading(root: etree._Element, name: str) -> str:
    found = root.xpath(f"//h1//span[@class='{name}']")
    if not found:
        return ""
    return re.sub(r"\s*[⁰¹²³⁴⁵⁶⁷⁸⁹]+⁾", "", _inline(found[0]))


def _companion(raw: Raw) -> dict[str, Any]:
    """Return the service's record of the act, if it stands beside the file."""
    path = raw.path.with_suffix(".meta.json")
    if not path.exists():
        return {}
    try:
        meta = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise BadInput(path, f"not JSON ({error})", "fetch it again or remove it") from error
    return meta if isinstance(meta, dict) else {}


def _document_id(meta: dict[str, Any], raw: Raw) -> str:
    found = re.fullmatch(r"([A-Z]+)/(\d{4})/(\d+)", str(meta.get("ELI", "")))
    if found:
        return f"pl/{found[1].lower()}/{found[2]}/{found[3]}"
    return _pl.id_from_name(raw.path.name)


def _date(meta: dict[str, Any]) -> date | None:
    try:
        return date.fromisoformat(str(meta.get("announcementDate", "")))
    except ValueError:
        return None


def _recognises(data: bytes) -> bool:
    head = data[:20_000]
    return b'class="head-type"' in head or (b'data-template="xText"' in head and b"unit_" in data)


sejm_html = Source(_recognises, _read, priority=5)
