"""Chunks without a corpus > the citation graph between them.

A benchmark that others made holds chunks with ids in the national notation ("act~§ 12/stk. 2"), and no references.
Here the chunks of an act become a document again, the citation engine reads it, and each reference is led to the
chunks that hold what it reaches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

import polars as pl

from renvoi import cite, gold, ids, registry
from renvoi.chunk import CHUNK_LEVELS
from renvoi.grammar import Grammar
from renvoi.resolve import Resolver
from renvoi.types import Document, Kind, Link, Path, Provision, SourceFile, Step, Unresolved

SCHEMA = {"source_id": pl.String, "target_id": pl.String, "date": pl.Date}
_TAILS = ("część wspólna", "tail")
_BROAD = 40  # a reference that reaches more chunks than this names a chapter, not a rule


@dataclass(slots=True)
class _Tree:
    """The chunks of one act, with the provisions above them that no chunk holds."""

    texts: dict[Path, str] = field(default_factory=dict)  # in document order, a parent before its children
    chunks: dict[str, str] = field(default_factory=dict)  # provision id > chunk id


def link_chunks(collection: pl.DataFrame, language: str) -> pl.DataFrame:
    """Return the links between the chunks of a collection: source_id, target_id, date (null).

    A reference to a provision above the chunks reaches all chunks below it, unless they are more than 40. One to a
    part of a chunk (a numbered item inside its text) reaches the chunk. A chunk never links to itself.

    Args:
        collection: `id` in the national notation after the last "~", `text`, `document_id`; in document order.
        language: ISO 639-1; says how the texts cite. Without a grammar for it there are no links.
    """
    jurisdiction = {"en": "eu"}.get(language, language)
    if jurisdiction not in registry.names("jurisdictions"):
        return pl.DataFrame(schema=SCHEMA)
    grammar: Grammar = registry.load("jurisdictions", jurisdiction)
    trees: dict[str, _Tree] = {}
    for id, document_id, text in collection.select("id", "document_id", "text").iter_rows():
        _plant(trees.setdefault(document_id, _Tree()), id, document_id, text, grammar)
    documents = [_document(name, tree, jurisdiction, language) for name, tree in trees.items()]
    holders = {id: held for document in documents for id, held in _holders(document, trees[document.id]).items()}
    levels = CHUNK_LEVELS.get(jurisdiction, frozenset())
    found: dict[tuple[str, str], None] = {}
    resolver = Resolver(documents)
    for document in documents:
        for citation in cite.find_citations(document):
            source = trees[document.id].chunks.get(citation.source_id)
            if source is None:
                continue
            for reference in citation.references:
                ends = resolver.ends(citation.source_id, reference)
                reached = [chunk for end in ends for chunk in holders.get(_reached(end, levels, holders), ())]
                if len(reached) <= _BROAD:
                    found.update(dict.fromkeys((source, target) for target in reached if target != source))
    rows = [(source, target, None) for source, target in found]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def ancestors(id: str, known: Iterable[str] | Mapping[str, object]) -> Iterator[str]:
    """Yield the known ids of the provisions above a chunk, the nearest first, by the path that its id writes.

    >>> list(ancestors("act~art. 5/ust. 2/pkt 1", {"act~art. 5", "act~art. 5/ust. 2"}))
    ['act~art. 5/ust. 2', 'act~art. 5']
    """
    separator = "/" if "/" in id.rpartition("~")[2] else "__"
    above = id
    while separator in above.rpartition("~")[2]:
        above = above.rpartition(separator)[0]
        if above in known:
            yield above


def inherit_links(links: pl.DataFrame, known: Mapping[str, object]) -> list[tuple[str, str, date | None]]:
    """Return links, each once, with those of the lead-ins above a chunk added to the chunk's.

    Args:
        links: source_id, target_id, date.
        known: ids of all chunks.
    """
    found: dict[tuple[str, str], date | None] = {}
    by_source: dict[str, list[tuple[str, date | None]]] = {}
    for source, target, day in links.select("source_id", "target_id", "date").iter_rows():
        if (source, target) not in found:
            found[source, target] = day
            by_source.setdefault(source, []).append((target, day))
    for id in known:
        for above in ancestors(id, by_source):
            for target, day in by_source[above]:
                if target != id:
                    found.setdefault((id, target), day)
    return [(source, target, day) for (source, target), day in found.items()]


def _plant(tree: _Tree, id: str, document_id: str, text: str, grammar: Grammar) -> None:
    path = _path(id.rpartition("~")[2], grammar, len(tree.texts))
    if path in tree.texts and ids.format_id(document_id, path) in tree.chunks:
        path = (Step("x", str(len(tree.texts))),)
    for n in range(1, len(path)):
        tree.texts.setdefault(path[:n], "")
    tree.texts[path] = text
    tree.chunks[ids.format_id(document_id, path)] = id


def _path(notation: str, grammar: Grammar, n: int) -> Path:
    """Return the path that a chunk id writes; one of its own for what cannot be read, so that its text still cites."""
    parts = notation.split("/")
    tail = parts[-1] in _TAILS
    try:
        path = gold.parse_notation("/".join(parts[:-1] if tail else parts), grammar)
    except ValueError:
        return (Step("x", str(n)),)
    return (*path, Step("tail", "1")) if tail else path


def _document(id: str, tree: _Tree, jurisdiction: str, language: str) -> Document:
    inner = {path[:n] for path in tree.texts for n in range(1, len(path))}
    provisions = []
    for order, (path, text) in enumerate(tree.texts.items()):
        kind: Kind = "tail" if path[-1].level == "tail" else "lead_in" if path in inner else "leaf"
        parent = ids.format_id(id, path[:-1]) if len(path) > 1 else None
        provisions.append(Provision(ids.format_id(id, path), id, path, "", "", text, order, parent, kind))
    title = id.replace("_", " ")
    source = SourceFile("", "", "chunks")
    return Document(
        id, jurisdiction, language, "act", title, (), None, "consolidated", source, tuple(provisions)
    )  # fmt: skip


def _holders(document: Document, tree: _Tree) -> dict[str, tuple[str, ...]]:
    """Return for each provision the chunks that hold it: its own and those below, in document order."""
    held: dict[str, list[str]] = {}
    for p in document.provisions:
        chunk = tree.chunks.get(p.id)
        if chunk is not None:
            for n in range(1, len(p.path) + 1):
                held.setdefault(ids.format_id(document.id, p.path[:n]), []).append(chunk)
    return {id: tuple(chunks) for id, chunks in held.items()}


def _reached(end: Link | Unresolved, levels: frozenset[str], holders: Mapping[str, Sequence[str]]) -> str:
    """Return the id of the provision that an end reaches; "" for none.

    A part that the chunk's text holds without being a provision (§ 5, stk. 1, nr. 2) reaches the chunk.
    """
    if isinstance(end, Link):
        return end.target_id
    if end.reason != "no_such_provision" or end.nearest is None:
        return ""
    below = end.path[len(ids.parse_id(end.nearest)[1]) :]
    inside = bool(levels) and not any(step.level in levels for step in below) and len(holders.get(end.nearest, ())) == 1
    return end.nearest if inside else ""
