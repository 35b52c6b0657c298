"""Formex 4 of the EU's courts: judgments, orders and opinions in the XML their pages are made from.

The publisher states outright what a page only shows: `GR.SEQ` nests the headings, `NP.ECR/NO.P` numbers the
paragraphs, `JURISDICTION` is the operative part, `NOTE` a footnote. An element this file does not know is read as
running text, so nothing is lost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from renvoi import cases
from renvoi.errors import BadInput
from renvoi.sources import Raw, Source
from renvoi.sources._judgment import COSTS, TITLES, check_numbers
from renvoi.sources._judgment_head import make_title
from renvoi.sources._xml import parse_xml
from renvoi.tree import TreeBuilder, fold
from renvoi.types import Document, Finding, Kind, SourceFile

_ROOT = re.compile(rb"<(?:JUDGMENT|ORDER|CONCLUSION|OPINION|VIEW)[\s>]")
_KINDS: dict[str, cases.DecisionKind] = {
    "JUDGMENT": "judgment", "ORDER": "order", "CONCLUSION": "opinion", "OPINION": "opinion", "VIEW": "view",
}  # fmt: skip
_CELEX = re.compile(
    r"6(\d{4})([CTF]?)([A-Z]\d{4}(?:\(\d\d\))?)$"
)  # "62001J0101": before courts had letters of their own
_FILE_LANGUAGE = re.compile(r"_([A-Z]{2})_\d\d")
_DASHES = {"DASH": "–", "NDASH": "–", "BULLET": "•"}
_NUMBERS = {"NP": "NO.P", "PARAG": "NO.PARAG"}
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
# Elements whose text stands on lines of its own; all others run on in the sentence around them.
_BLOCKS = frozenset(
    "P TXT LIST ITEM NP NP.ECR TITLE TI STI GR.SEQ QUOT.S TBL CORPUS ROW DLIST DLIST.ITEM PARAG ALINEA ARTICLE "
    "TI.ART STI.ART DIVISION INTRO INDEX KEYWORD VISA CONSID GR.VISA GR.CONSID PREAMBLE PREAMBLE.INIT PREAMBLE.FINAL "
    "PLAINTIFS DEFENDANTS INTERVENERS AGAINST PARTIES PARTY.STATUS SIGNATORY INTERMEDIATE JUDGMENT.INIT ORDER.INIT "
    "CONCLUSION.INIT OPINION.INIT".split()
)


def recognises(data: bytes) -> bool:
    """Tell by the root element and the bibliographic block of a decision."""
    head = data[:4_000]
    return bool(_ROOT.search(head)) and (b"<BIB." in head or b"formex" in head.lower()) and b"<html" not in head.lower()


def read(raw: Raw) -> tuple[Document, ...]:
    """Return the decision of a file.

    Raises:
        BadInput: the XML is broken, no CELEX or case number is given, or no paragraph is numbered.
    """
    root = parse_xml(raw.path, raw.data.lstrip(b"\xef\xbb\xbf"))
    if root.tag not in _KINDS:
        raise BadInput(raw.path, f"is no decision: its root is {root.tag}", "give the file of the judgment itself")
    reader = _Reader()
    head, body, end = _split(root)
    items = _joined([item for element in body for item in reader.sections(element, 0)])
    if not any(item.what == "para" for item in items):
        raise BadInput(
            raw.path, f"the {_KINDS[root.tag]} has no numbered paragraph", "fetch the full text, not a summary"
        )
    celex, numbers = _identity(root, raw)
    tree = TreeBuilder(celex, where=str(raw.path))
    _write(tree, reader, head, items, root.find(".//JURISDICTION"), end)
    provisions = tree.provisions()
    findings = [Finding(celex, kind, "in the file, not in the text", n) for kind, n in sorted(reader.left_out.items())]
    findings += reader.findings
    check_numbers(provisions, celex, findings)
    lines = [fold(reader.line(p)) for p in root.iterfind("TITLE/TI/P")]
    title_line = lines[0] if lines else _KINDS[root.tag]
    decided = next((day for e in root.iterfind("TITLE//DATE") if (day := _day(e.get("ISO", "")))), None)
    parties, name = _parties(root, reader)
    metadata: dict[str, Any] = {
        "celex": celex,
        "ecli": _ecli(root),
        "case_numbers": numbers,
        "parties": parties,
        "name": name,
        "court": {"C": "Court of Justice", "T": "General Court", "F": "Civil Service Tribunal"}[celex[5]],
        "formation": title_line,
        "keywords": [fold(reader.line(k)) for k in root.iterfind("INTERMEDIATE//KEYWORD")],
    }
    document = Document(
        id=celex,
        jurisdiction="cjeu",
        language=_language(root, raw, title_line),
        kind=cases.kind_from_celex(celex) if celex[6] in "JOCPVX" else _KINDS[root.tag],
        title=make_title(title_line, decided, name, numbers),
        short_titles=(name,) if name else (),
        date=decided,
        text_state="as_enacted",
        source=SourceFile(str(raw.path), raw.sha256, "formex_judgment"),
        provisions=provisions,
        metadata={key: value for key, value in metadata.items() if value},
        findings=tuple(findings),
    )
    return (document,)


@dataclass(slots=True)
class _Item:
    """A heading, a numbered paragraph, or text outside both."""

    what: str  # "heading", "para", "text"
    texts: list[str]
    level: int = 0
    number: int = 0


@dataclass(slots=True)
class _Reader:
    """Flattens elements into lines; footnotes are kept apart."""

    left_out: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def sections(self, element: Any, level: int) -> Iterator[_Item]:
        """Yield headings, paragraphs and what stands between them, in order; the operative part is not among them."""
        if element.tag == "JURISDICTION":
            return
        if element.tag == "NP.ECR":
            yield self._paragraph(element)
        elif element.tag == "TITLE":
            yield _Item("heading", [" ".join(self.lines(element))], max(level, 1))
        elif element.find(".//NP.ECR") is not None or element.tag == "GR.SEQ":
            inner = int(element.get("LEVEL") or level + 1) if element.tag == "GR.SEQ" else level
            if fold(element.text or ""):
                yield _Item("text", [fold(element.text)])
            for child in element:
                yield from self.sections(child, inner)
                if fold(child.tail or ""):
                    yield _Item("text", [fold(child.tail)])
        elif lines := list(self.lines(element)):
            yield _Item("text", lines)

    def _paragraph(self, element: Any) -> _Item:
        printed = element.find("NO.P")
        number = re.search(r"\d+", self.line(printed)) if printed is not None else None
        if number is None:
            number = re.search(r"\d+", element.get("IDENTIFIER", ""))
            if number is None:
                raise BadInput("NP.ECR", "has neither a number nor an identifier", "fetch the file again")
            self.findings.append(Finding(f"para {int(number[0])}", "number_from_identifier", "no number is printed"))
        texts = [line for child in element if child.tag != "NO.P" for line in self.lines(child)]
        return _Item("para", texts, number=int(number[0]))

    def lines(self, element: Any) -> Iterator[str]:
        """Yield the lines of text in an element: its blocks, and what runs on between them."""
        if element.tag in ("NP", "PARAG") and (number := element.find(_NUMBERS[element.tag])) is not None:
            rest = [line for child in element if child is not number for line in self.lines(child)]
            yield fold(" ".join([self.line(number), *rest[:1]]))
            yield from rest[1:]
            return
        run = [element.text or ""]
        for child in element:
            if isinstance(child.tag, str) and child.tag in _BLOCKS:
                if text := fold("".join(run)):
                    yield text
                inside = list(self.lines(child))
                mark = _DASHES.get(element.get("TYPE", "")) if child.tag == "ITEM" else None
                yield from ([f"{mark} {inside[0]}", *inside[1:]] if mark and inside else inside)
                run = []
            elif child.tag == "CELL":
                run += [" | " if fold("".join(run)) else "", " ".join(self.lines(child))]
            elif isinstance(child.tag, str):
                run.append(self.line(child))
            run.append(child.tail or "")
        if text := fold("".join(run)):
            yield text

    def line(self, element: Any) -> str:
        """Return an element as running text."""
        if element.tag in ("QUOT.START", "QUOT.END"):
            return chr(int(element.get("CODE", "0022"), 16))
        if element.tag == "NOTE":
            self.left_out["note_mark"] += 1
            self.notes += [note] if (note := " ".join(self.lines(element))) else []
            return ""
        if element.tag == "INCL.ELEMENT":
            self.left_out["image"] += 1
        text = element.text or ""
        for child in element:
            if isinstance(child.tag, str):
                block = child.tag in _BLOCKS or child.tag in ("CELL", *_NUMBERS.values())
                text += f" {self.line(child)} " if block else self.line(child)
            text += child.tail or ""
        return text.translate(_RAISED) if element.tag == "HT" and element.get("TYPE") == "SUP" else text


def _split(root: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the elements before the contents, the contents, and the elements after them."""
    head: list[Any] = []
    body: list[Any] = []
    end: list[Any] = []
    for element in root:
        tag = element.tag if isinstance(element.tag, str) else ""
        if not tag or tag.startswith("BIB.") or tag in ("CURR.TITLE", "JURISDICTION"):
            continue
        if tag.startswith("CONTENTS") or tag in ("GR.SEQ", "NP.ECR"):
            body.append(element)
        else:
            (end if body else head).append(element)
    return head, body, end


def _joined(items: list[_Item]) -> list[_Item]:
    """Let text that follows a paragraph without a heading between belong to it, as on the page."""
    joined: list[_Item] = []
    for item in items:
        if item.what == "text" and joined and joined[-1].what in ("para", "text"):
            joined[-1].texts += item.texts
        else:
            joined.append(item)
    return joined


def _write(
    tree: TreeBuilder, reader: _Reader, head: list[Any], items: list[_Item], ruling: Any, end: list[Any]
) -> None:
    first = next(i for i, item in enumerate(items) if item.what == "para")
    lead = [text for item in items[:first] if item.what == "text" for text in item.texts]
    before = [*(line for element in head for line in _head_lines(reader, element)), *lead]
    if before:
        with tree.open("preamble", "1", kind="preamble"):
            for line in before:
                tree.text(line)
    with ExitStack() as sections:
        _write_items(tree, [item for i, item in enumerate(items) if i >= first or item.what == "heading"], sections)
    if ruling is not None:
        _write_ruling(tree, reader, ruling)
    closing = [line for element in end for line in reader.lines(element)]
    if closing:
        with tree.open("closing", "1", kind="closing"):
            for line in closing:
                tree.text(line)
    for n, note in enumerate(reader.notes, 1):
        with tree.open("note", str(n), kind="footnote"):
            tree.text(note)


def _head_lines(reader: _Reader, element: Any) -> list[str]:
    """Return the lines before the contents; the chain of keywords is one line, joined as the file says."""
    lines: list[str] = []
    index = element if element.tag == "INDEX" else element.find(".//INDEX")
    if index is None:
        return list(reader.lines(element))
    words = [fold(reader.line(word)) for word in index.iterfind("KEYWORD")]
    opening, closing = index.get("IDX.OPEN", ""), index.get("IDX.CLOSE", "")
    lines.append(opening + (index.get("SEPARATOR") or " – ").join(words) + closing)
    index.clear()
    return [*reader.lines(element), *lines]


def _write_items(tree: TreeBuilder, items: list[_Item], sections: ExitStack) -> None:
    open_: list[tuple[int, ExitStack]] = []
    headings, costs = 0, False
    for item in items:
        if item.what == "heading":
            while open_ and open_[-1][0] >= item.level:
                open_.pop()[1].close()
            headings += 1
            stack = sections.enter_context(ExitStack())
            number = str(headings)
            stack.enter_context(tree.open("head", number, heading=item.texts[0], absolute=True, kind="division"))
            open_.append((item.level, stack))
            costs = bool(COSTS.match(item.texts[0]))
        elif item.what == "para":
            kind: Kind | None = "costs" if costs else None
            with tree.open("para", str(item.number), label=f"{item.number}.", absolute=True, kind=kind):
                for text in item.texts or ["…"]:
                    tree.text(text)
        else:
            for text in item.texts:
                tree.text(text)


def _write_ruling(tree: TreeBuilder, reader: _Reader, ruling: Any) -> None:
    """Write the operative part; its numbered items are provisions."""
    with tree.open("operative", "1", kind="operative"):
        seen = 0
        for child in ruling:
            numbered = [np for np in child.iter("NP") if np.find("NO.P") is not None]
            if not numbered:
                for line in reader.lines(child):
                    tree.text(line)
            for np in numbered:
                seen += 1
                label = fold(reader.line(np.find("NO.P")))
                with tree.open("item", str(seen), label=label, kind="operative"):
                    for part in np:
                        if part.tag != "NO.P":
                            for line in reader.lines(part):
                                tree.text(line)


def _identity(root: Any, raw: Raw) -> tuple[str, list[str]]:
    """Return the CELEX number and the case numbers, joined cases from the opening words."""
    printed = [fold("".join(e.itertext())) for e in root.iterfind(".//NO.CASE") if _in_bibliography(e)]
    opening = " ".join(fold(" ".join(e.itertext())) for e in root if isinstance(e.tag, str) and e.tag.endswith(".INIT"))
    joined = cases.parse_case_numbers(opening)
    numbers = list(dict.fromkeys(n.text for text in printed for n in cases.parse_case_numbers("Case " + text)))
    if joined and (not numbers or numbers[0] in {n.text for n in joined}):
        numbers = list(dict.fromkeys(n.text for n in joined))
    celex = next((fold(e.text or "") for e in root.iter("NO.CELEX")), "")
    if m := _CELEX.match(celex):
        return f"6{m[1]}{m[2] or 'C'}{m[3]}", numbers
    if numbers:
        return cases.celex_from_case_number(numbers[0], _KINDS[root.tag]), numbers
    raise BadInput(raw.path, "gives neither a CELEX nor a case number", "check that it is a decision of these courts")


def _in_bibliography(element: Any) -> bool:
    return any(str(above.tag).startswith("BIB.") for above in element.iterancestors())


def _ecli(root: Any) -> str | None:
    for element in root.iter("NO.ECLI"):
        if _in_bibliography(element):
            try:
                return cases.normalise_ecli(element.get("ECLI") or element.text or "")
            except ValueError:
                return None
    return None


def _parties(root: Any, reader: _Reader) -> tuple[list[str], str]:
    """Return the parties in bold print, claimants first, and the name of the case."""
    sides = []
    for tag in ("PLAINTIFS", "DEFENDANTS"):
        side = [fold(reader.line(e)).strip(" ,;:") for e in root.iterfind(f".//PARTIES/{tag}//HT[@TYPE='BOLD']")]
        sides.append([party for party in side if len(party) > 1])
    parties = [party for side in sides for party in side]
    named = [side[0] + (" and Others" if len(side) > 1 else "") for side in sides if side]
    return parties, " v ".join(named)


def _language(root: Any, raw: Raw, title_line: str) -> str:
    """Return the language: as the file says, as its name does, or by the first words of the title."""
    said = next((fold(e.text or "").lower() for e in root.iter("LG.DOC")), "")
    if len(said) == 2:
        return said
    if m := _FILE_LANGUAGE.search(raw.path.name):
        return m[1].lower()
    return next((language for words, _, language in TITLES if title_line.upper().startswith(words)), "en")


def _day(iso: str) -> date | None:
    return date(int(iso[:4]), int(iso[4:6]), int(iso[6:])) if len(iso) == 8 and iso.isdigit() else None


formex_judgment = Source(recognises, read, priority=11)
