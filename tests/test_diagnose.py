from __future__ import annotations

from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from renvoi import evaluate, registry
from renvoi.evaluate import Evaluation, Verdict, diagnose, distances
from renvoi.figures import Sheet
from renvoi.types import Benchmark, Query

LINKS = {"source_id": pl.String, "target_id": pl.String, "date": pl.Date}


def _bench() -> Benchmark:
    """Three chunks of a law of 2, 3 and 1 words, one of another; q1 asks for a3, which cites a1; q2 for b1."""
    rows = [("a1", "one two", "a", 0), ("a2", "one two three", "a", 1), ("a3", "one", "a", 2), ("b1", "x y", "b", 3)]
    chunks = pl.DataFrame(
        [(doc, text, [], [], act, None, order) for doc, text, act, order in rows],
        schema={
            "id": pl.String, "text": pl.String, "lead_ins": pl.List(pl.String), "labels": pl.List(pl.String),
            "document_id": pl.String, "date": pl.Date, "order": pl.Int32,
        },
        orient="row",
    )  # fmt: skip
    pairs = {"query_id": pl.String, "doc_id": pl.String}
    return Benchmark(
        kind="crossref",
        language="en",
        collections={"chunks": chunks},
        queries=(
            Query("q1", "what is it", source_id="a3", extra={"set": "hard"}),
            Query("q2", "who", source_id="b1", extra={"set": "control"}),
        ),
        qrels={
            "chunk": pl.DataFrame(
                [("q1", "a3", 1), ("q2", "b1", 1)], schema={**pairs, "relevance": pl.Int64}, orient="row"
            )
        },
        contexts=pl.DataFrame([("q1", "a1")], schema=pairs, orient="row"),
        links=pl.DataFrame([("a3", "a1", None), ("a2", "a1", None), ("a2", "b1", None)], schema=LINKS, orient="row"),
    )


def _run(**rankings: str) -> pl.DataFrame:
    rows = [(query, doc, -float(i)) for query, docs in rankings.items() for i, doc in enumerate(docs.split())]
    return pl.DataFrame(rows, schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}, orient="row")


def _evaluated(run: pl.DataFrame) -> tuple[Benchmark, dict[str, pl.DataFrame], Evaluation]:
    bench, runs = _bench(), {"s": run}
    return bench, runs, evaluate.evaluate(bench, runs, "R@1", exclude_self=False)


def _row(sheet: Sheet) -> dict[str, object]:
    return dict(zip(sheet.columns, sheet.rows[0], strict=True))


@pytest.mark.parametrize(
    ("ranking", "any_above", "gap"),
    [("a1 a2 a3", 1.0, 2.0), ("a3 a1", 0.0, -1.0), ("a1", 1.0, None), ("a2", 0.0, None)],
)
def test_a_context_outranks_a_target_below_it_or_not_ranked(ranking: str, any_above: float, gap: float | None) -> None:
    bench, runs, evaluation = _evaluated(_run(q1=ranking, q2="b1"))

    row = _row(diagnose.outranked(bench, runs, evaluation))

    assert (row["queries"], row["any context above"], row["mean rank gap"]) == (1, any_above, gap)


@pytest.mark.parametrize(
    ("ranking", "target", "context", "either", "both"),
    [("a3 a1", 1, 1, 1, 1), ("a3 a2 a1", 1, 0, 1, 0), ("a1 a2 a3", 0, 1, 1, 0), ("a2 b1 a1 a3", 0, 0, 0, 0)],
)
def test_a_pair_is_whole_where_target_and_context_are_both_near(
    ranking: str, target: float, context: float, either: float, both: float
) -> None:
    bench, runs, evaluation = _evaluated(_run(q1=ranking, q2="b1"))

    row = _row(diagnose.pairs(bench, runs, evaluation, k=2))

    assert (row["queries"], row["target"], row["a context"]) == (1, target, context)
    assert (row["either"], row["both"], row["target and all contexts"]) == (either, both, both)


def test_a_pair_lacks_what_only_one_of_two_contexts_gives() -> None:
    bench, runs, evaluation = _evaluated(_run(q1="a3 a1", q2="b1"))
    two = pl.concat([bench.contexts, pl.DataFrame([("q1", "a2")], schema=bench.contexts.schema, orient="row")])

    row = _row(diagnose.pairs(replace(bench, contexts=two), runs, evaluation, k=2))

    assert (row["both"], row["target and all contexts"]) == (1, 0)


def test_a_missed_target_is_reached_from_what_it_cites() -> None:
    bench, runs, evaluation = _evaluated(_run(q1="a1 a2", q2="a1"))

    row = _row(diagnose.reachability(bench, runs, evaluation, k=1, j=1))

    assert (row["target in top 1"], row["what it cites in top 1"], row["either"]) == (0.0, 0.5, 0.5)


def test_distances_run_from_start_to_start_and_are_negative_backwards() -> None:
    assert distances.context_distances(_bench(), _bench().queries) == {"q1": -5}


def test_head_and_tail_split_queries_by_citations_to_what_is_relevant() -> None:
    bench, _, evaluation = _evaluated(_run(q1="a3", q2="a1"))

    sheet = diagnose.head_and_tail(bench, evaluation, "R@1")

    assert sheet.rows == (("0", 1, 1.0), ("1", 1, 0.0))


def test_harm_on_the_control_set_stands_beside_the_hard_set() -> None:
    bench, _, evaluation = _evaluated(_run(q1="a3", q2="a1"))

    sheets = {sheet.name: sheet for sheet in diagnose.breakdowns(bench, evaluation, "R@1")}

    assert sheets["by_set"].rows == (("control", 1, 0.0), ("hard", 1, 1.0))
    assert sheets["by_act"].rows == (("a", 1, 1.0), ("b", 1, 0.0))


def test_a_gain_on_the_hard_set_stands_beside_the_loss_on_the_control_set() -> None:
    bench = _bench()
    runs = {"bm25": _run(q1="a1", q2="b1"), "new": _run(q1="a3", q2="a1")}
    evaluation = evaluate.evaluate(bench, runs, "R@1", exclude_self=False)

    sheet = diagnose.harm(bench, evaluation, "R@1")

    assert sheet is not None
    rows = {row[0]: dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows}
    assert (rows["new"]["hard: less bm25"], rows["new"]["control: less bm25"]) == (1.0, -1.0)
    assert rows["bm25"]["hard: less bm25"] is None
    assert diagnose.harm(replace(bench, queries=bench.queries[:1]), evaluation, "R@1") is None


@pytest.mark.parametrize(("ranking", "share"), [("s~1__2 s~1__1", 0.5), ("s~1__1 s~1__2", 0.0), ("t~1__1", 0.0)])
def test_a_sibling_outranks_a_target_and_a_context_is_none(ranking: str, share: float) -> None:
    bench = _bench()
    names = {"a1": "s~1__1", "a2": "s~1__2", "a3": "s~1__3", "b1": "t~1__1"}
    renamed = bench.collections["chunks"].with_columns(pl.col("id").replace(names))
    pairs = {"query_id": pl.String, "doc_id": pl.String}
    bench = replace(
        bench,
        collections={"chunks": renamed},
        qrels={"chunk": pl.DataFrame([("q1", "s~1__1", 1), ("q2", "t~1__1", 1)], orient="row",
                                     schema={**pairs, "relevance": pl.Int64})},
        contexts=pl.DataFrame([("q1", "s~1__3")], schema=pairs, orient="row"),
    )  # fmt: skip
    runs = {"s": _run(q1=ranking, q2="t~1__1")}
    evaluation = evaluate.evaluate(bench, runs, "R@1", exclude_self=False)

    row = _row(diagnose.outranked(bench, runs, evaluation))

    assert row["a sibling above"] == share


def test_failure_labels_are_crossed_with_ranks_also_of_queries_that_do_not_count() -> None:
    bench, runs = _bench(), {"s": _run(q1="a1 a3", q2="b1")}
    verdicts = {"q1": Verdict(False, ("asks_context",)), "q2": Verdict(True)}
    evaluation = evaluate.evaluate(bench, runs, "R@1", exclude_self=False, verdicts=verdicts)

    [sheet, *_] = diagnose.diagnose(bench, runs, evaluation, "R@1", verdicts)

    assert evaluation.query_ids == ("q2",)
    assert sheet.rows == (
        ("valid", "s", 1, 1.0, 1.0, None),
        ("invalid", "s", 1, 1.0, 2.0, 1.0),
        ("asks_context", "s", 1, 1.0, 2.0, 1.0),
    )


def test_popularity_ranks_by_links_earlier_than_the_query() -> None:
    bench = _bench()
    links = [("a3", "a1", date(2001, 1, 1)), ("a2", "a1", date(2011, 1, 1)), ("a2", "b1", date(2001, 1, 1))]
    dated = pl.DataFrame(links, schema=LINKS, orient="row")
    bench = Benchmark("pincite", "en", bench.collections, bench.queries, bench.qrels, bench.contexts, dated)
    queries = [Query("q1", "?", date=date(2005, 1, 1)), Query("q2", "?", date=date(2020, 1, 1)), Query("q3", "?")]

    scores = registry.load("retrievers", "popularity")(bench.collections["chunks"], {}, bench).score(queries)

    assert scores.tolist() == [[1, 0, 0, 1], [2, 0, 0, 1], [2, 0, 0, 1]]
