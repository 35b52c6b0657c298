"""What every EU format is cut into before its tree is built: blocks in document order, nested as printed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

# title           the act's own title, line by line
# division        "CHAPTER I"; division_heading: what it is called
# article         "Article 5"; article_heading
# para            a numbered paragraph: label "1.", its content in parts
# text            one printed paragraph without a number
# item            a member of a list: label "(a)", its content in parts
# table           a table that is no list; its text row by row
# annex           "ANNEX I"; annex_heading
# group           a heading inside an annex
# note            a footnote: label "(1)"
# closing         signatures and what stands with them
# deleted         a mark that something stood here
# quote           what an amending act quotes, in parts
Role = Literal[
    "title", "division", "division_heading", "article", "article_heading", "para", "text", "item", "table", "annex",
    "annex_heading", "group", "note", "closing", "deleted", "quote",
]  # fmt: skip

OPENING, CLOSING = "‘“„«", "’”“»"

_NUMBER = r"(?:\d+(?:\.\d+)*[a-z]{0,2}\.?|\(\d+[a-z]{0,2}\)|\([a-zA-Z]{1,5}\)|[a-zA-Z]\)|\d+[a-z]?\)|[a-zA-Z]\.|[ivxIVX]+[.)]|\d+°)"
_LABEL = re.compile(rf"[{OPENING}]?(?:{_NUMBER}|[—–•·-]|\(?\*+\)?)")
_LABELLED = re.compile(
    rf"(?P<label>[{OPENING}]?(?:\d+(?:\.\d+)*[a-z]{{0,2}}\.|\d+(?:\.\d+)+|\(\d+[a-z]{{0,2}}\)|\([a-z]{{1,5}}\)|[a-z]\)|\d+[a-z]?\)|[—–•-]))"
    r"(?:[\s\u00a0]+|(?<=\))(?=[^\s,.;)]))(?P<rest>\S.*)",
    re.S,
)
_PARAGRAPH = re.compile(rf"(?P<label>[{OPENING}]?\d+[a-z]{{0,2}}\.|[{OPENING}]?\(\d+[a-z]{{0,2}}\))[\s\u00a0]+(?P<rest>\S.*)", re.S)


@dataclass(frozen=True, slots=True)
class Block:
    """One printed block."""

    role: Role
    text: str = ""  # white space as in the source
    label: str = ""
    parts: tuple[Block, ...] = ()


def is_label(text: str) -> bool:
    """Tell whether a cell holds the label of a list item and nothing else: (a), 1., (iv), a dash."""
    return bool(_LABEL.fullmatch(text.strip()))


def split_label(text: str) -> tuple[str, str] | None:
    """Return label and rest of a printed paragraph that begins as a list item: "(a) goods" > ("(a)", "goods")."""
    found = _LABELLED.match(text.strip())
    return (found["label"], found["rest"]) if found else None


def split_paragraph(text: str) -> tuple[str, str] | None:
    """Return number and rest of a printed paragraph that begins as a numbered one: "2. The operator …"."""
    found = _PARAGRAPH.match(text.strip())
    return (found["label"], found["rest"]) if found else None


def first_text(block: Block) -> str:
    """Return the first printed characters of a block."""
    for text in (block.label, block.text):
        if text.strip():
            return text.strip()
    return next((text for part in block.parts if (text := first_text(part))), "")


def last_text(block: Block) -> str:
    """Return the last printed paragraph of a block."""
    for part in reversed(block.parts):
        if text := last_text(part):
            return text
    return block.text.strip()


def fold_quotes(blocks: Sequence[Block]) -> list[Block]:
    """Put what follows "… is replaced by the following:" into one quote, from its opening to its closing mark."""
    made: list[Block] = []
    i = 0
    while i < len(blocks):
        if _opens_quote(blocks[i], made[-1] if made else None):
            end = next((j for j in range(i, len(blocks)) if _closes_quote(blocks[j])), len(blocks) - 1)
            made.append(Block("quote", parts=tuple(blocks[i : end + 1])))
            i = end + 1
        else:
            made.append(blocks[i])
            i += 1
    return made


_INTRODUCES = re.compile(
    r"(?:follow(?:ing|s)\b|added|inserted|replaced|amended|folgende|Fassung|angefügt|eingefügt|ersetzt|következő)[^:]*:$"
)
_ENDS_QUOTE = re.compile(rf"[{CLOSING}]\s*(?:[.;,]|; and|, and)?$")


def _opens_quote(block: Block, before: Block | None) -> bool:
    if block.role in ("note", "deleted") or first_text(block)[:1] not in tuple(OPENING):
        return False
    if block.role == "article":
        return True
    return before is not None and before.role in ("text", "quote") and (
        before.role == "quote" or bool(_INTRODUCES.search(before.text.strip()))
    )


def _closes_quote(block: Block) -> bool:
    return bool(_ENDS_QUOTE.search(last_text(block)))
