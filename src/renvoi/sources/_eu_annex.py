"""The inner order of annexes and of flat old pages: numbers at the beginning of texts open points and groups."""

from __future__ import annotations

import re
from collections.abc import Sequence

from renvoi.sources._eu_blocks import Block, split_label
from renvoi.tree import fold

_GROUP = re.compile(
    r"(?:(?P<word>Section|Part|Chapter|Abschnitt|Teil|Kapitel)\s+(?P<of>[IVX]+|\d+|[A-Z])\b"
    r"|(?P<letter>[A-Z])\.\s|(?P<roman>[IVX]+)\.\s|(?P<decimal>\d+(?:\.\d+)*)\.?\s)",
    re.I,
)
_WORDS = {"section": "sect", "abschnitt": "sect", "part": "part", "teil": "part", "chapter": "chap", "kapitel": "chap"}


def read_group(text: str) -> tuple[str, str] | None:
    """Return level and number of a heading in an annex, or None where it has no number.

    >>> read_group("Section A — Providers"), read_group("B.  Indicators"), read_group("4. Control"), read_group("Aims")
    (('sect', 'A'), ('sect', 'B'), ('point', '4'), None)
    """
    found = _GROUP.match(fold(text) + " ")
    if not found:
        return None
    if found["word"]:
        return _WORDS[found["word"].lower()], found["of"]
    if found["decimal"]:
        return "point", found["decimal"]
    number = found["roman"] or found["letter"]
    return ("sect", number) if number.isupper() else None


def split_group(block: Block) -> tuple[str, str, tuple[Block, ...]]:
    """Return label, heading and content of a group; a heading without a number right below a number is the number's."""
    text = fold(block.text)
    found = _GROUP.match(text + " ")
    label = re.match(r"[\s.:—–-]*", text[found.end() :]) if found and read_group(text) else None
    end = found.end() + label.end() if found and label else 0
    parts = block.parts
    groups = [part for part in parts if part.role == "group"]
    if end >= len(text) and len(groups) == 1 and groups[0] is parts[0] and read_group(groups[0].text) is None:
        return text, fold(groups[0].text), (*groups[0].parts, *parts[1:])
    return text[:end].strip(), text[end:].strip(), parts


def nest(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks with what a number governs put into it: groups into groups, points into points.

    A label of a kind that is open already closes down to it; a new kind goes deeper. So "1." "(a)" "(i)" "(b)" "2."
    is read without indentation.
    """
    root: list[Block] = []
    open_: list[tuple[str, Block, list[Block]]] = []  # scheme, block, its parts so far

    def close(depth: int) -> None:
        while len(open_) > depth:
            _, block, parts = open_.pop()
            target = open_[-1][2] if open_ else root
            target.append(Block(block.role, block.text, block.label, tuple(parts)))

    def depth_of(scheme: str) -> int | None:
        return next((d for d, (other, _, _) in enumerate(open_) if other == scheme), None)

    for block in blocks:
        if block.role == "group":
            scheme = _group_scheme(block.text)
            depth = depth_of(scheme)
            if depth is None:  # a heading never stands inside a point
                depth = next((d for d, (_, b, _) in enumerate(open_) if b.role != "group"), len(open_))
            close(depth)
            open_.append((scheme, block, []))
            continue
        split = split_label(block.text) if block.role == "text" else None
        if split is None and block.role != "item":
            while open_ and open_[-1][1].role == "item" and open_[-1][0].startswith("="):
                close(len(open_) - 1)
            (open_[-1][2] if open_ else root).append(block)
            continue
        label, inner = (split[0], [Block("text", split[1])]) if split else (block.label, list(block.parts))
        before = next((b.label for s, b, _ in reversed(open_) if b.role == "item"), "")
        scheme = _scheme(label, before, [s.lstrip("=") for s, _, _ in open_])
        depth = next((d for d, (other, _, _) in enumerate(open_) if other.lstrip("=") == scheme), None)
        close(len(open_) if depth is None else depth)
        # "=": an item with cells of its own, so that unnumbered text after it is not part of it
        open_.append((scheme if split else "=" + scheme, Block("item", label=label), inner))
    close(0)
    return root


def _group_scheme(text: str) -> str:
    read = read_group(text)
    if read is None:
        return "group:"
    level, number = read
    return f"decimal{number.count('.')}" if level == "point" else f"group:{level}"


def _scheme(label: str, before: str, open_: Sequence[str]) -> str:
    """Return the kind of a label; (i) after (h) is a letter, otherwise a roman number."""
    inner = label.strip("‘“„« ()")
    if inner in "—–-•·":
        return "dash"
    if re.fullmatch(r"\d+(\.\d+)*[a-z]*\.?", inner) and not label.strip("‘“„« ").startswith("("):
        return f"decimal{inner.strip('.').count('.')}"
    if inner[:1].isdigit():
        return "(1)"
    inner = inner.strip(".)")
    if re.fullmatch(r"[ivxl]+", inner):
        previous = before.strip("‘“„« ().")
        follows = len(inner) == 1 and len(previous) == 1 and ord(inner) == ord(previous) + 1
        if not follows or (previous in "ivxl" and "roman" in open_):
            return "roman"
    return "letter"
