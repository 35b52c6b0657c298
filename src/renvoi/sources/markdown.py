"""German federal acts as Markdown (a heading a section, lists nested by indentation, front matter above).

Bullets with an asterisk are tables and lists of the converter: text of the provision they stand in. Divisions count
from one again in each division above, so their paths are nested; sections count through the act.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date

from renvoi.errors import BadInput
from renvoi.sources import Raw, Source
from renvoi.tree import TreeBuilder, fold
from renvoi.types import Document, Finding, Kind, SourceFile, State

_HEADING = re.compile(r"(#{2,6})\s+(.*)")
_SECTION = re.compile(r"((?:§|Art\.?|Artikel)\s*(\d+\s?[a-z]?))(?:\s+(.*))?$")
_RANGE = re.compile(r"\(XXXX\)\s*(§§\s*(\d+)\s?([a-z]?)\s+(?:bis|und)\s+(\d+)\s?([a-z]?))\s*(.*)$")
_GONE = re.compile(r"\(?(?:weggefallen|aufgehoben)\)?\.?$")
_PARAGRAPH = re.compile(r"\((\d+[a-z]?)\)(?:\s+|$)")
# The text stands in the fourth column: one blank is left behind "10." and "1a.".
_ITEM = re.compile(
    r"( *)(\d+[a-z]*\.|[a-z]{1,3}\)|[–-])"
    r"(?: {2,}|(?<=\w\w[.)]) (?!Janu|Febr|März|Apr|Mai|Jun|Jul|Aug|Sept|Okt|Nov|Dez)|$)"
)
_BARE_ITEM = re.compile(r" *(?:\d+[a-z]*\.|[a-z]{1,3}\))\s*")
_BULLET = re.compile(r"( *)(?:\*(?:\s+|$))+")
_NOTE = re.compile(r"\[\^([\w.-]+)\]:\s*")
_NOTE_MARK = re.compile(r"\[\^[\w.-]+\]")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_DIVISION = re.compile(r"(?:([\wäöü]+)\s+)?(Buch|Teil|Titel|Untertitel|Kapitel|Unterkapitel|Abschnitt|Unterabschnitt)"
                       r"\b\s*([0-9IVX]+[a-z]?)?")  # fmt: skip
_LEVELS = {"Buch": "book", "Teil": "part", "Titel": "title", "Untertitel": "subtitle", "Kapitel": "chap",
           "Unterkapitel": "subchap", "Abschnitt": "sect", "Unterabschnitt": "subsect"}  # fmt: skip
_DEEPEST = 6
_ORDINALS = {
    word: str(n)
    for n, word in enumerate(
        "Erst Zweit Dritt Viert Fünft Sechst Siebent Acht Neunt Zehnt Elft Zwölft Dreizehnt Vierzehnt".split(), 1
    )
}


def _recognises(data: bytes) -> bool:
    head = data[:30_000].decode("utf-8", errors="ignore")
    return "jurabk:" in head[:2000] and re.search(r"(?m)^#{2,6} (?:§|Art)", head) is not None


def _read(raw: Raw) -> tuple[Document, ...]:
    try:
        text = raw.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(raw.path, f"byte {error.start} is not UTF-8", "save the file as UTF-8") from None
    lines = text.splitlines()
    start = next((n for n, line in enumerate(lines) if _HEADING.match(line)), len(lines))
    head = "\n".join(lines[:start])
    slug = re.search(r"(?m)^slug: *(\S+)", head)
    short = re.search(r"(?m)^jurabk: *(.+)", head)
    title = re.search(r"(?m)^# (.+)", head)
    if not slug or not short or not title:
        raise BadInput(raw.path, "its front matter lacks slug, jurabk or title")
    issued = re.search(r"Ausfertigungsdatum\s*\n:\s*(\d{4}-\d{2}-\d{2})", head)
    reader = _Reader(TreeBuilder(f"de/{slug[1]}", str(raw.path)))
    reader.notes_of(lines[:start])
    reader.read(lines[start:])
    name = re.sub(r"\s*\([^()]*\)\s*$", "", fold(title[1]))
    abbreviation = re.search(r"\(([^()]+)\)\s*$", title[1])
    shorts = dict.fromkeys(filter(None, (re.sub(r"\s\d{4}$", "", short[1].strip()), short[1].strip(),
                                         abbreviation and abbreviation[1])))  # fmt: skip
    return (
        Document(
            id=reader.tree.document_id,
            jurisdiction="de",
            language="de",
            kind="act",
            title=name,
            short_titles=tuple(str(s) for s in shorts),
            date=date.fromisoformat(issued[1]) if issued else None,
            text_state="consolidated",
            source=SourceFile(str(raw.path), raw.sha256, "markdown"),
            provisions=reader.tree.provisions(),
            metadata={"head": fold(head)},
            findings=tuple(reader.findings(str(raw.path))),
        ),
    )


@dataclass(slots=True)
class _Open:
    """A provision that is open: its depth (of a heading) or its indentation (of an item), and its labels so far."""

    level: str
    depth: int
    stack: ExitStack
    items: set[str] = field(default_factory=set)


class _Reader:
    """Reads the lines below the front matter."""

    def __init__(self, tree: TreeBuilder) -> None:
        self.tree = tree
        self._divisions: list[_Open] = []
        self._section: _Open | None = None
        self._items: list[_Open] = []  # paragraph (indentation -1) and items in it
        self._buffer: list[str] = []
        self._notes: list[tuple[str, str]] = []
        self._counts: dict[str, int] = {}

    def findings(self, where: str) -> list[Finding]:
        return [
            Finding(where, "skipped_element", what, n)
            for what, n in self._counts.items()
            if what in ("image", "empty footnote") and n
        ]

    def notes_of(self, lines: list[str]) -> None:
        """Put the footnotes among lines aside."""
        self._take_notes(lines)

    def read(self, lines: list[str]) -> None:
        blank = True
        for line in self._take_notes(lines):
            self._count("image", len(_IMAGE.findall(line)))
            line = _IMAGE.sub(" ", _NOTE_MARK.sub(" ", line)).rstrip()
            heading = _HEADING.match(line)
            if heading:
                self._head(len(heading[1]), _unescape(heading[2]))
                blank = True
            elif line.strip():
                self._line(line, blank)
                blank = _BARE_ITEM.fullmatch(line) is not None  # "1." alone: "a)" may follow on the next line
            else:
                blank = True
        self._close_section()
        while self._divisions:
            self._divisions.pop().stack.close()
        self._counts["empty footnote"] = sum(1 for _, text in self._notes if not fold(text))
        for n, (_, text) in enumerate((note for note in self._notes if fold(note[1])), 1):
            with self.tree.open("note", str(n), absolute=True, kind="footnote"):
                self.tree.text(_unescape(text))

    def _take_notes(self, lines: list[str]) -> list[str]:
        kept: list[str] = []
        inside = False
        for line in lines:
            note = _NOTE.match(line)
            if note:
                self._notes.append((note[1], line[note.end() :]))
                inside = True
            elif inside and line.startswith(" ") and line.strip():
                name, text = self._notes[-1]
                self._notes[-1] = (name, f"{text} {line}")
            elif line.strip() or not inside:
                inside = False
                kept.append(line)
        return kept

    def _count(self, what: str, n: int = 1) -> int:
        self._counts[what] = self._counts.get(what, 0) + n
        return self._counts[what]

    # --- headings ---

    def _head(self, depth: int, text: str) -> None:
        self._close_section()
        section, gone = _SECTION.match(text), _RANGE.match(text)
        if section or gone:
            in_annex = bool(self._divisions) and self._divisions[-1].level == "annex"
            # Markdown has six depths: at the last one a section may stand as deep as the division it belongs to.
            limit = depth + (depth == _DEEPEST)
            while not in_annex and self._divisions and self._divisions[-1].depth >= limit:
                self._divisions.pop().stack.close()
        if gone:
            self._repealed_range(gone)
        elif section:
            heading = section[3] or ""
            state: State | None = "repealed" if _GONE.match(heading) else None
            stack = ExitStack()
            stack.enter_context(
                self.tree.open("sec", section[2], label=section[1], heading=heading, absolute=True, state=state)
            )
            self._section = _Open("sec", -2, stack)
        else:
            self._divide(depth, text)

    def _repealed_range(self, match: re.Match[str]) -> None:
        first, last = int(match[2]), int(match[4])
        if first == last and match[3]:
            numbers = [f"{first}{chr(c)}" for c in range(ord(match[3]), ord(match[5] or match[3]) + 1)]
        else:
            numbers = [f"{first}{match[3]}", *map(str, range(first + 1, last)), f"{last}{match[5]}"]
        for n, number in enumerate(numbers):
            label, heading = ("", "") if n else (f"(XXXX) {match[1]}", match[6])
            with self.tree.open("sec", number, label=label, heading=heading, absolute=True, state="repealed"):
                pass

    def _divide(self, depth: int, text: str) -> None:
        label, _, heading = text.partition(" - ")
        kind: Kind = "division"
        named = _DIVISION.match(label)
        below = named is not None and _LEVELS[named[2]].startswith("sub")
        while self._divisions and (
            self._divisions[-1].depth > depth
            or (self._divisions[-1].depth == depth and not (below and not self._divisions[-1].level.startswith("sub")))
        ):
            self._divisions.pop().stack.close()
        word = re.match(r"(Anlage|Anhang)\s*(\d+[a-z]?|[IVX]+)?\b", text)
        scope = False
        if word:
            level, kind, scope = "annex", "annex", True
            number = word[2] or str(self._count("annex"))
            label, heading = word[0].strip(), text[word.end() :].strip()
        elif re.match(r"(Eingangsformel|Präambel|Inhaltsübersicht|Schlussformel)", text):
            level, kind = ("closing", "closing") if text.startswith("Schluss") else ("preamble", "preamble")
            number, label, heading = str(self._count(level)), "", text
        elif named and (named[3] or named[1]):
            level = _LEVELS[named[2]]
            number = named[3] or _ordinal(named[1] or "") or str(self._count(f"{level} {len(self._divisions)}"))
            label, heading = (label, heading) if heading else (named[0].strip(), text[named.end() :].strip(" -"))
        else:
            level, number = "group", str(self._count("group"))
            label, heading = (label, heading) if heading else ("", text)
        stack = ExitStack()
        absolute = not self._divisions or level in ("annex", "group", "preamble", "closing")
        stack.enter_context(
            self.tree.open(level, number, label=label, heading=heading, absolute=absolute, kind=kind, scope=scope)
        )
        self._divisions.append(_Open(level, depth, stack))

    # --- lines of a section ---

    def _line(self, line: str, after_blank: bool) -> None:
        indent = len(line) - len(line.lstrip(" "))
        bullet = _BULLET.match(line)
        item = _ITEM.match(line) if after_blank and not bullet else None
        paragraph = _PARAGRAPH.match(line) if after_blank and not bullet else None
        if after_blank or item:
            self._flush()
            self._leave(indent, item is not None or paragraph is not None)
        if paragraph and self._section is not None and not any(i.depth >= 0 for i in self._items):
            while self._items:
                self._items.pop().stack.close()
            self._enter("para", paragraph[1], f"({paragraph[1]})", -1)
            self._buffer.append(line[paragraph.end() :])
        elif item and (self._section is not None or self._divisions):
            label = item[2]
            number = label.rstrip(".)")
            level = "point" if label.endswith(".") else "letter" if label.endswith(")") else "indent"
            self._enter(level, number if level != "indent" else "", label, indent)
            self._buffer.append(line[item.end() :])
        else:
            self._buffer.append(line[bullet.end() :] if bullet else line)

    def _leave(self, indent: int, opens: bool) -> None:
        """Close the items that a line at this indentation does not belong to."""
        while self._items and self._items[-1].depth >= 0 and (
            indent < self._items[-1].depth + 2 if not opens else indent <= self._items[-1].depth
        ):  # fmt: skip
            self._items.pop().stack.close()

    def _enter(self, level: str, number: str, label: str, depth: int) -> None:
        parent = self._items[-1] if self._items else self._section or self._divisions[-1]
        stack = ExitStack()
        number = number or str(sum(1 for item in parent.items if item.startswith("indent")) + 1)
        key = f"{level} {number}"
        if key in parent.items:  # a second list in the same provision
            n = sum(1 for item in parent.items if item.startswith("list")) + 1
            parent.items = {item for item in parent.items if item.startswith("list")} | {f"list {n}"}
            parent.stack.enter_context(self.tree.open("list", str(n + 1), kind="division"))
        parent.items.add(key)
        stack.enter_context(self.tree.open(level, number, label=label))
        self._items.append(_Open(level, depth, stack))

    def _flush(self) -> None:
        text, self._buffer = _unescape(" ".join(self._buffer)), []
        if not fold(text):
            return
        if self._section is not None or self._items or self._divisions:
            self.tree.text(text)
        else:
            with self.tree.open("preamble", str(self._count("preamble")), absolute=True, kind="preamble"):
                self.tree.text(text)

    def _close_section(self) -> None:
        self._flush()
        while self._items:
            self._items.pop().stack.close()
        if self._section is not None:
            self._section.stack.close()
            self._section = None


def _ordinal(word: str) -> str:
    return _ORDINALS.get(re.sub(r"(?:e|er|es|en)$", "", word).replace("Siebt", "Siebent"), "")


def _unescape(text: str) -> str:
    return re.sub(r"\\([\\.*_#>\[\]()-])", r"\1", text).replace("**", "")


markdown = Source(recognises=_recognises, read=_read, priority=20)
