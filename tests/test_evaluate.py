from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from renvoi import evaluate, store
from renvoi.cli._app import app
from renvoi.cli.evaluate import split_names  # registers the command, too
from renvoi.errors import BadInput, Mismatch, RenvoiError
from renvoi.evaluate import tables
from renvoi.interchange._layout import Entry, collection_from, imported, qrels_from
from renvoi.types import Benchmark, Query


def _bench(
    folder: Path, queries: list[Query], qrels: list[tuple[str, str, int]], texts: dict[str, str] | None = None
) -> Benchmark:
    texts = texts or {f"d{i}": f"text {i}" for i in range(1, 6)}
    (folder / "source").write_text("x")
    entries = [Entry(id=name, text=text, document_id=name.split("-")[0]) for name, text in texts.items()]
    return imported(
        "trec", [folder / "source"], "en",
        collections={"chunks": collection_from(entries, folder)},
        queries=queries,
        qrels={"chunk": qrels_from(qrels)},
    )  # fmt: skip


def _run(**rankings: str) -> pl.DataFrame:
    rows = [(query, doc, -float(i)) for query, docs in rankings.items() for i, doc in enumerate(docs.split())]
    return pl.DataFrame(rows, schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}, orient="row")


def _queries(*ids: str, **fields: Any) -> list[Query]:
    return [Query(name, f"question {name}", **fields) for name in ids]


def test_queries_without_relevant_documents_are_excluded_and_counted(tmp_path: Path) -> None:
    bench = _bench(tmp_path, _queries("q1", "q2"), [("q2", "d1", 1), ("q1", "d2", 0)])

    result = evaluate.evaluate(bench, {"a": _run(q2="d1")}, "R@10")

    assert result.unjudged == ("q1",)
    assert evaluate.mean_values(result) == {"a": {"R@10": 1.0}}
    assert any("1 queries have no relevant documents" in line for line in evaluate.rules(result))


def test_judged_queries_missing_from_a_run_score_nothing_and_are_counted(tmp_path: Path) -> None:
    bench = _bench(tmp_path, _queries("q1", "q2"), [("q1", "d1", 1), ("q2", "d1", 1)])

    result = evaluate.evaluate(bench, {"a": _run(q1="d1")}, "R@10")

    assert result.systems["a"].missing == ("q2",)
    assert evaluate.mean_values(result) == {"a": {"R@10": 0.5}}


def test_queries_a_reviewer_called_invalid_are_excluded_unless_asked_for(tmp_path: Path) -> None:
    queries = [*_queries("q1"), *_queries("q2", extra={"valid": False})]
    bench = _bench(tmp_path, queries, [("q1", "d1", 1), ("q2", "d1", 1)])
    runs = {"a": _run(q1="d1")}

    assert evaluate.mean_values(evaluate.evaluate(bench, runs, "R@1")) == {"a": {"R@1": 1.0}}
    assert evaluate.mean_values(evaluate.evaluate(bench, runs, "R@1", include_invalid=True)) == {"a": {"R@1": 0.5}}


@pytest.mark.parametrize(("run", "words"), [(_run(q9="d1"), "queries.*'q9'"), (_run(q1="d9"), "documents.*'d9'")])
def test_an_id_the_benchmark_does_not_have_is_an_error(tmp_path: Path, run: pl.DataFrame, words: str) -> None:
    bench = _bench(tmp_path, _queries("q1"), [("q1", "d1", 1)])

    with pytest.raises(Mismatch, match=words):
        evaluate.evaluate(bench, {"a": run})


def test_a_run_of_all_splits_can_be_evaluated_on_one(tmp_path: Path) -> None:
    queries = [*_queries("q1", split="dev"), *_queries("q2", split="test")]
    bench = _bench(tmp_path, queries, [("q1", "d1", 1), ("q2", "d2", 1)])

    result = evaluate.evaluate(bench, {"a": _run(q1="d1", q2="d1")}, "R@1", split="test")

    assert result.query_ids == ("q2",)
    assert evaluate.mean_values(result) == {"a": {"R@1": 0.0}}


def test_the_querys_own_document_is_taken_out_and_a_copy_of_it_is_named(tmp_path: Path) -> None:
    texts = {"p-1": "The rule  applies.", "p-2": "Its neighbour.", "c-1": "The rule applies.", "g-1": "The gold."}
    queries = [Query("q1", "The rule applies.", source_id="p-1", document_id="p")]
    bench = _bench(tmp_path, queries, [("q1", "g-1", 1)], texts)

    result = evaluate.evaluate(bench, {"a": _run(q1="p-1 p-2 c-1 g-1")}, "RR", exclude_self=True)

    scores = result.systems["a"]
    assert scores.removed == 2
    assert scores.copies == (evaluate.Copy("q1", "c-1", 1),)
    assert evaluate.mean_values(result) == {"a": {"RR": 0.5}}


def test_clusters_are_sibling_clusters_then_documents(tmp_path: Path) -> None:
    texts = {"a-1": "x", "a-2": "y"}
    queries = [
        Query("q1", "?", extra={"cluster": "c7"}),
        Query("q2", "?", source_id="a-2"),
        Query("q3", "?"),
    ]
    bench = _bench(tmp_path, queries, [("q1", "a-1", 1)], texts)

    assert evaluate.cluster_ids(queries, bench.collections["chunks"]) == ("c7", "a", "q3")


def test_a_table_breaks_values_down_by_a_field(tmp_path: Path) -> None:
    queries = [*_queries("q1", extra={"set": "hard"}), *_queries("q2", extra={"set": "control"})]
    bench = _bench(tmp_path, queries, [("q1", "d1", 1), ("q2", "d1", 1)])
    result = evaluate.evaluate(bench, {"a": _run(q1="d2", q2="d1")}, "R@10")

    table = tables.tabulate(result, bench, by=["set"])

    document = tables.as_json(table, result)
    assert document["systems"] == {"a": {"R@10": 0.5}}
    assert document["by"] == {"set": {"hard": {"a": {"R@10": 0.0}}, "control": {"a": {"R@10": 1.0}}}}


def test_a_field_no_query_has_is_an_error_that_names_those_there_are(tmp_path: Path) -> None:
    bench = _bench(tmp_path, _queries("q1", extra={"set": "hard"}), [("q1", "d1", 1)])
    result = evaluate.evaluate(bench, {"a": _run(q1="d1")}, "R@10")

    with pytest.raises(RenvoiError, match="no query has a field 'sett' to group by; there are: set"):
        tables.tabulate(result, bench, by=["sett"])


def _sourced(folder: Path) -> Benchmark:
    bench = _bench(folder, _queries("q1", "q2"), [("q1", "d1", 1), ("q1", "d2", 1), ("q2", "d1", 1)])
    qrels = bench.qrels["chunk"].with_columns(pl.Series("source", ["text", "human+text", "text"]))
    return replace(bench, qrels={"chunk": qrels})


def test_values_are_told_by_all_that_says_what_is_relevant_to_a_query(tmp_path: Path) -> None:
    bench = _sourced(tmp_path)
    result = evaluate.evaluate(bench, {"a": _run(q1="d2 d1", q2="d2")}, "R@10")

    table = tables.tabulate(result, bench, by=["source"])

    assert table.by["source"] == {"human+text": {"a": {"R@10": 1.0}}, "text": {"a": {"R@10": 0.0}}}


def test_only_the_queries_with_a_value_are_counted_and_the_table_says_so(tmp_path: Path) -> None:
    result = evaluate.evaluate(_sourced(tmp_path), {"a": _run(q1="d2 d1", q2="d2")}, "R@10", only="source=human")

    assert result.query_ids == ("q1",)
    assert "1 queries with source=human of level chunk are counted." in evaluate.rules(result)


@pytest.mark.parametrize(
    ("only", "said"), [("source", "not of the form"), ("source=judge", "there are: human[+]text, text")]
)
def test_a_value_that_no_query_has_is_one_line(tmp_path: Path, only: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        evaluate.evaluate(_sourced(tmp_path), {"a": _run(q1="d1")}, "R@10", only=only)


def test_the_latex_table_prints_the_best_value_in_bold_and_escapes_names(tmp_path: Path) -> None:
    bench = _bench(tmp_path, _queries("q1"), [("q1", "d1", 1)])
    result = evaluate.evaluate(bench, {"tf_idf": _run(q1="d2"), "bm25": _run(q1="d1")}, "R@1")

    latex = tables.as_latex(tables.tabulate(result, bench))

    assert r"tf\_idf & 0.000" in latex
    assert r"bm25 & \textbf{1.000}" in latex


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("bm25:k1=0.9,b=0.4", ["bm25-k1=0.9,b=0.4"]),
        ("bm25-k1=0.9,b=0.4", ["bm25-k1=0.9,b=0.4"]),
        ("bm25:k1=0.9", ["bm25-k1=0.9"]),
        ("bm25:k1=0.9,dph, bm25:k1=0.9,b=0.4", ["bm25-k1=0.9", "dph", "bm25-k1=0.9,b=0.4"]),
    ],
)
def test_a_system_to_compare_is_named_as_it_was_run(said: str, names: list[str]) -> None:
    assert split_names(said, ["dph", "bm25-k1=0.9", "bm25-k1=0.9,b=0.4"]) == names


def test_a_system_to_compare_that_has_no_run_is_told() -> None:
    with pytest.raises(RenvoiError, match="no run is named 'b=0.4'; there are: dph; bm25-k1=0.9"):
        split_names("bm25:k1=0.9,b=0.4", ["dph", "bm25-k1=0.9"])


def test_the_command_prints_one_json_document_with_intervals_and_tests(tmp_path: Path) -> None:
    queries = [Query(f"q{i}", f"question {i}", extra={"set": "hard" if i < 3 else "control"}) for i in range(6)]
    bench = _bench(tmp_path, queries, [(q.id, "d1", 1) for q in queries])
    store.write_benchmark(tmp_path / "bench", bench, card="")
    for system, ranking in (("good", "d1 d2"), ("bad", "d2 d3")):
        store.write_run(tmp_path / "runs" / f"{system}.run", _run(**{q.id: ranking for q in queries}), system)
    (tmp_path / "runs" / "manifest.json").write_text("{}")

    arguments = ["evaluate", str(tmp_path / "bench"), str(tmp_path / "runs"), "--measures", "R@1", "--by", "set"]
    plain = CliRunner().invoke(app, [*arguments, "--compare", "good", "bad"])
    as_json = CliRunner().invoke(app, ["--quiet", *arguments, "--compare", "good", "bad", "--json"])

    assert plain.exit_code == as_json.exit_code == 0
    assert "is not a finding" in plain.stdout
    document = json.loads(as_json.stdout)
    assert document["systems"] == {"bad": {"R@1": 0.0}, "good": {"R@1": 1.0}}
    assert document["intervals"]["good"]["R@1"] == pytest.approx([0.5407, 1.0], abs=1e-4)
    assert document["comparisons"][0]["p"] == pytest.approx(2 / 2**6)
    assert document["sizes"] == {"set": {"control": 3, "hard": 3}}
