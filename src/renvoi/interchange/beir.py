"""BEIR's layout: `corpus.jsonl`, `queries.jsonl` and `qrels/SPLIT.tsv` (Thakur et al. 2021)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from renvoi import store
from renvoi.errors import BadInput
from renvoi.interchange._layout import (
    Entry,
    Layout,
    by_split,
    collection_from,
    documents,
    each_level,
    guess_language,
    imported,
    json_lines,
    need,
    write_json_lines,
)
from renvoi.types import Benchmark, Query


def _read(folder: Path, language: str | None = None) -> Benchmark:
    """Read a folder; the file of the qrels that name a query is its split.

    A title that we did not write ourselves becomes the only label, so that models may use or leave it.
    """
    corpus, queries = folder / "corpus.jsonl", folder / "queries.jsonl"
    files = sorted((folder / "qrels").glob("*.tsv"))
    if not files:
        raise BadInput(folder / "qrels", "holds no .tsv file", "BEIR has qrels/test.tsv")
    frames = {file.stem: store.read_qrels(file) for file in files}
    split = {query: stem for stem, frame in frames.items() for query in frame["query_id"].unique()}
    collection = collection_from((_entry(row, f"{corpus}:{n}") for n, row in json_lines(corpus)), corpus)
    made = [_query(row, f"{queries}:{n}", split) for n, row in json_lines(queries)]
    qrels = pl.concat(frames.values()).unique(["query_id", "doc_id"], keep="first", maintain_order=True)
    return imported(
        "beir",
        [corpus, queries, *files],
        language or guess_language(collection["text"]),
        collections={"chunks": collection},
        queries=made,
        qrels={"chunk": qrels},
        funnel=[{"stage": "import", "chunks": collection.height, "queries": len(made)}],
    )


def _entry(row: Mapping[str, Any], where: str) -> Entry:
    metadata = row.get("metadata") or {}
    day = metadata.get("date")
    title = str(row.get("title") or "")
    doc_id = str(need(row, "_id", where))
    return Entry(
        id=doc_id,
        text=str(row.get("text") or ""),
        document_id=str(metadata.get("document_id") or doc_id),
        lead_ins=metadata.get("lead_ins") or (),
        labels=metadata.get("labels") or ([title] if title else ()),
        date=date.fromisoformat(day) if day else None,
    )


def _query(row: Mapping[str, Any], where: str, split: Mapping[str, str]) -> Query:
    query_id = str(need(row, "_id", where))
    metadata = dict(row.get("metadata") or {})
    day = metadata.pop("date", None)
    return Query(
        id=query_id,
        text=str(need(row, "text", where)),
        split=split.get(query_id, "all"),
        source_id=metadata.pop("source_id", ""),
        document_id=metadata.pop("document_id", ""),
        date=date.fromisoformat(day) if day else None,
        extra=metadata,
    )


def _write(bench: Benchmark, folder: Path) -> None:
    for task, place in each_level(bench, folder):
        write_json_lines(place / "corpus.jsonl", documents(task))
        write_json_lines(place / "queries.jsonl", (_query_row(query) for query in task.queries))
        for split, (_, qrels) in by_split(task).items():
            rows = qrels.select("query_id", "doc_id", "relevance").iter_rows()
            lines = "".join(f"{query}\t{doc}\t{grade}\n" for query, doc, grade in rows)
            name = "test" if split == "all" else split  # where there are no splits, BEIR's readers look for "test"
            store.write_text(place / "qrels" / f"{name}.tsv", f"query-id\tcorpus-id\tscore\n{lines}")


def _query_row(query: Query) -> dict[str, Any]:
    fields = {"source_id": query.source_id, "document_id": query.document_id, "date": query.date}
    return {
        "_id": query.id,
        "text": query.text,
        "metadata": {**query.extra, **{name: value for name, value in fields.items() if value}},
    }


beir = Layout(read=_read, write=_write)
