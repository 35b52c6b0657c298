from __future__ import annotations

import random
from datetime import date

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from renvoi.describe.distractors import (
    find_distractors,
    jaccard,
    overlaps,
    rouge_l_recall,
    split_words,
    split_words_as_rouge,
)
from renvoi.types import Query, Task

_SCORER = RougeScorer(["rougeL"], use_stemmer=False)
words = st.lists(st.sampled_from(["a", "b", "the", "law", "§", "é", "12"]), max_size=150).map(" ".join)


def _task(
    queries: list[Query], texts: dict[str, str], qrels: dict[str, str], dates: dict[str, date] | None = None
) -> Task:
    corpus = pl.DataFrame(
        [(doc, text, doc.split("-")[0], (dates or {}).get(doc)) for doc, text in texts.items()],
        schema={"id": pl.String, "text": pl.String, "document_id": pl.String, "date": pl.Date},
        orient="row",
    )
    rows = [(query, doc, 1) for query, doc in qrels.items()]
    frame = pl.DataFrame(rows, schema={"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Int64}, orient="row")
    return Task("par_par", tuple(queries), corpus, frame)


@given(query=words, candidate=words)
@settings(max_examples=60)
def test_recall_equals_rouge_score_also_across_machine_words(query: str, candidate: str) -> None:
    expected = _SCORER.score(query, candidate)["rougeL"].recall

    assert rouge_l_recall(query, candidate, split_words_as_rouge) == pytest.approx(expected)


def test_the_best_others_are_those_of_a_full_comparison() -> None:
    rng = random.Random(5)
    vocabulary = [f"w{i}" for i in range(12)]
    texts = {f"d{i}-{i}": " ".join(rng.choices(vocabulary, k=rng.randint(0, 90))) for i in range(120)}
    queries = [Query(f"q{i}", " ".join(rng.choices(vocabulary, k=rng.randint(1, 140))), unit="par") for i in range(40)]
    task = _task(queries, texts, {q.id: rng.choice(list(texts)) for q in queries})
    target = dict(task.qrels.select("query_id", "doc_id").iter_rows())

    found = find_distractors(task)

    for query, row in zip(queries, found.rows, strict=True):
        recalls = {doc: _SCORER.score(query.text, text)["rougeL"].recall for doc, text in texts.items()}
        relevant = recalls.pop(target[query.id])
        assert (row.relevant, row.other) == pytest.approx((relevant, max(recalls.values())))
        assert row.other_id == next(doc for doc, value in recalls.items() if value == max(recalls.values()))
    assert found.pairs == 4800
    assert found.compared < found.pairs


def test_a_later_candidate_and_the_own_document_are_not_distractors() -> None:
    texts = {"a-1": "the rule applies here", "b-1": "the rule", "c-1": "the rule applies", "d-1": "rule"}
    dates = dict(zip(texts, (date(2010, 1, 1), date(2011, 1, 1), date(2030, 1, 1), date(2012, 1, 1)), strict=True))
    query = Query("q", "the rule applies here", unit="par", document_id="a", date=date(2020, 1, 1))

    (row,) = find_distractors(_task([query], texts, {"q": "d-1"}, dates)).rows

    assert (row.relevant, row.other, row.other_id, row.strong) == (0.25, 0.5, "b-1", True)


def test_a_query_without_words_is_named_not_scored() -> None:
    found = find_distractors(_task([Query("q", "§ …", unit="par")], {"a-1": "x"}, {"q": "a-1"}))

    assert (found.rows, found.without_words) == ((), ("q",))


def test_words_keep_letters_of_every_alphabet() -> None:
    assert split_words("Ændring i § 12 a, ŻÓŁĆ_x") == ["ændring", "i", "12", "a", "żółć", "x"]


@pytest.mark.parametrize(("query", "candidate", "value"), [("a b", "b c", 1 / 3), ("a a", "a", 1.0), ("", "", 0.0)])
def test_jaccard_counts_words_once(query: str, candidate: str, value: float) -> None:
    assert jaccard(query, candidate) == value


def test_overlaps_are_of_relevant_pairs_only() -> None:
    task = _task([Query("q", "a b", unit="par")], {"a-1": "a", "b-1": "a b"}, {"q": "a-1"})

    assert overlaps(task).rows() == [("q", "a-1", 0.5)]
