"""EUR-Lex XHTML: acts of the Official Journal and consolidated texts, with the publisher's classes."""

from __future__ import annotations

import re
from datetime import date

from lxml import etree

from renvoi.errors import EmptyAct
from renvoi.sources import Raw, Source
from renvoi.sources._eu_document import make
from renvoi.sources._eu_html import BlockReader, parse
from renvoi.tree import fold
from renvoi.types import Document

_CLASSES = re.compile(
    rb'class="(?:oj-)?(?:normal|doc-ti|ti-art|hd-ti|hd-oj)"|class="(?:norm|title-article-norm|title-doc-first|reference)"'
)
_CONSOLIDATED = re.compile(r"0?(\d{4}[A-Z]{1,2}\d{4}).{1,4}([A-Z]{2}).{1,4}(\d{2})\.(\d{2})\.(\d{4})")
_JUDGMENT = re.compile(rb'class="(?:coj-|count)|C0[1-9]\w*AltN|ECLI:EU:[CT]:')


def recognises(data: bytes) -> bool:
    """Tell by the publisher's classes; judgments have classes of their own."""
    head = data[:20_000]
    return b"<html" in head and bool(_CLASSES.search(data[:60_000])) and not _JUDGMENT.search(head)


def read(raw: Raw) -> tuple[Document, ...]:
    """Return the act of a page.

    Raises:
        EmptyAct: the page has no article or annex with text.
        BadInput: the page is cut off, or its act cannot be told from title or head line.
    """
    where = str(raw.path)
    root = parse(raw.data, where)
    body = root.find(".//body")
    if body is None or not fold("".join(body.itertext())):
        raise EmptyAct(where, "the page has no body", "fetch it again")
    title = _read_title(body)
    language, celex, on = _read_head(root)
    reader = BlockReader()
    blocks = reader.read(body)
    if not any(block.role in ("article", "annex") for block in blocks):
        raise EmptyAct(
            where, "no article and no annex found", "check that the page is an act, not a notice or error page"
        )
    return (make(raw, "eurlex_xhtml", title, language, blocks, reader.left_out, celex=celex, consolidated_on=on),)


def _read_title(body: etree._Element) -> str:
    lines: list[str] = []
    for element in body.iter("p"):
        classes = (element.get("class") or "").replace("oj-", "").split()
        if set(classes) & {"doc-ti", "title-doc-first", "title-doc-last"}:
            line = fold(re.sub(r"[▼►]\s?[A-Z]\d*|◄", "", "".join(element.itertext())))
            if line in lines or re.match(r"\W*(ANNEX|ANHANG|MELLÉKLET)\b", line, re.I):
                break
            lines.append(line)
        elif lines and "modref" not in classes and fold("".join(element.itertext())):
            break
    return fold(" ".join(lines))


def _read_head(root: etree._Element) -> tuple[str, str, date | None]:
    """Return language, CELEX number and date of consolidation as far as the head lines have them."""
    for element in root.iter("p"):
        classes = (element.get("class") or "").replace("oj-", "").split()
        text = fold("".join(element.itertext()))
        if "reference" in classes and (found := _CONSOLIDATED.search(text)):
            on = date(int(found[5]), int(found[4]), int(found[3]))
            return found[2].lower(), "3" + found[1], on
        if "hd-lg" in classes and text:
            return text.lower(), "", None
    return "en", "", None


eurlex_xhtml = Source(recognises, read, priority=10)
