"""Consolidated Polish acts as text extracted from the PDF of the Journal of Laws or the Sejm's chancellery.

Lines are broken where the page broke them, footnotes and side notes stand between them, superscripts are kept
("Art. 18³ᵃ. § 1.").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from renvoi.errors import BadInput
from renvoi.sources import Raw, Source, _pl
from renvoi.sources._pl_outline import Outline
from renvoi.tree import TreeBuilder, fold
from renvoi.types import Document, Finding, SourceFile

_FURNITURE = re.compile(r"©\s?Kancelaria Sejmu.*|s\. ?\d+ ?/ ?\d+|\d{4}-\d{2}-\d{2}|Dziennik Ustaw\s.*Poz\. \d+")
_SIDE_WORDS = re.compile(r"(?:(?:podstawie:|t\.j\.|Dz\.|U\.|z|r\.|poz\.|Nr|i|oraz|\d+[,.]?|[.,;:])\s*)+")
_MARK = re.compile(r"([⁰¹²³⁴⁵⁶⁷⁸⁹]+)⁾")
_NOTE = re.compile(r"(\d+)\)\s+(?=[A-ZĄĆĘŁŃÓŚŹŻ„])")
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_LATER = re.compile(
    r"(?:Nowe brzmienie|[Dd]odan[ya]e?\b|[Uu]chyl\w+)(?:.{0,200}\bw\s+życie\s+z\s+dn\..{0,80}\(Dz\. ?U\. .*\)\.)?"
)
_LATER_OPENS = re.compile(r"<(?:Art\. ?\d|§ ?\d\S*\s|\d+[a-z]*[.)]\s|[a-z]{1,2}\)\s)")
_OLD_OPENS = re.compile(r"(?:^|\.\s)(\[)(?=§ ?\d|\d+[a-z]*[.)]|Art\. ?\d|[a-z]{1,2}\)\s)")
_OPENER = re.compile(r"Art\. ?\d|§ ?\d+\S*\.|(?:CZĘŚĆ|KSIĘGA|TYTUŁ|DZIAŁ|Rozdział|Oddział)\s|[–-]\s|\(?[a-z]{1,2}\)")
_OPENS_PARA = re.compile(r"\d+[a-z]*\.\s+[A-ZĄĆĘŁŃÓŚŹŻ„(]")
# A full stop after these ends no sentence.
_ABBREVIATED = re.compile(r"\b(?:Urz|Dz|poz|późn|U|UE|art|ust|pkt|lit|str|nr|Nr|t|rozdz|sygn|ze? zm)\.$")
_ENDS = re.compile(r"[.;)”]$")
_POSITION = re.compile(r"Dz\. ?U\. (?:z )?(\d{4})(?: r\.)?,? (?:Nr \d+,? )?poz\.? (\d+)")
_KIND_LINE = re.compile(r"U\s?S\s?T\s?A\s?W\s?A|KONSTYTUCJA|R\s?O\s?Z\s?P\s?O\s?R\s?Z\s?Ą\s?D\s?Z\s?E\s?N\s?I\s?E")


@dataclass(slots=True)
class _Note:
    number: str
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Sorted:
    """The lines of a file, told apart."""

    where: str = ""
    body: list[tuple[int, str]] = field(default_factory=list)
    notes: list[_Note] = field(default_factory=list)
    later: list[_Note] = field(default_factory=list)
    side_notes: list[str] = field(default_factory=list)
    furniture: int = 0


def _read(raw: Raw) -> tuple[Document, ...]:
    where = raw.path.name
    try:
        text = raw.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = raw.data[: error.start].count(b"\n") + 1
        raise BadInput(f"{where}, line {at}", "not UTF-8", "convert the file to UTF-8") from error
    sorted_ = _sort(text.splitlines(), where)
    title, position, body = _take_head(sorted_.body)
    outline = Outline(where, hyphenated=_hyphenated(body))
    for n, line in body:
        outline.feed(line, n)
    for nth, note in enumerate(sorted_.notes):
        again = sum(n.number == note.number for n in sorted_.notes[:nth])
        outline.note(note.number + "bis" * again, f"{note.number})", " ".join(note.lines))
    for later in sorted_.later:
        outline.note(f"later{later.number}", "<…>", " ".join(later.lines))
    id = f"pl/du/{position[0]}/{position[1]}" if position else _pl.id_from_name(where)
    tree = TreeBuilder(id, where)
    outline.build(tree)
    document = Document(
        id=id,
        jurisdiction="pl",
        language="pl",
        kind=_pl.kind_of(title),
        title=title or id,
        short_titles=_pl.short_titles(title),
        date=_pl.date_in(title),
        text_state="consolidated",
        source=SourceFile(str(raw.path), raw.sha256, "pl_text"),
        provisions=tree.provisions(),
        metadata={"compiled_from": sorted_.side_notes[0]} if sorted_.side_notes else {},
        findings=(*outline.findings, *_findings(where, sorted_, title)),
    )
    return (document,)


def _findings(where: str, sorted_: _Sorted, title: str) -> list[Finding]:
    found = [Finding(where, "skipped_element", f"side note: {note}") for note in sorted_.side_notes]
    if sorted_.later:
        found.append(Finding(where, "later_wording", "not in force yet; kept as a note", len(sorted_.later)))
    if sorted_.furniture:
        found.append(Finding(where, "skipped_element", "heads and feet of pages", sorted_.furniture))
    if not title:
        found.append(Finding(where, "no_title", "the text has no title line; its id stands for it"))
    return found


def _sort(lines: list[str], where: str) -> _Sorted:
    """Tell the running text from the heads of pages, side notes and footnotes that stand between its lines."""
    out = _Sorted(where)
    pending: Counter[str] = Counter()  # footnote marks whose note has not come yet
    note = None
    for n, line in _without_later_wording(_without_side_notes([fold(line) for line in lines], out), out):
        if _FURNITURE.fullmatch(line):
            out.furniture += 1
            note = None
            continue
        starts = _NOTE.match(line)
        if starts and pending[starts[1]]:
            pending[starts[1]] -= 1
            note = _Note(starts[1], [line[starts.end() :]])
            out.notes.append(note)
            continue
        if note is not None and _belongs(line, note, out.body):
            note.lines.append(line)
            continue
        note = None
        out.body.append((n, line))
        for mark in _MARK.findall(line):
            pending[mark.translate(_LOWERED)] += 1
    return out


def _without_side_notes(lines: list[str], out: _Sorted) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not beside the text; narrow columns come as runs of short lines."""
    stray = _stray_letters(lines)
    out.furniture += len(stray)
    end = 0
    for n, line in enumerate(lines, 1):
        if n <= end or not line or n in stray:
            continue
        end = n - 1 + _side_note_length(lines[n - 1 : n + 24])
        if end >= n:
            out.side_notes.append(" ".join(lines[n - 1 : end]))
        elif line in ("Art.", "§") and n < len(lines) and lines[n][:1].isdigit():
            end = n + 1
            yield n, f"{line} {lines[n]}"
        else:
            yield n, line


def _side_note_length(lines: list[str]) -> int:
    """Return how many lines from the first on are a side note."""
    if lines[0].startswith("Opracowano na"):
        return next((i for i, line in enumerate(lines[1:], 1) if not _SIDE_WORDS.fullmatch(line)), len(lines))
    if not _LATER.match(lines[0]):
        return 0
    for n in range(2, len(lines) + 1):
        if len(lines[n - 1]) > 26:
            return 0
        said = " ".join(lines[:n])
        if said.endswith(").") and "życie" in said and _LATER.fullmatch(said):
            return n
    return 0


def _without_later_wording(lines: Iterator[tuple[int, str]], out: _Sorted) -> Iterator[tuple[int, str]]:
    """Yield the lines in force: `[…]` is the wording until a day, `<…>` the wording from then on."""
    later: list[str] = []
    in_old = False
    for n, line in lines:
        if later or _LATER_OPENS.match(line):
            later.append(line.lstrip("<"))
            if line.endswith(">"):
                later[-1] = later[-1][:-1]
                out.later.append(_Note(str(len(out.later) + 1), later))
                later = []
            continue
        opened = _OLD_OPENS.search(line)
        if opened:
            in_old = True
            line = line[: opened.start(1)] + line[opened.end(1) :]
        if in_old and line.endswith("]"):
            in_old = False
            line = line[:-1]
        yield n, line
    if later:
        raise BadInput(out.where, "a later wording that starts with '<' does not end", "the file may be cut")


def _belongs(line: str, note: _Note, body: list[tuple[int, str]]) -> bool:
    """Tell whether a line after a footnote's line goes on with the footnote, not with the text it interrupts."""
    said = note.lines[-1]
    ended = bool(_ENDS.search(said)) and not _ABBREVIATED.search(said) and not re.match(r"poz\.|zm\.", line)
    if said.endswith(" r.") and re.match(r"w sprawie|sygn|\(", line):
        ended = False
    item = re.match(r"(\d+)\)", line)
    if item:
        items = [m[1] for m in (re.match(r"(\d+)\)", text) for text in note.lines[1:]) if m]
        return item[1] == "1" if not items else int(item[1]) == int(items[-1]) + 1
    if _OPENER.match(line) or _OPENS_PARA.match(line):
        return False
    if not ended:
        # A note of one line may lack its full stop.
        return not (len(note.lines) == 1 and len(said) < 60 and line[:1].isupper())
    interrupted = bool(body) and not _ENDS.search(body[-1][1])
    if said.endswith((",", ";")):
        return True
    return not line[:1].islower() and not line[:1].isdigit() and not interrupted


def _stray_letters(lines: list[str]) -> set[int]:
    """Return the numbers of lines in runs of three and more single characters: what is left of a side note."""
    stray: set[int] = set()
    run: list[int] = []
    for n, line in enumerate([*lines, "end"], 1):
        if len(line) == 1:
            run.append(n)
            continue
        if len(run) >= 3:
            stray.update(run)
        run = []
    return stray


def _take_head(body: list[tuple[int, str]]) -> tuple[str, tuple[str, str] | None, list[tuple[int, str]]]:
    """Return the title, the place in the Journal of Laws (year, position) and the lines after them."""
    position = None
    start = next((i for i, (_, line) in enumerate(body[:15]) if _KIND_LINE.match(line)), None)
    for _, line in body[: (start or 0) + 1]:
        found = _POSITION.search(line)
        position = position or ((found[1], found[2]) if found else None)
    if start is None:
        return "", position, body[1:] if position and _POSITION.match(body[0][1]) else body
    dated = next((i for i in range(start, min(start + 6, len(body))) if body[i][1].startswith("z dnia ")), None)
    if dated is None:
        return "", position, body
    kind = fold(" ".join(line for _, line in body[start:dated]))
    kind = "Ustawa" if kind.replace(" ", "").startswith("USTAWA") else _sentence_case(kind)
    end = dated + 1
    while end < len(body) and not kind.startswith("Konst") and not _starts_text(body[end][1], end > dated + 1):
        end += 1
    name = re.sub(_MARK, "", " ".join(line for _, line in body[dated + 1 : end])).strip()
    dash = " – " if name[:1].isupper() else " "
    return fold(f"{kind} {body[dated][1]}{dash if name else ''}{name}"), position, body[end:]


def _starts_text(line: str, has_name: bool) -> bool:
    return bool(_OPENER.match(line)) or line.startswith(("Preambuła", "Na podstawie")) or (
        has_name and line[:1].isupper()
    )  # fmt: skip


def _sentence_case(capitals: str) -> str:
    words = capitals.replace("R O Z P O R Z Ą D Z E N I E", "ROZPORZĄDZENIE").split()
    return " ".join(word.capitalize() for word in words)


def _hyphenated(body: list[tuple[int, str]]) -> frozenset[str]:
    return frozenset(match[0].lower() for _, line in body for match in re.finditer(r"\b[^\W\d_]+-[^\W\d_]+\b", line))


def _recognises(data: bytes) -> bool:
    head = data[:200_000].decode("utf-8", errors="ignore")
    if head.lstrip()[:1] in "<{[#":
        return False
    polish = re.search(r"Dz\. ?U\.|Kancelaria Sejmu|\bustaw|U\s?S\s?T\s?A\s?W\s?A|ROZPORZĄDZENIE|KONSTYTUCJA", head)
    return bool(polish and re.search(r"(?m)^\s*(?:Art\. ?\d+|§ 1\.)", head))


pl_text = Source(_recognises, _read, priority=1)
