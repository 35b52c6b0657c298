"""Stage assemble: what passed > a benchmark with its contexts, its citation graph, its funnel and its card."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from renvoi.chunk import Chunks, make_collection, make_links
from renvoi.crossref.items import Candidate, Draft
from renvoi.types import Benchmark, Corpus, Query

_DEV_SHARE = 0.25


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
