from __future__ import annotations

import ir_measures
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renvoi.evaluate import measures
from renvoi.evaluate.measures import UnknownMeasure

NAMES = ("Success@3", "R@3", "P@5", "nDCG@3", "nDCG", "AP@4", "AP", "RR", "R(rel=2)@3", "AP(rel=2)@4", "Rprec")

docs = st.sampled_from([f"d{i}" for i in range(9)])
qrels_of_a_query = st.dictionaries(docs, st.integers(-1, 3), min_size=1).filter(lambda grades: max(grades.values()) > 0)
run_of_a_query = st.dictionaries(docs, st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=1)


def _frame(table: dict[str, dict[str, float]], value: str, kind: type[pl.DataType]) -> pl.DataFrame:
    rows = [(query, doc, x) for query, members in table.items() for doc, x in members.items()]
    return pl.DataFrame(rows, schema={"query_id": pl.String, "doc_id": pl.String, value: kind}, orient="row")


@given(
    qrels=st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), qrels_of_a_query, min_size=1),
    run=st.dictionaries(st.sampled_from(["q1", "q2", "q3", "q4"]), run_of_a_query),
)
@settings(max_examples=25)
def test_every_measure_equals_trec_eval_ties_included(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]
) -> None:
    queries = sorted(qrels)
    expected = np.zeros((len(queries), len(NAMES)))
    parsed = [ir_measures.parse_measure(name) for name in NAMES]
    for metric in ir_measures.iter_calc(parsed, qrels, run):
        if metric.query_id in qrels:
            expected[queries.index(metric.query_id), parsed.index(metric.measure)] = metric.value

    frames = _frame(run, "score", pl.Float64), _frame(qrels, "relevance", pl.Int64)
    seen = measures.measure(measures.rank(*frames, queries), NAMES)

    assert seen == pytest.approx(expected, abs=1e-9)


def test_a_reciprocal_rank_below_the_cut_off_is_nothing() -> None:
    run = _frame({"q1": {"a": 3, "b": 2, "c": 1}, "q2": {"a": 3, "b": 2, "c": 1}}, "score", pl.Float64)
    qrels = _frame({"q1": {"b": 1}, "q2": {"c": 1}}, "relevance", pl.Int64)

    seen = measures.measure(measures.rank(run, qrels, ["q1", "q2"]), ["RR@2"])

    # Checked by hand: ir_measures takes RR@k from a reader that breaks ties by the order of the file.
    assert seen.tolist() == [[0.5], [0.0]]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("nDCG@10, HR@5 Recall@10", ("nDCG@10", "Success@5", "R@10")),
        ("MAP@1000 MRR@1000 MAP@1000", ("AP@1000", "RR@1000")),
        ("AP(rel=2)@10", ("AP(rel=2)@10",)),
    ],
)
def test_measures_are_read_under_the_names_papers_use(written: str, meant: tuple[str, ...]) -> None:
    assert measures.parse_measures(written) == meant


@pytest.mark.parametrize("written", ["nDGC@10", "", "R@ten", "__import__('os')"])
def test_an_unknown_measure_is_one_line(written: str) -> None:
    with pytest.raises(UnknownMeasure, match="no measure"):
        measures.parse_measures(written)
