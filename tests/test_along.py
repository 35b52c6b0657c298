from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from renvoi import flagship, rank, systems
from renvoi.analysis import default_analysis
from renvoi.errors import BadInput, UnknownName
from renvoi.index import build_index, field_texts
from renvoi.retrievers.along import DEFAULTS, AlongScorer, along
from renvoi.retrievers.lexical import LexicalScorer
from renvoi.search import search
from renvoi.types import Benchmark, Query

DAY = date(2000, 1, 1)


def make_bench(texts: dict[str, str], links: list[tuple[str, str]], question: str, *, dated: bool = False) -> Benchmark:
    """Return a benchmark of one question; where dated, document n is from day n and the question from the last day."""
    days = {id: DAY + timedelta(n) if dated else None for n, id in enumerate(texts)}
    rows = [(id, text, [], [], id.split("~")[0], days[id], n) for n, (id, text) in enumerate(texts.items())]
    schema = {"id": pl.String, "text": pl.String, "lead_ins": pl.List(pl.String), "labels": pl.List(pl.String),
              "document_id": pl.String, "date": pl.Date, "order": pl.Int32}  # fmt: skip
    query = Query("q", question, date=DAY + timedelta(len(texts)) if dated else None, document_id="own")
    return Benchmark(
        kind="pincite" if dated else "crossref",
        language="en",
        collections={"chunks": pl.DataFrame(rows, schema=schema, orient="row")},
        queries=(query,),
        qrels={"chunk": pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Int64})},
        contexts=pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String}),
        links=pl.DataFrame(
            [(a, b, days[a]) for a, b in links],
            schema={"source_id": pl.String, "target_id": pl.String, "date": pl.Date}, orient="row",
        ),
    )  # fmt: skip


def run(bench: Benchmark, model: str) -> pl.DataFrame:
    return systems.run_system(systems.parse_system(model), bench, bench.task(), k=10)


STATUTE = {
    "a~1": "A dog shall wear a collar with a bell.",
    "a~2": "The duty in section 1 does not apply to hunters.",
    "a~3": "The duty in section 4 does not apply to hunters.",
    "a~4": "A boat shall carry a lamp.",
}
CITED = [("a~2", "a~1"), ("a~3", "a~4")]


def test_a_provision_is_found_by_the_words_of_the_one_it_cites() -> None:
    bench = make_bench(STATUTE, CITED, "must hunters put a bell on the collar of a dog")

    bare, along_links = run(bench, "bm25")["doc_id"].to_list(), run(bench, "along")["doc_id"].to_list()

    assert bare[0] == "a~1"
    assert along_links[0] == "a~2"


def test_without_links_nothing_changes() -> None:
    bench = make_bench(STATUTE, [], "must hunters put a bell on the collar of a dog")

    assert run(bench, "along").equals(run(bench, "bm25"))


def _slow(bench: Benchmark, question: str, scorer: AlongScorer, second: float) -> dict[str, float]:
    """The formula, word by word."""
    words = sorted(set(question.split()))
    single = scorer.scorer.score([Query("", word) for word in words])
    ids = bench.collections["chunks"]["id"].to_list()
    x = {id: single[:, n] for n, id in enumerate(ids)}
    links = [row[:2] for row in bench.links.iter_rows()]
    helped = {b: sum(t == b for _, t in links) for _, b in links}
    receives = {a: sum(s == a for s, _ in links) for a, _ in links}
    scores = {}
    for c in ids:
        pairs = [(np.maximum(x[c], x[h] / helped[h] ** 0.3 / receives[c] ** 0.2), h) for s, h in links if s == c]
        best = max([x[c].sum(), *(pair.sum() for pair, _ in pairs)])
        scores[c] = float(best)
        first = next((pair for pair, _ in pairs if pair.sum() == best and best > x[c].sum()), None)
        if first is not None and second:
            more = max(np.maximum(first, pair).sum() for pair, _ in pairs)
            scores[c] += second * float(max(more, best) - best)
    return scores


@pytest.mark.parametrize("second", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(5))
def test_scores_equal_the_formula(seed: int, second: float) -> None:
    rng = np.random.default_rng(seed)
    words = [f"w{n}" for n in range(12)]
    texts = {f"d~{n}": " ".join(rng.choice(words, 5)) for n in range(12)}
    pairs = {tuple(rng.choice(12, 2, replace=False)) for _ in range(20)}
    links = sorted((f"d~{a}", f"d~{b}") for a, b in pairs)
    question = "w1 w3 w5 w7"
    bench = make_bench(texts, links, question)
    options = {"second": str(second), "by_helper": "0.3", "by_receiver": "0.2"}
    scorer = along(bench.collections["chunks"], options, bench)

    found = scorer.score([Query("q", question)])[0]

    assert found == pytest.approx(list(_slow(bench, question, scorer, second).values()), rel=1e-5)


def test_top_and_score_agree() -> None:
    bench = make_bench(STATUTE, CITED, "hunters dog bell boat")
    scorer = along(bench.collections["chunks"], {}, bench)

    ranked = rank.rank(scorer, bench.queries, bench.collections["chunks"], k=4, exclude_self=False)

    scores = dict(zip(bench.collections["chunks"]["id"], scorer.score(bench.queries)[0].tolist(), strict=True))
    assert dict(ranked.select("doc_id", "score").iter_rows()) == pytest.approx({k: v for k, v in scores.items() if v})


JUDGMENTS = {
    "j1~1": "The bell of a dog is a measure of equal effect.",
    "j2~1": "A lamp is a measure of equal effect.",
    "j3~1": "Hunters may rely on the freedom to walk, as held in the first judgment.",
    "own~1": "Hunters rely on the lamp, see the second judgment.",
    "j4~1": "Hunters rely on the lamp again.",
}
PINCITES = [("j3~1", "j1~1"), ("own~1", "j2~1"), ("j4~1", "j2~1")]
CASE_LAW = "along:cited=0,citing=1,prior=0.5,by_helper=0.2,by_receiver=0.2"


def _in_the_middle(bench: Benchmark) -> Benchmark:
    """The question is asked on the day of `own`, which is its own document."""
    return replace(bench, queries=(replace(bench.queries[0], date=DAY + timedelta(3)),))


def test_a_paragraph_is_found_by_what_an_earlier_judgment_said_when_citing_it() -> None:
    bench = make_bench(JUDGMENTS, PINCITES, "may hunters rely on the freedom to walk with a bell", dated=True)

    found = run(bench, CASE_LAW)

    scores = dict(found.select("doc_id", "score").iter_rows())
    assert scores["j1~1"] > dict(run(bench, "bm25").select("doc_id", "score").iter_rows())["j1~1"] + 1


def test_changing_the_future_changes_nothing() -> None:
    bench = _in_the_middle(make_bench(JUDGMENTS, PINCITES, "hunters rely on the lamp effect", dated=True))
    future = bench.collections["chunks"]["date"] >= bench.queries[0].date
    changed_links = bench.links.with_columns(
        pl.when(pl.col("date") >= bench.queries[0].date).then(pl.lit("j1~1")).otherwise("target_id").alias("target_id")
    )
    none_later = bench.links.filter(pl.col("date") < bench.queries[0].date)

    before = run(bench, CASE_LAW)

    assert future.any()
    assert before.height
    assert run(replace(bench, links=changed_links), CASE_LAW).equals(before)
    assert run(replace(bench, links=none_later), CASE_LAW).equals(before)


def test_a_query_s_own_citations_never_reach_its_ranking() -> None:
    bench = make_bench(JUDGMENTS, PINCITES, "hunters rely on the lamp effect", dated=True)
    own = replace(bench.queries[0], document_id="own", source_id="own~1", date=DAY + timedelta(3))
    bench = replace(bench, queries=(own,))
    others = bench.links.filter(pl.col("source_id") != "own~1")

    assert run(bench, CASE_LAW).equals(run(replace(bench, links=others), CASE_LAW))


def test_a_popular_paragraph_of_equal_words_comes_first() -> None:
    texts = {"j1~1": "a bell", "j2~1": "a bell", "j3~1": "see above"}
    bench = make_bench(texts, [("j3~1", "j1~1")], "bell", dated=True)

    assert run(bench, "along:cited=0")["doc_id"].to_list() == ["j2~1", "j1~1"]
    assert run(bench, "along:cited=0,prior=0.1")["doc_id"].to_list() == ["j1~1", "j2~1"]


def test_the_system_named_renvoi_runs_its_recipe() -> None:
    bench = make_bench(STATUTE, CITED, "must hunters put a bell on the collar of a dog")

    assert run(bench, "renvoi").equals(run(bench, flagship.recipe("chunk")))


def test_a_wrong_option_is_told() -> None:
    bench = make_bench(STATUTE, CITED, "dog")

    with pytest.raises(BadInput, match="below 0"):
        run(bench, "along:cited=-1")
    with pytest.raises(BadInput, match="has no parameter 'citd'"):
        run(bench, "along:citd=1")
    with pytest.raises(BadInput, match="missing words"):
        run(bench, "along:model=dirichlet_lm")
    with pytest.raises(UnknownName):
        run(bench, "alon")


def test_stop_words_are_left_out_of_the_question_where_the_index_has_them() -> None:
    bench = make_bench(STATUTE, CITED, "must the hunters put a bell on a dog")
    scorer = AlongScorer(LexicalScorer(build_index(field_texts(bench.collections["chunks"]), default_analysis("en"))),
                         bench.links, {**DEFAULTS, "stop_words": 1.0})  # fmt: skip

    with_them = scorer.score([Query("q", "the hunters a dog")])
    without = scorer.score([Query("q", "hunters dog")])

    assert with_them.tolist() == without.tolist()


def test_a_hit_is_explained_by_its_words_and_those_of_what_it_cites(tmp_path: Path) -> None:
    bench = make_bench(STATUTE, CITED, "")
    build_index(field_texts(bench.collections["chunks"]), default_analysis("en"), tmp_path / "index")
    bench.links.write_parquet(tmp_path / "index" / "links.parquet")

    first = search(tmp_path / "index", "must hunters put a bell on the collar of a dog", k=1).row(0, named=True)

    assert first["doc_id"] == "a~2"
    assert first["own"] == ["hunter"]
    assert (first["how"], first["through"]) == ("cites", "a~1")
    assert set(first["added"]) == {"bell", "collar", "dog"}
    assert "text" not in first  # this index was made without texts


def test_an_index_without_links_is_searched_by_words(tmp_path: Path) -> None:
    bench = make_bench(STATUTE, [], "")
    build_index(field_texts(bench.collections["chunks"]), default_analysis("en"), tmp_path / "index")

    assert search(tmp_path / "index", "bell")["doc_id"].to_list() == ["a~1"]
    with pytest.raises(BadInput, match="holds no links"):
        search(tmp_path / "index", "bell", model="along")


POINTS = {
    "a~§ 1": "Whoever keeps a dog shall",
    "a~§ 1/nr. 1": "carry a lamp, and",
    "a~§ 1/nr. 2": "pay the fee of section 3.",
    "a~§ 2": "A lamp is lent by the town.",
    "a~§ 3": "The fee is ten crowns.",
}


def test_a_point_has_the_words_of_its_lead_in_too() -> None:
    bench = make_bench(POINTS, [], "who keeps a lamp for a dog")

    assert run(bench, "along")["doc_id"][0] == "a~§ 1"
    assert run(bench, "along:lead_in=1")["doc_id"][0] == "a~§ 1/nr. 1"


def test_a_word_of_the_lead_in_counts_once() -> None:
    texts = {"a~§ 1": "dog lamp", "a~§ 1/nr. 1": "dog", "a~§ 2": "lamp bell"}
    bench = make_bench(texts, [], "dog")
    scorer = along(bench.collections["chunks"], {"lead_in": "0.5"}, bench)
    alone = along(bench.collections["chunks"], {}, bench)

    above, point, other = scorer.score([Query("q", "dog")])[0]

    assert (above, point, other) == pytest.approx(tuple(alone.score([Query("q", "dog")])[0]))
    assert scorer.score([Query("q", "lamp")])[0, 1] == pytest.approx(0.5 * alone.score([Query("q", "lamp")])[0, 0])


def test_the_words_of_a_lead_in_explain_a_hit() -> None:
    bench = make_bench(POINTS, [], "")
    scorer = along(bench.collections["chunks"], {"lead_in": "1"}, bench)
    point = scorer.scorer.index.documents["id"].to_list().index("a~§ 1/nr. 1")

    why = scorer.explain(Query("q", "lamp dog"), point, -1)

    assert set(why.own) == {"lamp", "dog"}
