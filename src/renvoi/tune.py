"""Choose the parameters of a model by a grid on the development queries.

The collection is indexed once for all models that read the same fields in the same way, the queries are read once; each
setting then weighs the postings anew and ranks all queries on all cores.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from renvoi import flagship, rank, registry
from renvoi.analysis import Analysis, default_analysis
from renvoi.contexts import add_fields
from renvoi.errors import BadInput
from renvoi.evaluate import cluster_ids, measures
from renvoi.index import Index, analyse_queries, build_index, field_texts
from renvoi.index.layout import PAIRS
from renvoi.models import Model
from renvoi.progress import track
from renvoi.retrievers import precedents, restated
from renvoi.retrievers.along import AlongScorer, split_options
from renvoi.retrievers.lexical import scorer_of
from renvoi.systems import Part, parse_system
from renvoi.types import Benchmark, Query, Task

Rows = tuple[NDArray[np.int32], NDArray[np.float32]]  # of the collection, and their scores, (n_queries, k) each
_Search = Callable[[Mapping[str, str], int], Rows]  # (options, k)

_FIELD_WEIGHTS = (0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5)
_ROUNDS = 3  # of coordinate ascent over field weights
_WIDER = 4  # times that a grid is widened at most
_SEED = 0  # of the draw of a sample


@dataclass(frozen=True, slots=True)
class Trial:
    """One setting and what it was worth."""

    options: Mapping[str, float]
    value: float


@dataclass(frozen=True, slots=True)
class Tuned:
    """The best setting, and all that were tried."""

    model: str
    options: Mapping[str, float | str]  # as `run` reads them, fixed ones too
    measure: str
    value: float
    n_queries: int
    n_of: int  # judged queries that these were drawn from; as many where all were tried
    edges: tuple[str, ...]  # parameters whose best value is the last of its grid
    trials: tuple[Trial, ...]


class Indexes:
    """Indexes in memory, each made once: models that read the same fields in the same way share one."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, Analysis, tuple[str, ...], bool], tuple[pl.DataFrame, Index]] = {}

    def find(
        self,
        bench: Benchmark,
        collection: pl.DataFrame,
        fields: Sequence[str],
        analysis: Analysis,
        *,
        in_order: bool = False,
    ) -> Index:
        """Return the index of some fields of a collection of the benchmark; `in_order` as for `build_index`."""
        key = (id(collection), analysis, tuple(fields), in_order)
        if key not in self._made:
            texts = field_texts(add_fields(collection, fields, bench), fields)
            # Held, so that its id stays its own.
            self._made[key] = (collection, build_index(texts, analysis, in_order=in_order))
        return self._made[key][1]


def tune(
    bench: Benchmark,
    model: str,
    *,
    level: str | None = None,
    split: str | None = "dev",
    measure: str = "nDCG@10",
    grid: Mapping[str, Sequence[float]] | None = None,
    widen: bool = False,
    sample: int | None = None,
    indexes: Indexes | None = None,
) -> Tuned:
    """Return the setting of a model that is best on the queries of a split.

    Equal values are settled for the setting tried first.

    Args:
        bench: the benchmark.
        model: a MODEL string of one weighting model, of `along`, or "renvoi", the recipe of the level; what it sets
            stays as it is, except the weights of further fields (w.FIELD), which are moved one at a time, starting
            there.
        level: of the benchmark; its first if None.
        split: only these queries; all if None.
        measure: to be high.
        grid: values by parameter, instead of the model's own.
        widen: where the best value is the last of its grid, go on beyond it.
        sample: only so many of the queries, the same in every call; all if None.
        indexes: kept from model to model, so that what two of them read alike is indexed once.

    Raises:
        BadInput: the split has no judged query, the model has nothing to tune, or the sample is empty.
    """
    judge = _prepare(bench, model, level, split, measure, grid, indexes, sample)
    return _climb(judge, range(judge.n_queries), widen)


def tune_across(
    bench: Benchmark,
    model: str,
    *,
    level: str | None = None,
    split: str | None = None,
    measure: str = "nDCG@10",
    folds: int = 2,
    widen: bool = False,
    k: int = 1000,
    indexes: Indexes | None = None,
) -> tuple[tuple[Tuned, ...], pl.DataFrame]:
    """Return what each fold chose, and a run in which no query had a say in its own setting.

    Acts (or clusters of judgments) are dealt to the folds in turn, in the order of their names; the queries of a fold
    are ranked by the setting that is best on all others.

    Args:
        bench: see `tune`, this and the next four.
        model: see bench.
        level: see bench.
        split: see bench.
        measure: see bench.
        folds: how many, at least 2; 0 leaves out one act at a time.
        widen: see `tune`.
        k: documents kept for each query.
        indexes: see `tune`.

    Raises:
        BadInput: there are not as many acts as folds.
    """
    judge = _prepare(bench, model, level, split, measure, None, indexes)
    acts = cluster_ids(judge.task.queries, judge.task.corpus)
    names = sorted(set(acts))
    folds = folds or len(names)
    if not 2 <= folds <= len(names):
        raise BadInput(
            "--folds", f"the queries are of {len(names)} acts", "give 2 to that many, or 0 for one at a time"
        )
    fold_of = {name: number % folds for number, name in enumerate(names)}
    chosen, parts = [], []
    for fold in range(folds):
        inside = [n for n, act in enumerate(acts) if fold_of[act] == fold]
        others = [n for n, act in enumerate(acts) if fold_of[act] != fold]
        tuned = _climb(judge, others, widen)
        chosen.append(tuned)
        run = judge.run({**judge.fixed, **{name: str(value) for name, value in tuned.options.items()}}, k)
        mine = [judge.task.queries[n].id for n in inside]
        parts.append(run.filter(pl.col("query_id").is_in(mine)))
    return tuple(chosen), rank.order_run(pl.concat(parts))


def _climb(judge: _Judge, rows: Sequence[int], widen: bool) -> Tuned:
    """Return the setting that is best on some of the queries."""
    axes = dict(judge.axes)
    seen: dict[tuple[tuple[str, float], ...], float] = {}

    def score(options: Mapping[str, float]) -> float:
        key = tuple(sorted(options.items()))
        if key not in seen:
            seen[key] = float(judge.values(options)[list(rows)].mean())
        return seen[key]

    best: dict[str, float] = dict(judge.weights)
    edges: list[str] = []
    for _ in range(_WIDER + 1 if widen else 1):
        settings = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
        best = max(({**best, **setting} for setting in track(settings, f"tuning {judge.name}")), key=score)
        edges = [name for name, values in axes.items() if len(values) > 1 and best[name] in (values[0], values[-1])]
        wider = {name: _widen(name, axes[name], best[name]) for name in edges}
        if all(len(wider[name]) == len(axes[name]) for name in edges):
            break
        axes = {**axes, **wider}
    best = _ascend(best, judge.weights, score)
    options = {name: value for name, value in judge.fixed.items() if name != "model" and name not in best}
    n_of = judge.n_of if len(rows) == judge.n_queries else len(rows)  # a fold is no sample
    return Tuned(
        judge.name, {**options, **best}, judge.measure, score(best), len(rows), n_of, tuple(edges),
        tuple(Trial(dict(key), value) for key, value in seen.items()),
    )  # fmt: skip


def write_toml(tuned: Sequence[Tuned]) -> str:
    """Return a file of parameters as `renvoi run --params` reads it."""
    lines = []
    for one in tuned:
        drawn = f" drawn of {one.n_of} (seed {_SEED})" if one.n_of > one.n_queries else ""
        worth = f"{one.measure} {one.value:.4f} on {one.n_queries} queries{drawn}"
        lines.append(f"[{one.model}]  # {worth}, best of {len(one.trials)}")
        for name, value in one.options.items():
            key = name if name.isidentifier() else f'"{name}"'
            note = "  # the last of its grid" if name in one.edges else ""
            lines.append(f"{key} = {value!r}{note}" if not isinstance(value, str) else f'{key} = "{value}"{note}')
        lines.append("")
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Judge:
    """A model over an index, and the queries that settings are tried on."""

    name: str
    fixed: Mapping[str, str]  # options that stay, "model" among them
    weights: Mapping[str, float]  # of fields, where the climb starts
    axes: Mapping[str, Sequence[float]]
    search: _Search
    task: Task
    measure: str
    depth: int
    n_of: int  # queries that those of the task were drawn from
    seen: dict[tuple[tuple[str, float], ...], NDArray[np.float64]]

    @property
    def n_queries(self) -> int:
        return len(self.task.queries)

    def values(self, options: Mapping[str, float]) -> NDArray[np.float64]:
        """Return what a setting is worth for each query."""
        key = tuple(sorted(options.items()))
        if key not in self.seen:
            run = self.run({**self.fixed, **{name: str(value) for name, value in options.items()}}, self.depth)
            rankings = measures.rank(run, self.task.qrels, [query.id for query in self.task.queries])
            self.seen[key] = measures.measure(rankings, [self.measure])[:, 0]
        return self.seen[key]

    def run(self, options: Mapping[str, str], k: int) -> pl.DataFrame:
        """Return the run of a setting; options as in a MODEL string, "model" among them."""
        rows, scores = self.search(options, k)
        return rank.make_run(self.task.queries, self.task.corpus["id"], rows, scores)


def _prepare(
    bench: Benchmark, model: str, level: str | None, split: str | None, measure: str,
    grid: Mapping[str, Sequence[float]] | None, indexes: Indexes | None, sample: int | None = None,
) -> _Judge:  # fmt: skip
    task = bench.task(level, split)
    judged = set(task.qrels.filter(pl.col("relevance") > 0)["query_id"])
    queries = tuple(q for q in task.queries if q.id in judged and q.extra.get("valid") is not False)
    if not queries:
        known = sorted({query.split for query in bench.queries})
        raise BadInput("--split", f"no judged query is in split {split!r}", f"the splits are: {', '.join(known)}")
    n_of, queries = len(queries), _draw(queries, sample)
    part, tried = _part_and_grid(model, task.level)
    fixed = {**part.options, "model": part.options.get("model", "bm25") if part.name == "along" else part.name}
    axes = {name: tuple(values) for name, values in (grid or tried).items() if name not in fixed}
    if not tried and part.name not in registry.names("models"):
        raise BadInput(model, f"has no grid on the level {task.level!r}", "tune a weighting model: bm25, dph …")
    task = Task(task.level, queries, task.corpus, task.qrels)
    [measure] = measures.parse_measures(measure)
    _, at, depth = measure.partition("@")
    return _Judge(
        name=model.partition(":")[0],
        fixed=fixed,
        weights={name: float(value) for name, value in fixed.items() if name.startswith("w.")},
        axes=axes,
        search=_SEARCHES.get(part.name, _search_words)(bench, task, fixed, indexes or Indexes()),
        task=task,
        measure=measure,
        depth=int(depth) if at and depth.isdigit() else 1000,
        n_of=n_of,
        seen={},
    )


def _draw(queries: tuple[Query, ...], sample: int | None) -> tuple[Query, ...]:
    """Return a sample of the queries in their order; which ones does not hang on that order."""
    if sample is None:
        return queries
    if sample < 1:
        raise BadInput("--sample", f"{sample} queries cannot be tuned on", "give 1 or more, or leave it out for all")
    ids = sorted(query.id for query in queries)
    drawn = set(random.Random(_SEED).sample(ids, min(sample, len(ids))))
    return tuple(query for query in queries if query.id in drawn)


def _part_and_grid(model: str, level: str) -> tuple[Part, Mapping[str, Sequence[float]]]:
    """Return the weighting model, or `along`, that a MODEL string is, and what is tried for it.

    What the string sets stays as it is; of the recipe named "renvoi", what its grid does not name stays, too.
    """
    system = parse_system(model)
    known = (*registry.names("models"), "along", "renvoi")
    if len(system.parts) != 1 or system.steps or system.parts[0].name not in known:
        raise BadInput(model, "is not one weighting model", f"tune one of: {', '.join(known)}")
    part = system.parts[0]
    if part.name in ("renvoi", "along"):
        first = parse_system(flagship.recipe(level)).parts[0]
    if part.name == "renvoi":
        tried = flagship.grid(level)
        kept = {name: value for name, value in first.options.items() if name not in tried}
        return Part(first.name, {**kept, **part.options}), tried
    if part.name == "along":
        return part, flagship.grid(level) if first.name == "along" else {}
    kind: Model = registry.load("models", part.name)
    return part, kind.grid


def _search_words(bench: Benchmark, task: Task, fixed: Mapping[str, str], indexes: Indexes) -> _Search:
    """Return a search of the words alone: the collection is indexed and the queries are read once."""
    fields = [name[2:] for name in fixed if name.startswith("w.")] or ["body"]
    index = indexes.find(bench, task.corpus, fields, default_analysis(bench.language))
    terms = analyse_queries([query.text for query in task.queries], index, pairs=PAIRS in fields)
    allowed = rank.allow(task.queries, task.corpus, exclude_self=rank.excludes_self(bench))

    def search(options: Mapping[str, str], k: int) -> Rows:
        return scorer_of(index, options).search(terms, k, allowed)

    return search


def _search_along(bench: Benchmark, task: Task, fixed: Mapping[str, str], indexes: Indexes) -> _Search:
    """Return a search along citations: the collection is indexed once with stop words and once without."""
    allowed = rank.allow(task.queries, task.corpus, exclude_self=rank.excludes_self(bench))
    made: dict[tuple[object, ...], AlongScorer] = {}
    fields = [name[2:] for name in fixed if name.startswith("w.")] or ["body"]

    def search(options: Mapping[str, str], k: int) -> Rows:
        own, rest = split_options(options)
        key = (own["stop_words"], own["lead_in"], own["citing"] > 0, *sorted(rest.items()))
        if key not in made:
            analysis = replace(default_analysis(bench.language), stop_words=bool(own["stop_words"]))
            index = indexes.find(bench, task.corpus, fields, analysis)
            made[key] = AlongScorer(scorer_of(index, rest), bench.links, own)
        made[key].options = own  # these need no new weights of words
        return made[key].top(task.queries, k, allowed)

    return search


def _search_precedents(bench: Benchmark, task: Task, fixed: Mapping[str, str], indexes: Indexes) -> _Search:
    """Return a search for precedents: the paragraphs are indexed once, and weighed once for each k1 and b."""
    chunks = precedents.paragraphs_of(task.corpus, bench)
    index = indexes.find(bench, chunks, ("body",), default_analysis(bench.language), in_order=True)
    allowed = rank.allow(task.queries, task.corpus, exclude_self=rank.excludes_self(bench))
    made: dict[tuple[tuple[str, str], ...], precedents.PrecedentScorer] = {}

    def search(options: Mapping[str, str], k: int) -> Rows:
        own, factors, rest = precedents.split_options({key: options[key] for key in options if key != "model"})
        key = tuple(sorted(rest.items()))
        if key not in made:
            made.clear()  # settings come with the same k1 and b one after another
            words = scorer_of(index, {"k3": "0", **rest})
            made[key] = precedents.PrecedentScorer(words, chunks, task.corpus, bench.links, own, factors)
        made[key].options, made[key].factors = own, factors
        return made[key].top(task.queries, k, allowed)

    return search


def _search_restated(bench: Benchmark, task: Task, fixed: Mapping[str, str], indexes: Indexes) -> _Search:
    """Return a search for shared phrases: the collection is indexed once, and weighed once for each k1 and b."""
    fields = [name[2:] for name in fixed if name.startswith("w.")] or ["body"]
    index = indexes.find(bench, task.corpus, fields, default_analysis(bench.language), in_order=True)
    allowed = rank.allow(task.queries, task.corpus, exclude_self=rank.excludes_self(bench))
    made: dict[tuple[tuple[str, str], ...], restated.RestatedScorer] = {}

    def search(options: Mapping[str, str], k: int) -> Rows:
        own, rest = restated.split_options({key: options[key] for key in options if key != "model"})
        key = tuple(sorted(rest.items()))
        if key not in made:
            made.clear()
            made[key] = restated.RestatedScorer(scorer_of(index, rest), task.corpus, own)
        made[key].options = own
        return made[key].top(task.queries, k, allowed)

    return search


# How a retriever is searched again and again; any other is a weighting model.
_SEARCHES = {"along": _search_along, "precedents": _search_precedents, "restated": _search_restated}


def _ascend(best: dict[str, float], weights: Mapping[str, float], score: Any) -> dict[str, float]:
    """Move one field weight at a time until none moves; the first field's stays, for only ratios matter."""
    for _ in range(_ROUNDS):
        before = dict(best)
        for name in list(weights)[1:]:
            best = max(({**best, name: value} for value in (best[name], *_FIELD_WEIGHTS)), key=score)
        if best == before:
            break
    return best


def _widen(name: str, values: Sequence[float], best: float) -> tuple[float, ...]:
    """Return the grid with one more value beyond the edge that is best; a share (b) stays within 0 and 1."""
    share = name == "b" or name.startswith("b.")
    if best == values[-1]:
        beyond = min(1.0, values[-1] + 0.1) if share else values[-1] * 1.5
        return (*values, beyond) if beyond > values[-1] else tuple(values)
    beyond = max(0.0, round(values[0] - 0.1, 3)) if share else values[0] / 1.5
    return (beyond, *values) if beyond < values[0] else tuple(values)
