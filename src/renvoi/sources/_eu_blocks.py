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

_NUMBER = (
    r"(?:\d+(?:\.\d+)*[a-z]{0,2}\.?|\(\d+[a-z]{0,2}\)|\([a-zA-Z]{1,5}\)|[a-zA-Z]\)|\d+[a-z]?\)|[a-zA-Z]\."
    r"|[ivxIVX]+[.)]|\d+°)"
)
_LABEL = re.compile(rf"[{OPENING}]?(?:{_NUMBER}|[—–•·-]|\(?\*+\)?)")
_LABELLED = re.compile(
    rf"(?P<label>[{OPENING}]?(?:\d+(?:\.\d+)*[a-z]{{0,2}}\.|\d+(?:\.\d+)+|\(\d+[a-z]{{0,2}}\)|\([a-z]{{1,5}}\)|[a-z]\)|\d+[a-z]?\)|[—–•-]))"
    r"(?:[\s\u00a0]+|(?<=\))(?=[^\s,.;)]))(?P<rest>\S.*)",
    re.S,
)
_PARAGRAPH = re.compile(
    rf"(?P<label>[{OPENING}]?\d+[a-z]{{0,2}}\.|[{OPENING}]?\(\d+[a-z]{{0,2}}\))[\s\u00a0]+(?P<rest>\S.*)", re.S
)


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
    """Put what follows "… is replaced by the following:" into one quote, from its opening to its closing mark.

    Where the closing mark stands elsewhere (in a footnote), the quote ends before the act's own next article.
    """
    made: list[Block] = []
    own = 0  # number of the act's own article
    i = 0
    while i < len(blocks):
        if not _opens_quote(blocks[i], made[-1] if made else None):
            own = _article_number(blocks[i]) or own
            made.append(blocks[i])
            i += 1
            continue
        stop = next((j for j in range(i + 1, len(blocks)) if _is_own(blocks[j], own)), len(blocks))
        end = next((j + 1 for j in range(i, stop) if _closes_quote(blocks[j])), stop)
        made.append(Block("quote", parts=tuple(blocks[i:end])))
        i = end
    return made


def _article_number(block: Block) -> int:
    found = re.search(r"\d+", block.text) if block.role == "article" else None
    return int(found[0]) if found else 0


def _is_own(block: Block, own: int) -> bool:
    if block.role == "article":
        return first_text(block)[:1] not in tuple(OPENING) and own > 0 and _article_number(block) == own + 1
    return block.role == "closing"


_INTRODUCES = re.compile(
    r"(?:follow(?:ing|s)\b|added|inserted|replaced|amended|folgende|Fassung|angefügt|eingefügt|ersetzt|következő)[^:]*:$"
)
_ENDS_QUOTE = re.compile(rf"[{CLOSING}]\s*(?:[.;,]|; and|, and)?$")


def _opens_quote(block: Block, before: Block | None) -> bool:
    if block.role in ("quote", "note", "deleted", "title") or first_text(block)[:1] not in tuple(OPENING):
        return False
    if block.role == "article":
        return True
    if before is None or before.role not in ("text", "para", "item", "quote"):
        return False
    return before.role == "quote" or bool(_INTRODUCES.search(last_text(before)))


def _closes_quote(block: Block) -> bool:
    """Tell whether a block ends with a closing mark that closes nothing opened in the same printed paragraph."""
    text = last_text(block)
    if not _ENDS_QUOTE.search(text):
        return False
    end = max(text.rfind(mark) for mark in CLOSING)
    inner = max(text.rfind(mark, 1, end) for mark in OPENING)
    return inner < 0 or any(mark in text[inner:end] for mark in CLOSING)
