"""What one ingredient is worth: an identifier left in a query, or a context in front of a chunk.

Leakage: the same systems on the same queries, with more and more hidden.

ori            the paragraph as printed, its own number before it, in queries and documents
w/o par ID     without that number
w/o citation   without case numbers, ECLI, reporters, dates and pinpoints; names of cases still stand
w/o names      without those too: the queries of the benchmark
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import polars as pl

from renvoi import evaluate, masks, systems
from renvoi.contexts import Place, attach_contexts
from renvoi.errors import BadInput
from renvoi.evaluate import tables
from renvoi.figures import Sheet, lines
from renvoi.types import LEVELS, Benchmark, Query, Span

SETTINGS = ("ori", "w/o par ID", "w/o citation", "w/o names")
_NAMES = frozenset({"case_name", "short_name", "ner"})
_APART = "\x1f"  # between a query's id and its setting


@dataclass(frozen=True, slots=True)
class Leakage:
    """The table, and for each system and setting how far its first measure is from "w/o names".

    changes  system, setting, the measure's value, change (relative to "w/o names")
    """

    table: tables.Table
    evaluation: evaluate.Evaluation
    changes: tuple[Mapping[str, Any], ...]


def ablate_leakage(
    bench: Benchmark,
    models: Sequence[str],
    *,
    level: str | None = None,
    split: str | None = None,
    measures: str | Sequence[str] = "nDCG@10",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    k: int = 100,
    seed: int = 0,
) -> Leakage:
    """Return what systems score with the identifiers left in and taken out, with intervals and paired tests.

    Args:
        bench: from case law; its queries hold their unmasked text and what was hidden.
        models: MODEL strings.
        level: default: the first of the benchmark.
        split: default: all queries.
        measures: names as in `ir_measures`; changes are told of the first.
        parameters: by model, as `renvoi tune` writes them.
        k: documents ranked for each query.
        seed: of bootstrap and randomisation.

    Raises:
        BadInput: the queries do not hold their unmasked text.
    """
    task = bench.task(level, split)
    if not task.queries or any("unmasked" not in query.extra for query in task.queries):
        raise BadInput("the benchmark", "has queries without their unmasked text", "use one of renvoi build pincite")
    numbered = _number_documents(bench, task.level)
    runs: dict[str, pl.DataFrame] = {}
    for model in models:
        system = systems.parse_system(model)
        whole = replace(task, queries=tuple(_leak(q, "ori", bench) for q in task.queries), corpus=numbered)
        rest = [_leak(q, setting, bench) for setting in SETTINGS[1:] for q in task.queries]
        for setting, run in (
            *_split_run(systems.run_system(system, bench, whole, k=k, parameters=parameters)),
            *_split_run(
                systems.run_system(system, bench, replace(task, queries=tuple(rest)), k=k, parameters=parameters)
            ),
        ):
            runs[f"{model} {setting}"] = run
    evaluation = evaluate.evaluate(bench, runs, measures, level=task.level, split=split)
    pairs = [(f"{model} {setting}", f"{model} {SETTINGS[-1]}") for model in models for setting in SETTINGS[:-1]]
    table = tables.tabulate(evaluation, bench, pairs=pairs, seed=seed)
    return Leakage(table, evaluation, tuple(_changes(evaluation, models)))


@dataclass(frozen=True, slots=True)
class InContext:
    """The table of every model over every kind of context, and how much of each there was.

    coverage  name of the contexts > share of chunks that have one
    """

    table: tables.Table
    evaluation: evaluate.Evaluation
    coverage: Mapping[str, float]


def ablate_context(
    bench: Benchmark,
    made: Mapping[str, pl.DataFrame],
    models: Sequence[str],
    *,
    split: str | None = None,
    measures: str | Sequence[str] = ("R@10", "RR@1000", "nDCG@10"),
    by: Sequence[str] = (),
    k: int = 1000,
    seed: int = 0,
    place: Place = "before",
) -> InContext:
    """Return what contexts in front of the chunks are worth to each model, with intervals and paired tests.

    Each model is compared with itself on bare chunks, and the models with each other on the same contexts.

    Args:
        bench: of statutes.
        made: name > contexts, see `contexts`; failed ones stay bare.
        models: MODEL strings.
        split: default: all queries.
        measures: names as in `ir_measures`.
        by: fields of a query to break the values down by, such as "set".
        k: documents ranked for each query.
        seed: of bootstrap and randomisation.
        place: of a context, before or after the text. A model that reads the first tokens only may see nothing of a
            text that stands after a long context.

    Raises:
        Mismatch: contexts were made for other chunks.
    """
    bare = bench.collections["chunks"]
    collections = {"bare": bare, **{name: attach_contexts(bare, some, place=place) for name, some in made.items()}}
    runs: dict[str, pl.DataFrame] = {}
    for model in models:
        system = systems.parse_system(model)
        for name, collection in collections.items():
            wide = replace(bench, collections={**bench.collections, "chunks": collection})
            runs[f"{model} | {name}"] = systems.run_system(system, wide, wide.task(split=split), k=k)
    evaluation = evaluate.evaluate(bench, runs, measures, split=split)
    pairs = [(f"{model} | {name}", f"{model} | bare") for model in models for name in made]
    pairs += [(f"{one} | {name}", f"{two} | {name}") for one, two in combinations(models, 2) for name in collections]
    said = {name: some.filter(pl.col("context").fill_null("") != "").height / max(1, bare.height)
            for name, some in made.items()}  # fmt: skip
    return InContext(tables.tabulate(evaluation, bench, pairs=pairs, by=by, seed=seed), evaluation, said)


def leakage_sheet(found: Leakage) -> Sheet:
    """Return the curve: each system's first measure as more and more is hidden, with the interval of each value."""
    measure, level = found.evaluation.measures[0], found.evaluation.level
    ends = {row.system: (row.low, row.high) for row in found.table.rows if row.measure == measure}
    rows: list[tuple[str | int | float | None, ...]] = []
    series: dict[str, list[float]] = {}
    for row in found.changes:
        low, high = ends[f"{row['system']} {row['setting']}"]
        rows.append((row["system"], row["setting"], row[measure], low, high, row["change"]))
        series.setdefault(row["system"], []).append(row[measure])
    columns = ("system", "left in the queries", measure, "low", "high", "change against w/o names")
    note = "ori: as printed; w/o par ID: without the paragraph's own number; w/o names: the queries of the benchmark."
    drawing = lines(series, SETTINGS, y=measure)
    return Sheet(f"leakage_{level}", f"Leakage, {level}", columns, tuple(rows), note, drawing)


def leak(query: Query, setting: str, number: str = "") -> str:
    """Return a query's text under one of `SETTINGS`.

    Args:
        query: with "unmasked" and "spans" in `extra`.
        setting: one of `SETTINGS`.
        number: of the paragraph, for "ori".
    """
    unmasked: str = query.extra["unmasked"]
    if setting == "ori":
        return f"{number} {unmasked}" if number else unmasked
    if setting == "w/o par ID":
        return unmasked
    if setting == "w/o names":
        return query.text
    spans = [Span(start, end, kind, "") for start, end, kind in query.extra["spans"] if kind not in _NAMES]
    return masks.cut(unmasked, spans)


def _leak(query: Query, setting: str, bench: Benchmark) -> Query:
    number = query.source_id.rpartition("_")[2] if query.unit == "par" else ""
    text = leak(query, setting, number)
    if setting == "ori" and query.unit == "case":
        text = "\n".join(_numbered(bench.collections["chunks"].filter(pl.col("document_id") == query.source_id)))
    return replace(query, id=f"{query.id}{_APART}{setting}", text=text)


def _number_documents(bench: Benchmark, level: str) -> pl.DataFrame:
    """Return the collection that a level searches, each paragraph with its number before it."""
    _, name = LEVELS[level]
    chunks = bench.collections["chunks"]
    chunks = chunks.with_columns(pl.Series("text", _numbered(chunks), pl.String))
    if name == "chunks":
        return chunks
    joined = chunks.group_by("document_id", maintain_order=True).agg(pl.col("text").str.join("\n"))
    collection = bench.collections[name]
    return collection.drop("text").join(
        joined.rename({"document_id": "id"}), on="id", how="left", maintain_order="left"
    ).select(collection.columns)  # fmt: skip


def _numbered(chunks: pl.DataFrame) -> list[str]:
    return [f"{id.rpartition('_')[2]} {text}" for id, text in chunks.select("id", "text").iter_rows()]


def _split_run(run: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    parts = run.with_columns(pl.col("query_id").str.split(_APART).alias("_parts")).with_columns(
        pl.col("_parts").list.get(0).alias("query_id"), pl.col("_parts").list.get(1).alias("_setting")
    )
    return [
        (setting, parts.filter(pl.col("_setting") == setting).select("query_id", "doc_id", "score"))
        for setting in SETTINGS
        if setting in parts["_setting"].unique()
    ]


def _changes(evaluation: evaluate.Evaluation, models: Sequence[str]) -> list[dict[str, Any]]:
    means = evaluate.mean_values(evaluation)
    measure = evaluation.measures[0]
    rows = []
    for model in models:
        base = means[f"{model} {SETTINGS[-1]}"][measure]
        for setting in SETTINGS:
            value = means[f"{model} {setting}"][measure]
            change = (value - base) / base if base else None
            rows.append({"system": model, "setting": setting, measure: value, "change": change})
    return rows
