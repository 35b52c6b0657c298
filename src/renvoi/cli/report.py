"""renvoi report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from renvoi.cli._app import MEASURES, AsJson, Force, Measures, Reviewed, app, print_json

if TYPE_CHECKING:
    from renvoi.report import Results


@app.command("report")
def report_command(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="A benchmark folder.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The HTML file to write.")],
    runs: Annotated[
        list[Path] | None,
        typer.Option(metavar="RUNS", help="A run file or folder; may be repeated, one folder a level."),
    ] = None,
    measures: Measures = MEASURES,
    level: Annotated[str | None, typer.Option(help="Of runs whose folder does not say it.")] = None,
    split: Annotated[str | None, typer.Option(help="Of runs whose folder does not say it.")] = None,
    add: Annotated[
        list[Path] | None, typer.Option(metavar="DIR", help="A folder of tables (CSV) with figures (SVG) to add.")
    ] = None,
    reviewed: Reviewed = None,
    tables: Annotated[Path | None, typer.Option(metavar="DIR", help="Also write the tables as CSV and LaTeX.")] = None,
    distractors: Annotated[bool, typer.Option(help="Search each query's strongest distractor.")] = True,
    seed: Annotated[int, typer.Option(help="Of every draw.")] = 0,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write one self-contained HTML page about a benchmark and the runs on it.

    Example: `renvoi report bench --runs runs -o report.html`
    """
    from renvoi import progress, report, review, store
    from renvoi.errors import OutputExists
    from renvoi.evaluate import baselines
    from renvoi.report.page import read_sheets

    if out.exists() and not force:
        raise OutputExists(out)
    benchmark = store.read_benchmark(bench)
    verdicts = review.read_verdicts(reviewed, benchmark) if reviewed else None
    by_level = _by_level(runs or (), level, split)
    results = []
    for (one, part), paths in progress.track(by_level.items(), "levels evaluated"):
        frames = {system: store.read_run(file) for system, file in store.find_runs(paths).items()}
        frames = baselines.with_popularity(benchmark, frames, level=one, split=part)
        results.append(
            report.evaluate_for_report(
                benchmark, frames, measures, level=one, split=part, seed=seed, verdicts=verdicts,
                timings=store.read_timings(paths),
            )
        )  # fmt: skip
    files = _name_runs(runs or ())
    page = report.render_report(
        benchmark,
        results,
        name=bench.resolve().name,
        hashes=_hash_inputs(bench, files),
        run_settings=_read_manifests(runs or ()),
        extra=[sheet for folder in add or () for sheet in read_sheets(folder)],
        with_distractors=distractors,
        seed=seed,
    )
    store.write_text(out, page)
    if tables:
        _write_tables(tables, results, force=force)
    if as_json:
        levels = {one: len(store.find_runs(paths)) for (one, _), paths in by_level.items()}
        print_json({
            "report": str(out), "characters": len(page), "runs": len(files), "runs_by_level": levels,
            "tables": str(tables) if tables else None,
        })  # fmt: skip
    progress.say(f"{out}: {len(page) // 1024} KB")


def _by_level(
    runs: Sequence[Path], level: str | None, split: str | None
) -> dict[tuple[str | None, str | None], list[Path]]:
    """Return the paths by level and split, as `renvoi run` was told; else as this command is."""
    from renvoi import store

    found: dict[tuple[str | None, str | None], list[Path]] = {}
    for path in runs:
        made = store.read_run_settings([path])
        found.setdefault((made.get("level") or level, made.get("split") or split), []).append(path)
    return found


def _name_runs(runs: Sequence[Path]) -> dict[str, Path]:
    """Return all run files by folder and name."""
    from renvoi import store

    return {
        f"{path.name}/{file.name}" if path.is_dir() else file.name: file
        for path in runs
        for file in store.find_runs([path]).values()
    }


def _hash_inputs(bench: Path, runs: Mapping[str, Path]) -> dict[str, str]:
    """Return the SHA-256 of all that the page was made from."""
    from renvoi.store.manifest import hash_files

    inside = {file.relative_to(bench).as_posix(): file for file in sorted(bench.rglob("*")) if file.is_file()}
    return {name: hash_files([file]) for name, file in (inside | dict(runs)).items()}


def _read_manifests(runs: Sequence[Path]) -> list[dict[str, object]]:
    """Return how each folder of runs was made, where it says so."""
    import json

    files = [path / "manifest.json" for path in runs if path.is_dir()]
    return [json.loads(file.read_text(encoding="utf-8")) for file in files if file.exists()]


def _write_tables(out: Path, results: Sequence[Results], *, force: bool) -> None:
    """Write the tables of each level as CSV and LaTeX, with their figures."""
    from renvoi import store
    from renvoi.cli._sheets import write_sheets
    from renvoi.evaluate import tables

    with store.fresh_folder(out, force=force) as folder:
        for result in results:
            name = f"results_{result.evaluation.level}"
            store.write_text(folder / f"{name}.csv", tables.as_csv(result.table))
            store.write_text(folder / f"{name}.tex", tables.as_latex(result.table))
            write_sheets(folder, [*result.diagnosis, *([result.time] if result.time else [])])
