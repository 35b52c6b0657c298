from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from lxml import etree
from typer.testing import CliRunner

from renvoi import registry, store
from renvoi.cli import exchange as _commands  # noqa: F401  (registers the commands)
from renvoi.cli._app import app
from renvoi.crossref.build import Job, Settings, build_crossref
from renvoi.errors import BadInput
from renvoi.ingest import ingest
from renvoi.interchange._layout import Entry, collection_from, imported, qrels_from
from renvoi.sample import sample_files
from renvoi.types import Benchmark, Query

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


@pytest.mark.parametrize(("language", "n_chunks"), [("da", 5985), pytest.param("pl", 15207, marks=pytest.mark.slow)])
def test_the_real_queries_are_imported_in_their_language(data: Path, language: str, n_chunks: int) -> None:
    folder = data / "queries" / language

    bench = _read("crawler", folder, queries=folder / "dev.jsonl")

    assert bench.language == language
    assert bench.collections["chunks"].height == n_chunks
    assert len(bench.queries) == bench.qrels["chunk"].height == 55


DOCS = {"61-1": "First & foremost, a rule.", "61-2": "Second <rule>.", "62-7": "Third\u00a0rule, with “quotes”."}


def _case_law(folder: Path) -> Benchmark:
    days = {"61": date(2015, 3, 1), "62": date(2016, 5, 1)}
    entries = [Entry(doc, text, doc[:2], date=days[doc[:2]]) for doc, text in DOCS.items()]
    cases = [Entry(case, f"Judgment {case}", case, date=day) for case, day in days.items()]
    queries = [
        Query(
            "63-4", "As [case] says & holds", "dev", "par", "63-4", "63", date(2018, 1, 9), {"unmasked": "As C-1 says"}
        ),
        Query("64-9", "See also, <b>", "test", "par", "64-9", "64", date(2022, 1, 9)),
        Query("64", "A whole case", "test", "case", "64", "64", date(2022, 1, 9)),
    ]
    (folder / "source").write_text("x")
    return imported(
        "made", [folder / "source"], "en",
        collections={"chunks": collection_from(entries, folder), "cases": collection_from(cases, folder)},
        queries=queries,
        qrels={
            "par_par": qrels_from([("63-4", "61-2", 1), ("64-9", "62-7", 1), ("64-9", "61-1", 0)]),
            "par_case": qrels_from([("63-4", "61", 1), ("64-9", "62", 1)]),
            "case_case": qrels_from([("64", "62", 1)]),
        },
    )  # fmt: skip


def _statute(folder: Path) -> Benchmark:
    return _read("crawler", _crawler(folder, [QUERY]), language="da")


def _written(bench: Benchmark, layout: str, folder: Path) -> Path:
    folder.mkdir()
    registry.load("interchange", layout).write(bench, folder)
    return folder


def test_case_law_survives_the_published_csv_layout(tmp_path: Path) -> None:
    bench = _case_law(tmp_path)

    folder = _written(bench, "legalpincite", tmp_path / "csv")
    back = _read("legalpincite", folder, language="en")

    assert sorted(path.name for path in folder.iterdir() if "test" in path.name) == [
        "doc_test_case.csv", "doc_test_par.csv", "qrel_test_case_case.csv", "qrel_test_par_case.csv",
        "qrel_test_par_par.csv", "query_test_case.csv", "query_test_par.csv",
    ]  # fmt: skip
    assert {q.id: q.text for q in back.queries} == {q.id: q.text for q in bench.queries}
    assert {q.id: q.extra.get("unmasked") for q in back.queries}["63-4"] == "As C-1 says"
    assert {q.id: (q.split, q.unit, q.date) for q in back.queries} == {
        q.id: (q.split, q.unit, q.date) for q in bench.queries
    }
    for level, qrels in bench.qrels.items():
        assert back.qrels[level].drop("source").sort("query_id", "doc_id").equals(qrels.sort("query_id", "doc_id"))
    for name, frame in bench.collections.items():
        columns = ["id", "text", "date"]
        assert back.collections[name].select(columns).sort("id").equals(frame.select(columns).sort("id"))


def test_documents_of_a_split_are_those_earlier_than_its_queries(tmp_path: Path) -> None:
    bench = _case_law(tmp_path)
    late = bench.collections["chunks"].with_columns(
        date=pl.when(pl.col("id") == "61-1").then(date(2019, 1, 1)).otherwise("date")
    )

    folder = _written(replace(bench, collections={**bench.collections, "chunks": late}), "legalpincite", tmp_path / "x")

    assert "61-1" not in (folder / "doc_dev_par.csv").read_text(encoding="utf-8")
    assert "61-1" in (folder / "doc_test_par.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("layout", ["beir", "trec", "crawler"])
def test_statutes_survive_a_layout_with_their_ids(tmp_path: Path, layout: str) -> None:
    bench = _statute(tmp_path)

    back = _read(layout, _written(bench, layout, tmp_path / "out"), language="da")

    assert {q.id: q.text for q in back.queries} == {q.id: q.text for q in bench.queries}
    assert back.qrels["chunk"].rows() == bench.qrels["chunk"].rows()
    assert back.collections["chunks"].select("id", "text").equals(bench.collections["chunks"].select("id", "text"))


@pytest.mark.parametrize("layout", ["beir", "trec"])
def test_splits_and_every_level_survive_a_layout(tmp_path: Path, layout: str) -> None:
    bench = _case_law(tmp_path)

    back = _read(layout, _written(bench, layout, tmp_path / "out") / "par_par", language="en")

    assert {q.id: (q.split, q.text) for q in back.queries} == {
        "63-4": ("dev", "As [case] says & holds"),
        "64-9": ("test", "See also, <b>"),
    }
    assert set(back.qrels["chunk"].rows()) == set(bench.qrels["par_par"].rows())
    assert dict(back.collections["chunks"].select("id", "text").iter_rows()) == DOCS


def test_beir_keeps_lead_ins_labels_dates_and_fields_of_queries(tmp_path: Path) -> None:
    bench = _statute(tmp_path)

    back = _read("beir", _written(bench, "beir", tmp_path / "out"), language="da")

    columns = ["lead_ins", "labels", "document_id", "order"]
    assert back.collections["chunks"].select(columns).equals(bench.collections["chunks"].select(columns))
    assert back.queries[0].extra == {"set": "hard"}


def test_a_published_beir_folder_is_read_with_its_splits(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text('{"_id": "7", "title": "Lamps", "text": "Light."}\n')
    (tmp_path / "queries.jsonl").write_text('{"_id": "1", "text": "what?"}\n{"_id": "2", "text": "who?"}\n')
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\t7\t1\n")

    bench = _read("beir", tmp_path, language="en")

    assert [(q.id, q.split) for q in bench.queries] == [("1", "test"), ("2", "all")]
    assert bench.collections["chunks"]["labels"].to_list() == [["Lamps"]]


def test_trec_files_hold_no_blank_in_an_id_and_say_what_they_stand_for(tmp_path: Path) -> None:
    folder = _written(_statute(tmp_path), "trec", tmp_path / "out")

    assert (folder / "qrels.txt").read_text(encoding="utf-8") == "q1 0 lamps~§_1/stk._2 1\n"
    assert "lamps~§_1/stk._2\tlamps~§ 1/stk. 2\n" in (folder / "ids.tsv").read_text(encoding="utf-8")


def test_a_hugging_face_folder_names_every_table_in_its_card(tmp_path: Path) -> None:
    bench = _case_law(tmp_path)

    folder = _written(bench, "hf", tmp_path / "out")

    named = set(re.findall(r"path: (\S+)", (folder / "README.md").read_text(encoding="utf-8")))
    assert named == {path.relative_to(folder).as_posix() for path in (folder / "data").iterdir()}
    test = pl.read_parquet(folder / "data" / "qrels_par_par-test.parquet")
    assert test.rows() == [("64-9", "62-7", 1), ("64-9", "61-1", 0)]


def test_mteb_reads_corpus_queries_and_qrels_by_the_names_of_its_loader(tmp_path: Path) -> None:
    folder = _written(_statute(tmp_path), "mteb", tmp_path / "out")

    card = (folder / "README.md").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in (folder / "qrels" / "test.jsonl").read_text(encoding="utf-8").splitlines()]

    assert re.findall(r"config_name: (\S+)", card) == ["qrels", "corpus", "queries"]
    assert rows == [{"query-id": "q1", "corpus-id": "lamps~§ 1/stk. 2", "score": 1}]


def test_pyterrier_topics_are_xml_and_their_ids_have_no_blanks(tmp_path: Path) -> None:
    folder = _written(_case_law(tmp_path), "pyterrier", tmp_path / "out") / "par_par"

    topics = etree.parse(str(folder / "topics.test.xml")).getroot()

    assert [(t.get("number"), t.findtext("query")) for t in topics] == [("64-9", "See also, <b>")]


def test_opensearch_gets_bulk_pairs_and_rated_queries(tmp_path: Path) -> None:
    folder = _written(_statute(tmp_path), "opensearch", tmp_path / "out")

    bulk = [json.loads(line) for line in (folder / "bulk-0001.ndjson").read_text(encoding="utf-8").splitlines()]
    rated = json.loads((folder / "rank_eval.json").read_text(encoding="utf-8"))

    assert [pair["index"]["_id"] for pair in bulk[::2]] == [chunk["chunk_id"] for chunk in CHUNKS]
    assert [document["text"] for document in bulk[1::2]] == [chunk["text"] for chunk in CHUNKS]
    assert rated["requests"][0]["ratings"] == [{"_index": "renvoi-chunk", "_id": "lamps~§ 1/stk. 2", "rating": 1}]


def test_import_and_export_commands_run_one_after_the_other(tmp_path: Path) -> None:
    _crawler(tmp_path, [QUERY])

    for arguments in (
        ["import", "crawler", str(tmp_path), "-o", str(tmp_path / "bench"), "--language", "da"],
        ["export", str(tmp_path / "bench"), "--to", "csv", "-o", str(tmp_path / "csv")],
        ["import", "legalpincite", str(tmp_path / "csv"), "-o", str(tmp_path / "back"), "--language", "da"],
    ):
        assert CliRunner().invoke(app, ["--quiet", *arguments]).exit_code == 0

    assert store.read_benchmark(tmp_path / "back").qrels["chunk"].rows() == [("q1", "lamps~§ 1/stk. 2", 1, "")]


@pytest.mark.parametrize("language", ["da", "pl"])
def test_crawler_files_come_back_with_every_row_and_field(data: Path, tmp_path: Path, language: str) -> None:
    folder = data / "queries" / language
    bench = _read("crawler", folder, queries=folder / "dev.jsonl", language=language)
    store.write_benchmark(tmp_path / "bench", bench, card="")

    registry.load("interchange", "crawler").write(store.read_benchmark(tmp_path / "bench"), tmp_path)

    def rows(file: Path) -> list[dict[str, Any]]:
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]

    written, original = rows(tmp_path / "chunks.jsonl"), rows(folder / "chunks.jsonl")
    assert len(written) == len(original) > 5000
    assert written == original
    written, original = rows(tmp_path / "contextual_queries.jsonl"), rows(folder / "dev.jsonl")
    assert len(written) == len(original) > 50
    assert [{**row, "contexts": set(row["contexts"])} for row in written] == [
        {**row, "contexts": set(row["contexts"])} for row in original
    ]


def test_a_benchmark_of_ours_goes_through_crawler_files_unchanged(tmp_path: Path) -> None:
    store.write_corpus(tmp_path / "corpus", ingest(sample_files("da")).corpus)
    bench = build_crossref(Job(tmp_path / "corpus", tmp_path / "bench", Settings(k=1)))
    assert bench is not None
    layout = registry.load("interchange", "crawler")
    for name in "ab":
        (tmp_path / name).mkdir()

    layout.write(bench, tmp_path / "a")
    again = layout.read(tmp_path / "a", language="da")
    layout.write(again, tmp_path / "b")

    for name in ("chunks.jsonl", "contextual_queries.jsonl"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert [q.text for q in again.queries] == [q.text for q in bench.queries]
    columns = ["id", "text", "lead_ins", "labels", "document_id"]
    assert again.collections["chunks"].select(columns).equals(bench.collections["chunks"].select(columns))


def test_crawler_files_are_refused_what_they_cannot_hold(tmp_path: Path) -> None:
    statute = _statute(tmp_path)
    several = qrels_from([("q1", "lamps~§ 1/stk. 1", 1), ("q1", "lamps~§ 1/stk. 2", 1)])

    with pytest.raises(BadInput, match="holds questions about chunks, not par_par, par_case, case_case"):
        _written(_case_law(tmp_path), "crawler", tmp_path / "a")
    with pytest.raises(BadInput, match="1 queries have no target or several, such as 'q1'"):
        _written(replace(statute, qrels={"chunk": several}), "crawler", tmp_path / "b")


def test_the_card_for_the_hub_is_the_benchmarks_own_with_the_files_of_the_folder(
    tmp_path: Path,
) -> None:
    own = (
        "---\nlanguage: en\npretty_name: Lamps\ntags:\n- law\n- lamps\nlicense: other\n---\n# Lamps\n\nAbout lamps.\n\n"
        "## Files\n`chunks.parquet`\n\n## Licence\nFree.\n"
    )
    store.write_benchmark(tmp_path / "bench", _case_law(tmp_path), card=own)

    done = CliRunner().invoke(
        app, ["export", str(tmp_path / "bench"), "--to", "hf", "-o", str(tmp_path / "hf")], catch_exceptions=False
    )

    assert done.exit_code == 0
    card = (tmp_path / "hf" / "README.md").read_text(encoding="utf-8")
    _, head, text = card.split("---\n", 2)
    assert head.startswith("pretty_name: Lamps\ntags:\n- law\n- lamps\nlicense: other\nlanguage:\n- ")
    assert "configs:\n- config_name: " in head
    assert text.index("About lamps.") < text.index("## Licence\nFree.") < text.index("## Files\n| table")
    assert "`chunks.parquet`" not in text
