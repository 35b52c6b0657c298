"""Lines of a Polish act > its tree: what opens a provision, what only goes on.

A line opens a provision by its label ("Art. 5.", "§ 2.", "3a.", "1)", "a)", "–") and only where its number follows
the one before: "…o których mowa w ust. 1 i" + "2. Organ" is a reference that the layout broke.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from renvoi.errors import EmptyAct
from renvoi.ids import clean_number
from renvoi.sources import _pl
from renvoi.tree import TreeBuilder
from renvoi.types import Finding, Kind

_RANKS = {
    "preamble": 0, "annex": 0, **_pl.RANKS, "heading": 9, "art": 10, "sec": 10, "para": 11, "point": 12, "letter": 13,
    "indent": 14, "dindent": 15,
}  # fmt: skip
_UP = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
_NUMBER = rf"\d+[a-zł]{{0,4}}[{_UP}]*[a-z]?"
_MARK = r"(?:[⁰¹²³⁴⁵⁶⁷⁸⁹]+⁾)?"
_ARTICLE = re.compile(rf"(Art\. ?({_NUMBER})(?: ?[–-] ?({_NUMBER}))?\.?{_MARK})(?:\s+|$)")
_SECTION = re.compile(rf"(§ ?({_NUMBER})(?: ?[–-] ?({_NUMBER}))?\.{_MARK})(?:\s+|$)")
_PARA = re.compile(rf"(({_NUMBER})\.{_MARK})(?:\s+(?=[A-ZĄĆĘŁŃÓŚŹŻ„(\d]|uchylon)|$)")
_POINT = re.compile(rf"(({_NUMBER})\){_MARK})(?:\s+|$)")
_LETTER = re.compile(rf"(([a-z]{{1,3}})\){_MARK})(?:\s+|$)")
_DASH = re.compile(r"((?:[–-] ?){1,2})(?:\s+|$)")
_DIVISION = re.compile(
    rf"((?:CZĘŚĆ|KSIĘGA|TYTUŁ|DZIAŁ|ROZDZIAŁ|ODDZIAŁ|Część|Księga|Tytuł|Dział|Rozdział|Oddział)\s+"
    rf"([IVXLC]+[A-Za-z]{{0,2}}[{_UP}]*|\d+[a-z]{{0,2}}[{_UP}]*|\w+[{_UP}]*)\.?{_MARK})(?:\s+(.*))?"
)
_ANNEX = re.compile(r"(Załącznik(?:\s+nr\s+(\d+[a-z]?))?)(?:\s*[—–]?\s*|$)")
# What a reference that goes on in the next line ends with.
_EXPECTS_NUMBER = re.compile(r"(?:\b(?:art|ust|pkt|lit|nr|Nr|poz|par)\.?|§|[–-])$")
_GOES_ON = re.compile(r"(?:,|\b(?:w|z|i|oraz|lub|albo|do|od|na|o|po|dnia))$")
_ENDS = re.compile(r"[.;:)”\"](?:[⁰¹²³⁴⁵⁶⁷⁸⁹]+⁾)?$")


@dataclass(slots=True)
class _Piece:
    level: str
    number: str
    label: str = ""
    heading: str = ""
    kind: Kind | None = None
    repealed: bool = False
    items: list[str | _Piece] = field(default_factory=list)

    def children(self) -> Iterator[_Piece]:
        return (item for item in self.items if isinstance(item, _Piece))


class Outline:
    """Takes the lines of one act in order and makes its provisions."""

    def __init__(self, where: str, *, hyphenated: frozenset[str] = frozenset()) -> None:
        """Start an act.

        Args:
            where: for messages.
            hyphenated: words the act writes with a hyphen inside a line; other hyphens at line ends are layout.
        """
        self.where = where
        self.findings: list[Finding] = []
        self._hyphenated = hyphenated
        self._stack = [_Piece("", "")]
        self._articles: list[_Piece] = []
        self._sections_are_articles = False
        self._awaits_heading = False
        self._last = ""  # the text just read: does it end, or does it await a number?
        self._line = 0

    def feed(self, text: str, line: int, *, heading_inline: bool = False) -> None:
        """Read one line.

        Args:
            text: folded.
            line: its number in the file, for findings.
            heading_inline: the heading of a division stands in the line of its number.
        """
        self._line = line
        if self._opens_division(text, heading_inline) or self._opens_article(text) or self._opens_annex(text):
            return
        top = self._stack[-1]
        if self._awaits_heading and _RANKS.get(top.level, 99) < 9:
            if text.startswith("("):
                self._say(text)
            else:
                top.heading = self._join(top.heading, text) if top.heading else text
            return
        if self._is_heading(text):
            self._open_heading(text)
        elif len(self._stack) == 1:
            self._open("preamble", "1" if not self._articles else "2", kind="preamble")
            self._say(text)
        elif self._within("art", "sec", "annex"):
            self._inside(text)
        else:
            self._say(text)

    def note(self, number: str, label: str, text: str) -> None:
        """Add a footnote; it stands at the end of the act."""
        self._stack[0].items.append(_Piece("note", number, label, kind="footnote", items=[text]))

    def build(self, tree: TreeBuilder) -> None:
        """Open everything in a tree.

        Raises:
            EmptyAct: no article was found.
        """
        if not self._articles:
            raise EmptyAct(
                self.where, "no article found", "an act has lines that start like 'Art. 1.' (or '§ 1.' in an order)"
            )
        root = self._stack[0]
        notes = [item for item in root.items if isinstance(item, _Piece) and item.level == "note"]
        root.items = [item for item in root.items if item not in notes] + list(notes)
        _emit(tree, root, _restarting(root))

    # What opens.

    def _opens_division(self, text: str, heading_inline: bool) -> bool:
        found = _DIVISION.fullmatch(text)
        if (
            not found
            or (found[3] and not heading_inline and not found[3].startswith("("))
            or _EXPECTS_NUMBER.search(self._last)
        ):
            return False
        word = found[2]
        if not (re.fullmatch(rf"[IVXLC]+[A-Za-z]{{0,2}}[{_UP}]*|\d.*", word) or _pl.division_number(word)):
            return False
        level = _pl.division_level(text)
        assert level is not None
        rest = found[3] or ""
        number = _pl.division_number(word) or clean_number(word)
        self._open(level, number, label=found[1], kind="division")
        self._awaits_heading = not rest
        if rest.startswith("("):
            self._say(rest)
        else:
            self._stack[-1].heading = rest
        return True

    def _opens_article(self, text: str) -> bool:
        found = _ARTICLE.match(text)
        level = "art"
        if not found and (self._sections_are_articles or not self._articles):
            found, level = _SECTION.match(text), "sec"
        if not found or _EXPECTS_NUMBER.search(self._last):
            return False
        in_annex = self._within("annex")
        if in_annex and not found[3] and self._reopens_act(level, found[2], found[1]):
            if text[found.end() :]:
                self._inside(text[found.end() :], fresh=True)
            return True
        before = self._articles[-1].number if self._articles and not in_annex else ""
        if before and _key(found[2]) <= _key(before):
            self._find("number_out_of_order", found[1])
            return False
        if before and _key(found[2])[0] > _key(before)[0] + 1:
            self._find("gap_in_numbering", f"{before} > {found[2]}")
        self._sections_are_articles = level == "sec"
        self._open(level, found[2], label=found[1])
        first = self._stack[-1]
        self._articles.append(first)
        rest = text[found.end() :]
        if found[3]:
            first.repealed = True
            self._say(rest)
            for number in _expand(found[2], found[3])[1:]:
                self._open(level, number)
                self._stack[-1].repealed = True
                self._articles.append(self._stack[-1])
        elif rest:
            self._inside(rest, fresh=True)
        return True

    def _reopens_act(self, level: str, number: str, label: str) -> bool:
        """Open an article that stands after the annexes where it belongs: between two articles with a gap for it."""
        before = [p for p in self._articles if _key(p.number) < _key(number)]
        after = [p for p in self._articles if _key(p.number) > _key(number)]
        if not before or not after or any(p.number == number for p in self._articles):
            return False
        follows = min(after, key=lambda p: _key(p.number))
        parents = _way_to(self._stack[0], follows)
        piece = _Piece(level, number, label)
        parents[-1].items.insert(next(n for n, item in enumerate(parents[-1].items) if item is follows), piece)
        self._articles.insert(self._articles.index(follows), piece)
        self._stack = [*parents, piece]
        self._last = ""
        self._find("moved_article", f"{label} stands after the annexes")
        return True

    def _opens_annex(self, text: str) -> bool:
        found = _ANNEX.match(text)
        if not found or not self._articles or not (_ENDS.search(self._last) or self._within("annex")):
            return False
        rest = text[found.end() :]
        if rest and not found[2] and rest[:1].islower() and not rest.startswith("do "):
            return False
        number = found[2] or str(1 + sum(p.level == "annex" for p in self._stack[0].children()))
        if any(p.level == "annex" and p.number == number for p in self._stack[0].children()):
            return False
        self._open("annex", number, label=found[1], kind="annex")
        if rest:
            self._say(rest)
        return True

    def _inside(self, text: str, fresh: bool = False) -> None:
        """Read text within an article: the labels below it, then running text."""
        for pattern, level in ((_SECTION, "para"), (_PARA, "para"), (_POINT, "point"), (_LETTER, "letter")):
            found = pattern.match(text)
            if found and self._accepts(level, found[2], fresh):
                self._open(level, found[2], label=found[1])
                self._last = ""
                if text[found.end() :]:
                    self._inside(text[found.end() :], fresh=True)
                return
        dash = _DASH.match(text)
        if dash and not fresh and self._dash(dash[1], text[dash.end() :]):
            return
        self._say(text)

    def _accepts(self, level: str, number: str, fresh: bool) -> bool:
        """Tell whether a label opens a provision where it stands."""
        if _EXPECTS_NUMBER.search(self._last) or (level == "para" and _GOES_ON.search(self._last)):
            return False
        parent = next(p for p in reversed(self._stack) if _RANKS.get(p.level, 0) < _RANKS[level])
        siblings = [p for p in parent.children() if p.level == level]
        if level == "para" and parent.level == "annex" and not siblings and not number.startswith("1"):
            return False
        if not siblings:
            first = number in ("1", "a") if level != "para" else number == "1"
            # The label of the first one may be missing: "Art. 5. Text." and then "§ 2."
            second = level == "para" and number == "2" and parent.level != "annex" and bool(_ENDS.search(self._last))
            return first or fresh or second or (level == "point" and self._last.endswith(":"))
        before, now = _key(siblings[-1].number), _key(number)
        if now <= before:
            return False
        if now[0] - before[0] > 1:
            ended = _ENDS.search(self._last) or (level != "para" and _GOES_ON.search(self._last))
            if not ended or now[0] - before[0] > 12:
                return False
            self._find("gap_in_numbering", f"{self._place()}: {siblings[-1].number} > {number}")
        return True

    def _dash(self, label: str, rest: str) -> bool:
        """Read a line that starts with a dash: a tiret, or what is common to the items before it."""
        top = self._stack[-1]
        if top.level not in ("point", "letter", "indent", "dindent") and not self._last.endswith(":"):
            return False
        level = "dindent" if len(re.findall("[–-]", label)) == 2 else "indent"
        if self._last.endswith(":") or (
            top.level == level and re.search(r"(?:,|;|\b(?:i|lub|albo|oraz))$", self._last)
        ):
            parent = next(p for p in reversed(self._stack) if _RANKS.get(p.level, 0) < _RANKS[level])
            number = 1 + sum(p.level == level for p in parent.children())
            self._open(level, str(number), label=label.strip())
            self._last = ""
            if rest:
                self._say(rest)
            return True
        parent = self._stack[-2]
        if sum(p.level == top.level for p in parent.children()) < 2:
            return False
        self._stack.pop()
        self._stack[-1].items.append(f"{label.strip()} {rest}".strip())
        self._last = rest or "–"
        return True

    # Headings and text.

    def _is_heading(self, text: str) -> bool:
        if text.startswith("(oznaczenie"):
            return True
        is_capitals = text.isupper() and sum(map(str.isalpha, text)) >= 5
        return is_capitals and bool(self._articles) and (bool(_ENDS.search(self._last)) or self._within("heading"))

    def _open_heading(self, text: str) -> None:
        if self._stack[-1].level == "heading":
            self._say(text)
            return
        scope = next((p for p in self._stack if p.level == "annex"), self._stack[0])
        n = 1 + sum(p.level == "heading" for p in _walk(scope))
        self._open("heading", str(n), kind="heading")
        self._say(text)

    def _say(self, text: str) -> None:
        if not text:
            return
        top = self._stack[-1]
        if top.items and isinstance(top.items[-1], str):
            top.items[-1] = self._join(top.items[-1], text)
        else:
            top.items.append(text)
        self._last = text
        if _pl.is_repealed(text) and len(top.items) == 1 and not _is_partly(text):
            top.repealed = True
            contained = re.search(rf"zawierając[yae] art\. ({_NUMBER})(?: ?[–-] ?({_NUMBER}))?", text)
            if contained and top.kind == "division":
                self._add_repealed(contained[1], contained[2] or contained[1])

    def _add_repealed(self, first: str, last: str) -> None:
        """Add the articles that a repealed division says it held."""
        for number in _expand(first, last):
            if all(_key(number) > _key(p.number) for p in self._articles[-1:]):
                piece = _Piece("art", number, repealed=True)
                self._stack[-1].items.append(piece)
                self._articles.append(piece)

    def _join(self, before: str, text: str) -> str:
        """Join two lines; a hyphen at the end of the first is layout unless the act writes the word with it."""
        if re.search(r"\w-$", before) and re.match(r"[a-ząćęłńóśźż-]", text):
            if text.startswith("-"):
                return before + text[1:]
            head, tail = re.search(r"(\w+)-$", before), re.match(r"\w+", text)
            assert head and tail
            return before + text if f"{head[1]}-{tail[0]}".lower() in self._hyphenated else before[:-1] + text
        if re.search(r"\d[–-]$", before) and text[:1].isdigit():
            return before + text
        return f"{before} {text}"

    def _open(self, level: str, number: str, *, label: str = "", kind: Kind | None = None) -> None:
        while len(self._stack) > 1 and _RANKS[self._stack[-1].level] >= _RANKS[level]:
            self._stack.pop()
        piece = _Piece(level, number, label, kind=kind)
        self._stack[-1].items.append(piece)
        self._stack.append(piece)
        self._last = ""
        self._awaits_heading = False

    def _within(self, *levels: str) -> bool:
        return any(p.level in levels for p in self._stack)

    def _place(self) -> str:
        return " ".join(p.label for p in self._stack if _RANKS.get(p.level, 0) >= 10)

    def _find(self, kind: str, note: str) -> None:
        self.findings.append(Finding(f"{self.where}, line {self._line}", kind, note))


def _emit(tree: TreeBuilder, piece: _Piece, nested: frozenset[str]) -> None:
    for item in piece.items:
        if isinstance(item, str):
            tree.text(item)
            continue
        absolute = item.level in ("art", "sec", "heading", "note") or (
            item.level in _pl.RANKS and item.level not in nested
        )
        with tree.open(
            item.level, item.number, label=item.label, heading=item.heading, kind=item.kind, absolute=absolute,
            scope=item.level == "annex",
        ):  # fmt: skip
            _emit(tree, item, nested)
            if item.repealed:
                tree.repealed()


def _way_to(piece: _Piece, wanted: _Piece) -> list[_Piece]:
    """Return the pieces from `piece` down to the parent of `wanted`, or nothing."""
    for child in piece.children():
        if child is wanted:
            return [piece]
        way = _way_to(child, wanted)
        if way:
            return [piece, *way]
    return []


def _restarting(root: _Piece) -> frozenset[str]:
    """Return the levels of divisions whose numbers restart: their paths hold the division above."""
    counts = Counter((p.level, p.number) for p in _walk(root) if p.level in _pl.RANKS)
    return frozenset(level for (level, _), n in counts.items() if n > 1)


def _walk(piece: _Piece) -> Iterator[_Piece]:
    for child in piece.children():
        yield child
        yield from _walk(child)


def _is_partly(text: str) -> bool:
    """Tell whether only a part of the whole (a heading, a word) is repealed."""
    return text.startswith("(oznaczenie")


def _key(number: str) -> tuple[int, tuple[tuple[int, int, str], ...]]:
    """Return what numbers are ordered by: 18, 18a, 18¹, 18¹ᵃ, 18², 19; letters by the alphabet."""
    clean = clean_number(number)
    digits = re.match(r"\d+", clean)
    if not digits:
        return (ord(clean[0]) if clean else 0, ((1, 0, clean[1:]),) if clean[1:] else ())
    parts = re.findall(r"[a-zł]+|\d+", clean[digits.end() :])
    return int(digits[0]), tuple((0, int(p), "") if p.isdigit() else (1, 0, p.replace("ł", "l~")) for p in parts)


def _expand(first: str, last: str) -> list[str]:
    """Return the numbers of a range: the whole ones, and both ends as written."""
    low, high = _key(first)[0], _key(last)[0]
    return list(dict.fromkeys([first, *(str(n) for n in range(low + 1, high + 1)), last]))
