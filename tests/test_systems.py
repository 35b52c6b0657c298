from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from renvoi import flagship, rank, registry, store, systems
from renvoi.analysis import Analysis
from renvoi.cli import retrieve
from renvoi.cli._app import app
from renvoi.errors import BadInput, RenvoiError, UnknownName
from renvoi.evaluate import measures
from renvoi.index import build_index
from renvoi.tune import Indexes, tune, tune_across, write_toml
from renvoi.types import Benchmark, Query

assert retrieve  # registers its commands


def bench_of(kind: str = "imported") -> Benchmark:
    chunks = pl.DataFrame(
        {
            "id": ["act~sec_1", "act~sec_2", "act~sec_3", "other~sec_1"],
            "text": [
                "The lessor shall notify the lessee.",
                "The lessee shall pay rent.",
                "Rent rent rent.",
                "The sea.",
            ],
            "labels": [["Chapter 1 Notices"], ["Chapter 2 Rent"], ["Chapter 2 Rent"], ["Chapter 9"]],
            "lead_ins": [[], [], [], []],
            "document_id": ["act", "act", "act", "other"],
            "date": [date(2000, 1, 1)] * 4,
        }
    )
    queries = (
        Query("q1", "who must notify", split="dev", document_id="other"),
        Query("q2", "when is rent paid", split="test", document_id="act"),
    )
    qrels = pl.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["act~sec_1", "act~sec_2"], "relevance": [1, 1]})
    none = {"query_id": pl.String, "doc_id": pl.String}
    links = {"source_id": pl.String, "target_id": pl.String, "date": pl.Date}
    return Benchmark(
        kind, "en", {"chunks": chunks}, queries, {"chunk": qrels}, pl.DataFrame(schema=none), pl.DataFrame(schema=links)
    )  # type: ignore[arg-type]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store.write_benchmark(tmp_path / "bench", bench_of(), card="fictional")
    return tmp_path


@pytest.mark.parametrize("name", registry.names("models"))
def test_every_model_runs_by_its_name(name: str) -> None:
    bench = bench_of()

    run = systems.run_system(systems.parse_system(name), bench, bench.task())

    assert run.filter(pl.col("query_id") == "q1")["doc_id"][0] == "act~sec_1"


def test_options_reach_the_model_and_win_over_tuned_parameters() -> None:
    bench = bench_of("crossref")
    models = ("bm25", "bm25:k1=0.5", "bm25:w.body=1,w.path=2", "bm25:variant=terrier,k3=0")
    given = {"bm25": {"k1": 3.0}}

    runs = {m: systems.run_system(systems.parse_system(m), bench, bench.task(), parameters=given) for m in models}
    alone = systems.run_system(systems.parse_system("bm25:k1=0.5"), bench, bench.task())

    assert runs["bm25:k1=0.5"].equals(alone)
    assert len({tuple(run["score"]) for run in runs.values()}) == len(models)


def test_the_own_act_is_left_out_unless_the_benchmark_is_of_statutes() -> None:
    for kind, n in (("pincite", 0), ("imported", 0), ("crossref", 2)):
        bench = bench_of(kind)
        run = systems.run_system(systems.parse_system("bm25"), bench, bench.task(split="test"))
        assert run.filter(pl.col("doc_id").str.starts_with("act~")).height == n


def test_a_hybrid_finds_what_its_parts_find() -> None:
    bench = bench_of("crossref")

    for model in ("hybrid:bm25+dph", "hybrid:by=scores,w2=0.5:bm25+dirichlet_lm:mu=50"):
        run = systems.run_system(systems.parse_system(model), bench, bench.task(), k=2)
        assert run.group_by("query_id").len()["len"].max() == 2


def test_a_part_in_brackets_has_steps_of_its_own() -> None:
    bench = bench_of("crossref")
    links = pl.DataFrame(
        {"source_id": ["act~sec_3"], "target_id": ["act~sec_1"], "date": [None]}, schema=bench.links.schema
    )  # fmt: skip
    bench = replace(bench, links=links)

    def run(model: str) -> pl.DataFrame:
        return systems.run_system(systems.parse_system(model), bench, bench.task())

    whole = run("hybrid:by=scores,w2=0.5:dph+(bm25:k1=0.9+propagate:own=0,alpha=0)")

    inner = run("bm25:k1=0.9+propagate:own=0,alpha=0")
    assert whole.equals(rank.fuse_scores([run("dph"), inner], weights=[1, 0.5]))
    assert inner.select("query_id", "doc_id").rows() == [("q1", "act~sec_3")]


@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        ("bm52", UnknownName, "did you mean 'bm25'"),
        ("bm25+dph", BadInput, "write bm25, hybrid:bm25"),
        ("hybrid:bm25", BadInput, "is no model"),
        ("bm25:", BadInput, "cannot be read"),
        ("bm25+", BadInput, "is no model"),
        ("hybrid:bm25+(dph)+", UnknownName, "''"),
        ("hybrid:bm25+(dph+propagate", BadInput, "a bracket that is not closed"),
        ("hybrid:bm25+(dph)propagate", BadInput, "a bracket that is not closed"),
        ("hybrid:bm25+(dhp)", UnknownName, "no such name|did you mean|dhp"),
        ("bm25:k1=1,k1=2", BadInput, "cannot be read"),
        ("bm25:k1=x", BadInput, "not a number"),
        ("hybrid:by=votes:bm25+dph", BadInput, "has an option that a hybrid lacks"),
        ("bm25:w.nowhere=1", BadInput, "no column for the field 'nowhere'"),
    ],
)
def test_a_model_that_cannot_be_run_says_why(model: str, error: type[RenvoiError], words: str) -> None:
    bench = bench_of()

    with pytest.raises(error, match=words):
        systems.run_system(systems.parse_system(model), bench, bench.task())


def test_tuning_tries_every_setting_and_names_edges() -> None:
    bench = bench_of("crossref")

    tuned = tune(bench, "bm25:w.body=1,w.path=0.5", split="dev", grid={"k1": (0.5, 1.0), "b": (0.2, 0.5, 0.8)})

    tried = {(t.options["k1"], t.options["b"]) for t in tuned.trials}
    assert tried == {(k1, b) for k1 in (0.5, 1.0) for b in (0.2, 0.5, 0.8)}
    assert tuned.value == max(t.value for t in tuned.trials)
    assert tuned.options["k1"] == 0.5
    assert "k1" in tuned.edges
    assert '"w.path" = ' in write_toml([tuned])


def test_a_trial_is_worth_what_its_run_is_worth() -> None:
    bench = bench_of("crossref")

    tuned = tune(bench, "dirichlet_lm", split=None)

    task = bench.task()
    for trial in tuned.trials:
        run = systems.run_system(systems.parse_system(f"dirichlet_lm:mu={trial.options['mu']}"), bench, task, k=10)
        rankings = measures.rank(run, task.qrels, [query.id for query in task.queries])
        assert trial.value == pytest.approx(measures.measure(rankings, ["nDCG@10"]).mean())


@pytest.mark.parametrize("model", ["renvoi", "along:k1=0.9,b=0.4,second=0"])
def test_along_citations_is_tuned_and_runs_as_it_was_tried(model: str) -> None:
    bench = bench_of("crossref")

    tuned = tune(bench, model, split=None)

    task = bench.task()
    assert len(tuned.trials) > 8
    assert ("k1" in tuned.trials[0].options) == (model == "renvoi")
    for trial in tuned.trials[:: len(tuned.trials) // 7]:
        options = {**tuned.options, **trial.options}
        words = ",".join(f"{name}={value}" for name, value in options.items())
        run = systems.run_system(systems.parse_system(f"along:{words}"), bench, task, k=10)
        rankings = measures.rank(run, task.qrels, [query.id for query in task.queries])
        assert trial.value == pytest.approx(measures.measure(rankings, ["nDCG@10"]).mean())


def test_a_recipe_without_a_grid_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flagship, "grid", lambda level: {})

    with pytest.raises(BadInput, match="has no grid on the level 'chunk'"):
        tune(bench_of("crossref"), "renvoi", split=None)


@pytest.mark.parametrize("model", ["dirichlet_lm", "renvoi"])
def test_no_act_has_a_say_in_its_own_setting(model: str) -> None:
    bench = bench_of("crossref")
    queries = tuple(
        replace(q, source_id=source) for q, source in zip(bench.queries, ("act~sec_1", "other~sec_1"), strict=True)
    )
    bench = replace(bench, queries=queries)

    chosen, run = tune_across(bench, model, folds=0)

    for n, query in enumerate(queries):  # acts in the order of their names: act, other
        others = replace(bench, queries=tuple(q for q in queries if q.id != query.id))
        best = tune(others, model, split=None).options
        assert chosen[n].options == best
        words = ",".join(f"{name}={value}" for name, value in best.items())
        alone = systems.run_system(
            systems.parse_system(f"{model}:{words}"), bench, replace(bench.task(), queries=(query,))
        )
        assert run.filter(pl.col("query_id") == query.id).equals(alone)
    with pytest.raises(BadInput, match="the queries are of 2 acts"):
        tune_across(bench, "bm25", folds=3)


@pytest.mark.parametrize(
    "models", [("bm25", "dirichlet_lm", "dph"), ("along:stop_words=0", "bm25"), ("renvoi", "along")]
)
def test_models_that_read_alike_share_an_index_and_choose_as_they_do_alone(
    models: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = bench_of("crossref")
    alone = [tune(bench, model, split=None) for model in models]
    built: list[Analysis] = []
    monkeypatch.setattr(
        "renvoi.tune.build_index", lambda *given, **more: built.append(given[1]) or build_index(*given, **more)
    )
    indexes = Indexes()

    together = [tune(bench, model, split=None, indexes=indexes) for model in models]

    assert together == alone
    assert (
        len(built) == len(set(built)) == (2 if "renvoi" in models else 1)
    )  # its grid tries with and without stop words


def test_other_fields_are_indexed_apart() -> None:
    bench = bench_of("crossref")
    indexes = Indexes()
    tune(bench, "bm25", split=None, indexes=indexes)

    after = tune(bench, "dirichlet_lm:w.body=1,w.path=0.5", split=None, indexes=indexes)

    assert after == tune(bench, "dirichlet_lm:w.body=1,w.path=0.5", split=None)


def test_what_a_chunk_cites_can_be_tuned_as_a_field() -> None:
    bench = bench_of("crossref")
    link = {"source_id": ["act~sec_2"], "target_id": ["act~sec_3"], "date": [date(2000, 1, 1)]}
    bench = replace(bench, links=pl.DataFrame(link))

    tuned = tune(bench, "bm25:w.body=1,w.cited=0.5", split=None)

    assert "w.cited" in tuned.options


def test_a_sample_is_tuned_on_as_if_it_were_all() -> None:
    bench = bench_of("crossref")
    many = tuple(replace(bench.queries[0], id=f"q{n}", text=f"notify {'rent ' * (n % 3)}") for n in range(20))
    qrels = pl.DataFrame({"query_id": [q.id for q in many], "doc_id": ["act~sec_1"] * 20, "relevance": [1] * 20})
    bench = replace(bench, queries=many, qrels={"chunk": qrels})

    tuned = tune(bench, "bm25", sample=5)
    again = tune(replace(bench, queries=many[::-1]), "bm25", sample=5)
    whole = tune(bench, "bm25", sample=50)

    assert (tuned.n_queries, tuned.n_of) == (5, 20)
    assert again.value == pytest.approx(tuned.value)  # the order of the queries does not say which are drawn
    assert "on 5 queries drawn of 20 (seed 0), best of" in write_toml([tuned])
    assert whole == tune(bench, "bm25")
    assert "drawn" not in write_toml([whole])
    with pytest.raises(BadInput, match="0 queries cannot be tuned on"):
        tune(bench, "bm25", sample=0)


def test_a_grid_is_widened_when_asked() -> None:
    tuned = tune(bench_of("crossref"), "dirichlet_lm", split=None, grid={"mu": (10.0, 20.0)}, widen=True)

    assert len(tuned.trials) > 2


def test_a_split_without_judged_queries_is_named() -> None:
    with pytest.raises(BadInput, match="the splits are: dev, test"):
        tune(bench_of(), "bm25", split="train")


def test_the_command_says_that_it_tuned_on_a_sample(folder: Path) -> None:
    bench, params, runs = (str(folder / name) for name in ("bench", "p.toml", "runs"))
    words = ["tune", bench, "bm25", "--split", "all", "--sample", "1", "-o", params]

    result = CliRunner().invoke(app, [*words, "--json"])
    refused = CliRunner().invoke(app, [*words, "--held-out", runs, "--force"])

    assert result.exit_code == 0, result.output
    [row] = json.loads(result.stdout)["tuned"]
    assert (row["queries"], row["of"]) == (1, 2)
    assert "1 queries drawn of 2" in result.stderr
    assert "on 1 queries drawn of 2 (seed 0)" in Path(params).read_text()
    assert isinstance(refused.exception, BadInput)
    assert "--held-out ranks every query" in str(refused.exception)
    assert not Path(runs).exists()


def test_the_commands_index_search_tune_and_run(folder: Path) -> None:
    bench, index, runs, params = (str(folder / name) for name in ("bench", "index", "runs", "p.toml"))
    runner = CliRunner()

    def call(*words: str) -> str:
        result = runner.invoke(app, ["--quiet", *words], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout

    call("index", bench, "-o", index, "--fields", "body,path")
    found = json.loads(call("search", index, "the lessor's notice: notify (whom)?", "--json"))
    elsewhere = call("search", index, "rent", "--document", "other")
    earlier = call("search", index, "rent", "--before", "2000-01-01")
    call("tune", bench, "bm25", "dph", "-o", params)
    call("run", bench, "bm25", "hybrid:bm25+dph", "--params", params, "-o", runs, "-k", "3")

    assert found[0]["doc_id"] == "act~sec_1"
    assert elsewhere == earlier == ""
    assert sorted(f.name for f in Path(runs).iterdir()) == [
        "bm25.run", "hybrid-bm25+dph.run", "manifest.json", "params.toml", "timings.json",
    ]  # fmt: skip
    assert store.read_run(Path(runs) / "bm25.run").columns == ["query_id", "doc_id", "score"]
