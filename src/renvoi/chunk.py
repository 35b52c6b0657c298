"""Provisions > chunks: the units retrieval sees, cut at the level each jurisdiction cites."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from renvoi.types import Chunk, Corpus

# A provision of such a level is one chunk with all its descendants; where a branch has none, the provision below the
# divisions is the chunk. An empty set cuts at every leaf: lead-ins and tails are then chunks too.
CHUNK_LEVELS: Mapping[str, frozenset[str]] = {
    "da": frozenset({"subsec"}),
    "pl": frozenset(),
    "eu": frozenset({"para"}),
    "cjeu": frozenset({"para"}),
    "de": frozenset({"para"}),
}
_OTHERWISE = frozenset({"para", "subsec"})

_APART = {"preamble", "closing", "footnote", "heading", "costs"}  # no operative text
_ABSORBED = {"quotation", "table"}  # stay in the chunk of the provision that holds them
_TRANSPARENT = {"division", "annex"}  # never a chunk while they have something below
_OMITTED = re.compile(r"\(?(udelades|udeladt|pominięt[eya])\)?\.?", re.I)


@dataclass(frozen=True, slots=True)
class Chunks:
    """The chunks of a corpus in document order.

    holders  provision id > ids of the chunks that hold its text: the chunk it lies in, or all chunks below it; none
             for repealed provisions and parts that are not operative
    counts   "chunks", and why provisions gave none: "repealed", "omitted", "not_operative"
    """

    chunks: tuple[Chunk, ...]
    holders: Mapping[str, tuple[str, ...]]
    counts: Mapping[str, int]


@dataclass(slots=True)
class _Node:
    id: str
    document_id: str
    level: str
    label: str
    heading: str
    text: str
    kind: str
    state: str
    children: list[_Node]


def chunk_corpus(corpus: Corpus) -> Chunks:
    """Return the chunks of all documents of a corpus.

    No operative text is lost: a provision above the chunks hands its text down in their `lead_ins`; a text that no
    chunk below would carry is a chunk of its own. What an amending act quotes belongs to the amending provision.
    """
    jurisdictions = dict(corpus.documents.select("id", "jurisdiction").iter_rows())
    chunks: list[Chunk] = []
    holders: dict[str, tuple[str, ...]] = {}
    counts: Counter[str] = Counter()
    for document_id, roots in _trees(corpus.provisions):
        levels = CHUNK_LEVELS.get(jurisdictions[document_id], _OTHERWISE)
        cutter = _Cutter(levels, chunks, holders, counts)
        for root in roots:
            cutter.cut(root, (), ())
    counts["chunks"] = len(chunks)
    return Chunks(tuple(chunks), holders, dict(sorted(counts.items())))


def make_collection(corpus: Corpus, chunks: Chunks) -> pl.DataFrame:
    """Return the chunks as the collection of a benchmark, or of an index: see `types.Benchmark`."""
    dates = dict(corpus.documents.select("id", "date").iter_rows())
    rows = [
        (c.id, c.text, list(c.lead_ins), list(c.labels), c.document_id, dates[c.document_id], n)
        for n, c in enumerate(chunks.chunks)
    ]
    schema: dict[str, Any] = {
        "id": pl.String, "text": pl.String, "lead_ins": pl.List(pl.String), "labels": pl.List(pl.String),
        "document_id": pl.String, "date": pl.Date, "order": pl.Int32,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def make_links(corpus: Corpus, chunks: Chunks) -> pl.DataFrame:
    """Return the citation graph of the chunks: source_id, target_id, date; each pair once, in document order."""
    dates = dict(corpus.documents.select("id", "date").iter_rows())
    documents = {c.id: c.document_id for c in chunks.chunks}
    pairs: dict[tuple[str, str], None] = {}
    for source, target in corpus.links.select("source_id", "target_id").drop_nulls().iter_rows():
        for s in chunks.holders.get(source, ()):
            if len(chunks.holders[source]) == 1 or s == source:
                pairs.update(dict.fromkeys((s, t) for t in chunks.holders.get(target, ()) if t != s))
    rows = [(s, t, dates[documents[s]]) for s, t in pairs]
    return pl.DataFrame(rows, schema={"source_id": pl.String, "target_id": pl.String, "date": pl.Date}, orient="row")


def _trees(provisions: pl.DataFrame) -> Iterator[tuple[str, list[_Node]]]:
    """Yield each document's id and topmost provisions, in order."""
    columns = ("id", "document_id", "path", "label", "heading", "text", "kind", "state", "parent")
    roots: dict[str, list[_Node]] = {}
    nodes: dict[str, _Node] = {}
    for id, document_id, path, label, heading, text, kind, state, parent in provisions.select(columns).iter_rows():
        level = path.rsplit("__", 1)[-1].partition("_")[0]
        node = _Node(id, document_id, level, label, heading, text, kind, state, [])
        nodes[id] = node
        if parent is None:
            roots.setdefault(document_id, []).append(node)
        else:
            nodes[parent].children.append(node)
    yield from roots.items()


class _Cutter:
    """Cuts one document; results go to the collections it is given."""

    def __init__(
        self, levels: frozenset[str], chunks: list[Chunk], holders: dict[str, tuple[str, ...]], counts: Counter[str]
    ) -> None:
        self.levels = levels
        self.chunks = chunks
        self.holders = holders
        self.counts = counts

    def cut(self, node: _Node, lead_ins: tuple[str, ...], labels: tuple[str, ...]) -> tuple[str, ...]:
        """Make the chunks of a provision and return their ids."""
        made = self._cut(node, lead_ins, (*labels, name) if (name := _name(node)) else labels)
        if made:
            self.holders[node.id] = made
        return made

    def _cut(self, node: _Node, lead_ins: tuple[str, ...], labels: tuple[str, ...]) -> tuple[str, ...]:
        if node.kind in _APART:
            self.counts["not_operative"] += 1
            return ()
        if node.state == "repealed":
            self.counts["repealed"] += 1
            return ()
        if not node.children and _OMITTED.fullmatch(node.text):
            self.counts["omitted"] += 1
            return ()
        if self._is_chunk(node):
            return self._whole(node, lead_ins, labels)
        tails = [child.text for child in node.children if child.kind == "tail"]
        own = " … ".join(filter(None, (node.text, *tails)))
        below = (*lead_ins, own) if own else lead_ins
        made: tuple[str, ...] = ()
        if node.text and not self.levels and node.kind not in _TRANSPARENT:
            made = self._own_text(node, lead_ins, labels)
        for child in node.children:
            if child.kind != "tail" or not self.levels:
                made += self.cut(child, lead_ins if child.kind == "tail" else below, labels)
        if not made and own:
            made = self._own_text(node, lead_ins, labels)
        return made

    def _is_chunk(self, node: _Node) -> bool:
        if node.level in self.levels:
            return True
        if node.kind in _TRANSPARENT:
            return not node.children and bool(node.text)
        if not self.levels:
            return all(child.kind in _ABSORBED for child in node.children)
        amends = any(self._holds_quotation(child) for child in node.children if child.kind not in _ABSORBED)
        return node.level != "trans" and not amends and not self._holds_level(node)

    def _holds_level(self, node: _Node) -> bool:
        return any(
            child.kind not in _ABSORBED and (child.level in self.levels or self._holds_level(child))
            for child in node.children
        )

    def _holds_quotation(self, node: _Node) -> bool:
        """Say whether amending provisions stand below; each of them is then a chunk, not all together."""
        return any(child.kind == "quotation" or self._holds_quotation(child) for child in node.children)

    def _whole(self, node: _Node, lead_ins: tuple[str, ...], labels: tuple[str, ...]) -> tuple[str, ...]:
        parts: list[str] = []
        self._collect(node, parts, node.id, own=True)
        return self._emit(node, " ".join(parts), lead_ins, labels)

    def _own_text(self, node: _Node, lead_ins: tuple[str, ...], labels: tuple[str, ...]) -> tuple[str, ...]:
        tails = [] if not self.levels else [child.text for child in node.children if child.kind == "tail"]
        return self._emit(node, " ".join(filter(None, (node.text, *tails))), lead_ins, labels)

    def _emit(self, node: _Node, text: str, lead_ins: tuple[str, ...], labels: tuple[str, ...]) -> tuple[str, ...]:
        if not text:
            return ()
        self.chunks.append(Chunk(node.id, node.document_id, text, lead_ins, labels))
        return (node.id,)

    def _collect(self, node: _Node, parts: list[str], chunk: str, *, own: bool = False) -> None:
        if node.state == "repealed" and not own:
            self.counts["repealed"] += 1
            return
        parts += [part for part in ("" if own else _name(node), node.text) if part]
        for child in node.children:
            self.holders.setdefault(child.id, (chunk,))
            self._collect(child, parts, chunk)


def _name(node: _Node) -> str:
    return f"{node.label} {node.heading}".strip()
