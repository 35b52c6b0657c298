"""Choose the parameters of a model by a grid on the development queries.

The collection is indexed once, the queries are read once; each setting then weighs the postings anew and ranks all
queries on all cores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import polars as pl

from renvoi import measures, rank, registry
from renvoi.analysis import default_analysis
from renvoi.errors import BadInput
from renvoi.index import Index, QueryTerms, analyse_queries, build_index, field_texts
from renvoi.models import Model
from renvoi.progress import track
from renvoi.retrievers import Allowed
from renvoi.retrievers.lexical import scorer_of
from renvoi.systems import excludes_self, parse_system
from renvoi.types import Benchmark, Task

_FIELD_WEIGHTS = (0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5)
_ROUNDS = 3  # of coordinate ascent over field weights
_WIDER = 4  # times that a grid is widened at most


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
    edges: tuple[str, ...]  # parameters whose best value is the last of its grid
    trials: tuple[Trial, ...]


def tune(
    bench: Benchmark,
    model: str,
    *,
    level: str | None = None,
    split: str | None = "dev",
    measure: str = "nDCG@10",
    grid: Mapping[str, Sequence[float]] | None = None,
    widen: bool = False,
) -> Tuned:
    """Return the setting of a model that is best on the queries of a split.

    Equal values are settled for the setting tried first.

    Args:
        bench: the benchmark.
        model: a MODEL string of one weighting model; what it sets stays as it is, except the weights of further
            fields (w.FIELD), which are moved one at a time, starting there.
        level: of the benchmark; its first if None.
        split: only these queries; all if None.
        measure: to be high.
        grid: values by parameter, instead of the model's own.
        widen: where the best value is the last of its grid, go on beyond it.

    Raises:
        BadInput: the split has no judged query, or the model has nothing to tune.
    """
    system = parse_system(model)
    if len(system.parts) != 1 or system.steps or system.parts[0].name not in registry.names("models"):
        raise BadInput(model, "is not one weighting model", f"tune one of: {', '.join(registry.names('models'))}")
    part = system.parts[0]
    kind: Model = registry.load("models", part.name)
    fixed = {**part.options, "model": part.name}
    weights = {name: float(value) for name, value in fixed.items() if name.startswith("w.")}
    axes = {name: tuple(values) for name, values in (grid or kind.grid).items() if name not in fixed}
    judge = _judge(bench, bench.task(level, split), measure, fixed, split)
    trials: dict[tuple[tuple[str, float], ...], float] = {}

    def score(options: Mapping[str, float]) -> float:
        key = tuple(sorted(options.items()))
        if key not in trials:
            trials[key] = judge.value({**fixed, **{name: str(value) for name, value in options.items()}})
        return trials[key]

    best: dict[str, float] = dict(weights)
    edges: list[str] = []
    for _ in range(_WIDER + 1 if widen else 1):
        settings = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
        best = max(({**best, **setting} for setting in track(settings, f"tuning {part.name}")), key=score)
        edges = [name for name, values in axes.items() if len(values) > 1 and best[name] in (values[0], values[-1])]
        wider = {name: _widen(name, axes[name], best[name]) for name in edges}
        if all(len(wider[name]) == len(axes[name]) for name in edges):
            break
        axes = {**axes, **wider}
    best = _ascend(best, weights, score)
    if not trials:
        score(best)
    options = {name: value for name, value in fixed.items() if name != "model" and name not in best}
    return Tuned(
        part.name, {**options, **best}, measure, score(best), judge.n_queries, tuple(edges),
        tuple(Trial(dict(key), value) for key, value in trials.items()),
    )  # fmt: skip


def write_toml(tuned: Sequence[Tuned]) -> str:
    """Return a file of parameters as `renvoi run --params` reads it."""
    lines = []
    for one in tuned:
        lines += [
            f"[{one.model}]  # {one.measure} {one.value:.4f} on {one.n_queries} queries, best of {len(one.trials)}"
        ]
        for name, value in one.options.items():
            key = name if name.isidentifier() else f'"{name}"'
            note = "  # the last of its grid" if name in one.edges else ""
            lines.append(f"{key} = {value!r}{note}" if not isinstance(value, str) else f'{key} = "{value}"{note}')
        lines.append("")
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Judge:
    index: Index
    terms: QueryTerms
    allowed: Allowed
    task: Task
    measure: str
    depth: int

    @property
    def n_queries(self) -> int:
        return len(self.task.queries)

    def value(self, options: Mapping[str, str]) -> float:
        rows, scores = scorer_of(self.index, options).search(self.terms, self.depth, self.allowed)
        run = rank.make_run(self.task.queries, self.task.corpus["id"], rows, scores)
        rankings = measures.rank(run, self.task.qrels, [query.id for query in self.task.queries])
        return float(measures.measure(rankings, [self.measure]).mean())


def _judge(bench: Benchmark, task: Task, measure: str, options: Mapping[str, str], split: str | None) -> _Judge:
    [measure] = measures.parse_measures(measure)
    judged = set(task.qrels.filter(pl.col("relevance") > 0)["query_id"])
    queries = tuple(query for query in task.queries if query.id in judged)
    if not queries:
        known = sorted({query.split for query in bench.queries})
        raise BadInput("--split", f"no judged query is in split {split!r}", f"the splits are: {', '.join(known)}")
    task = Task(task.level, queries, task.corpus, task.qrels)
    fields = [name[2:] for name in options if name.startswith("w.")] or ["body"]
    index = build_index(field_texts(task.corpus, fields), default_analysis(bench.language))
    terms = analyse_queries([query.text for query in queries], index, pairs="pairs" in fields)
    allowed = rank.allow(queries, task.corpus, exclude_self=excludes_self(bench))
    _, at, depth = measure.partition("@")
    return _Judge(index, terms, allowed, task, measure, int(depth) if at and depth.isdigit() else 1000)


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
