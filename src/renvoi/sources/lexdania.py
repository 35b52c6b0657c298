"""LexDania 2.1 XML, the format of Retsinformation (Denmark, 2007 on)."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import ExitStack
from datetime import date
from itertools import islice
from typing import Any

from renvoi.errors import BadInput
from renvoi.sources import Raw, Source, _danish, _xml
from renvoi.tree import TreeBuilder, fold
from renvoi.types import Document, Finding, Kind, SourceFile

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_GROUPS = {"Bog": "book", "Afsnit": "part", "Kapitel": "chap", "ParagrafGruppe": "group"}
_SECTIONS = {"Paragraf", "IkraftCentreretParagraf", "CentreretParagraf", "AendringCentreretParagraf"}
_ANNEX_SECTION = re.compile(r"((?:(?:AFSNIT|Afsnit)\s+)?([A-Z]|[IVX]+)\.?)(?:(?<=\.)\s+(.+))?")
# They hold what they hold and print nothing of their own.
_TRANSPARENT = {
    "DokumentIndhold", "AendringNyTekst", "BilagIndhold", "TekstGruppe", "Rubrica", "Exitus", "Aendring",
    "AendringAktion", "AendringDefinition", "Rykningsklausul", "Segl", "UnderskriftStedDato", "Underskriver",
}  # fmt: skip


def _recognises(data: bytes) -> bool:
    head = data[:6000]
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        head = head.decode("utf-16", "ignore").encode()
    return b"<Dokument" in head and (b"LexDania" in head or b"<DocumentType>" in head)


def _read(raw: Raw) -> tuple[Document, ...]:
    root = _xml.parse_xml(raw.path, raw.data)
    meta = root.find("Meta")
    if root.tag != "Dokument" or meta is None:
        raise BadInput(raw.path, "has no <Meta>, so the act cannot be identified", "fetch the file again")
    year, number = (_meta(meta, name) for name in ("Year", "Number"))
    title = _meta(meta, "DocumentTitle")
    if not (year and number and title):
        raise BadInput(raw.path, "its <Meta> lacks year, number or title", "fetch the file again")
    identity = _danish.identify(_meta(meta, "DocumentType"), year, number)
    reader = _Reader(TreeBuilder(identity.id, str(raw.path)))
    reader.document(root)
    signed = _meta(meta, "DiesSigni")
    document = Document(
        id=identity.id,
        jurisdiction="da",
        language="da",
        kind=identity.kind,
        title=title,
        short_titles=_danish.short_titles(title, _meta(meta, "PopularTitle")),
        date=date.fromisoformat(signed) if signed else None,
        text_state=identity.text_state,
        source=SourceFile(str(raw.path), raw.sha256, "lexdania"),
        provisions=reader.tree.provisions(),
        metadata={
            "accession_number": _meta(meta, "AccessionNumber"),
            "citation": _meta(meta, "DokumentKortNavn"),
            "subtitle": _text(root.find("TitelGruppe/UnderTitel")),
            "status": _meta(meta, "Status"),
            "ministry": _meta(meta, "Ministry"),
            "signatures": [fold(e.text or "") for e in meta.findall("Signature")],
            "notes": dict(reader.note_places),
        },
        findings=tuple(reader.findings(str(raw.path))),
    )
    return (document,)


def _meta(meta: Any, name: str) -> str:
    return fold(meta.findtext(name) or "")


class _Reader:
    """Walks one document; notes are put aside and written at the end, so that they do not cut sentences in two."""

    def __init__(self, tree: TreeBuilder) -> None:
        self.tree = tree
        self.note_places: dict[str, str] = {}  # note > label of the provision it hangs on
        self._notes: list[tuple[Any, str]] = []
        self._place: list[str] = []
        self._items: list[set[str]] = []  # numbers of the items read so far in each open provision
        self._skipped: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._nested_chapters = False
        self._printed: set[str] = set()  # numbers of all sections
        self._in_quotation = False

    def findings(self, where: str) -> list[Finding]:
        return [Finding(where, "skipped_element", tag, n) for tag, n in sorted(self._skipped.items())]

    def document(self, root: Any) -> None:
        numbers = Counter(fold(e.findtext("Explicatus") or "") for e in root.findall("DokumentIndhold//Kapitel"))
        del numbers[""]
        self._nested_chapters = any(n > 1 for n in numbers.values())
        self._printed = {_danish.number_of(e.findtext("Explicatus") or "") for e in root.findall(".//Paragraf")}
        for child in root:
            if child.tag == "Meta":
                continue
            if child.tag == "TitelGruppe":  # the title is metadata; its notes are text
                self._put_notes_aside(child)
            else:
                self._element(child)
        for note, place in self._notes:
            self._note(note, place)

    # --- one element of any kind ---

    def _element(self, e: Any) -> None:
        tag = e.tag
        if tag in _GROUPS:
            self._group(e, _GROUPS[tag])
        elif tag in _SECTIONS:
            self._section(e)
        elif tag == "Stk":
            self._subsection(e)
        elif tag == "Indentatio":
            self._item(e)
        elif tag == "Index":
            self._list(e)
        elif tag == "AendringsNummer":
            self._numbered(e, "point", "point")
        elif tag == "AendringNyTekst" and _text(e):
            self._quotation(e)
        elif tag == "Ikraft":
            self._transition(e)
        elif tag == "Bilag":
            self._annex(e)
        elif tag == "Table":
            self._table(e)
        elif tag in ("Indledning", "Hymne"):
            self._apart(e, "preamble")
        elif tag == "UnderskriftGruppe":
            self._apart(e, "closing")
        elif tag == "Nota":
            self._notes.append((e, self._place[-1] if self._place else ""))
        elif tag in _TRANSPARENT:
            self._children(e)
        else:
            self._unknown(e)

    def _children(self, e: Any) -> None:
        """Read what an element holds: lines become text; lists, tables and notes go their own way."""
        for child in e:
            if child.tag in ("Linea", "Char"):
                self.tree.text(_text(child))
                self._put_notes_aside(child)
            elif child.tag != "Explicatus":
                self._element(child)

    def _unknown(self, e: Any) -> None:
        """Keep the text of an element that has no rule, and say so."""
        self._skipped[e.tag] += 1
        text = _text(e)
        if text and self._place:
            self.tree.text(text)
        elif text:
            self._apart(e, "closing")
        self._put_notes_aside(e)

    def _put_notes_aside(self, e: Any) -> None:
        self._notes += [(note, self._place[-1] if self._place else "") for note in e.iter("Nota")]

    def _enter(self, place: str) -> None:
        self._place.append(place)
        self._items.append(set())

    def _leave(self) -> None:
        self._place.pop()
        self._items.pop()

    # --- divisions ---

    def _group(self, e: Any, level: str) -> None:
        printed = fold(e.findtext("Explicatus") or "")
        headings = [_text(h) for h in e.findall("Rubrica")]
        rest = [child for child in e if child.tag not in ("Explicatus", "Rubrica")]
        for heading in e.findall("Rubrica"):
            self._put_notes_aside(heading)
        if not printed and not any(headings):
            for child in rest:
                self._element(child)
            return
        label, number, heading = _split_label(printed, level)
        if not number:
            level, number = "group", self._next("group")
        absolute = level != "chap" or not self._nested_chapters
        headings = [heading, *headings] if heading else headings
        with self.tree.open(level, number, label=label, heading=" ".join(headings), absolute=absolute, kind="division"):
            self._enter(label or heading)
            for child in rest:
                self._element(child)
            self._leave()

    def _transition(self, e: Any) -> None:
        """Commencement provisions of an amending act, printed after a consolidated one; their § restart."""
        with self.tree.open("trans", self._next("trans"), absolute=True, scope=True):
            self._enter("ikrafttræden")
            self._children(e)
            self._leave()

    def _annex(self, e: Any) -> None:
        printed = fold(e.findtext("Explicatus") or "")
        heading = " ".join(_text(h) for h in e.findall("Rubrica"))
        number = _danish.number_of(printed) or self._next("annex")
        with self.tree.open("annex", number, label=printed, heading=heading, absolute=True, kind="annex", scope=True):
            self._enter(printed)
            with ExitStack() as section:
                for child in e.iterfind("BilagIndhold/TekstGruppe/*"):
                    self._annex_line(child, section)
            for child in e:
                if child.tag not in ("Explicatus", "Rubrica", "BilagIndhold"):
                    self._element(child)
            self._leave()

    def _annex_line(self, e: Any, section: ExitStack) -> None:
        """Read one block of an annex; a line such as "AFSNIT A" or "II. Livsforsikring:" opens a section of it."""
        line = _text(e) if e.find(".//Indentatio") is None and e.find(".//Table") is None else ""
        opener = _ANNEX_SECTION.fullmatch(line)
        if opener is None:
            self._element(e)
            return
        section.close()
        kind: Kind | None = None if opener[3] else "division"
        section.enter_context(self.tree.open("part", opener[2], label=opener[1], kind=kind))
        self._enter(opener[1])
        section.callback(self._leave)
        self.tree.text(opener[3] or "")
        self._put_notes_aside(e)

    def _apart(self, e: Any, level: Any) -> None:
        if not _text(e):
            return
        with self.tree.open(level, self._next(level), absolute=True, kind=level):
            self._enter(level)
            self._children(e)
            self._leave()

    # --- provisions ---

    def _section(self, e: Any) -> None:
        self._numbered(e, "sec", "sec", absolute=True)

    def _subsection(self, e: Any) -> None:
        siblings = [child for child in e.getparent() if child.tag == "Stk"]
        printed = fold(e.findtext("Explicatus") or "")
        if not printed and (len(siblings) == 1 or self._in_quotation and e.getparent().tag == "AendringNyTekst"):
            self._children(e)  # a single unnumbered stk. is the section itself
            return
        position = siblings.index(e) + 1
        self._numbered(e, "subsec", "subsec", fallback=str(position))

    def _list(self, e: Any) -> None:
        """Read a list; a second list that starts again in the same provision gets a level of its own."""
        numbers = {fold(i.findtext("Explicatus") or "") for i in e.findall("Indentatio")} - {"-", ""}
        if not self._items or not numbers & self._items[-1]:
            if self._items:
                self._items[-1] |= numbers
            self._children(e)
            return
        with self.tree.open("list", self._next(f"list in {'/'.join(self._place)}"), kind="division"):
            self._enter("liste")
            self._children(e)
            self._leave()

    def _item(self, e: Any) -> None:
        printed = fold(e.findtext("Explicatus") or "")
        number = _danish.number_of(printed)
        if re.fullmatch(r"\d+[a-zæøå]*", number, re.I):
            level = "point"
        elif re.fullmatch(r"[a-zæøå]{1,2}", number, re.I):
            level = "letter"
        else:
            level = "indent"
        fallback = str([c for c in e.getparent() if c.tag == "Indentatio"].index(e) + 1)
        self._numbered(e, level, level, fallback=fallback)

    def _numbered(self, e: Any, level: str, count_as: str, *, absolute: bool = False, fallback: str = "") -> None:
        printed = fold(e.findtext("Explicatus") or "")
        two_lines = next(islice(e.iter("Linea"), 1, None), None) is not None  # "(Ophævet)" is one
        repealed = not two_lines and _danish.is_repealed(_text(e, labels=False))
        numbers = _danish.expand(printed) if repealed else (_danish.number_of(printed),)
        number = numbers[0].strip("-–·•") or fallback or f"x{self._next(count_as)}"
        with self.tree.open(level, number, label=printed, absolute=absolute):
            self._enter(" ".join([*self._place[-1:], printed]) if level != "sec" else printed)
            self._children(e)
            if repealed:
                self.tree.repealed()
            self._leave()
        for further in numbers[1:]:  # so that a reference into a repealed range finds that it is repealed
            if further in self._printed and level == "sec":
                continue  # the act reuses the number: "§§ 5-8. (Ophævet)" and then "§ 8."
            with self.tree.open(level, further, absolute=absolute, state="repealed"):
                pass

    def _quotation(self, e: Any) -> None:
        number = str(1 + sum(1 for s in e.getparent().itersiblings(preceding=True) if s.tag == "AendringAktion"))
        with ExitStack() as stack:
            stack.enter_context(self.tree.open("quote", number, kind="quotation", state="quoted", scope=True))
            outer, self._in_quotation = self._in_quotation, True
            self._children(e)
            self._in_quotation = outer

    def _table(self, e: Any) -> None:
        heading = " ".join(_text(h) for h in e.findall("Rubrica"))
        parent = self._place[-1] if self._place else ""
        number = self._next(f"table of {parent}")
        with self.tree.open("table", number, heading=heading, kind="table"):
            for child in e:
                if child.tag != "Rubrica":
                    self.tree.text(" ".join(filter(None, (_text(cell) for cell in child.iter("Td")))))
                self._put_notes_aside(child)

    def _note(self, e: Any, place: str) -> None:
        printed = fold(e.findtext("Explicatus") or "")
        number = _danish.number_of(printed) or "x"
        self._counts[f"note {number}"] += 1
        if self._counts[f"note {number}"] > 1:  # numbering restarts
            number = f"{number}-{self._counts[f'note {number}']}"
        self.note_places[f"note_{number}"] = place
        with self.tree.open("note", number, label=printed, absolute=True, kind="footnote"):
            for child in e:
                if child.tag != "Explicatus":
                    self.tree.text(_text(child, notes=True))

    def _next(self, what: str) -> str:
        self._counts[what] += 1
        return str(self._counts[what])


def _split_label(printed: str, level: str) -> tuple[str, str, str]:
    """Return label, number and a heading printed in the label ("A. Almindelige bestemmelser")."""
    inline = re.fullmatch(r"([A-ZÆØÅ]|[IVXL]+(?: [a-z])?)\.\s+(\S.*)", printed)
    if inline and level in ("part", "chap"):
        return inline[1] + ".", inline[1].replace(" ", ""), inline[2]
    number = _danish.number_of(printed)
    return printed, number if re.fullmatch(r"[0-9A-Za-zÆØÅæøå.-]{1,12}", number) else "", ""


def _text(e: Any, *, labels: bool = True, notes: bool = False) -> str:
    """Return the text of an element: lines are parted by a blank, runs of characters within a line are not."""
    if e is None:
        return ""
    parts: list[str] = []
    _collect(e, parts, labels, notes)
    return fold("".join(parts))


def _collect(e: Any, parts: list[str], labels: bool, notes: bool) -> None:
    if (e.tag == "Nota" and not notes) or (e.tag == "Explicatus" and not labels):
        return
    text = e.text or ""
    parts.append(text.translate(_SUPERSCRIPTS) if e.get("formaChar") == "Superscript" else text)
    for child in e:
        _collect(child, parts, labels, notes)
        parts.append(child.tail or "")
    if e.tag not in ("Char",):
        parts.append(" ")


lexdania = Source(recognises=_recognises, read=_read, priority=50)
