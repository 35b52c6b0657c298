"""What the commands of `retrieve` read and write."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from renvoi import store, systems, timing
from renvoi.contexts import Place
from renvoi.errors import BadInput
from renvoi.index.build import count_cores
from renvoi.progress import say
from renvoi.store.manifest import hash_files
from renvoi.types import Benchmark

if TYPE_CHECKING:
    from renvoi.tune import Indexes


def _with_contexts(bench: Benchmark, path: Path, place: Place) -> Benchmark:
    """Return the benchmark with contexts as the field `context` of its chunks, or as part of their text."""
    from renvoi.contexts import attach_contexts, read_contexts

    made, _ = read_contexts(path)
    chunks = attach_contexts(bench.collections["chunks"], made, place=place)
    return replace(bench, collections={**bench.collections, "chunks": chunks})


def write_runs(
    path: Path, models: Sequence[str], out: Path, *, level: str | None, split: str | None, k: int,
    params: Path | None, contexts: Path | None, place: Place, force: bool,
) -> dict[str, Any]:  # fmt: skip
    """Run each model over a benchmark and write the folder of runs; return what was written."""
    bench = store.read_benchmark(path)
    if contexts:
        bench = _with_contexts(bench, contexts, place)
    task = bench.task(level, split)
    if not task.queries:
        raise BadInput(path, f"no query is of level {task.level!r} and split {split!r}", "see its splits/ folder")
    parsed = [systems.parse_system(model) for model in models]
    for system in parsed:
        systems.check_system(system)
    given = read_parameters(params) if params else {}
    counts: dict[str, Any] = {}
    times: dict[str, Any] = {}
    with store.fresh_folder(out, force=force) as folder:
        for system in parsed:
            with timing.measure() as clock:
                found = systems.run_system(system, bench, task, k=k, parameters=given)
            name = file_name(system.name)
            store.write_run(folder / f"{name}.run", found, name)
            times[name] = {"model": system.name, **_times(clock, len(task.queries))}
            counts[system.name] = {"queries": found["query_id"].n_unique(), "documents": found.height}
            say(f"{system.name}: {found['query_id'].n_unique()} of {len(task.queries)} queries found something")
        settings = {"models": list(models), "level": task.level, "split": split, "k": k, "parameters": given}
        inputs = {"benchmark": _hash(path)}
        if contexts:
            settings["contexts"] = place
            inputs["contexts"] = hash_files([contexts / "contexts.parquet"])
            times = {name: {**row, **_spent(contexts)} for name, row in times.items()}
        store.write_json(folder / "manifest.json", store.make_manifest("runs", settings, inputs, counts))
        store.write_json(folder / "timings.json", {"cores": count_cores(), "runs": times})
        if params:
            store.write_text(folder / "params.toml", params.read_text(encoding="utf-8"))
    return {"runs": str(out), "level": task.level, "split": split, "queries": len(task.queries), "systems": counts}


def _spent(contexts: Path) -> dict[str, Any]:
    """Return what a language model took for contexts, where one made them."""
    from renvoi.contexts import read_contexts

    spent = read_contexts(contexts)[1].get("counts", {}).get("spent")
    return {"contexts": spent} if spent else {}


def _times(clock: timing.Clock, n_queries: int) -> dict[str, float | int]:
    """Return what a run cost; see `store.read_timings`."""
    searching = clock.seconds["searching"]
    return {
        "indexing_s": round(clock.seconds["indexing"], 4), "searching_s": round(searching, 4), "queries": n_queries,
        "queries_per_s": round(n_queries / max(searching, 1e-9), 2), "indexing_read": clock.read["indexing"],
        "searching_read": clock.read["searching"],
    }  # fmt: skip


def write_held_out(
    bench: Benchmark, models: Sequence[str], out: Path, *, level: str | None, split: str | None, measure: str,
    widen: bool, folds: int, force: bool, indexes: Indexes,
) -> None:  # fmt: skip
    """Write for each model a run whose settings were chosen on other acts."""
    from renvoi.tune import tune_across

    chosen: dict[str, Any] = {}
    with store.fresh_folder(out, force=force) as folder:
        for model in models:
            tuned, run = tune_across(
                bench, model, level=level, split=split, measure=measure, folds=folds, widen=widen,
                indexes=indexes,
            )  # fmt: skip
            name = f"{file_name(model)}+tuned"
            store.write_run(folder / f"{name}.run", run, name)
            chosen[name] = [dict(one.options) for one in tuned]
        settings = {"models": list(models), "level": level, "split": split, "measure": measure, "folds": folds}
        store.write_json(folder / "manifest.json", store.make_manifest("runs", settings, {}, {"chosen": chosen}))


def read_parameters(path: Path) -> dict[str, dict[str, Any]]:
    """Return what `renvoi tune` wrote: parameters by model."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(path, f"the parameters cannot be read ({error})", "make them with: renvoi tune") from None
    return {name: table for name, table in found.items() if isinstance(table, dict)}


def file_name(model: str) -> str:
    """Return a MODEL string as it can stand in a file name on every platform.

    >>> file_name("bm25:k1=0.9,b=0.4"), file_name("dense:/models/e5")
    ('bm25-k1=0.9,b=0.4', 'dense-models-e5')
    """
    kept = "".join(char if char.isalnum() or char in "=,.+_" else "-" for char in model)
    while "--" in kept:
        kept = kept.replace("--", "-")
    return kept.strip("-")


def _hash(path: Path) -> str:
    from renvoi.store.manifest import hash_files

    return hash_files(sorted(file for file in path.rglob("*") if file.suffix in (".parquet", ".jsonl", ".tsv")))
