"""EUR-Lex HTML without classes for provisions: pages up to about 2004, early consolidated texts, proposals.

The lines of a page are told apart by how they begin ("Article 5", "1.", "(a)"), so indentation plays no part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date

from lxml import etree

from renvoi.errors import BadInput, EmptyAct
from renvoi.sources import Raw, Source
from renvoi.sources._eu_annex import nest
from renvoi.sources._eu_blocks import Block, Role, split_paragraph
from renvoi.sources._eu_document import make
from renvoi.sources._eu_html import parse
from renvoi.tree import fold
from renvoi.types import Document

_ARTICLE = re.compile(r"(?:(?:Article|Artikel|ARTICLE|Sole Article)\s*\d*\s?[a-z]?|\d+\.\s*cikk)(?:\s*\(\d+\))?")
_DIVISION = re.compile(
    r"(?:PART|TITLE|CHAPTER|SUB-?SECTION|SECTION|TEIL|TITEL|KAPITEL|ABSCHNITT|UNTERABSCHNITT)\s+"
    r"(?:[IVXLC]+|\d+|[A-Z])[a-z]?",
    re.I,
)
_ANNEX = re.compile(r"(?:ANNEX|ANHANG)(?:\s+(?:[IVXLC]+|\d+|[A-Z]))?", re.I)
_CLOSING = re.compile(
    r"This (?:Regulation|Decision) shall be binding in its entirety|Done at\b|Geschehen zu\b|Diese Verordnung ist "
    r"in allen"
)
_NOTE = re.compile(r"\(\s*(\d+|\*+)\s*\)\s*(.+)", re.S)
_REFERENCE = re.compile(r"0?(\d{4}[A-Z]{1,2}\d{4}).{1,4}([A-Z]{2}).{1,4}(\d{2})\.(\d{2})\.(\d{4})")
_MARKS = re.compile(r"[▼►]\s?[A-Z]\d*|◄")
_DELETED = re.compile(r"[—–_]{3,}")
_PROPOSAL = re.compile(r"\b(COM|JOIN)\((\d{4})\)\s*(\d+)")
_COM_CLASSES: dict[str, Role] = {
    "Titrearticle": "article", "SectionTitle": "division", "Annexetitre": "annex", "Applicationdirecte": "closing",
    "Fait": "closing", "Institutionquisigne": "closing", "Personnequisigne": "closing", "Fichefinanciretitre": "annex",
}  # fmt: skip


def recognises(data: bytes) -> bool:
    """Tell by the marks of the three kinds; pages with the publisher's classes are read by `eurlex_xhtml`."""
    head = data[:30_000]
    if b"<html" not in head[:2_000].lower() or re.search(
        rb'class="(?:oj-)?(?:ti-art|doc-ti|title-doc-first|norm)"', head
    ):
        return False
    return (
        b'id="TexteOnly"' in data[:60_000]
        or b'class="Titrearticle"' in data
        or bool(re.search(r"\d{4}[A-Z]\d{4} — [A-Z]{2} — ".encode(), head))
    )


def read(raw: Raw) -> tuple[Document, ...]:
    """Return the act of a page.

    Raises:
        EmptyAct: no line opens an article.
        BadInput: the page is cut off, or its number cannot be told.
    """
    where = str(raw.path)
    root = parse(raw.data, where)
    body = root.find(".//body")
    if body is None:
        raise EmptyAct(where, "the page has no body", "fetch it again")
    left_out: Counter[str] = Counter()
    if b'class="Titrearticle"' in raw.data:
        return (_read_proposal(raw, body, left_out),)
    main = body.find(".//*[@id='TexteOnly']")
    language = (root.get("lang") or "en").lower()
    celex, on, title = "", None, ""
    if main is not None:
        celex = next(
            (fold(h.text or "") for h in body.iter("h1") if re.fullmatch(r"\d{5}[A-Z]\d{4}", fold(h.text or ""))), ""
        )
        title = next((fold("".join(e.itertext())) for e in body.iter("strong")), "")
        left_out["page_furniture"] += 1
        lines = list(_lines(main))
    else:
        lines = list(_lines(body))
        found = next((m for line in lines[:5] if (m := _REFERENCE.search(fold(line)))), None)
        if found is None:
            raise BadInput(
                where, "no head line with number and date", "check that it is a consolidated text of EUR-Lex"
            )
        celex, language = "3" + found[1], found[2].lower()
        on = date(int(found[5]), int(found[4]), int(found[3]))
        lines, title = _after_front(lines, left_out)
    blocks = list(_blocks(lines, left_out))
    if not any(block.role == "article" for block in blocks):
        raise EmptyAct(where, "no line opens an article", "check that the page is an act, not a notice or error page")
    return (make(raw, "eurlex_html", title, language, blocks, left_out, celex=celex, consolidated_on=on),)


def _lines(element: etree._Element) -> Iterator[str]:
    """Yield the printed lines: the text of each innermost block, and the stray text around blocks."""
    run = [element.text or ""]
    for child in element:
        inline = not isinstance(child.tag, str) or child.tag in _INLINE
        if inline and not (isinstance(child.tag, str) and child.find(".//p") is not None):
            if isinstance(child.tag, str):
                run.append(" " if child.tag == "br" else "".join(child.itertext()))
            run.append(child.tail or "")
            continue
        if fold("".join(run)):
            yield "".join(run)
        yield from _lines(child)
        run = [child.tail or ""]
    if fold("".join(run)):
        yield "".join(run)


_INLINE = {"span", "a", "i", "b", "em", "strong", "sup", "sub", "u", "br", "font", "small", "img"}


def _after_front(lines: list[str], left_out: Counter[str]) -> tuple[list[str], str]:
    """Return the lines after the title page of a consolidated text, and the title, which stands on both."""
    first = next((i for i, line in enumerate(lines) if fold(line).startswith("►B")), 0)
    title = " ".join(fold(line) for line in lines[first + 1 : first + 4])
    start = next((i for i, line in enumerate(lines) if fold(line).startswith("▼B")), first)
    left_out["page_furniture"] += start
    return lines[start:], title


def _blocks(lines: list[str], left_out: Counter[str]) -> Iterator[Block]:
    """Yield blocks of flat lines; what an article or annex holds is nested by its labels."""
    content: list[Block] = []
    state = "preamble"
    heading_due: Role | None = None
    for i, line in enumerate(lines):
        text, n = _MARKS.subn("", line)
        left_out["modification_mark"] += n
        folded = fold(text)
        if not folded or _DELETED.fullmatch(folded):
            if folded:
                content.append(Block("deleted"))
            continue
        role = _role(folded, state)
        if role in ("article", "division", "annex", "closing", "note"):
            yield from _arrange(content, state)
            content = []
            state = "article" if role == "division" else state if role == "note" else role
        if role == "note":
            found = _NOTE.fullmatch(text.strip())
            assert found is not None, "the role says so"
            yield Block("note", found[2], f"({found[1]})")
        elif role == "text":
            following = fold(lines[i + 1]) if i + 1 < len(lines) else ""
            if heading_due and _is_heading(folded, following, heading_due):
                yield Block(heading_due, text)
            elif state == "closing":
                yield Block("closing", text)
            else:
                content.append(Block("text", text))
            heading_due = None
        else:
            yield Block(role, text)
            heading_due = {"article": "article_heading", "division": "division_heading", "annex": "annex_heading"}.get(
                role
            )  # type: ignore[assignment]
    yield from _arrange(content, state)


def _role(folded: str, state: str) -> Role:
    if _ARTICLE.fullmatch(folded):
        return "article"
    if state != "annex" and _DIVISION.fullmatch(folded):
        return "division"
    if state != "preamble" and _ANNEX.fullmatch(folded):
        return "annex"
    if state in ("article", "closing") and _CLOSING.match(folded):
        return "closing"
    if state == "closing" and _NOTE.fullmatch(folded):
        return "note"
    return "text"


def _is_heading(folded: str, following: str, role: Role) -> bool:
    """Tell whether the line after "Article 5" is its heading: short, no sentence, no label, and more follows."""
    if len(folded) > 150 or re.match(r"\(?\d+[.)]|\([a-z]\)|[a-z]\)", folded):
        return False
    if role == "article_heading":
        return folded[-1] not in ".:;," and bool(following) and not _ARTICLE.fullmatch(following)
    return folded[-1] not in ".;"


def _arrange(content: list[Block], state: str) -> list[Block]:
    if state != "article":
        return content
    made: list[Block] = []
    current: tuple[str, list[Block]] | None = None
    for block in content:
        split = split_paragraph(block.text) if block.role == "text" else None
        if split and (current is not None or split[0].strip("().") == "1" or not made):
            made += _close(current)
            current = (split[0], [Block("text", split[1])])
        elif current is not None:
            current[1].append(block)
        else:
            made.append(block)
    return (
        nest(made) + _close(current)
        if current is None
        else nest([b for b in made if b.role != "para"]) + [b for b in made if b.role == "para"] + _close(current)
    )


def _close(current: tuple[str, list[Block]] | None) -> list[Block]:
    return [Block("para", label=current[0], parts=tuple(nest(current[1])))] if current else []


def _read_proposal(raw: Raw, body: etree._Element, left_out: Counter[str]) -> Document:
    where = str(raw.path)
    whole = "".join(body.itertext())
    found = _PROPOSAL.search(whole)
    if found is None:
        raise BadInput(where, "no COM number", "check that the page is a proposal of the Commission")
    celex = f"5{found[2]}{'PC' if found[1] == 'COM' else 'JC'}{int(found[3]):04d}"
    title = fold(
        " ".join(_line(p) for p in body.iter("p") if (p.get("class") or "") in ("Typedudocument_cp", "Titreobjet_cp"))
    )
    language = next((m[1].lower() for m in re.finditer(r'LW_LANGUE;value="([A-Z]{2})"', str(raw.data[:9000]))), "en")
    blocks: list[Block] = []
    content: list[Block] = []
    state = "memorandum"
    for element in body.iter("p", "dd"):
        name = (element.get("class") or "").split()
        kind = name[-1] if name else ""
        text = _line(element)
        if not fold(text):
            continue
        if element.tag == "dd" or next(element.iterancestors("dd"), None) is not None:
            if element.tag == "dd":
                note = _NOTE.fullmatch(text.strip())
                content.append(Block("note", note[2] if note else text, f"({note[1]})" if note else ""))
            continue
        if kind == "Institutionquiagit":
            state = "preamble"
        role: Role = _COM_CLASSES.get(kind, "text")
        if state == "memorandum":
            blocks.append(Block("group", text))
        elif role == "text":
            content.append(Block("text", text))
        else:
            blocks += _arrange(content, state)
            content = []
            state = "annex" if role == "annex" else "article"
            blocks += _headed(element, role, text)
    blocks += _arrange(content, state)
    notes = [b for b in blocks if b.role == "note"]
    blocks = [b for b in blocks if b.role != "note"] + notes
    return make(raw, "eurlex_html", title, language, blocks, left_out, celex=celex, kind="proposal")


def _headed(element: etree._Element, role: Role, text: str) -> Iterator[Block]:
    if role == "division":
        yield Block("division" if _DIVISION.fullmatch(fold(text)) else "division_heading", text)
        return
    pattern = {"article": _ARTICLE, "annex": _ANNEX}.get(role)
    found = pattern.match(fold(text)) if pattern else None
    if not found:
        yield Block(role, text)
        return
    yield Block(role, found[0])
    if rest := fold(text)[found.end() :].strip():
        yield Block("article_heading" if role == "article" else "annex_heading", rest)


def _line(element: etree._Element) -> str:
    text = element.text or ""
    for child in element:
        if isinstance(child.tag, str):
            inner = " " if child.tag == "br" else _line(child)
            text += inner + (" " if "num" in (child.get("class") or "").split() else "")
        text += child.tail or ""
    return text


eurlex_html = Source(recognises, read, priority=5)
