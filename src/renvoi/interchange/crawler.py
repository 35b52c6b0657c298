"""CRAwLeR's layout: `chunks.jsonl` and a file of context-dependent queries, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from renvoi import graph, store
from renvoi.errors import BadInput
from renvoi.interchange._layout import (
    Entry,
    Layout,
    collection_from,
    guess_language,
    imported,
    json_lines,
    need,
    qrels_from,
)
from renvoi.types import Benchmark, Query

_QUERY_FILES = ("contextual_queries.jsonl", "queries.jsonl", "dev.jsonl")


def _read(folder: Path, queries: Path | None = None, language: str | None = None) -> Benchmark:
    """Read `folder/chunks.jsonl` and a file of queries.

    A chunk's id is kept as it is (`act~§ 12/stk. 2`). Headings and the outer steps of the path become labels; common
    endings (`tails`) follow the lead-ins. What a row says besides its text is kept as it is in the column `fields`
    (JSON), so that `write` gives back every row. The links come from our own reading of the texts (see `graph`), never
    from what the file says its queries' targets cite. Fields of a query without a place of their own stay in `extra`.
    """
    chunks = folder / "chunks.jsonl"
    file = queries or next((folder / name for name in _QUERY_FILES if (folder / name).exists()), None)
    if file is None:
        raise BadInput(folder, "has no file of queries", "name it with --queries FILE.jsonl")
    rows = [row | {"chunk_id": need(row, "chunk_id", f"{chunks}:{n}")} for n, row in json_lines(chunks)]
    collection = collection_from((_entry(row) for row in rows), chunks).with_columns(
        *(pl.Series(name, [row.get(name) for row in rows], dtype=pl.String) for name in ("path", "kind", "label")),
        pl.Series("fields", [_fields(row) for _, row in json_lines(chunks)], dtype=pl.String),
    )
    spoken = language or guess_language(collection["text"])
    links = graph.link_chunks(collection, spoken)
    made: list[Query] = []
    qrels: list[tuple[str, str, int]] = []
    contexts: list[tuple[str, str]] = []
    for n, row in json_lines(file):
        where = f"{file}:{n}"
        query_id = str(need(row, "qid", where))
        target = str(need(row, "target", where))
        extra = {key: value for key, value in row.items() if key not in ("qid", "target", "query", "contexts")}
        made.append(Query(query_id, str(need(row, "query", where)), source_id=target, extra=extra))
        qrels.append((query_id, target, 1))
        contexts += [(query_id, str(doc)) for doc in row.get("contexts") or ()]
    return imported(
        "crawler",
        [chunks, file],
        spoken,
        collections={"chunks": collection},
        queries=made,
        qrels={"chunk": qrels_from(qrels)},
        contexts=contexts,
        links=links,
        funnel=[{"stage": "import", "chunks": len(rows), "queries": len(made), "links": links.height}],
    )


def _entry(row: Mapping[str, Any]) -> Entry:
    act, _, path = str(row["chunk_id"]).rpartition("~")
    return Entry(
        id=str(row["chunk_id"]),
        text=str(row.get("text") or ""),
        document_id=str(row.get("act") or act),
        lead_ins=[*(row.get("lead_ins") or ()), *(row.get("tails") or ())],
        labels=[*(row.get("heading_path") or ()), *path.split("/")[:-1]],
    )


def _fields(row: Mapping[str, Any]) -> str:
    """Return a row without its text, in its own order."""
    return json.dumps({name: value for name, value in row.items() if name != "text"}, ensure_ascii=False)


def _row(chunk: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chunk as a row: as it was read, where it was read from this layout."""
    if kept := chunk.get("fields"):
        return {**json.loads(kept), "text": chunk["text"]}
    return {"chunk_id": chunk["id"], "act": chunk["document_id"], "lead_ins": chunk["lead_ins"],
            "heading_path": chunk["labels"], "text": chunk["text"]}  # fmt: skip


def _write(bench: Benchmark, folder: Path) -> None:
    """Write `chunks.jsonl` and `contextual_queries.jsonl`.

    Raises:
        BadInput: the layout cannot hold it: other levels than chunks, or a query without exactly one target.
    """
    _check(bench)
    lines = [_row(chunk) for chunk in bench.collections["chunks"].iter_rows(named=True)]
    store.write_text(folder / "chunks.jsonl", "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    targets = dict(bench.qrels["chunk"].filter(pl.col("relevance") > 0).select("query_id", "doc_id").iter_rows())
    contexts: dict[str, list[str]] = {}
    for query_id, doc_id in bench.contexts.select("query_id", "doc_id").iter_rows():
        contexts.setdefault(query_id, []).append(doc_id)
    rows = [
        {"qid": q.id, "target": targets[q.id], "contexts": contexts.get(q.id, []), "query": q.text, **q.extra}
        for q in bench.queries
    ]
    text = "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)
    store.write_text(folder / "contextual_queries.jsonl", text)


def _check(bench: Benchmark) -> None:
    hint = "take beir or trec, which hold any benchmark"
    if list(bench.qrels) != ["chunk"]:
        raise BadInput("--to crawler", f"the layout holds questions about chunks, not {', '.join(bench.qrels)}", hint)
    found = bench.qrels["chunk"].filter(pl.col("relevance") > 0).group_by("query_id").len()
    once = set(found.filter(pl.col("len") == 1)["query_id"])
    others = [query.id for query in bench.queries if query.id not in once]
    if others:
        what = f"{len(others)} queries have no target or several, such as {others[0]!r}; the layout holds one for each"
        raise BadInput("--to crawler", what, hint)


crawler = Layout(read=_read, write=_write)
