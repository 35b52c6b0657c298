"""Consolidated Polish acts as Markdown, as law repositories keep them (`DU-2025-775.md`).

"Art. 1a." stands in a line of its own or before its text (also as a heading), lists are "- 1) …" with "a)" indented
below, tirets stand within the line of their letter: "a) terytoria: – wyspę, – miasto".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from renvoi.errors import BadInput
from renvoi.sources import Raw, Source, _pl
from renvoi.sources._pl_outline import Outline
from renvoi.tree import TreeBuilder, fold
from renvoi.types import Document, Finding, SourceFile

_BULLET = re.compile(r"- (?=(?:\d+[a-zł]*|[a-z]{1,3})\)|[–-])")
_ANNEXES = re.compile(r"Załącznik(?:i)?\b")
_ANNEX = re.compile(r"(?=Załącznik nr \d+[a-z]?\b)")
_TIRET = re.compile(r"(?:(?<=[,;])|(?<= i)|(?<= lub)|(?<= oraz)|(?<= albo)) (?=– )")
_VERSION = re.compile(r"([\[<])((?:Art\. |§ )?\d+[a-zł]*[.)]|[a-z]{1,2}\))(?:\s|$)")
# Labels that ran on into the line before. The outline takes up those whose number follows, the rest stays text.
_GLUED = re.compile(
    r"(?<=\(uchylon[yae]\)) (?=\d+[a-zł]*[.)] |[a-z]{1,2}\) )"
    r"|(?<!Art\.)(?<=[.;:,]) (?=[\[<]?\d+[a-zł]+(?:\. [A-ZĄĆĘŁŃÓŚŹŻ„(]|\) ))"
    r"|(?<=[.;]) (?=[\[<]?§ \d+[a-zł]*\. )"
    r"|(?<!Art\.)(?<=[.;]) (?=[\[<]?\d+(?:\. [A-ZĄĆĘŁŃÓŚŹŻ„(]|\) )|Art\. \d+[a-zł]*\. )"
    r"|(?<=[;,]) (?=[a-z]{1,2}\) )|(?<=:) (?=1\) )"
    r"|(?:(?<= lub)|(?<= albo)|(?<= oraz)|(?<= i)) (?=\d+[a-zł]+\) )"
)


def _read(raw: Raw) -> tuple[Document, ...]:
    where = raw.path.name
    try:
        text = raw.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = raw.data[: error.start].count(b"\n") + 1
        raise BadInput(f"{where}, line {at}", "not UTF-8", "convert the file to UTF-8") from error
    id = _pl.id_from_name(where)
    title = _title(text)
    outline = Outline(where)
    _feed(outline, text)
    tree = TreeBuilder(id, where)
    outline.build(tree)
    missing = Finding(where, "no_title", "the text has no title line; its id stands for it")
    document = Document(
        id=id,
        jurisdiction="pl",
        language="pl",
        kind=_pl.kind_of(title),
        title=title or id,
        short_titles=_pl.short_titles(title),
        date=_pl.date_in(title),
        text_state="consolidated",
        source=SourceFile(str(raw.path), raw.sha256, "pl_markdown"),
        provisions=tree.provisions(),
        findings=(*outline.findings, *(() if title else (missing,))),
    )
    return (document,)


def _feed(outline: Outline, text: str) -> None:
    """Feed the wording in force: `[2. …]` is in force until a day, `<2. …>` from then on and kept as a note."""
    old = ""
    later: list[str] = []
    n_later = 0
    for n, line in _lines(text):
        version = _VERSION.match(line)
        if later or (version and version[1] == "<" and version[2] == old):
            later.append(line.removeprefix("<").removesuffix(">"))
            if line.endswith(">"):
                n_later += 1
                outline.note(f"later{n_later}", "<…>", " ".join(later))
                later = []
            continue
        if version:
            old = version[2] if version[1] == "[" else ""
            line = line[1:]
        outline.feed(line, n, heading_inline=True)
    if later:
        raise BadInput(outline.where, "a later wording that starts with '<' does not end", "the file may be cut")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield what opens a provision or goes on with one, without the marks of Markdown."""
    in_annexes = False
    for n, printed in enumerate(text.splitlines(), 1):
        line = fold(printed.strip().lstrip("#").replace("**", ""))
        if not line or re.fullmatch(r"[-=_*]{3,}", line):
            continue
        line = _BULLET.sub("", line, count=1) if _BULLET.match(line) else line
        in_annexes = in_annexes or bool(_ANNEXES.match(line))
        for part in _ANNEX.split(line) if in_annexes else [line]:
            for piece in _GLUED.split(part.strip()):
                yield from ((n, tiret) for tiret in _split_tirets(piece))


def _split_tirets(line: str) -> list[str]:
    """Return a line cut before each of the tirets that it holds.

    >>> _split_tirets("a) terytoria: – wyspę – w całości, – miasto")
    ['a) terytoria:', '– wyspę – w całości,', '– miasto']
    """
    lead, found, rest = line.partition(": – ")
    if not found:
        return [line] if line else []
    return [lead + ":", *_TIRET.split("– " + rest)]


def _title(text: str) -> str:
    """Return the title, from a heading before the first article or from the heading of the annexes."""
    head = text[: text.find("Art.")] if "Art." in text else text[:2_000]
    found = re.search(r"(?im)^#*\s*\**((?:ustawa|rozporządzenie|konstytucja)\b[^\n]*)", head)
    if found:
        return fold(found[1].replace("*", ""))
    found = re.search(r"(?m)^Załącznik(?:i|) do ustawy (z dnia \d{1,2} \w+ \d{4} r\.[^\n(]*)", text)
    return fold(f"Ustawa {found[1]}") if found else ""


def _recognises(data: bytes) -> bool:
    head = data[:100_000].decode("utf-8", errors="ignore")
    if head.lstrip()[:1] in "<{[":
        return False
    articles = re.findall(r"(?m)^(?:#+ |\*\*)?Art\. ?\d+[a-zł]*\.", head)
    marked = re.search(r"(?m)^#+ (?:Art\.|Rozdział|Oddział|DZIAŁ)|^- \d+[a-zł]*\) ", head)
    return bool(articles and marked)


pl_markdown = Source(_recognises, _read, priority=2)
