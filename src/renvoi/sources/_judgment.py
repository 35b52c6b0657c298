"""Blocks of one judgment, order or opinion > Document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from renvoi import cases
from renvoi.errors import BadInput
from renvoi.sources import Raw
from renvoi.sources._blocks import Block
from renvoi.sources._judgment_head import case_numbers, find_celex, find_date, find_lodged, find_parties, make_title
from renvoi.sources._numbering import Candidate, choose, split_joined
from renvoi.tree import TreeBuilder
from renvoi.types import Document, Finding, Kind, Provision, SourceFile

# What the title line says > kind, language. Longest first where one begins another.
TITLES: tuple[tuple[str, cases.DecisionKind, str], ...] = (
    ("JUDGMENT", "judgment", "en"), ("ORDER", "order", "en"), ("OPINION OF THE COURT", "court_opinion", "en"),
    ("OPINION OF", "opinion", "en"), ("VIEW OF", "view", "en"), ("SENTENZA", "judgment", "it"),
    ("ORDINANZA", "order", "it"), ("CONCLUSIONI", "opinion", "it"), ("PRESA DI POSIZIONE", "view", "it"),
    ("ARRÊT", "judgment", "fr"), ("ORDONNANCE", "order", "fr"), ("CONCLUSIONS DE", "opinion", "fr"),
    ("URTEIL", "judgment", "de"), ("BESCHLUSS", "order", "de"), ("SCHLUSSANTRÄGE", "opinion", "de"),
)  # fmt: skip
_RULING = re.compile(
    r"^(?:on those grounds|for (?:those|these) reasons|the court\b.{0,60}\bhereby|per questi motivi|par ces motifs"
    r"|aus diesen gründen)",
    re.IGNORECASE,
)
COSTS = re.compile(r"^(?:[IVX]+\W+|\d+\W+)?(?:costs|spese|sulle spese|dépens|sur les dépens|kosten)$", re.IGNORECASE)
_HEADING = re.compile(r"title-grseq-(\d)|sum-title-(\d)|^C0([4-8])Titre|^ti-|^C?0?[0-9]*Titre")
_SIGNATURE = re.compile(r"signat|Signature", re.IGNORECASE)
_NOTE = re.compile(r"(?:^|\s)note$|Footnote", re.IGNORECASE)
_NUMBER = re.compile(r"^(\d{1,4})(?: ?\.)?(?: (?=\S)|$)")
_FLAT_NUMBER = re.compile(r"^(\d{1,4})(?: ?\.)?(?: (?=[A-ZÀ-ÞĀ-Ž‘“«'\"(\[])|$)")
_ITEM = re.compile(r"^(\d{1,2})[.)](?: |$)")


@dataclass(slots=True)
class Part:
    """One document on a page: a page may hold a View and then the judgment."""

    kind: cases.DecisionKind
    language: str
    blocks: list[Block]
    title_at: int  # the title line among `blocks`
    findings: list[Finding] = field(default_factory=list)


def split_parts(blocks: Sequence[Block]) -> list[Part]:
    """Return the documents on a page. What stands before the first title belongs to the first."""
    starts = [(i, found) for i, block in enumerate(blocks) if (found := _title_of(block))]
    kept: list[tuple[int, tuple[cases.DecisionKind, str]]] = []
    for i, found in starts:
        if not kept or (found[0] != kept[-1][1][0] and any(b.point for b in blocks[kept[-1][0] : i])):
            kept.append((i, found))
    parts = []
    for n, (i, (kind, language)) in enumerate(kept):
        start = 0 if n == 0 else i
        end = kept[n + 1][0] if n + 1 < len(kept) else len(blocks)
        parts.append(Part(kind, language, list(blocks[start:end]), i - start))
    return parts


def read_part(part: Part, raw: Raw, format: str, celex_hint: str, ecli_hint: str) -> Document:
    """Return one document.

    Args:
        part: its blocks.
        raw: for messages and the hash.
        format: name of the source.
        celex_hint: what the page's own anchors say, "" if nothing.
        ecli_hint: what the file's name says, "" if nothing; the pages do not print their ECLI.

    Raises:
        BadInput: no case number, or no numbered paragraph.
    """
    blocks = part.blocks
    openings = _openings(part)
    if not openings:
        raise BadInput(raw.path, f"the {part.kind} has no numbered paragraph", "fetch the full text, not a summary")
    head = blocks[part.title_at : openings[0][0]]
    numbers = case_numbers(head) or case_numbers(blocks[: part.title_at])
    celex = find_celex(part.kind, numbers, celex_hint, raw, part.findings)
    tree = TreeBuilder(celex, where=str(raw.path))
    _write(tree, part, openings)
    parties, name = find_parties(head)
    decided = find_date(head[:6])
    title_line = head[0].text if head else part.kind
    metadata: dict[str, Any] = {
        "celex": celex,
        "ecli": ecli_hint or None,
        "case_numbers": numbers,
        "parties": parties,
        "name": name,
        "lodged": find_lodged(head),
        "court": {"C": "Court of Justice", "T": "General Court", "F": "Civil Service Tribunal"}[celex[5]],
        "formation": title_line,
    }
    provisions = tree.provisions()
    check_numbers(provisions, celex, part.findings)
    return Document(
        id=celex,
        jurisdiction="cjeu",
        language=part.language,
        kind=part.kind,
        title=make_title(title_line, decided, name, numbers),
        short_titles=(name,) if name else (),
        date=decided,
        text_state="as_enacted",
        source=SourceFile(str(raw.path), raw.sha256, format),
        provisions=provisions,
        metadata={key: value for key, value in metadata.items() if value},
        findings=tuple(part.findings),
    )


def _title_of(block: Block) -> tuple[cases.DecisionKind, str] | None:
    if block.in_table or len(block.text) > 160:
        return None
    if not (block.css in ("", "sum-title-1", "C19Centre") or {"judgment", "conclusion", "order"} & set(block.marks)):
        return None
    text = block.text
    if "judgment" in block.marks:  # a running title may stand before it
        text = text[max(0, text.find("JUDGMENT")) :]
    return next(((kind, language) for words, kind, language in TITLES if text.startswith(words)), None)


def _openings(part: Part) -> list[tuple[int, int, str]]:
    """Return (index of block, number, text after the number) of the paragraphs, and note what was odd."""
    blocks = part.blocks
    anchored = any(block.point is not None for block in blocks)
    pattern = _NUMBER if anchored else _FLAT_NUMBER
    candidates = []
    for i, block in enumerate(blocks):
        if i <= part.title_at or (anchored and block.point is None):
            continue
        m = pattern.match(block.text)
        values = ((int(m[1]),) if m else ()) + ((block.point,) if block.point is not None else ())
        if values:
            candidates.append(Candidate(i, values))
    chosen = choose(candidates)
    taken = {index for index, _ in chosen}
    openings, astray = [], []
    for index, number in chosen:
        block = blocks[index]
        m = pattern.match(block.text)
        if m and int(m[1]) != number:
            part.findings.append(Finding(f"para {number}", "number_misprinted", f"printed as {m[1]}"))
        if block.point is not None and block.point != number:
            astray.append(number)
        openings.append((index, number, block.text[m.end() :] if m else block.text))
    if astray:
        note = f"the anchors of paragraphs {astray[0]} to {astray[-1]} say other numbers than are printed"
        part.findings.append(Finding(f"para {astray[0]}", "anchor_disagrees", note, len(astray)))
    quoted = sum(1 for c in candidates if c.index not in taken)
    if quoted:
        part.findings.append(Finding("numbers", "quoted_numbers", "numbers of quoted texts, not of paragraphs", quoted))
    return openings


@dataclass(slots=True)
class _Sections:
    """The headings that are open, outermost first."""

    tree: TreeBuilder
    open: list[tuple[int, ExitStack]] = field(default_factory=list)
    n: int = 0
    costs: bool = False  # the innermost says "Costs"

    def begin(self, block: Block) -> None:
        level = _heading_level(block)
        while self.open and self.open[-1][0] >= level:
            self.open.pop()[1].close()
        self.n += 1
        stack = ExitStack()
        stack.enter_context(self.tree.open("head", str(self.n), heading=block.text, absolute=True, kind="division"))
        self.open.append((level, stack))
        self.costs = bool(COSTS.match(block.text))

    def end(self) -> None:
        while self.open:
            self.open.pop()[1].close()


def _write(tree: TreeBuilder, part: Part, openings: list[tuple[int, int, str]]) -> None:
    blocks = part.blocks
    before = blocks[: openings[0][0]]
    cut = _trailing_headings(before)
    if cut:
        with tree.open("preamble", "1", kind="preamble"):
            for block in before[:cut]:
                tree.text(block.text)
    sections = _Sections(tree)
    for block in before[cut:]:
        sections.begin(block)
    for n, (index, number, opening) in enumerate(openings):
        last = n + 1 == len(openings)
        end = len(blocks) if last else openings[n + 1][0]
        body, after = _split_body(blocks[index + 1 : end], last)
        texts = [text for text in (opening, *(block.text for block in body)) if text]
        until = number if last else openings[n + 1][1] - 1
        for para, para_texts in split_joined(texts, number, until):
            if para != number:
                part.findings.append(Finding(f"para {para}", "joined_repaired", f"stood in paragraph {number}"))
            kind: Kind | None = "costs" if sections.costs else None
            with tree.open("para", str(para), label=f"{para}.", absolute=True, kind=kind):
                for text in para_texts or ["…"]:
                    tree.text(text)
        if last:
            sections.end()
            _write_end(tree, after)
        else:
            for block in after:
                sections.begin(block)


def _split_body(inside: Sequence[Block], last: bool) -> tuple[list[Block], list[Block]]:
    """Split what follows a number into the paragraph and the headings (or the end of the judgment) after it."""
    if last:
        for i, block in enumerate(inside):
            if _RULING.match(block.text) or _is_end(block) or block.css.startswith("C41"):
                cut = i
                while cut and _heading_level(inside[cut - 1]):
                    cut -= 1
                return list(inside[:cut]), list(inside[cut:])
        return list(inside), []
    cut = len(inside)
    while cut and _heading_level(inside[cut - 1]):
        cut -= 1
    return list(inside[:cut]), list(inside[cut:])


def _write_end(tree: TreeBuilder, blocks: Sequence[Block]) -> None:
    """Write the operative part, the signatures and the notes."""
    at = 0
    while at < len(blocks) and not _is_end(blocks[at]):
        at += 1
    ruling, rest = blocks[:at], blocks[at:]
    if ruling:
        with ExitStack() as item, tree.open("operative", "1", kind="operative"):
            seen = 0
            for block in ruling:
                m = _ITEM.match(block.text)
                if m and int(m[1]) == seen + 1:
                    item.close()
                    seen += 1
                    item.enter_context(tree.open("item", m[1], label=m[0].strip(), kind="operative"))
                    text = block.text[m.end() :]
                else:
                    text = block.text
                tree.text(text)
            item.close()
    signatures = [block for block in rest if not _NOTE.search(block.css)]
    if signatures:
        with tree.open("closing", "1", kind="closing"):
            for block in signatures:
                tree.text(block.text)
    notes = [block for block in rest if _NOTE.search(block.css)]
    for n, block in enumerate(notes, 1):
        with tree.open("note", str(n), kind="footnote"):
            tree.text(block.text)


def _is_end(block: Block) -> bool:
    return bool(_SIGNATURE.search(block.css) or _NOTE.search(block.css) or block.text == "[Signatures]")


def _heading_level(block: Block) -> int:
    """Return how deep a heading is, 0 for no heading."""
    if block.in_table or block.point is not None:
        return 0
    m = _HEADING.search(block.css)
    if m:
        digits = next((g for g in m.groups() if g), "1")
        return int(digits) - 3 if m[3] else int(digits) + (0 if m[2] else 0)
    short = len(block.text) < 250 and not re.search(r"[.:;,]$", block.text)
    if block.css in ("normal", "C02AlineaAltA") and short:
        if block.css == "normal" or block.all_bold:
            return 7 if block.text.startswith(("–", "—")) else 6
        return 0
    return 0


def _trailing_headings(blocks: Sequence[Block]) -> int:
    """Return where the headings right before the first paragraph begin, the word "Judgment" left to the preamble."""
    cut = len(blocks)
    while (
        cut
        and _heading_level(blocks[cut - 1])
        and not re.fullmatch(r"(?i)judgment|order|sentenza|ordinanza|opinion|arrêt|urteil", blocks[cut - 1].text)
    ):
        cut -= 1
    return cut if cut < len(blocks) and cut > 0 else len(blocks)


def check_numbers(provisions: Sequence[Provision], celex: str, findings: list[Finding]) -> None:
    numbers = [int(p.path[-1].number) for p in provisions if p.path[-1].level == "para"]
    missing = sorted(set(range(1, numbers[-1] + 1)) - set(numbers))
    if missing:
        findings.append(
            Finding(celex, "gap_in_numbering", "no paragraph " + ", ".join(map(str, missing[:20])), len(missing))
        )
