"""Plain text with headings: what no other source recognises, in the manner of Danish, German, Polish or English acts.

A line opens a section or article only if its number goes on from the last one and the line before it is finished, so
a reference that the layout has broken ("… fremgår af / § 14, stk. 2, i denne lov.") opens nothing.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import dataclass, field

from renvoi.errors import BadInput, EmptyAct
from renvoi.sources import Raw, Source, _inline
from renvoi.tree import TreeBuilder, fold
from renvoi.types import Document, Finding, SourceFile


@dataclass(frozen=True, slots=True)
class _Manner:
    """How acts of one language open their parts at the beginning of a line."""

    jurisdiction: str
    language: str
    level: str  # of what `opener` opens
    opener: str  # group 1: the label, group 2: its number
    division: str  # group 1: label, 2: word, 3: number, 4: heading
    levels: dict[str, str]  # word of a division, lower case > its level
    style: _inline.Style
    told_by: str  # words that only this language has; counted


_NUMBER = r"(\d+(?:[¹²³⁴⁵⁶⁷⁸⁹⁰]+)?\s?[a-zæøå]{0,2})"
_PLACE = r"(\d+[a-z]?|[IVXLC]+[a-z]?)"
_MANNERS = (
    _Manner(
        "da", "da", "sec", rf"(§ ?{_NUMBER}\.)(?=\s|$)",
        rf"((Kapitel|Afsnit|Bilag) {_PLACE}\.?)(?:[ :–-]+(.*))?$",
        {"kapitel": "chap", "afsnit": "part", "bilag": "annex"},
        _inline.DANISH, r"\bstk\. \d|\bog\b|\baf\b|\bikke\b|[æøå]",
    ),
    _Manner(
        "de", "de", "sec", rf"((?:§|Art\.|Artikel) ?{_NUMBER}\.?)(?=\s|$)",
        rf"((Kapitel|Abschnitt|Teil|Titel|Buch|Anlage) {_PLACE}\.?)(?:[ :–-]+(.*))?$",
        {"kapitel": "chap", "abschnitt": "chap", "teil": "part", "titel": "title", "buch": "book", "anlage": "annex"},
        _inline.GERMAN, r"\bAbs\. \d|\bund\b|\bder\b|\bist\b|\bsind\b|\bnicht\b|[üß]",
    ),
    _Manner(
        "pl", "pl", "art", rf"(Art\. ?{_NUMBER}\.?)(?=\s|$)",
        rf"((Rozdział|Dział|Oddział|Tytuł|Część|Załącznik) {_PLACE}\.?)(?:[ :–-]+(.*))?$",
        {"rozdział": "chap", "dział": "div", "oddział": "subdiv", "tytuł": "title", "część": "part",
         "załącznik": "annex"},
        _inline.POLISH, r"\bust\. \d|\bsię\b|\bpkt\b|\boraz\b|[ąęłńśźż]",
    ),
    _Manner(
        "eu", "en", "art", rf"((?:Article|Art\.|Section|§) ?{_NUMBER}\.?)(?=\s|$)",
        rf"((Chapter|Part|Title|Annex) {_PLACE}\.?)(?:[ :–-]+(.*))?$",
        {"chapter": "chap", "part": "part", "title": "title", "annex": "annex"},
        _inline.ENGLISH, r"\bthe\b|\bof\b|\bshall\b|\band\b",
    ),
)  # fmt: skip
_RANKS = ("book", "part", "title", "div", "chap", "subdiv")
_FINISHED = re.compile(r"(?:^|[.:;)!?”“«»\"'–-])\s*$")
_ABBREVIATED = re.compile(r"\b(?:jf|jfr|stk|nr|art|ust|poz|pkt|Abs|Art|Nr|No|para|cf|zob)\.$")
_ITEM_TAG = re.compile(r"<li\b[^>]*>", re.I)
_TAG = re.compile(r"</?[a-z][^<>]*>", re.I)


def _decode(raw: Raw) -> str:
    for mark, name in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if raw.data.startswith(mark):
            return raw.data.decode(name, "strict")
    try:
        return raw.data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.data[: error.start].count(b"\n") + 1
        raise BadInput(raw.path, f"line {line}: byte {error.start} is not UTF-8", "save the file as UTF-8") from None


def _recognises(data: bytes) -> bool:
    head = data[:200_000]
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        head = head.decode("utf-16", "ignore").encode()
    if b"\0" in head or head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"<", b"{", b"["):
        return False
    # Latin-1 as well: `read` then says which byte is wrong, where "unknown format" would not help.
    text = head.decode("utf-8", "replace") if b"\xc2\xa7" in head or b"\xa7" not in head else head.decode("latin-1")
    return any(re.search(rf"(?m)^[#*\s\ufeff]*{manner.opener}", text) for manner in _MANNERS)


def _manner_of(text: str, jurisdiction: str | None) -> _Manner:
    for manner in _MANNERS:
        if jurisdiction == manner.jurisdiction:
            return manner
    fitting = [m for m in _MANNERS if re.search(rf"(?m)^[#*\s]*{m.opener}", text)]
    return max(fitting or _MANNERS, key=lambda m: len(re.findall(m.told_by, text[:50_000])))


@dataclass(slots=True)
class _Section:
    label: str
    number: str
    heading: str = ""
    lines: list[str] = field(default_factory=list)


def _read(raw: Raw) -> tuple[Document, ...]:
    text = _decode(raw)
    manner = _manner_of(text, raw.jurisdiction)
    slug = re.sub(r"[^0-9a-z]+", "-", raw.path.stem.lower()).strip("-") or "text"
    reader = _Reader(manner, TreeBuilder(f"{manner.jurisdiction}/{slug}", str(raw.path)))
    reader.read(text)
    return (
        Document(
            id=reader.tree.document_id,
            jurisdiction=raw.jurisdiction or manner.jurisdiction,
            language=manner.language,
            kind="act",
            title=reader.title or raw.path.stem,
            short_titles=(),
            date=None,
            text_state="as_enacted",
            source=SourceFile(str(raw.path), raw.sha256, "plain"),
            provisions=reader.tree.provisions(),
            metadata={"text_state": "not stated in the file"},
            findings=tuple(reader.findings),
        ),
    )


class _Reader:
    """Reads the lines of one text into a tree."""

    def __init__(self, manner: _Manner, tree: TreeBuilder) -> None:
        self.manner = manner
        self.tree = tree
        self.title = ""
        self.findings: list[Finding] = []
        self._open: list[tuple[str, ExitStack]] = []
        self._trans = 0
        self._last = ""
        self._section: _Section | None = None
        self._before: list[str] = []  # lines before the first opener
        self._n_headings = 0

    def read(self, text: str) -> None:
        tags = len(_TAG.findall(text))
        if tags:
            self.findings.append(Finding(self.tree.where, "skipped_element", "tags in the text", tags))
        text = _TAG.sub(" ", _ITEM_TAG.sub(" – ", text))
        previous, started, heading_taken = "", False, False
        opener = re.compile(rf"(?:#+ |\*\*)?\s*{self.manner.opener}\**\s*(.*)$")
        division = re.compile(rf"(?:#+ |\*\*)?\s*{self.manner.division}", re.I)
        lines = [fold(line) for line in text.splitlines()]
        for n, line in enumerate(lines):
            if heading_taken and line:
                heading_taken, previous = False, line
                continue
            opened = opener.match(line)
            divided = division.match(line)
            if divided and _FINISHED.search(previous) and not re.match(r"[a-ząćęłńóśźżæøå]", divided[4] or ""):
                heading = (divided[4] or "").strip("* ")
                below = next(filter(None, lines[n + 1 :]), "")
                if not heading and not opener.match(below) and not division.match(below) and len(below) < 150:
                    heading, heading_taken = below.lstrip("# "), bool(below)
                self._divide(divided[1], divided[2], divided[3], heading)
                started = True
            elif opened and self._opens(opened[2], previous):
                self._start(opened[1], opened[2], opened[3].strip("* "))
                started = True
            elif not started:
                self._before.append(line)
            elif line:
                self._add(line)
            previous = line
        self._finish()
        while self._open:
            self._open.pop()[1].close()
        if self._last == "":
            raise EmptyAct(self.tree.where, "no line opens a provision", "check the file, or name its --jurisdiction")

    def _opens(self, number: str, previous: str) -> bool:
        if _ABBREVIATED.search(previous) or not (_FINISHED.search(previous) or self._is_heading(previous)):
            return False
        return not self._last or _order(number) >= _order(self._last) or _order(number)[0] == 1

    def _is_heading(self, line: str) -> bool:
        return len(line) < 80 and not re.search(r"\b(?:i|af|efter|jf|og|w|z|o|i|of|in|the|nach|und|der)$|,$", line)

    def _start(self, label: str, number: str, rest: str) -> None:
        self._finish()
        if self._last and _order(number) < _order(self._last):  # numbering starts again: provisions of another act
            while self._open:
                self._open.pop()[1].close()
            self._trans += 1
            stack = ExitStack()
            stack.enter_context(self.tree.open("trans", str(self._trans), absolute=True, scope=True, kind="division"))
            self._open.append(("trans", stack))
        self._last = number
        self._section = _Section(label, number.replace(" ", ""), lines=[rest] if rest else [])

    def _divide(self, label: str, word: str, number: str, heading: str) -> None:
        self._finish()
        level = self.manner.levels[word.lower()]
        while self._open and (
            self._open[-1][0] not in _RANKS
            or level not in _RANKS
            or _RANKS.index(self._open[-1][0]) >= _RANKS.index(level)
        ):
            self._open.pop()[1].close()
        stack = ExitStack()
        if level == "annex":
            stack.enter_context(
                self.tree.open(level, number, label=label, heading=heading, absolute=True, kind="annex", scope=True)
            )
        else:
            nested = bool(self._open)
            stack.enter_context(
                self.tree.open(level, number, label=label, heading=heading, absolute=not nested, kind="division")
            )
        self._open.append((level, stack))

    def _add(self, line: str) -> None:
        if self._section is not None:
            self._section.lines.append(line)
        else:  # text of a division before its first section: its heading, or an annex's text
            self._n_headings += 1
            with self.tree.open("heading", str(self._n_headings), kind="heading"):
                self.tree.text(line)

    def _finish(self) -> None:
        """Write what stands before the first section, and the section read last."""
        self._write_before()
        section, self._section = self._section, None
        if section is None:
            return
        lines = section.lines
        if (
            self.manner.language in ("en", "de")
            and len(lines) > 1
            and len(lines[0]) < 120
            and not re.search(r"[.;:,]$", lines[0])
            and not re.match(r"[(\d]", lines[0])
        ):
            section.heading, lines = lines[0], lines[1:]
        with self.tree.open(
            self.manner.level, section.number, label=section.label, heading=section.heading, absolute=True
        ):
            root = _inline.split(" ".join(lines), self.manner.style)
            first = next((n for n, child in enumerate(root.children) if child.level == "subsec"), None)
            if first is not None:
                start = _inline.Piece("subsec", "1", "", 0, root.text, root.children[:first])
                root = _inline.Piece("", "", "", -1, "", [start, *root.children[first:]])
            _inline.write(root, self.tree, self.manner.style)
            if re.fullmatch(r"\(?(?:ophævet|uchylony|weggefallen|repealed|deleted)\)?\.?", root.text, re.I):
                self.tree.repealed()

    def _write_before(self) -> None:
        before, self._before = self._before, []
        lines = [line for line in before if line]
        alone = bool(lines) and (
            len(lines) == 1 or lines[0].startswith("#") or before[before.index(lines[0]) + 1] == ""
        )
        if alone and len(lines[0]) < 200 and not re.search(r"[.;:,]$", lines[0]):
            self.title, lines = lines[0].lstrip("# ").strip(), lines[1:]
        if lines:
            with self.tree.open("preamble", "1", absolute=True, kind="preamble"):
                for line in lines:
                    self.tree.text(line)


def _order(number: str) -> tuple[int, str]:
    match = re.match(r"(\d+)(.*)", number.replace(" ", ""))
    return (int(match[1]), match[2]) if match else (0, number)


plain = Source(recognises=_recognises, read=_read, priority=-10)
