"""A pasted text > the references in it, each with what it reaches in a corpus or the reason why not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from renvoi import cite, cite_cases, registry
from renvoi.case_grammar import CaseGrammar
from renvoi.coverage import label_styles
from renvoi.errors import BadInput
from renvoi.grammar import Grammar
from renvoi.ids import clean_number, format_id, format_label, format_path, parse_path
from renvoi.resolve import Resolver
from renvoi.show import End, Reader, describe_rule
from renvoi.store.corpus import documents_of
from renvoi.types import Citation, Document, Link, Path, Provision, Reference, SourceFile, Step, Unresolved

MOST_CHARACTERS = 50_000
_OWN = "pasted"  # the id of a text of no document
_NOTHING = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")


@dataclass(frozen=True, slots=True)
class Folded:
    """One paragraph with its white space folded, and where each of its characters stood."""

    text: str
    places: tuple[int, ...]  # in the text as pasted


class Paste:
    """Reads pasted texts against one corpus."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def read(self, text: str, jurisdiction: str, document_id: str | None = None) -> dict[str, Any]:
        """Return the citations of a text as data, in its order; places are characters of the text as given.

        Args:
            text: any, at most `MOST_CHARACTERS`; empty lines part its paragraphs.
            jurisdiction: whose way of citing it is read by.
            document_id: the act or judgment it is from, for references that name none.

        Raises:
            BadInput: it is too long, or the corpus has no such document.
            UnknownName: there is no such jurisdiction.
        """
        if len(text) > MOST_CHARACTERS:
            raise BadInput("text", f"has {len(text)} characters", f"at most {MOST_CHARACTERS} are read at once")
        grammar = registry.load("jurisdictions", jurisdiction)
        if document_id is not None and document_id not in self._documents:
            self._reader.row(document_id)  # says which are near
        paragraphs = list(fold_paragraphs(text))
        own = document_id or _OWN
        provisions = tuple(_stand(own, paragraphs, grammar))
        host = self._documents.get(document_id) if document_id else None
        pasted = Document(
            own, jurisdiction, "en", "act", host.title if host else "", (), None, "as_enacted",
            SourceFile("", "", _OWN), provisions,
        )  # fmt: skip
        cited = self._cases(pasted) if isinstance(grammar, CaseGrammar) else self._acts(pasted, host)
        styles = label_styles(jurisdiction)
        place = {p.id: paragraph for p, paragraph in zip(provisions, paragraphs, strict=True)}
        return {
            "jurisdiction": jurisdiction,
            "citations": [
                {
                    "start": place[c.source_id].places[c.start],
                    "end": place[c.source_id].places[c.end - 1] + 1,
                    "references": [
                        self._reference(r, found, place[c.source_id], styles) for r, found in ends if r.end > r.start
                    ],
                }
                for c, ends in cited
            ],
        }

    def _acts(
        self, pasted: Document, host: Document | None
    ) -> Iterator[tuple[Citation, list[tuple[Reference, list[Link | Unresolved]]]]]:
        whole = replace(host, provisions=(*host.provisions, *pasted.provisions)) if host else pasted
        resolver = self._resolver.beside(whole)
        for citation in cite.find_citations(pasted):
            yield citation, [(r, resolver.ends(citation.source_id, r)) for r in citation.references]

    def _cases(self, pasted: Document) -> Iterator[tuple[Citation, list[tuple[Reference, list[Link | Unresolved]]]]]:
        memory = cite_cases.Memory("" if pasted.id == _OWN else pasted.id)
        for p in pasted.provisions:
            for citation in cite_cases.find_case_citations(p.text, p.id, memory):
                yield citation, [(r, self._library.ends(citation, r)) for r in citation.references]

    def _reference(
        self, r: Reference, found: list[Link | Unresolved], place: Folded, styles: Mapping[str, str]
    ) -> dict[str, Any]:
        ends = [_outside(end, styles) for end in self._reader.ends(found, styles)]
        said = {"kind": r.kind, "act": r.act, "scope": r.scope, "until": r.until, "exception": r.exception}
        start, end = place.places[r.start], place.places[r.end - 1] + 1
        return {
            "start": start, "end": end, "text": place.text[r.start : r.end], "rule": describe_rule(said, ends),
            "ends": [asdict(end) for end in ends],
        }  # fmt: skip

    @cached_property
    def _documents(self) -> dict[str, Document]:
        return {document.id: document for document in documents_of(self._reader.corpus)}

    @cached_property
    def _resolver(self) -> Resolver:
        known = registry.names("jurisdictions")
        acts = [d for d in self._documents.values() if d.jurisdiction in known and not cite_cases.is_case_law(d)]
        return Resolver(acts)

    @cached_property
    def _library(self) -> cite_cases.Library:
        return cite_cases.Library([d for d in self._documents.values() if cite_cases.is_case_law(d)])


def _stand(own: str, paragraphs: list[Folded], grammar: Grammar | CaseGrammar) -> Iterator[Provision]:
    """Yield the paragraphs as provisions, each at the address that labels such as "§ 5." and "Stk. 2." give it."""
    levels = () if isinstance(grammar, CaseGrammar) else grammar.levels
    labels = [
        (n, re.compile(rf"(?:{level.marks})\s?({level.number})\.(?=\s)"))
        for n, level in enumerate(levels)
        if level.marks
    ]
    stem: Path = ()
    for n, paragraph in enumerate(paragraphs):
        at = 0
        while found := next(
            ((m, at_level) for at_level, label in labels if (m := label.match(paragraph.text, at))), None
        ):
            match, at_level = found
            level = levels[at_level]
            ranks = {one.name: one.rank for one in levels}
            stem = (
                *(step for step in stem if ranks[step.level] < level.rank),
                Step(level.name, clean_number(match[1])),
            )
            at = match.end() + 1
        path = (*stem, Step(_OWN, str(n)))
        # The label is no citation; blanks keep the places of what follows.
        text = " " * at + paragraph.text[at:]
        yield Provision(format_id(own, path), own, path, "", "", text, 10**8 + n, None, "leaf")


def _outside(end: End, styles: Mapping[str, str]) -> End:
    """Return an end without what only the pasted text is: it has no place in an act that could be reached."""
    path = tuple(step for step in parse_path(end.cited) if step.level != _OWN)
    inside = f"{_OWN}_" in (end.target or "") or len(path) < len(parse_path(end.cited))
    if end.act != _OWN and not inside:
        return end
    why = "counted from where the text stands, and that is not known"
    if end.act == _OWN and not inside:
        why = "names no act: say which one the text is from"
    label = format_label(path, styles)
    return replace(
        end, target=None, act="", title="", label=label, cited=format_path(path), reason="no_act", why=why, nearest=None
    )


def fold_paragraphs(text: str) -> Iterator[Folded]:
    """Yield the paragraphs of a text, folded as `tree.fold` does; line breaks inside one are blanks.

    >>> [(p.text, p.places[-1]) for p in fold_paragraphs("a  b\\nc\\n\\nd")]
    [('a b c', 5), ('d', 8)]
    """
    for paragraph in re.finditer(r"(?:[^\n]|\n(?!\s*\n))+", text):
        kept: list[tuple[str, int]] = []
        for at, char in enumerate(paragraph[0], paragraph.start()):
            if _NOTHING.match(char):
                continue
            if not char.isspace():
                kept.append((char, at))
            elif kept and kept[-1][0] != " ":
                kept.append((" ", at))
        if kept and kept[-1][0] == " ":
            kept.pop()
        if kept:
            yield Folded("".join(char for char, _ in kept), tuple(at for _, at in kept))
