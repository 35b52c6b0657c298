"""Running text > the provisions printed in it: "1. … 2. … 1) … 2) … a) …".

A label opens a provision only where the numbering of its level goes on: "2." after "1.", "1a." after "1.", "b)" after
"a)". So "ust. 2." at the end of a sentence, a year, a note mark or "nr. 3)" in brackets open nothing. What stands in
quotation marks opens nothing either.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from renvoi.tree import TreeBuilder


@dataclass(frozen=True, slots=True)
class Label:
    """How the labels of one level look in running text.

    Patterns are read at the label's place; `before` must match the end of the text that precedes a later label,
    `before_first` the one that precedes the first. Group 1 of `pattern` is the number; none where items are dashes.
    """

    level: str
    pattern: str
    before: str
    before_first: str
    first: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Style:
    """The labels of a legal language, outermost first, its quotation marks, and what introduces a quoted provision."""

    labels: tuple[Label, ...]
    quotes: str  # opening and closing mark
    quotation_after: str  # pattern of the text before a quoted provision
    tails: bool = False  # a dash in the last item of a list brings back the sentence of its lead-in


@dataclass(slots=True)
class Piece:
    """A provision found in running text. The root has no label."""

    level: str
    number: str
    label: str
    rank: int
    text: str = ""
    children: list[Piece] = field(default_factory=list)
    until: str = ""  # last number of a range
    tail: str = ""  # what follows the children


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    rank: int
    number: str
    until: str
    label: str


_DANISH_BLOCK = r"(?:^|[.:;)»«”\"])\s*$"
DANISH = Style(
    labels=(
        Label("subsec", r"Stk\.\s?(\d+(?:\s?(?:-|–|og)\s?\d+)?)\.(?=\s)", _DANISH_BLOCK, _DANISH_BLOCK, ("2",)),
        Label("point", r"(?<![\w(§.-])(\d+ ?[a-z]?)\)(?=\s)", r"", r"", ("1",)),
        Label("letter", r"(?<![\w(.-])([a-zæøå])\)(?=\s)", r"", r"", ("a",)),
    ),
    quotes="»«",
    quotation_after=r"(?:affattes således|indsættes[^»]{0,80}):\s*$",
)
_POLISH_STOP = r"(?:^|(?<!ust)(?<!art)(?<!poz)(?<!pkt)(?<!lit)(?<!\b[Nn]r)(?<!\bzd)[.;”)\]])\s*$"
_POLISH_ITEM = r"(?:[,;.”):]|\b(?:oraz|lub|albo|i|bądź|a także|czy))\s*$"
_POLISH_START = r"(?:^|[:–-])\s*$"
POLISH = Style(
    labels=(
        Label("para", r"(?<![\w.])(?:§ )?(\d+[a-z]{0,2})\.(?=\s[A-ZŁŚŻĆŹÓŃĄĘ„(])", _POLISH_STOP, r"^\s*$", ("1",)),
        Label("point", r"(?<![\w(.-])(\d+[a-z]{0,2})\)(?=\s)", _POLISH_ITEM, _POLISH_START, ("1",)),
        Label("letter", r"(?<![\w(.-])([a-z]{1,2})\)(?=\s)", _POLISH_ITEM, _POLISH_START, ("a",)),
        Label("indent", r"(?<=\s)[–-](?=\s)", r"[,;]\s*$", r":\s*$", ("1",)),
    ),
    quotes="„”",
    tails=True,
    quotation_after=r"(?:brzmieni[eu]|dodaje się[^„]{0,120}|wyrazami?)\s*:?\s*$",
)

GERMAN = Style(
    labels=(
        Label("para", r"(?<!\w)\((\d+[a-z]?)\)(?=\s)", r"", r"^\s*$", ("1",)),
        Label("point", r"(?<![\w.(§-])(\d+[a-z]?)\.(?=\s)", r"(?:[,;.:)]|\b(?:und|oder|sowie))\s*$", r":\s*$", ("1",)),
        Label("letter", r"(?<![\w(.-])([a-z]{1,2})\)(?=\s)", r"(?:[,;.:)]|\b(?:und|oder|sowie))\s*$", r":\s*$", ("a",)),
    ),
    quotes="„“",
    quotation_after=r"(?:gefasst|eingefügt|ersetzt|angefügt)\s*:\s*$",
)
_ENGLISH_ITEM = r"(?:[,;.:)]|\b(?:and|or))\s*$"
ENGLISH = Style(
    labels=(
        Label("para", r"(?<![\w.(])(\d+[a-z]?)\.(?=\s+[A-Z(“])", r"(?:^|[.;:)”])\s*$", r"^\s*$", ("1",)),
        Label("point", r"(?<!\w)\(([a-z]{1,2})\)(?=\s)", _ENGLISH_ITEM, r"[:—–-]\s*$", ("a",)),
    ),
    quotes="“”",
    quotation_after=r"(?:the following|replaced by|inserted|added)[^“]{0,60}:\s*$",
)


def split(text: str, style: Style) -> Piece:
    """Return running text as a tree. Joining labels and texts in order gives the text back."""
    tokens = list(_tokens(text, style))
    root = Piece("", "", "", -1)
    stack = [root]
    last: dict[int, str] = {}  # rank > number read last in the open list
    at = 0
    for n, token in enumerate(tokens):
        if not _goes_on(token, tokens[n + 1 :], stack, last, style, text):
            continue
        stack[-1].text = text[at : token.start].strip()
        while stack[-1].rank >= token.rank:
            stack.pop()
        for rank in [r for r in last if r > token.rank]:
            del last[rank]
        level = style.labels[token.rank].level
        number = token.number or str(int(last.get(token.rank, "0")) + 1)
        piece = Piece(level, number, token.label, token.rank, until=token.until)
        stack[-1].children.append(piece)
        stack.append(piece)
        last[token.rank] = token.until or number
        at = token.end
    stack[-1].text = text[at:].strip()
    if style.tails:
        _part_tails(root, style.quotes)
    return root


def _part_tails(piece: Piece, quotes: str) -> None:
    """Give a list its tail back: "… 3) wydaje karty – w terminie 7 dni" where no other item has a dash."""
    items = piece.children
    if len(items) > 1 and items[0].rank > 0 and piece.text.endswith(":"):
        last = items[-1]
        while last.children:
            last = last.children[-1]
        dash = next(reversed(list(re.finditer(r"\s[–-]\s(?=[a-ząćęłńóśźż])(?!w przypadku|zwan)", last.text))), None)
        others = " ".join(text for item in items for text in _texts(item, but=last))
        quoted = dash and any(start < dash.start() < end for start, end in quotations(last.text, quotes))
        if dash and not quoted and not re.search(r"\s[–-]\s", others):
            piece.tail = last.text[dash.start() :].strip()
            last.text = last.text[: dash.start()].strip()
    for item in items:
        _part_tails(item, quotes)


def _texts(piece: Piece, but: Piece) -> Iterator[str]:
    if piece is not but:
        yield piece.text
    for child in piece.children:
        yield from _texts(child, but)


def _tokens(text: str, style: Style) -> Iterator[_Token]:
    """Yield everything outside quotation marks that looks like a label, in order."""
    quoted = quotations(text, style.quotes)
    starts = [start for start, _ in quoted]
    found = []
    for rank, label in enumerate(style.labels):
        for match in re.finditer(label.pattern, text):
            place = bisect_right(starts, match.start()) - 1
            if place >= 0 and match.start() < quoted[place][1]:
                continue
            numbers = re.split(r"-|–|og", re.sub(r"\s", "", match[1])) if match.re.groups else [""]
            until = numbers[1] if len(numbers) > 1 else ""
            found.append(_Token(match.start(), match.end(), rank, numbers[0], until, match[0].strip()))
    yield from sorted(found, key=lambda token: token.start)


def _goes_on(
    token: _Token, later: list[_Token], stack: list[Piece], last: dict[int, str], style: Style, text: str
) -> bool:
    label = style.labels[token.rank]
    before = text[max(0, token.start - 40) : token.start]
    if token.rank in last:
        follows = not token.number or is_next(last[token.rank], token.number)
        return follows and re.search(label.before, before) is not None
    if not token.number:  # dashes: only below an item whose text so far ends in a colon
        return 0 < stack[-1].rank < token.rank and re.search(label.before_first, before) is not None
    if token.number not in label.first or (stack[-1].rank >= token.rank and token.rank > 0):
        return False
    if re.search(label.before_first, before if token.start > 40 else text[: token.start]) is None:
        return False
    if token.rank == 0:
        return True
    for other in later:  # a list has a second item, before the next provision of a higher level
        if other.rank == token.rank and is_next(token.until or token.number, other.number):
            return True
        if other.rank == 0 and other.number and (0 not in last or is_next(last[0], other.number)):
            return False
    return False


def is_next(last: str, number: str) -> bool:
    """Say whether a number follows another in a list.

    >>> is_next("1", "2"), is_next("1", "1a"), is_next("1a", "1b"), is_next("1b", "2"), is_next("h", "i")
    (True, True, True, True, True)
    >>> is_next("1", "3"), is_next("2", "2"), is_next("a", "ab"), is_next("z", "za")
    (False, False, False, True)
    """
    old, new = re.fullmatch(r"(\d*)([^\d]*)", last), re.fullmatch(r"(\d*)([^\d]*)", number)
    if not old or not new:
        return False
    if old[1] and new[1]:
        if int(new[1]) == int(old[1]) + 1:
            return new[2] in ("", "a")
        return int(new[1]) == int(old[1]) and _is_next_letter(old[2], new[2])
    return not old[1] and not new[1] and _is_next_letter(old[2], new[2])


def _is_next_letter(old: str, new: str) -> bool:
    alphabet = "abcdefghijklmnopqrstuvwxyzæøå"
    if not old:
        return new == "a"
    if not new or len(new) > 2:
        return False
    if len(new) > len(old):
        return old == "z" and new in ("za", "aa")
    if len(new) < len(old):
        return False
    step = alphabet.find(new[-1]) - alphabet.find(old[-1])
    return new[:-1] == old[:-1] and 0 < step <= (2 if old[-1] in "iuvp" else 1)


def quotations(text: str, marks: str) -> list[tuple[int, int]]:
    """Return the outermost quotations, end excluded. A mark without its partner quotes nothing."""
    opening, closing = marks[0], marks[1]
    found: list[tuple[int, int]] = []
    open_at: list[int] = []
    for match in re.finditer(f"[{re.escape(marks)}]", text):
        if match[0] == opening:
            open_at.append(match.start())
        elif match[0] == closing and open_at:
            start = open_at.pop()
            while found and found[-1][0] > start:
                found.pop()
            found.append((start, match.end()))
    return found


def write(piece: Piece, tree: TreeBuilder, style: Style) -> None:
    """Add what a piece holds to the open provision of a tree."""
    write_text(piece.text, tree, style)
    for child in piece.children:
        with tree.open(child.level, child.number, label=child.label):
            write(child, tree, style)
    if piece.tail:
        tree.text(piece.tail)


def write_text(text: str, tree: TreeBuilder, style: Style) -> None:
    """Add text; a quoted provision in it becomes a quotation of its own."""
    at, number = 0, 0
    for start, end in quotations(text, style.quotes):
        if start < at or not re.search(style.quotation_after, text[at:start]) or end - start < 25:
            continue
        end += len(re.match(r"\s?[,;.]*", text[end:])[0])  # type: ignore[index]  # always matches
        tree.text(text[at:start])
        number += 1
        with tree.open("quote", str(number), kind="quotation", state="quoted", scope=True):
            tree.text(text[start:end])
        at = end
    tree.text(text[at:])
