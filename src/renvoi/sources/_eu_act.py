"""Blocks of an EU act > its tree.

Where a numbered paragraph (or an article, or a point) holds several unnumbered paragraphs, each is a `subpar` and
has the points that follow it; where it holds one, the paragraph itself has the text and the points.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from renvoi.sources._eu_annex import nest, read_group, split_group
from renvoi.sources._eu_blocks import Block, fold_quotes, split_label, split_paragraph
from renvoi.tree import TreeBuilder, fold
from renvoi.types import Kind, Provision, State

_DIVISIONS = {
    "part": "PART|TEIL|RÉSZ", "title": "TITLE|TITEL|CÍM", "chap": "CHAPTER|KAPITEL|FEJEZET",
    "subsect": "SUB-?SECTION|UNTERABSCHNITT|ALSZAKASZ", "sect": "SECTION|ABSCHNITT|SZAKASZ",
}  # fmt: skip
_RANKS = {"part": 0, "title": 1, "chap": 2, "sect": 3, "subsect": 4}
_DIVISION = {
    level: re.compile(
        rf"(?:(?:{names})\s+(?P<after>[IVXLC]+[a-z]?|\d+[a-z]?|[A-Z])\b|(?P<before>[IVXLC]+|\d+)\.\s*(?:{names})\b)",
        re.I,
    )
    for level, names in _DIVISIONS.items()
}
_ARTICLE = re.compile(r"(\d+\s?[a-z]{0,3})\b", re.I)
_BINDING = re.compile(
    r"This (?:Regulation|Decision) shall be binding in its entirety|Done at\b"
    r"|Diese Verordnung ist in allen ihren Teilen"
    r"|Geschehen zu|Ez a rendelet teljes egészében kötelező|Kelt\b"
)
_DASHES = "—–-•·*"


@dataclass(slots=True)
class Node:
    """A provision in the making: its text and children in document order."""

    level: str
    number: str
    label: str = ""
    heading: str = ""
    kind: Kind | None = None
    absolute: bool = False
    scope: bool = False
    state: State | None = None
    parts: list[str | Node] = field(default_factory=list)


def build(document_id: str, where: str, blocks: Sequence[Block]) -> tuple[tuple[Provision, ...], Counter[str]]:
    """Return the provisions of an act, and what a reader should know, by kind.

    Raises:
        EmptyAct: there is no article or annex, or one has no text.
    """
    found: Counter[str] = Counter()
    builder = _Act(found)
    nodes = builder.read(blocks)
    _settle(nodes, Counter(), found)
    tree = TreeBuilder(document_id, where)
    for node in nodes:
        _write(tree, node)
    return tree.provisions(), found


def _settle(nodes: Sequence[str | Node], taken: Counter[str], found: Counter[str]) -> None:
    """Number dotted points ("1.4.1.") apart where an annex has one twice: they stand under the annex itself."""
    for node in nodes:
        if isinstance(node, str):
            continue
        if node.absolute and node.level == "point":
            taken[node.number] += 1
            if (n := taken[node.number]) > 1:
                node.number = f"{node.number}-bis{n}"
                found["repeated_number"] += 1
        _settle(node.parts, Counter() if node.scope else taken, found)


def _write(tree: TreeBuilder, node: Node) -> None:
    with tree.open(
        node.level, node.number, label=node.label, heading=node.heading, absolute=node.absolute, kind=node.kind,
        state=node.state, scope=node.scope,
    ):  # fmt: skip
        for part in node.parts:
            if isinstance(part, str):
                tree.text(part)
            else:
                _write(tree, part)


class _Act:
    """Reads the top of an act: preamble, divisions, articles, closing, annexes, notes."""

    def __init__(self, found: Counter[str]) -> None:
        self.found = found
        self.top: list[Node] = []
        self.notes: Counter[str] = Counter()

    def read(self, blocks: Sequence[Block]) -> list[Node]:
        blocks = fold_quotes(blocks)
        start = next((i for i, b in enumerate(blocks) if b.role in ("division", "article", "annex")), len(blocks))
        self._preamble([b for b in blocks[:start] if b.role != "title"])
        numbers = Counter(_read_division(b.text) for b in blocks if b.role == "division")
        # Consolidated texts have all notes at their end: those are the act's, not its last annex's.
        notes_at_end = next((b.role for b in blocks if b.role in ("note", "annex")), "") == "annex"
        stack: list[Node] = []  # open divisions
        i = start
        while i < len(blocks):
            block = blocks[i]
            end = _end_of_unit(blocks, i, notes_at_end)
            if block.role == "division":
                self._division(block, blocks[i + 1 : end], stack, numbers)
            elif block.role == "article":
                self._article(block, blocks[i + 1 : end], stack)
            elif block.role == "annex":
                stack.clear()
                self.top.append(self._annex(block, blocks[i + 1 : end]))
            elif block.role == "note":
                self._place(self._note(block), [])
            else:
                self._closing(blocks[i:end])
            i = end
        return self.top

    def _place(self, node: Node, stack: list[Node]) -> None:
        if stack:
            stack[-1].parts.append(node)
        else:
            self.top.append(node)

    def _preamble(self, blocks: Sequence[Block]) -> None:
        node = Node("preamble", "1", kind="preamble")
        n_whereas = 0
        for block in blocks:
            label, parts = block.label, list(block.parts)
            if block.role == "text" and (split := split_paragraph(block.text)) and split[0].startswith("("):
                label, parts = split[0], [Block("text", split[1])]
            if re.fullmatch(r"\(\d+[a-z]?\)|\d+\.", label.strip()) and block.role in ("item", "text", "para"):
                node.parts.append(Node("rec", label, label=label, kind="recital", absolute=True, parts=[_flat(parts)]))
            elif re.match(r"Whereas\s+\S", fold(block.text)) and len(block.text) > 40:
                n_whereas += 1
                node.parts.append(Node("rec", str(n_whereas), kind="recital", absolute=True, parts=[block.text]))
            elif block.role == "note":
                node.parts.append(self._note(block))
            else:
                node.parts.append(_flat([block]))
        if any(not isinstance(part, str) or fold(part) for part in node.parts):
            self.top.append(node)

    def _division(
        self, block: Block, rest: Sequence[Block], stack: list[Node], numbers: Counter[tuple[str, str]]
    ) -> None:
        level, number = _read_division(block.text)
        while stack and _RANKS[stack[-1].level] >= _RANKS[level]:
            stack.pop()
        heading = " ".join(fold(b.text) for b in rest if b.role == "division_heading")
        absolute = level not in ("sect", "subsect") and numbers[level, number] == 1
        node = Node(level, number, fold(block.text), heading, "division", absolute)
        node.parts.extend(self._content([b for b in rest if b.role != "division_heading"]))
        self._place(node, stack)
        stack.append(node)

    def _article(self, block: Block, rest: Sequence[Block], stack: list[Node]) -> None:
        rest, closing = _split_closing(rest)
        self._place(self._read_article(block, rest), stack)
        if closing:
            self._closing(closing)

    def _read_article(self, block: Block, rest: Sequence[Block]) -> Node:
        number = _ARTICLE.search(block.text)
        heading = " ".join(fold(b.text) for b in rest if b.role == "article_heading")
        node = Node("art", number[1] if number else "1", fold(block.text), heading, absolute=True)
        node.parts = self._paragraphs([b for b in rest if b.role != "article_heading"])
        if not node.parts and any(b.role == "deleted" for b in rest):
            node.state = "repealed"
        return node

    def _paragraphs(self, blocks: Sequence[Block]) -> list[str | Node]:
        """Read what stands in an article: numbered paragraphs with what follows each, or content without numbers."""
        cut: list[tuple[str, list[Block]]] = [("", [])]
        for block in fold_quotes(blocks):
            if block.role == "para":
                cut.append((block.label, list(block.parts)))
            elif block.role == "text" and (split := split_paragraph(block.text)) and _continues(split[0], cut[-1][0]):
                cut.append((split[0], [Block("text", split[1])]))
            else:
                cut[-1][1].append(block)
        parts = self._content(cut[0][1])
        taken: Counter[str] = Counter()
        for label, content in cut[1:]:
            number = label.strip(" .()‘“„«\u00a0\n\t")
            node = Node("para", self._apart(number, taken), label, parts=self._content(content))
            if not node.parts:
                node.state = "repealed"
                self.found["deleted_paragraph"] += 1
            parts.append(node)
        return parts

    def _content(
        self, blocks: Sequence[Block], *, annex: bool = False, taken: Counter[str] | None = None
    ) -> list[str | Node]:
        """Read texts, lists, tables and quotes of one container; several texts become subparagraphs."""
        groups: list[tuple[str, list[Block]]] = []
        for block in fold_quotes(blocks):
            if block.role == "deleted":
                continue
            if block.role not in ("item", "table", "quote", "note") and (not groups or not _goes_on(block, groups[-1])):
                groups.append((block.text, []))
                if block.parts:
                    groups[-1][1].extend(block.parts)
            else:
                if not groups:
                    groups.append(("", []))
                groups[-1][1].append(block)
        n_texts = sum(1 for text, _ in groups if fold(text))
        parts: list[str | Node] = []
        taken = Counter() if taken is None else taken
        flat = n_texts < 2 or (annex and _all_apart(b for _, members in groups for b in members))
        n = taken["subpar"]
        for text, members in groups:
            if n_texts < 2:
                parts += [text] if fold(text) else []
                parts += self._members(members, taken, annex)
                continue
            n += 1
            if not fold(text):
                parts += self._members(members, taken, annex)
                n -= 1
            elif flat:
                parts.append(Node("subpar", str(n), parts=[text]))
                parts += self._members(members, taken, annex)
            else:
                parts.append(Node("subpar", str(n), parts=[text, *self._members(members, Counter(), annex)]))
        taken["subpar"] = n
        return parts

    def _members(self, blocks: Sequence[Block], taken: Counter[str], annex: bool) -> list[str | Node]:
        made: list[str | Node] = []
        for block in blocks:
            if block.role == "item":
                made.append(self._item(block, taken, annex))
            elif block.role == "table":
                taken["table"] += 1
                made.append(Node("table", str(taken["table"]), kind="table", parts=[block.text]))
            elif block.role == "quote":
                taken["quote"] += 1
                made.append(self._quote(block, str(taken["quote"])))
            elif block.role == "note":
                made.append(self._note(block))
            elif fold(block.text):
                made.append(block.text)
        return made

    def _item(self, block: Block, taken: Counter[str], annex: bool) -> Node:
        label = fold(block.label)
        if label.strip("()‘“„« ") in tuple(_DASHES) or set(label.strip("()")) == {"*"}:
            taken["indent"] += 1
            node = Node("indent", str(taken["indent"]), label)
        else:
            number = label.strip("()‘“„«.°")
            absolute = annex and "." in number
            node = Node("point", self._apart(number, taken), label, absolute=absolute)
        node.parts = self._content(nest(block.parts) if annex else block.parts, annex=annex)
        if not node.parts:
            node.state = "repealed"
            self.found["empty_point"] += 1
        return node

    def _quote(self, block: Block, number: str) -> Node:
        node = Node("quote", number, kind="quotation", state="quoted", scope=True)
        cut: list[tuple[Block | None, list[Block]]] = [(None, [])]
        for part in block.parts:
            if part.role == "article":
                cut.append((part, []))
            else:
                cut[-1][1].append(part)
        for article, content in cut:
            if article is not None:
                node.parts.append(self._read_article(article, _unquote(content)))
            else:
                node.parts.extend(self._paragraphs(_unquote(content)))
        return node

    def _closing(self, blocks: Sequence[Block]) -> None:
        texts = [_flat([b]) for b in blocks if b.role != "note"]
        if any(fold(text) for text in texts):
            self.notes["closing"] += 1
            self.top.append(
                Node("closing", str(self.notes["closing"]), kind="closing", absolute=True, parts=list(texts))
            )
        for block in blocks:
            if block.role == "note":
                self.top.append(self._note(block))

    def _annex(self, block: Block, rest: Sequence[Block]) -> Node:
        number = re.sub(r"^\W*(?:ANNEX(?:ES)?|ANHANG|MELLÉKLET)\b\s*", "", fold(block.text), flags=re.I).strip(" .‘")
        number = re.split(r"\s", number)[0] if number else ""
        if not number:
            self.notes["annex"] += 1
            number = str(self.notes["annex"])
        rest = list(rest)
        headings = []
        while rest and (
            rest[0].role in ("annex_heading", "title") or rest[0].role == "group" and read_group(rest[0].text) is None
        ):
            headings.append(fold(rest.pop(0).text))
        node = Node("annex", number, fold(block.text), " ".join(headings), "annex", absolute=True, scope=True)
        node.parts = self._groups(nest(rest))
        return node

    def _groups(self, blocks: Sequence[Block]) -> list[str | Node]:
        """Read the content of an annex or of a group in it: content first, then groups with theirs."""
        parts: list[str | Node] = []
        content: list[Block] = []
        taken: Counter[str] = Counter()
        for block in blocks:
            if block.role != "group":
                content.append(block)
                continue
            parts += self._content(content, annex=True, taken=taken)
            content = []
            level, number = read_group(block.text) or ("group", str(taken["group"] + 1))
            taken["group"] += level == "group"
            absolute = level == "point" and "." in number
            label, heading, inner_blocks = split_group(block)
            inner = self._groups(inner_blocks)
            node = Node(level, self._apart(number, taken), label, heading, None, absolute, level != "point")
            if level != "point" and inner:
                node.kind = "division"
            if inner:
                node.parts = inner
            else:
                node.kind, node.label, node.heading, node.parts = "heading", "", "", [block.text]
            parts.append(node)
        return parts + self._content(content, annex=True, taken=taken)

    def _note(self, block: Block) -> Node:
        label = fold(block.label)
        number = label.strip("() ") or str(self.notes.total() + 1)
        number = self._apart(number, self.notes)
        return Node("note", number, label, kind="footnote", absolute=True, parts=[block.text])

    def _apart(self, number: str, taken: Counter[str]) -> str:
        """Return the number, made different where it stands a second time."""
        taken[number] += 1
        if taken[number] == 1:
            return number
        self.found["repeated_number"] += 1
        return f"{number}-bis{taken[number]}"


def _end_of_unit(blocks: Sequence[Block], start: int, notes_at_end: bool) -> int:
    """Return where the unit that begins at `start` ends."""
    ends = {"division", "article", "annex", "closing"}
    if blocks[start].role == "note":
        return start + 1
    if blocks[start].role == "closing":
        return next(
            (j for j in range(start + 1, len(blocks)) if blocks[j].role in ("division", "article", "annex", "note")),
            len(blocks),
        )
    ends_here = ends if blocks[start].role != "annex" else {"annex"}
    note_ends = blocks[start].role != "annex" or notes_at_end
    return next(
        (
            j
            for j in range(start + 1, len(blocks))
            if blocks[j].role in ends_here or (note_ends and blocks[j].role == "note")
        ),
        len(blocks),
    )


def _split_closing(blocks: Sequence[Block]) -> tuple[Sequence[Block], Sequence[Block]]:
    for i, block in enumerate(blocks):
        if (
            block.role == "text"
            and _BINDING.match(fold(block.text))
            and any(b.role != "article_heading" for b in blocks[:i])
        ):
            return blocks[:i], blocks[i:]
    return blocks, ()


def _read_division(text: str) -> tuple[str, str]:
    folded = fold(text)
    for level, pattern in _DIVISION.items():
        if found := pattern.search(folded):
            return level, found["after"] or found["before"]
    return "title", re.sub(r"\W+", "", folded)[:40] or "1"


def _continues(label: str, before: str) -> bool:
    """Tell whether a number can be the next paragraph's: paragraphs are numbered upwards, from 1."""
    digits = re.findall(r"\d+", label)
    last = re.findall(r"\d+", before)
    return (
        label.rstrip().endswith(".")
        and (not last or 0 <= int(digits[0]) - int(last[0]) < 10)
        or (label.startswith("(") and not last and digits[0] == "1" or before.startswith("(") and label.startswith("("))
    )


def _goes_on(block: Block, group: tuple[str, list[Block]]) -> bool:
    """Tell whether a text goes on with the sentence that a list interrupted."""
    return block.role == "text" and bool(group[1]) and fold(block.text)[:1].islower()


def _all_apart(blocks: Iterable[Block]) -> bool:
    labels = [fold(b.label) for b in blocks if b.role == "item" and fold(b.label) not in tuple(_DASHES)]
    return len(labels) == len(set(labels))


def _flat(blocks: Iterable[Block]) -> str:
    return " ".join(" ".join(filter(None, (b.label, b.text, _flat(b.parts)))) for b in blocks)


def _unquote(blocks: Sequence[Block]) -> list[Block]:
    """Read the numbers at the beginning of quoted texts: they number nothing in this act but are labels there."""
    made = []
    for block in blocks:
        split = split_label(block.text) if block.role == "text" else None
        if split and not re.fullmatch(r"\W?\d+[a-z]?\.", split[0]):
            made.append(Block("item", label=split[0], parts=(Block("text", split[1]),)))
        else:
            made.append(block)
    return made
