"""Acts as flat JSON: one object, `provisions[].content` is running text with its subdivisions inline.

Danish ones are consolidated acts of Retsinformation, Polish ones acts as first published. Fields that repeat the
provisions (`definitions`, `provision_versions`) are not read twice; they are counted as skipped.
"""

from __future__ import annotations

import json
import re
from contextlib import ExitStack
from datetime import date
from typing import Any

from renvoi.errors import BadInput
from renvoi.sources import Raw, Source, _danish, _inline
from renvoi.tree import TreeBuilder, fold
from renvoi.types import Document, Finding, SourceFile, State

_CUT_AT = 12_000  # the publisher of these files kept no more of a provision

_DIVISIONS = {"część": "part", "księga": "book", "tytuł": "title", "dział": "div", "rozdział": "chap",
              "oddział": "subdiv"}  # fmt: skip
_RANKS = ("part", "book", "title", "div", "chap", "subdiv")
_DIVISION = r"(?:Część|CZĘŚĆ|Księga|KSIĘGA|Tytuł|TYTUŁ|Dział|DZIAŁ|Rozdział|ROZDZIAŁ|Oddział|ODDZIAŁ)"
_HEADINGS_AFTER = re.compile(rf"(?<=[.;”:)\]])\s({_DIVISION} (?:[IVXLC]+|\d+)[a-zA-Z]? .*)$")
_HEADING = re.compile(rf"({_DIVISION} (?:[IVXLC]+|\d+)[a-zA-Z]?)[ -]+(.*?)(?=\s*{_DIVISION} (?:[IVXLC]+|\d+)|$)")
# What the page that was saved holds below the act: its table of contents as a script.
_FURNITURE = re.compile(r"\s*Pokaż całość\s+var tree = .*$", re.S)
_NOTES = re.compile(r"(?<=[.;,)])\s(1\) (?:Niniejsz|Zmian|Przepisy niniejsz|Ustawa|Wdraża|Dokon).*)$")


def _recognises(data: bytes) -> bool:
    head = data[:4000]
    return head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{") and b'"provision_ref"' in data[:20000]


def _read(raw: Raw) -> tuple[Document, ...]:
    try:
        act = json.loads(raw.data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInput(raw.path, f"byte {error.start} is not UTF-8", "save the file as UTF-8") from None
    except json.JSONDecodeError as error:
        raise BadInput(raw.path, f"line {error.lineno}: {error.msg}", "fetch the file again; it is cut off") from None
    provisions = act.get("provisions")
    if not isinstance(provisions, list) or not all(isinstance(p.get("content"), str) for p in provisions):
        raise BadInput(raw.path, "has no list `provisions` of objects with `content`")
    polish = re.fullmatch(r"pl-du-(\d{4})-(\d+)", str(act.get("id", "")))
    danish = re.fullmatch(r"(\d{4}):(\d+)", str(act.get("id", "")))
    if polish:
        return (_polish(act, f"pl/du/{polish[1]}/{polish[2]}", raw),)
    if danish:
        identity = _danish.identify(act.get("short_name") or "LBK", danish[1], danish[2])
        return (_danish_act(act, identity, raw),)
    raise BadInput(raw.path, f"the id {act.get('id')!r} is neither Danish (2025:282) nor Polish (pl-du-2011-654)")


def _skipped(act: dict[str, Any], where: str) -> list[Finding]:
    found = []
    for name in ("definitions", "provision_versions"):
        if act.get(name):
            found.append(Finding(where, "skipped_element", f"{name}: repeat the provisions", len(act[name])))
    stated = [v.get("content") for v in act.get("provision_versions") or []]
    if stated and stated != [p["content"] for p in act["provisions"]]:
        found.append(Finding(where, "other_versions", "provision_versions differ from the provisions read"))
    return found


# --- Danish ---


def _danish_act(act: dict[str, Any], identity: _danish.Identity, raw: Raw) -> Document:
    tree = TreeBuilder(identity.id, str(raw.path))
    findings = _skipped(act, str(raw.path))
    seen: set[str] = set()
    n_trans, last_number = 0, 0
    with ExitStack() as division:
        chapter: str | None = None
        for item in act["provisions"]:
            content = fold(item["content"])
            label, text = _split_section(content)
            number = item.get("chapter")
            if number is None and seen:  # commencement provisions of amending acts, printed after the last chapter
                first = int(re.match(r"\d*", item["section"])[0] or 0)  # type: ignore[index]  # always matches
                if chapter is not None or first != last_number + 1:
                    division.close()
                    n_trans += 1
                    division.enter_context(tree.open("trans", str(n_trans), absolute=True, scope=True, kind="division"))
                chapter, last_number = None, first
            elif number is not None and number != chapter:
                division.close()
                chapter = number
                if number not in seen:
                    spaced = re.sub(r"(?<=\d)(?=[a-zæøå])", " ", number)
                    division.enter_context(
                        tree.open("chap", number, label=f"Kapitel {spaced}", absolute=True, kind="division")
                    )
                seen.add(number)
            _danish_section(tree, label, text, findings)
    return _document(act, identity.id, "da", identity.kind, identity.text_state, tree, findings, raw)


def _split_section(content: str) -> tuple[str, str]:
    match = re.match(r"§{1,2}\s?\d+\s?[a-zæøåA-ZÆØÅ]{0,2}(?:\s?(?:-|–|og)\s?\d*\s?[a-zæøå]{0,2})?\.", content)
    return (match[0], content[match.end() :].strip()) if match else ("", content)


def _danish_section(tree: TreeBuilder, label: str, text: str, findings: list[Finding]) -> None:
    if not label:
        raise BadInput(tree.where, f"a provision does not begin with its number: {text[:40]!r}")
    if _danish.is_repealed(text):
        for n, number in enumerate(_danish.expand(label)):
            with tree.open("sec", number, label="" if n else label, absolute=True, state="repealed"):
                tree.text("" if n else text)
        return
    root = _inline.split(text, _inline.DANISH)
    first = next((n for n, child in enumerate(root.children) if child.level == "subsec"), None)
    if first is not None:
        start = _inline.Piece("subsec", "1", "", 0, root.text, root.children[:first])
        root = _inline.Piece("", "", "", -1, "", [start, *root.children[first:]])
    number = _danish.number_of(label)
    notes = len(re.findall(r"(?<=[.)]) \d+\) (?=[A-ZÆØÅ§])", " ".join(_texts(root))))
    if notes:
        findings.append(
            Finding(f"{tree.document_id}~sec_{number}", "note_in_text", "footnotes stand in the text", notes)
        )
    with tree.open("sec", number, label=label, absolute=True):
        _write_danish(root, tree)


def _write_danish(piece: _inline.Piece, tree: TreeBuilder) -> None:
    _inline.write_text(piece.text, tree, _inline.DANISH)
    for child in piece.children:
        repealed = not child.children and _danish.is_repealed(child.text)
        numbers = _danish.expand(child.label) if repealed else (f"{child.number}-{child.until}".strip("-"),)
        for n, number in enumerate(numbers):
            state: State | None = "repealed" if repealed else None
            with tree.open(child.level, number, label="" if n else child.label, state=state):
                if not n:
                    _write_danish(child, tree)


def _texts(piece: _inline.Piece) -> list[str]:
    return [piece.text, *(text for child in piece.children for text in _texts(child))]


# --- Polish ---


def _polish(act: dict[str, Any], id: str, raw: Raw) -> Document:
    tree = TreeBuilder(id, str(raw.path))
    findings = _skipped(act, str(raw.path))
    articles, before_first = _polish_articles(act["provisions"], findings, id)
    notes = articles[-1][1].pop("notes", "") if articles else ""
    nested = any(level != "chap" for _, parts in articles for level, *_ in parts["headings"])
    with ExitStack() as closing:
        open_levels: list[tuple[str, ExitStack]] = []

        def divide(headings: list[tuple[str, str, str]]) -> None:
            for level, label, heading in headings:
                while open_levels and _RANKS.index(open_levels[-1][0]) >= _RANKS.index(level):
                    open_levels.pop()[1].close()
                entered = closing.enter_context(ExitStack())
                number = label.split()[1]
                entered.enter_context(
                    tree.open(level, number, label=label, heading=heading, absolute=not nested, kind="division")
                )
                open_levels.append((level, entered))

        divide(before_first)
        for number, parts in articles:
            with tree.open("art", number, label=parts["label"], absolute=True):
                _inline.write(_inline.split(parts["text"], _inline.POLISH), tree, _inline.POLISH)
                if re.fullmatch(r"\(?(uchylony|skreślony|pominięty)\)?\.?", parts["text"]):
                    tree.repealed()
            divide(parts["headings"])
        while open_levels:
            open_levels.pop()[1].close()
    _polish_notes(notes, tree)
    return _document(act, id, "pl", "act", "as_enacted", tree, findings, raw)


def _polish_notes(notes: str, tree: TreeBuilder) -> None:
    """Write "1) … 2) …" as footnotes; each ends where the next number begins."""
    starts: list[re.Match[str]] = []
    for match in re.finditer(r"(?:^|(?<=\s))(\d+)\)(?=\s)", notes):
        if int(match[1]) == len(starts) + 1:
            starts.append(match)
    for n, start in enumerate(starts):
        end = starts[n + 1].start() if n + 1 < len(starts) else len(notes)
        with tree.open("note", start[1], label=start[0], absolute=True, kind="footnote"):
            tree.text(notes[start.end() : end])


def _polish_articles(
    provisions: list[dict[str, Any]], findings: list[Finding], id: str
) -> tuple[list[tuple[str, dict[str, Any]]], list[tuple[str, str, str]]]:
    """Return the articles with the headings that follow each, and the headings before the first."""
    articles: list[tuple[str, dict[str, Any]]] = []
    before_first: list[tuple[str, str, str]] = []
    for n, item in enumerate(provisions):
        number, content = str(item["section"]), fold(item["content"])
        where = f"{id}~art_{number}"
        furniture = _FURNITURE.search(content)
        if furniture:
            contents = re.split(r'"type": ?"arti"', furniture[0])[0]
            titles = re.findall(rf'"title": ?"({_DIVISION} [^"]*)"', contents)
            before_first = [h for title in titles for h in _headings(title)]
            findings.append(Finding(where, "skipped_element", "contents script of the web page"))
            content = content[: furniture.start()]
        elif len(item["content"]) >= _CUT_AT:
            findings.append(Finding(where, "text_cut", f"ends after {_CUT_AT} characters: …{content[-30:]}"))
        parts: dict[str, Any] = {"label": item.get("title") or f"Art. {number}", "headings": []}
        if n == len(provisions) - 1:
            notes = _NOTES.search(content)
            if notes:
                parts["notes"], content = notes[1], content[: notes.start()]
        headings = _HEADINGS_AFTER.search(content)
        if headings:
            parts["headings"], content = _headings(headings[1]), content[: headings.start()]
        parts["text"] = content.strip()
        articles.append((number, parts))
    return articles, before_first


def _headings(text: str) -> list[tuple[str, str, str]]:
    """Return level, label and heading of each division title in a row of them."""
    return [(_DIVISIONS[m[1].split()[0].lower()], m[1], m[2].strip()) for m in _HEADING.finditer(text)]


def _document(
    act: dict[str, Any], id: str, language: str, kind: str, text_state: Any, tree: TreeBuilder,
    findings: list[Finding], raw: Raw,
) -> Document:  # fmt: skip
    title = fold(act.get("title") or "")
    issued = act.get("issued_date")
    return Document(
        id=id,
        jurisdiction=language,
        language=language,
        kind=kind,
        title=title,
        short_titles=_danish.short_titles(title) if language == "da" else (),
        date=date.fromisoformat(issued) if issued else None,
        text_state=text_state,
        source=SourceFile(str(raw.path), raw.sha256, "flat_json"),
        provisions=tree.provisions(),
        metadata={"url": act.get("url"), "status": act.get("status")},
        findings=tuple(findings),
    )


flat_json = Source(recognises=_recognises, read=_read, priority=40)
