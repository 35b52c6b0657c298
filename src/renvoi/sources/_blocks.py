"""A page of HTML > its blocks of text in order, nothing lost: what the readers of judgments work on."""

from __future__ import annotations

import html as html_module
import re
from dataclasses import dataclass, field
from typing import Any

from lxml import html

from renvoi.tree import fold

_BLOCK_TAGS = frozenset(
    "p div table tbody thead tr td th h1 h2 h3 h4 h5 h6 li ul ol dl dt dd hr br body center blockquote section".split()
)
_SKIPPED_TAGS = frozenset(["script", "style", "head", "title", "meta", "link", "col"])
_BOLD = frozenset(["b", "strong"])
_POINT = re.compile(r"point(\d+)$")


@dataclass(slots=True)
class Block:
    """A stretch of text between two block elements, white space folded."""

    css: str  # class of the nearest element that has one, "" if none
    text: str
    point: int | None = None  # N of an anchor "pointN" inside
    marks: tuple[str, ...] = ()  # other anchors inside
    in_table: bool = False
    bold: tuple[str, ...] = ()  # the stretches printed bold
    all_bold: bool = False


@dataclass(slots=True)
class _Walk:
    blocks: list[Block] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    bold: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    point: int | None = None
    plain: bool = False  # something not bold was said
    escaped: int = 0  # blocks whose ampersands were escaped twice


def read_page(data: bytes) -> Any:
    """Return the parsed page; its bytes are UTF-8 unless it says otherwise."""
    head = data[:2000].lower()
    encoding = "windows-1252" if b"charset=windows-1252" in head or b"charset=iso-8859-1" in head else "utf-8"
    return html.document_fromstring(data, parser=html.HTMLParser(encoding=encoding))


def read_blocks(page: Any) -> tuple[list[Block], int]:
    """Return the blocks of a parsed page in order, and in how many of them `&amp;amp;` was repaired.

    The texts together are the page's text. Scripts and the head of the page are not text.
    """
    walk = _Walk()
    _visit(page, walk, "", False, False)
    _flush(walk, "", False)
    return walk.blocks, walk.escaped


def _visit(element: Any, walk: _Walk, css: str, in_table: bool, bold: bool) -> None:
    tag = element.tag
    if not isinstance(tag, str) or tag in _SKIPPED_TAGS:
        return
    is_block = tag in _BLOCK_TAGS
    own = (element.get("class") or "").replace("coj-", "")
    if is_block:
        _flush(walk, css, in_table)
        if own or tag == "hr":
            css = own or "hr"
        in_table = in_table or tag == "td"
    bold = bold or tag in _BOLD or "bold" in own.split()
    for name in (element.get("id"), element.get("name")):
        if name:
            point = _POINT.match(name)
            if point:
                walk.point = int(point[1])
            elif name not in walk.marks:
                walk.marks.append(name)
    _say(walk, element.text, bold)
    for child in element:
        _visit(child, walk, css, in_table, bold)
        _say(walk, child.tail, bold)
    if is_block:
        _flush(walk, css, in_table)


def _say(walk: _Walk, text: str | None, bold: bool) -> None:
    if not text:
        return
    walk.texts.append(text)
    if text.strip():
        if bold:
            walk.bold.append(fold(text))
        elif re.search(r"\w", text):
            walk.plain = True


def _repaired(text: str) -> str:
    return (
        re.sub(r"&(amp|lt|gt|quot|#\d{1,5}|nbsp);", lambda m: html_module.unescape(m[0]), text) if "&" in text else text
    )


def _flush(walk: _Walk, css: str, in_table: bool) -> None:
    raw = "".join(walk.texts)
    text = fold(_repaired(raw))
    if text:
        walk.escaped += text != fold(raw)
        bold = tuple(_repaired(b) for b in walk.bold)
        walk.blocks.append(
            Block(css, text, walk.point, tuple(walk.marks), in_table, bold, bool(bold) and not walk.plain)
        )
        walk.point = None
        walk.marks = []
    walk.texts, walk.bold, walk.plain = [], [], False
