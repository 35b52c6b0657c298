from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from renvoi import registry, store
from renvoi.errors import BadInput
from renvoi.types import Benchmark

CHUNKS = [
    {"chunk_id": "lamps~§ 1/stk. 1", "act": "lamps", "heading_path": ["Kapitel 1 Lamper"], "text": "En lampe lyser."},
    {
        "chunk_id": "lamps~§ 1/stk. 2",
        "act": "lamps",
        "lead_ins": ["Dog gælder:"],
        "tails": ["om natten."],
        "text": "Stk. 1 gælder ikke.",
    },
]
QUERY = {
    "qid": "q1",
    "target": "lamps~§ 1/stk. 2",
    "contexts": ["lamps~§ 1/stk. 1"],
    "query": "Lyser den?",
    "set": "hard",
}


def _crawler(folder: Path, queries: list[dict[str, Any]]) -> Path:
    for name, rows in (("chunks.jsonl", CHUNKS), ("dev.jsonl", queries)):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _read(layout: str, folder: Path, **options: Any) -> Benchmark:
    bench: Benchmark = registry.load("interchange", layout).read(folder, **options)
    return bench


def test_crawler_chunks_keep_their_ids_and_what_stands_around_them(tmp_path: Path) -> None:
    bench = _read("crawler", _crawler(tmp_path, [QUERY]), language="da")

    chunks = bench.collections["chunks"]
    assert chunks["id"].to_list() == ["lamps~§ 1/stk. 1", "lamps~§ 1/stk. 2"]
    assert chunks["document_id"].to_list() == ["lamps", "lamps"]
    assert chunks["labels"].to_list() == [["Kapitel 1 Lamper", "§ 1"], ["§ 1"]]
    assert chunks["lead_ins"].to_list() == [[], ["Dog gælder:", "om natten."]]


def test_crawler_queries_keep_their_extra_fields_and_contexts(tmp_path: Path) -> None:
    bench = _read("crawler", _crawler(tmp_path, [QUERY]), language="da")

    assert bench.queries[0].extra == {"set": "hard"}
    assert bench.qrels["chunk"].rows() == [("q1", "lamps~§ 1/stk. 2", 1)]
    assert bench.contexts.rows() == [("q1", "lamps~§ 1/stk. 1")]


def test_an_imported_benchmark_comes_back_from_its_folder(tmp_path: Path) -> None:
    bench = _read("crawler", _crawler(tmp_path, [QUERY]), language="da")

    store.write_benchmark(tmp_path / "bench", bench, card="")
    back = store.read_benchmark(tmp_path / "bench")

    assert back.queries == bench.queries
    assert back.collections["chunks"].equals(bench.collections["chunks"])
    assert back.contexts.equals(bench.contexts)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (QUERY | {"target": "lamps~§ 9"}, "unknown doc_id, first 'lamps~§ 9'"),
        (QUERY | {"contexts": ["lamps~§ 8"]}, "unknown doc_id, first 'lamps~§ 8'"),
        (QUERY | {"query": None}, "has no 'query'"),
    ],
)
def test_a_query_that_points_nowhere_is_refused(tmp_path: Path, query: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        _read("crawler", _crawler(tmp_path, [query]), language="da")


@pytest.mark.parametrize(("language", "n_chunks"), [("da", 5985), ("pl", 15207)])
def test_the_real_queries_are_imported_in_their_language(data: Path, language: str, n_chunks: int) -> None:
    folder = data / "queries" / language

    bench = _read("crawler", folder, queries=folder / "dev.jsonl")

    assert bench.language == language
    assert bench.collections["chunks"].height == n_chunks
    assert len(bench.queries) == bench.qrels["chunk"].height == 55
