"""OpenSearch or Elasticsearch: an index body, `_bulk` requests, and the benchmark as one `_rank_eval` request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from renvoi import store
from renvoi.errors import BadInput
from renvoi.interchange._layout import Layout, each_level
from renvoi.types import Benchmark, Task

_ANALYSERS = {"da": "danish", "en": "english", "de": "german", "pl": "standard"}  # Polish needs a plugin
_BULK_BYTES = 20_000_000  # a request may have 100 MB by default; small ones are retried cheaply
_ID_BYTES = 512  # the server's own limit

_README = """# In OpenSearch or Elasticsearch

```sh
curl -X PUT "$HOST/{index}" -H "Content-Type: application/json" --data-binary @index.json
for part in bulk-*.ndjson; do
  curl -X POST "$HOST/_bulk" -H "Content-Type: application/x-ndjson" --data-binary @"$part"
done
curl -X POST "$HOST/_rank_eval" -H "Content-Type: application/json" --data-binary @rank_eval.json
```
"""


def _write(bench: Benchmark, folder: Path) -> None:
    for task, place in each_level(bench, folder):
        index = f"renvoi-{task.level.replace('_', '-')}"
        place.mkdir(parents=True, exist_ok=True)
        store.write_json(place / "index.json", _index(bench.language))
        for number, part in enumerate(_bulk(task, index), 1):
            store.write_text(place / f"bulk-{number:04}.ndjson", part)
        store.write_json(place / "rank_eval.json", _rank_eval(task, index))
        store.write_text(place / "README.md", _README.format(index=index))


def _index(language: str) -> dict[str, Any]:
    text = {"type": "text", "analyzer": _ANALYSERS.get(language, "standard")}
    keyword = {"type": "keyword"}
    return {
        "settings": {"index": {"similarity": {"default": {"type": "BM25", "k1": 0.9, "b": 0.4}}}},
        "mappings": {
            "dynamic": "strict",
            "properties": {
                "text": text,
                "lead_ins": text,
                "labels": text,
                "document_id": keyword,
                "date": {"type": "date"},
                "order": {"type": "integer"},
            },
        },
    }


def _bulk(task: Task, index: str) -> Iterator[str]:
    lines: list[str] = []
    size = 0
    fields = ("text", "lead_ins", "labels", "document_id", "date", "order")
    for row in task.corpus.iter_rows(named=True):
        if len(row["id"].encode()) > _ID_BYTES:
            raise BadInput(row["id"], f"the id is longer than the {_ID_BYTES} bytes that OpenSearch takes")
        action = {"index": {"_index": index, "_id": row["id"]}}
        document = {name: row[name] for name in fields if row[name] is not None}
        pair = f"{json.dumps(action, ensure_ascii=False)}\n{json.dumps(document, ensure_ascii=False, default=str)}\n"
        if size and size + len(pair) > _BULK_BYTES:
            yield "".join(lines)
            lines, size = [], 0
        lines.append(pair)
        size += len(pair)
    if lines:
        yield "".join(lines)


def _rank_eval(task: Task, index: str) -> dict[str, Any]:
    ratings: dict[str, list[dict[str, Any]]] = {}
    for query, doc, grade in task.qrels.select("query_id", "doc_id", pl.col("relevance").clip(0)).iter_rows():
        ratings.setdefault(query, []).append({"_index": index, "_id": doc, "rating": grade})
    return {
        "requests": [
            {"id": q.id, "request": {"query": {"match": {"text": q.text}}}, "ratings": ratings[q.id]}
            for q in task.queries
            if q.id in ratings
        ],
        "metric": {"dcg": {"k": 10, "normalize": True}},
    }


opensearch = Layout(write=_write)
