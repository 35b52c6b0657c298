"""Stage assemble: what passed > a benchmark with its contexts, its citation graph, its funnel and its card."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from renvoi.chunk import Chunks
from renvoi.crossref.items import Candidate, Draft
from renvoi.types import Benchmark, Corpus, Query

_DEV_SHARE = 0.25


def make_collection(corpus: Corpus, chunks: Chunks) -> pl.DataFrame:
    """Return the chunks as the collection of a benchmark."""
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


def split_by_act(drafts: Sequence[Draft], documents: Mapping[str, str]) -> dict[str, str]:
    """Return document id > "dev" or "test": whole acts, about a quarter of the questions in dev.

    Acts are drawn by the hash of their ids. With one act only, all is test.
    """
    counts: dict[str, int] = {}
    for draft in drafts:
        counts[documents[draft.target_id]] = counts.get(documents[draft.target_id], 0) + 1
    split = dict.fromkeys(counts, "test")
    room = _DEV_SHARE * len(drafts)
    for id in sorted(counts, key=lambda id: hashlib.sha256(id.encode()).hexdigest()):
        if counts[id] <= room and len(counts) > 1:
            split[id] = "dev"
            room -= counts[id]
    return split


def assemble(
    corpus: Corpus,
    chunks: Chunks,
    candidates: Mapping[str, Candidate],
    drafts: Sequence[Draft],
    language: str,
    funnel: Sequence[Mapping[str, Any]],
    manifest: Mapping[str, Any],
) -> Benchmark:
    """Return the benchmark: hard questions and controls, relevant = the target alone."""
    collection = make_collection(corpus, chunks)
    documents = dict(collection.select("id", "document_id").iter_rows())
    split = split_by_act(drafts, documents)
    queries = tuple(
        Query(
            id=d.id,
            text=d.text,
            split=split[documents[d.target_id]],
            source_id=d.target_id,
            document_id=documents[d.target_id],
            extra={"set": d.marks["set"], "writer": d.writer, "pattern": d.pattern, "used": list(d.used),
                   **{key: value for key, value in d.marks.items() if key != "set"}},
        )
        for d in drafts
    )  # fmt: skip
    qrels = pl.DataFrame(
        [(d.id, d.target_id, 1) for d in drafts],
        schema={"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Int64},
        orient="row",
    )
    contexts = pl.DataFrame(
        [(d.id, c) for d in drafts for c in candidates[d.target_id].contexts],
        schema={"query_id": pl.String, "doc_id": pl.String},
        orient="row",
    )
    return Benchmark(
        "crossref", language, {"chunks": collection}, queries, {"chunk": qrels}, contexts, make_links(corpus, chunks),
        tuple(funnel), manifest,
    )  # fmt: skip
