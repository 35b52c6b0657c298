from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from renvoi import rank, systems
from renvoi.analysis import default_analysis
from renvoi.errors import BadInput
from renvoi.index import build_index
from renvoi.retrievers._phrases import weigh_phrases
from renvoi.retrievers._sequences import read_sequences
from renvoi.retrievers.restated import restated
from renvoi.types import Benchmark, Query

DAY = date(2000, 1, 1)


def bench_of(texts: dict[str, str], question: str) -> Benchmark:
    """Return a benchmark of one question; document n is from day n, the question from the day after the last."""
    frame = pl.DataFrame(
        {
            "id": list(texts),
            "text": list(texts.values()),
            "document_id": list(texts),
            "date": [DAY + timedelta(n) for n in range(len(texts))],
        }
    )
    none = {"query_id": pl.String, "doc_id": pl.String}
    qrels = pl.DataFrame(schema={**none, "relevance": pl.Int64})
    links = pl.DataFrame(schema={"source_id": pl.String, "target_id": pl.String, "date": pl.Date})
    query = Query("q", question, unit="case", document_id="own", date=DAY + timedelta(len(texts)))
    return Benchmark(
        "pincite", "en", {"cases": frame}, (query,), {"case_case": qrels}, pl.DataFrame(schema=none), links
    )


CASES = {
    "j1": "The bell of a dog is no measure of equal effect within the meaning of the Treaty.",
    "j2": "Within the meaning of the Treaty the dog of the hunters has a bell and an effect, equal or not.",
    "j3": "Boats carry lamps.",
}


def ranked(bench: Benchmark, model: str) -> list[str]:
    run = systems.run_system(systems.parse_system(model), bench, bench.task(), k=10)
    return run["doc_id"].to_list()


def test_the_same_words_in_the_same_order_win_over_the_same_words() -> None:
    question = "the bell of a dog is no measure; hunters, dog hunters, dog meaning the hunters, within the hunters has"
    bench = bench_of(CASES, question)

    assert ranked(bench, "bm25")[0] == "j2"
    assert ranked(bench, "restated:n=4,words=0.1")[0] == "j1"


def slow_phrases(texts: list[list[str]], question: list[str], n: int) -> list[float]:
    """The formula."""
    asked = {tuple(question[i : i + n]) for i in range(len(question) - n + 1)}
    shared = [asked & {tuple(text[i : i + n]) for i in range(len(text) - n + 1)} for text in texts]
    df = {g: sum(g in one for one in shared) for g in asked}
    return [float(np.log1p(sum(np.log((len(texts) + 1) / df[g]) ** 2 for g in one))) for one in shared]


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(5))
def test_phrases_weigh_as_the_formula_says(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    texts = [[str(w) for w in rng.choice(["ka", "ko", "ku"], rng.integers(0, 30))] for _ in range(7)]
    question = [str(w) for w in rng.choice(["ka", "ko", "ku"], 25)]
    frame = pl.DataFrame({"id": [f"d{i}" for i in range(7)], "body": [" ".join(text) for text in texts]})
    index = build_index(frame, default_analysis("en"))
    held, asked = read_sequences(frame["body"].to_list(), index), read_sequences([" ".join(question)], index)
    out = np.empty(7)

    weigh_phrases(asked.terms, np.arange(7), 7, held.starts, held.terms, n, out)

    assert out == pytest.approx(slow_phrases(texts, question, n))


def test_no_phrase_runs_over_a_word_that_the_collection_lacks() -> None:
    index = build_index(pl.DataFrame({"id": ["d"], "body": ["red dog barks"]}), default_analysis("en"))
    held, asked = read_sequences(["red dog barks"], index), read_sequences(["red unheard dog barks"], index)
    two, three = np.empty(1), np.empty(1)

    weigh_phrases(asked.terms, np.zeros(1, np.int32), 1, held.starts, held.terms, 2, two)
    weigh_phrases(asked.terms, np.zeros(1, np.int32), 1, held.starts, held.terms, 3, three)

    assert asked.terms.tolist().count(-1) == 1
    assert two[0] == pytest.approx(np.log1p(np.log(2) ** 2))
    assert three[0] == 0


def test_neither_the_own_document_nor_a_later_one_is_found_or_weighs() -> None:
    bench = bench_of(CASES, "the bell of a dog is no measure of equal effect")
    early = Query("q", bench.queries[0].text, document_id="j1", date=DAY + timedelta(2))
    cases = bench.collections["cases"]
    changed = cases.with_columns(
        text=pl.when(pl.col("date") >= early.date).then(pl.lit("the bell of a dog is no")).otherwise("text")
    )

    found = rank.rank(restated(cases, {"n": "2"}, bench), [early], cases, k=10)

    assert found["doc_id"].to_list() == ["j2"]
    # Words are counted in the whole collection, by every model; phrases only among what may be found.
    assert rank.rank(restated(changed, {"n": "2"}, bench), [early], changed, k=10).equals(found)


def test_top_and_score_agree() -> None:
    bench = bench_of(CASES, "the bell of a dog is no measure of equal effect within")
    cases = bench.collections["cases"]
    scorer = restated(cases, {"n": "3"}, bench)

    found = rank.rank(scorer, bench.queries, cases, k=10)

    scores = dict(zip(cases["id"], scorer.score(bench.queries)[0].tolist(), strict=True))
    assert dict(found.select("doc_id", "score").iter_rows()) == {id: score for id, score in scores.items() if score}


def test_a_wrong_option_is_told() -> None:
    bench = bench_of(CASES, "dog")

    with pytest.raises(BadInput, match="too small"):
        ranked(bench, "restated:n=0")
    with pytest.raises(BadInput, match="not a number"):
        ranked(bench, "restated:depth=many")
    with pytest.raises(BadInput, match="has no parameter 'deep'"):
        ranked(bench, "restated:deep=3")
