"""The engine against a slow reference that follows the formulas, posting by posting, in plain Python."""

from __future__ import annotations

from collections import Counter
from datetime import date
from math import inf

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renvoi import rank, registry
from renvoi.analysis import Analysis
from renvoi.errors import BadInput, Mismatch
from renvoi.index import build_index
from renvoi.retrievers.lexical import LexicalScorer
from renvoi.types import Query

PLAIN = Analysis("en", stemmer="none")
MODELS = [(name, variant) for name in registry.names("models") for variant in registry.load("models", name).variants]
texts = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=9), min_size=1, max_size=14)
query_words = st.lists(st.sampled_from("abcdefgz"), max_size=6)


def documents_of(*fields: list[list[str]]) -> pl.DataFrame:
    n = len(fields[0])
    columns = {f"f{i}": [" ".join(words) for words in field] for i, field in enumerate(fields)}
    return pl.DataFrame({"id": [f"d{i:02d}" for i in range(n)], **columns})


def reference(
    name: str, variant: str, query: list[str], fields: list[list[list[str]]], weights: list[float], k3: float,
    known: set[str],
) -> list[float]:  # fmt: skip
    """Score every document by the model's own function."""
    model = registry.load("models", name)
    given_ = tuple(model.parameters.values())
    n_docs = len(fields[0])
    totals = [0.0] * n_docs
    matched = [False] * n_docs
    asked = Counter(word for word in query if word in known)
    for word, q in asked.items():
        saturated = q if k3 == inf else (k3 + 1) * q / (k3 + q)
        if model.frequency is not None:
            df = sum(any(word in field[d] for field in fields) for d in range(n_docs))
            for d in range(n_docs):
                tf = 0.0
                for field, weight in zip(fields, weights, strict=True):
                    average = sum(map(len, field)) / n_docs or 1.0
                    count = field[d].count(word)
                    tf += model.frequency(count, len(field[d]), average, weight, given_[1]) if count else 0
                if tf:
                    totals[d] += saturated * model.variants[variant](tf, 1, df, 1, n_docs, 1, 1, *given_)
                    matched[d] = True
            continue
        for field, weight in zip(fields, weights, strict=True):
            n_words = sum(map(len, field))
            df = sum(word in document for document in field)
            cf = sum(document.count(word) for document in field)
            for d, document in enumerate(field):
                if tf := document.count(word):
                    totals[d] += (
                        saturated
                        * weight
                        * model.variants[variant](
                            tf, len(document), df, cf, n_docs, n_words, n_words / n_docs, *given_
                        )
                    )  # fmt: skip
                    matched[d] = True
    if model.document is not None:
        length = sum(asked.values())
        for d in range(n_docs):
            if matched[d]:
                for field, weight in zip(fields, weights, strict=True):
                    totals[d] += length * weight * model.document(len(field[d]), *given_)
    return totals


@pytest.mark.parametrize(("name", "variant"), MODELS)
@settings(max_examples=30)
@given(documents=texts, query=query_words, other=st.data(), k3=st.sampled_from([0.0, 8.0, inf]))
def test_scores_equal_the_reference(
    name: str, variant: str, documents: list[list[str]], query: list[str], other: st.DataObject, k3: float
) -> None:
    n = len(documents)
    second = other.draw(st.lists(st.lists(st.sampled_from("abcdefg"), max_size=5), min_size=n, max_size=n))
    index = build_index(documents_of(documents, second), PLAIN)

    known = {word for document in documents + second for word in document}
    for fields, weights in (([documents], [1.0]), ([documents, second], [1.0, 0.25])):
        chosen = {f"f{i}": weight for i, weight in enumerate(weights)}
        scorer = LexicalScorer(index, name, variant, {"k3": k3}, chosen)
        [scores] = scorer.score([Query("q", " ".join(query))])
        expected = reference(name, variant, query, fields, weights, k3, known)
        np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-5)


@settings(max_examples=40)
@given(
    name=st.sampled_from(registry.names("models")),
    documents=texts,
    queries=st.lists(query_words, min_size=1, max_size=4),
    k=st.integers(1, 20),
    pruning=st.booleans(),
)
def test_the_fast_search_ranks_as_sorting_all_scores_does(
    name: str, documents: list[list[str]], queries: list[list[str]], k: int, pruning: bool
) -> None:
    frame = documents_of(documents).rename({"f0": "body"})
    scorer = LexicalScorer(build_index(frame, PLAIN), name)
    asked = [Query(str(n), " ".join(words)) for n, words in enumerate(queries)]

    class ScoresOnly:
        score = scorer.score

    scorer.pruning = pruning
    fast = rank.rank(scorer, asked, frame, k=k)
    slow = rank.rank(ScoresOnly(), asked, frame, k=k)

    assert fast.equals(slow)


def test_equal_documents_are_ordered_by_id_descending() -> None:
    frame = pl.DataFrame({"id": ["d2", "d10", "d1", "d4", "d3", "d5"], "body": ["same words"] * 6})
    scorer = LexicalScorer(build_index(frame, PLAIN))

    for k, expected in ((6, ["d5", "d4", "d3", "d2", "d10", "d1"]), (2, ["d5", "d4"])):
        assert rank.rank(scorer, [Query("q", "words")], frame, k=k)["doc_id"].to_list() == expected


def test_asking_for_more_than_there_is_gives_what_there_is() -> None:
    frame = pl.DataFrame({"id": [f"d{n}" for n in range(40)], "body": ["lease"] * 40})

    run = rank.rank(LexicalScorer(build_index(frame, PLAIN)), [Query("q", "lease")], frame, k=100)

    assert run.height == 40


def test_unknown_words_find_nothing_and_unmatched_documents_are_not_returned() -> None:
    frame = pl.DataFrame({"id": ["a", "b"], "body": ["lease", "rent"]})
    scorer = LexicalScorer(build_index(frame, PLAIN))

    run = rank.rank(scorer, [Query("1", "zebra"), Query("2", ""), Query("3", "rent zebra")], frame)

    assert run.select("query_id", "doc_id").rows() == [("3", "b")]


def test_own_document_and_later_candidates_are_left_out() -> None:
    frame = pl.DataFrame(
        {
            "id": ["old", "own", "same_day", "new", "undated"],
            "document_id": ["A", "B", "C", "D", "E"],
            "date": [date(2001, 1, 1), date(2000, 1, 1), date(2005, 5, 5), date(2010, 1, 1), None],
            "body": ["free movement"] * 5,
        }
    )
    scorer = LexicalScorer(build_index(frame, PLAIN))
    query = Query("q", "movement", document_id="B", date=date(2005, 5, 5))

    run = rank.rank(scorer, [query], frame)
    with_own = rank.rank(scorer, [query], frame, exclude_self=False)
    masked = rank.rank(scorer, [query], frame, mask=frame["id"].ne("old").to_numpy())

    assert run["doc_id"].to_list() == ["undated", "old"]
    assert with_own["doc_id"].to_list() == ["undated", "own", "old"]
    assert masked["doc_id"].to_list() == ["undated"]


def test_a_prior_moves_only_documents_that_match() -> None:
    frame = pl.DataFrame({"id": ["a", "b", "c"], "body": ["lease", "lease", "rent"]})
    prior = np.array([0.0, 1.0, 9.0], np.float32)
    scorer = LexicalScorer(build_index(frame, PLAIN), prior=prior)

    run = rank.rank(scorer, [Query("q", "lease")], frame)

    assert run["doc_id"].to_list() == ["b", "a"]
    assert run["score"][0] - run["score"][1] == pytest.approx(1.0)


def test_wrong_settings_are_named() -> None:
    index = build_index(pl.DataFrame({"id": ["a"], "body": ["lease"]}), PLAIN)

    with pytest.raises(BadInput, match="bm25: has no parameter 'mu'"):
        LexicalScorer(index, "bm25", None, {"mu": 1.0})
    with pytest.raises(BadInput, match="bm25: has no variant 'okapi'"):
        LexicalScorer(index, "bm25", "okapi")
    with pytest.raises(Mismatch, match="no field 'citing'"):
        LexicalScorer(index, "bm25", fields={"citing": 1.0})


@pytest.mark.parametrize(("variant", "method"), [("lucene", "lucene"), ("atire", "atire")])
def test_bm25_equals_bm25s(variant: str, method: str) -> None:
    bm25s = pytest.importorskip("bm25s")
    generator = np.random.default_rng(7)
    words = [[f"w{n}" for n in generator.zipf(1.4, size) if n < 60] for size in generator.integers(3, 40, 200)]
    frame = pl.DataFrame({"id": [f"{n:03d}" for n in range(200)], "body": [" ".join(text) for text in words]})
    peer = bm25s.BM25(method=method, k1=0.9, b=0.4, backend="numpy")
    peer.index(words, show_progress=False)

    scorer = LexicalScorer(build_index(frame, PLAIN), "bm25", variant, {"k1": 0.9, "b": 0.4})
    queries = [words[n] for n in (0, 50, 120)]
    ours = scorer.score([Query(str(n), " ".join(query)) for n, query in enumerate(queries)])

    theirs = np.stack([peer.get_scores(query) for query in queries])
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
    assert [np.argsort(-a, kind="stable")[:10].tolist() for a in np.round(ours, 3)] == [
        np.argsort(-a, kind="stable")[:10].tolist() for a in np.round(theirs, 3)
    ]


@settings(max_examples=30)
@given(
    model=st.sampled_from(["bm25", "bm25f", "dph"]),
    documents=texts,
    queries=st.lists(query_words, min_size=1, max_size=3),
    pruning=st.booleans(),
)
def test_pairs_score_as_if_they_were_written_out(
    model: str, documents: list[list[str]], queries: list[list[str]], pruning: bool
) -> None:
    def written(words: list[str]) -> str:
        return " ".join(a + b for a, b in zip(words, words[1:], strict=False))

    frame = documents_of(documents).rename({"f0": "pairs"}).with_columns(body=pl.col("pairs"))
    as_words = frame.select("id", body="body", second=pl.Series([written(words) for words in documents]))
    weights = {"body": 1.0, "second": 0.5}
    pairs = LexicalScorer(build_index(frame, PLAIN), model, fields={"body": 1.0, "pairs": 0.5})
    words = LexicalScorer(build_index(as_words, PLAIN), model, fields=weights)
    pairs.pruning = words.pruning = pruning

    by_pairs = rank.rank(pairs, [Query(str(n), " ".join(query)) for n, query in enumerate(queries)], frame)
    both = [Query(str(n), " ".join(query) + " " + written(query)) for n, query in enumerate(queries)]
    by_words = rank.rank(words, both, frame)

    assert (
        by_pairs.group_by("query_id", "doc_id")
        .agg(pl.col("score").sum().round(3))
        .sort("query_id", "doc_id")
        .equals(by_words.group_by("query_id", "doc_id").agg(pl.col("score").sum().round(3)).sort("query_id", "doc_id"))
    )


@pytest.mark.parametrize("model", ["bm25", "dph", "dirichlet_lm"])
def test_weighing_only_what_is_asked_for_gives_the_same_numbers(model: str) -> None:
    texts = [f"word{n % 7} word{n % 3} common" for n in range(60)]
    index = build_index(pl.DataFrame({"id": [f"{n:02}" for n in range(60)], "body": texts}), PLAIN)
    full, sparing = LexicalScorer(index, model), LexicalScorer(index, model)
    sparing.sparing = True

    for question in ("word1 common", "word2 word1 nowhere", ""):
        assert np.array_equal(sparing.score([Query("q", question)]), full.score([Query("q", question)]))
    assert "lists" not in sparing.__dict__
