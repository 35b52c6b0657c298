from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from renvoi import rank, systems
from renvoi.analysis import default_analysis
from renvoi.errors import BadInput, Mismatch
from renvoi.evaluate import measures
from renvoi.index import build_index, open_index
from renvoi.retrievers._restatement import compare, read_question
from renvoi.retrievers._sequences import read_queries, read_sequences, sequences_of
from renvoi.retrievers.precedents import FEATURES, PrecedentScorer, precedents
from renvoi.tune import tune
from renvoi.types import Benchmark, Query

DAY = date(2000, 1, 1)
PARAGRAPHS = {  # case n is from day n
    "c0~1": "A dog with a bell is a measure of equal effect.",
    "c0~2": "The costs of the trade are to be paid by the hunters.",
    "c1~1": "Hunters carry lamps in boats.",
    "c2~1": "A bell of equal effect hinders the trade in dogs.",
    "c3~1": "Trade in lamps is free, and a measure that hinders it is not.",
    "c4~1": "A measure that hinders the trade in dogs with a bell is of equal effect.",
}
LINKS = [("c2~1", "c0~1"), ("c3~1", "c1~1"), ("c4~1", "c2~1")]
QUESTION = "a measure that hinders trade in boats with lamps is of equal effect"


def bench_of(
    texts: dict[str, str] = PARAGRAPHS, links: list[tuple[str, str]] = LINKS, *, asker: str = "c9", day: int = 5
) -> Benchmark:
    """Return a benchmark of one question of a day and a document."""
    days = {id: DAY + timedelta(int(id[1])) for id in texts}
    chunks = pl.DataFrame(
        {
            "id": list(texts),
            "text": list(texts.values()),
            "document_id": [id[:2] for id in texts],
            "date": list(days.values()),
        }
    )
    cases = chunks.group_by("document_id", maintain_order=True).agg(
        pl.col("text").str.join(" "), pl.col("date").first()
    )
    none = {"query_id": pl.String, "doc_id": pl.String}
    qrels = pl.DataFrame(schema={**none, "relevance": pl.Int64})
    edges = pl.DataFrame(
        [(a, b, days[a]) for a, b in links],
        schema={"source_id": pl.String, "target_id": pl.String, "date": pl.Date},
        orient="row",
    )
    query = Query("q", QUESTION, unit="par", document_id=asker, date=DAY + timedelta(day))
    collections = {"chunks": chunks, "cases": cases.with_columns(id=pl.col("document_id"))}
    return Benchmark(
        "pincite", "en", collections, (query,), {"par_par": qrels, "par_case": qrels}, pl.DataFrame(schema=none), edges
    )


def scorer_of(bench: Benchmark, **weights: float) -> PrecedentScorer:
    options = {f"f.{name}": str(weight) for name, weight in weights.items()}
    return precedents(bench.collections["chunks"], options, bench)


def read(bench: Benchmark) -> dict[str, dict[str, float]]:
    """Return the features of each candidate."""
    chunks = bench.collections["chunks"]
    found = scorer_of(bench).read(bench.queries, rank.allow(bench.queries, chunks))
    return {
        chunks["id"][int(row)]: dict(zip(FEATURES, values.tolist(), strict=True))
        for row, values in zip(found.docs[0], found.features[0], strict=True)
        if row >= 0
    }


def ranking(bench: Benchmark, **weights: float) -> list[tuple[str, float]]:
    chunks = bench.collections["chunks"]
    run = rank.rank(scorer_of(bench, **weights), bench.queries, chunks, k=10)
    return list(run.select("doc_id", "score").iter_rows())


EVERYTHING = dict.fromkeys(FEATURES, 0.3)


def test_by_words_alone_the_order_is_that_of_the_words() -> None:
    bench = bench_of(links=[])

    words = systems.run_system(systems.parse_system("bm25:k3=0"), bench, bench.task("par_par"), k=10)

    assert [id for id, _ in ranking(bench, words=1.0)] == words["doc_id"].to_list()


def test_changing_what_comes_later_changes_nothing() -> None:
    bench = bench_of(day=3)
    changed = {**PARAGRAPHS, "c3~1": QUESTION, "c4~1": QUESTION}
    links = [*LINKS[:1], ("c3~1", "c0~2"), ("c4~1", "c1~1"), ("c4~1", "c0~1")]

    # Idf is that of the whole collection, by every model: so the later texts change places, and no word is new.
    swapped = {**PARAGRAPHS, "c3~1": PARAGRAPHS["c4~1"], "c4~1": PARAGRAPHS["c3~1"]}

    assert ranking(bench, **EVERYTHING) == ranking(bench_of(swapped, links, day=3), **EVERYTHING)
    assert {id for id, _ in ranking(bench_of(changed, links, day=3), **EVERYTHING)} <= {"c0~1", "c0~2", "c1~1", "c2~1"}


def test_neither_the_asking_judgment_nor_its_citations_exist_for_its_question() -> None:
    cited = read(bench_of(asker="c9", day=5))
    hidden = read(bench_of(asker="c2", day=5))

    assert "c2~1" in cited
    assert "c2~1" not in hidden
    assert cited["c0~1"]["cited"] == pytest.approx(np.log(2))
    assert hidden["c0~1"]["cited"] == hidden["c0~1"]["ever_cited"] == hidden["c0~1"]["citing"] == 0


def test_what_a_good_paragraph_cites_is_a_candidate_without_a_word_of_the_question() -> None:
    texts = {"c0~1": "Oars.", "c1~1": QUESTION}
    found = read(bench_of(texts, [("c1~1", "c0~1")]))

    assert found["c0~1"]["words"] == 0
    assert found["c0~1"]["lent"] == found["c0~1"]["citing"] == pytest.approx(1)


def test_features_say_what_they_are_called() -> None:
    found = read(bench_of())

    assert max(values["words"] for values in found.values()) == 1
    assert found["c0~2"]["place"] == 1
    assert found["c1~1"]["age"] == pytest.approx(np.log1p(4 / 365.25))
    assert found["c1~1"]["lately"] == pytest.approx(1 / (1 + 2 / 365.25))
    assert found["c0~1"]["near"] == pytest.approx(found["c0~2"]["words"])
    assert found["c0~1"]["case_many"] == pytest.approx(np.log(2))


def test_the_rank_of_a_candidate_by_one_feature_is_a_feature() -> None:
    found = list(read(bench_of()).values())

    for name in ("words", "phrases", "citing", "case"):
        ordered = sorted(found, key=lambda values: -values[name])  # keeps the order of the candidates where equal
        assert [values[f"{name}_rank"] for values in ordered] == pytest.approx(
            [1 / n for n in range(1, len(found) + 1)]
        )


def test_a_case_scores_as_its_best_paragraph() -> None:
    bench = bench_of()
    best: dict[str, float] = {}
    for id, score in ranking(bench, **EVERYTHING):
        best.setdefault(id[:2], score)

    cases = bench.collections["cases"]
    options = {f"f.{name}": str(weight) for name, weight in EVERYTHING.items()}
    run = rank.rank(precedents(cases, options, bench), bench.queries, cases, k=10)

    assert dict(run.select("doc_id", "score").iter_rows()) == pytest.approx(best)


def test_cases_beyond_the_candidates_come_by_their_best_paragraph_however_many_it_has() -> None:
    many = {f"c4~{n}": "A measure that hinders the trade in dogs with a bell is of equal effect." for n in range(1, 30)}
    bench = bench_of({**PARAGRAPHS, **many}, [])
    cases = bench.collections["cases"]
    words = systems.run_system(systems.parse_system("bm25:k3=0"), bench, bench.task("par_par"), k=100)

    scorer = precedents(cases, {"depth": "1", "lending": "0"}, bench)
    runs = [rank.rank(scorer, bench.queries, cases, k=k)["doc_id"].to_list() for k in (1, 2, 3, 10)]

    assert runs[-1] == list(dict.fromkeys(id[:2] for id in words["doc_id"]))
    assert runs == [runs[-1][:k] for k in (1, 2, 3, 10)]


def test_top_and_score_agree() -> None:
    bench = bench_of()
    chunks = bench.collections["chunks"]

    scores = scorer_of(bench, **EVERYTHING).score([Query("q", QUESTION)])[0]
    top = rank.rank(scorer_of(bench, **EVERYTHING), [Query("q", QUESTION)], chunks, k=10)

    told = dict(zip(chunks["id"], scores.tolist(), strict=True))
    assert dict(top.select("doc_id", "score").iter_rows()) == {id: score for id, score in told.items() if score}


def slow_common(a: list[int], b: list[int]) -> int:
    """Longest common subsequence, by the table."""
    table = np.zeros((len(a) + 1, len(b) + 1), int)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1, j + 1] = table[i, j] + 1 if x == y else max(table[i, j + 1], table[i + 1, j])
    return int(table[-1, -1])


@pytest.mark.parametrize("seed", range(20))
def test_what_is_compared_is_what_a_slow_reading_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    text, question = rng.integers(0, 6, 90).astype(np.int32), rng.integers(0, 6, 150).astype(np.int32)
    worth = rng.random(6).astype(np.float32)
    near = {(a, b) for a, b in zip(question[:-1].tolist(), question[1:].tolist(), strict=True)}
    apart = {(a, b) for a, b in zip(question[:-2].tolist(), question[2:].tolist(), strict=True)}
    mine = list(zip(text[:-1].tolist(), text[1:].tolist(), strict=True))

    local = np.full(6, -1, np.int32)
    asked = read_question(question, local, worth)
    pairs, skips, _, both, total, common = compare(text, local, worth, asked, 0)

    assert pairs == pytest.approx(sum(worth[a] + worth[b] for a, b in near & set(mine)), rel=1e-5)
    two = set(zip(text[:-2].tolist(), text[2:].tolist(), strict=True))
    assert skips == pytest.approx(sum(worth[b] for _, b in apart & two), rel=1e-5)
    assert both == pytest.approx(worth[[t for t in text if t in question]].sum(), rel=1e-5)
    assert total == pytest.approx(worth[text].sum(), rel=1e-5)
    assert common == slow_common(text.tolist(), question.tolist())


def test_words_are_read_in_the_order_they_stand_in() -> None:
    index = build_index(pl.DataFrame({"id": ["d"], "body": ["a bell, a dog"]}), default_analysis("en"))

    read = read_sequences(["dog bell cat bell"], index)

    assert [index.vocabulary.find(["dog"])[0], index.vocabulary.find(["bell"])[0], -1] == read.terms[:3].tolist()
    assert read.terms[1] == read.terms[3]


def test_a_wrong_option_is_told() -> None:
    bench = bench_of()

    with pytest.raises(BadInput, match="no such feature"):
        scorer_of(bench, luck=1.0)
    with pytest.raises(BadInput, match="too small"):
        precedents(bench.collections["chunks"], {"depth": "0"}, bench)
    with pytest.raises(BadInput, match="not a number"):
        precedents(bench.collections["chunks"], {"f.words": "many"}, bench)


def test_an_index_keeps_the_words_in_order_and_opens_with_them(tmp_path: Path) -> None:
    texts = pl.DataFrame({"id": ["a", "b", "c"], "body": ["a bell, a dog", "", "dog bell dog"]})

    made = build_index(texts, default_analysis("en"), tmp_path / "index", in_order=True)
    read = read_sequences(["dog bell dog", "", "a bell, a dog"], made)  # documents go by id, descending

    kept = sequences_of(made)
    assert kept.starts.tolist() == read.starts.tolist()
    assert kept.terms.tolist() == read.terms.tolist()


@pytest.mark.parametrize(("n_words", "width"), [(1 << 16, 2), ((1 << 16) + 1, 4)])
def test_words_in_order_are_kept_in_the_fewest_bytes_that_hold_their_numbers(n_words: int, width: int) -> None:
    words = [f"{n}x" for n in range(n_words)]
    texts = [" ".join(words), "0x 7x 65535x 0x"]

    kept = sequences_of(
        build_index(pl.DataFrame({"id": ["b", "a"], "body": texts}), default_analysis("en"), in_order=True)
    ).terms

    assert kept.itemsize == width
    assert len(np.unique(kept[:n_words])) == n_words
    assert kept[n_words:].tolist() == kept[[0, 7, 65535, 0]].tolist()


def test_a_vocabulary_of_any_size_ranks_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ranking(bench_of(), **EVERYTHING)
    monkeypatch.setattr("renvoi.index.build.order_type", lambda n_terms: np.int32)

    assert ranking(bench_of(), **EVERYTHING) == found


def test_an_index_without_the_order_of_words_says_how_to_get_it() -> None:
    index = build_index(pl.DataFrame({"id": ["d"], "body": ["a bell"]}), default_analysis("en"))

    with pytest.raises(Mismatch, match="--kind judgments"):
        sequences_of(index)


def test_a_damaged_order_of_words_is_refused(tmp_path: Path) -> None:
    build_index(
        pl.DataFrame({"id": ["d"], "body": ["a bell"]}), default_analysis("en"), tmp_path / "index", in_order=True
    )
    (tmp_path / "index" / "order.bin").write_bytes(b"12345")

    with pytest.raises(BadInput, match=r"order\.bin"):
        open_index(tmp_path / "index")


@pytest.mark.parametrize(("level", "n_trials"), [("par_par", 27), ("par_case", 27), ("case_case", 54)])
def test_the_recipe_of_a_level_is_tuned_and_runs_as_it_was_tried(level: str, n_trials: int) -> None:
    bench = bench_of()
    query = Query("k", QUESTION, unit="case", document_id="c9", date=DAY + timedelta(5))
    qrels = {
        "par_par": pl.DataFrame([("q", "c4~1", 1)], schema=["query_id", "doc_id", "relevance"], orient="row"),
        "par_case": pl.DataFrame([("q", "c4", 1)], schema=["query_id", "doc_id", "relevance"], orient="row"),
        "case_case": pl.DataFrame([("k", "c3", 1)], schema=["query_id", "doc_id", "relevance"], orient="row"),
    }
    bench = replace(bench, queries=(*bench.queries, query), qrels=qrels)

    tuned = tune(bench, "renvoi", level=level, split=None)

    assert len(tuned.trials) == n_trials
    task = bench.task(level)
    name = "restated" if level == "case_case" else "precedents"
    for trial in tuned.trials[:: n_trials // 3]:
        options = ",".join(f"{key}={value}" for key, value in {**tuned.options, **trial.options}.items())
        run = systems.run_system(systems.parse_system(f"{name}:{options}"), bench, task, k=10)
        rankings = measures.rank(run, task.qrels, [q.id for q in task.queries])
        assert trial.value == pytest.approx(measures.measure(rankings, ["nDCG@10"]).mean())


@pytest.mark.parametrize(
    "texts", [[], [""], ["A bell in boats, in unheard boats.", "nothing known", "", "Dogs trade in dogs."]]
)
def test_a_question_read_once_has_the_terms_that_a_search_reads(texts: list[str]) -> None:
    scorer = scorer_of(bench_of()).scorer
    queries = [Query(str(n), text) for n, text in enumerate(texts)]

    terms, asked = read_queries(queries, scorer)

    searched, in_order = scorer.read(queries), read_sequences(texts, scorer.index)
    for name in ("starts", "terms", "tfs", "lengths"):
        assert np.array_equal(getattr(terms, name), getattr(searched, name))
        assert getattr(terms, name).dtype == getattr(searched, name).dtype
    assert np.array_equal(asked.terms, in_order.terms)


def test_along_has_no_grid_where_the_recipe_is_another() -> None:
    qrels = {"par_par": pl.DataFrame([("q", "c4~1", 1)], schema=["query_id", "doc_id", "relevance"], orient="row")}

    with pytest.raises(BadInput, match="has no grid on the level 'par_par'"):
        tune(replace(bench_of(), qrels=qrels), "along", level="par_par", split=None)
