from dataclasses import replace
from datetime import date, timedelta

import polars as pl
import pytest

from renvoi.errors import BadInput
from renvoi.propagate import propagate_run
from renvoi.types import Benchmark, Query

IDS = ["a~1", "a~2", "a~3", "b~1", "b~2"]
DAY = date(2000, 1, 1)


def make_bench(links: list[tuple[str, str]], *, dated: bool = False) -> Benchmark:
    days = [DAY + timedelta(n) if dated else None for n in range(len(IDS))]
    chunks = pl.DataFrame(
        {"id": IDS, "text": IDS, "document_id": [id[0] for id in IDS], "date": days},
        schema_overrides={"date": pl.Date},
    )
    query = Query("q", "", source_id="a~3", date=DAY + timedelta(3) if dated else None, document_id="own")
    return Benchmark(
        kind="imported", language="en", collections={"chunks": chunks}, queries=(query,),
        qrels={"chunk": pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Int64})},
        contexts=pl.DataFrame({"query_id": ["q"], "doc_id": ["a~1"]}),
        links=pl.DataFrame(
            [(a, b, days[IDS.index(a)]) for a, b in links],
            schema={"source_id": pl.String, "target_id": pl.String, "date": pl.Date}, orient="row",
        ),
    )  # fmt: skip


def carry(bench: Benchmark, scores: dict[str, float], **options: str) -> dict[str, float]:
    run = pl.DataFrame([("q", id, score) for id, score in scores.items()], schema=["query_id", "doc_id", "score"],
                       orient="row")  # fmt: skip
    found = propagate_run(run, options, bench, bench.task(), 10)
    return {id: pytest.approx(score, rel=1e-6) for id, score in found.select("doc_id", "score").iter_rows()}


SCORES = {"a~1": -1.0, "a~2": -2.0, "b~1": -3.0}  # scaled: 1, 0.5, 0


def test_what_cites_the_best_document_comes_in() -> None:
    bench = make_bench([("a~3", "a~1")])

    assert carry(bench, SCORES, cited="0.7") == {"a~1": 1.0, "a~2": 0.5, "a~3": 0.7}


def test_what_the_best_document_cites_comes_in_the_other_way() -> None:
    bench = make_bench([("a~1", "b~2")])

    assert carry(bench, SCORES, cited="0", citing="0.5") == {"a~1": 1.0, "a~2": 0.5, "b~2": 0.5}


def test_without_its_own_score_a_document_has_what_it_is_given() -> None:
    bench = make_bench([("a~3", "a~1"), ("a~2", "a~1")])

    assert carry(bench, SCORES, cited="0.7", own="0", alpha="0") == {"a~2": 0.7, "a~3": 0.7}


def test_a_document_that_many_cite_gives_each_less() -> None:
    bench = make_bench([("a~3", "a~1"), ("b~2", "a~1"), ("b~1", "a~1"), ("a~2", "a~1")])

    assert carry(bench, SCORES, cited="1", alpha="0.5")["a~3"] == 0.5
    assert carry(bench, SCORES, cited="1", alpha="1")["a~3"] == 0.25


def test_only_the_depth_gives() -> None:
    bench = make_bench([("a~3", "a~2")])

    assert "a~3" not in carry(bench, SCORES, depth="1")
    assert "a~3" in carry(bench, SCORES, depth="2")


def test_a_second_hop_decays() -> None:
    bench = make_bench([("a~3", "a~1"), ("b~2", "a~3")])

    assert "b~2" not in carry(bench, SCORES, cited="1", alpha="0")
    assert carry(bench, SCORES, cited="1", alpha="0", hops="2", decay="0.5")["b~2"] == 0.5


def test_sum_adds_what_max_takes_once() -> None:
    bench = make_bench([("a~3", "a~1"), ("a~3", "a~2")])

    assert carry(bench, SCORES, cited="1", alpha="0", by="max")["a~3"] == 1.0
    assert carry(bench, SCORES, cited="1", alpha="0", by="sum")["a~3"] == 1.5


def test_links_of_the_future_and_to_the_future_carry_nothing() -> None:
    bench = make_bench([("b~1", "a~1"), ("a~2", "a~1")], dated=True)

    assert carry(bench, {"a~1": 2.0, "a~2": 1.0}, cited="1", alpha="0") == {"a~1": 1.0, "a~2": 1.0}


def test_a_query_s_own_document_takes_nothing() -> None:
    bench = make_bench([("a~3", "b~1")])
    own = replace(bench, queries=(replace(bench.queries[0], document_id="a"),))

    assert "a~3" in carry(bench, {"b~1": 1.0}, depth="1")
    assert "a~3" not in carry(own, {"b~1": 1.0}, depth="1")


def test_the_oracle_uses_the_labelled_contexts_only() -> None:
    bench = make_bench([("b~2", "a~1")])

    assert set(carry(bench, SCORES, links="oracle")) == {"a~1", "a~2", "a~3"}


def test_neighbours_are_of_the_same_document() -> None:
    bench = make_bench([])

    assert set(carry(bench, {"a~3": 1.0}, links="neighbours")) == {"a~2", "a~3"}


def test_random_links_keep_the_degrees_and_are_the_same_each_time() -> None:
    bench = make_bench([("a~3", "a~1"), ("b~2", "a~2"), ("b~1", "a~1")])

    first = carry(bench, SCORES, links="random", seed="1")

    assert carry(bench, SCORES, links="random", seed="1") == first


def test_a_wrong_option_is_told() -> None:
    bench = make_bench([("a~3", "a~1")])

    with pytest.raises(BadInput, match="no option 'lambda'"):
        carry(bench, SCORES, **{"lambda": "1"})
    with pytest.raises(BadInput, match="no number from 0 up"):
        carry(bench, SCORES, cited="-1")
