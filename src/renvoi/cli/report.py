"""renvoi report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from renvoi.cli._app import AsJson, Force, app, print_json


@app.command("report")
def report_command(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="A benchmark folder.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The HTML file to write.")],
    runs: Annotated[
        list[Path] | None,
        typer.Option(metavar="RUNS", help="A run file or folder; may be repeated, one folder a level."),
    ] = None,
    measures: Annotated[str, typer.Option(help="Names as in ir_measures.")] = "Success@10 R@10 nDCG@10 AP@1000 RR@1000",
    level: Annotated[str | None, typer.Option(help="Of runs whose folder does not say it.")] = None,
    split: Annotated[str | None, typer.Option(help="Of runs whose folder does not say it.")] = None,
    add: Annotated[
        list[Path] | None, typer.Option(metavar="DIR", help="A folder of tables (CSV) with figures (SVG) to add.")
    ] = None,
    reviewed: Annotated[
        str | None,
        typer.Option(
            metavar="CSV|FILE|URL",
            help="Count only queries that reviewers judged valid: a sheet (`renvoi review --export`) or a review.",
        ),
    ] = None,
    tables: Annotated[Path | None, typer.Option(metavar="DIR", help="Also write the tables as CSV and LaTeX.")] = None,
    distractors: Annotated[bool, typer.Option(help="Search each query's strongest distractor.")] = True,
    seed: Annotated[int, typer.Option(help="Of every draw.")] = 0,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write one self-contained HTML page about a benchmark and the runs on it.

    Example: `renvoi report bench --runs runs -o report.html`
    """
    import json

    from renvoi import progress, report, review, store
    from renvoi.cli._sheets import write_sheets
    from renvoi.errors import OutputExists
    from renvoi.evaluate import baselines
    from renvoi.evaluate import tables as tabulated
    from renvoi.report.page import read_sheets
    from renvoi.store.manifest import hash_files

    if out.exists() and not force:
        raise OutputExists(out)
    benchmark = store.read_benchmark(bench)
    hashes = {
        str(file.relative_to(bench).as_posix()): hash_files([file])
        for file in sorted(bench.rglob("*"))
        if file.is_file()
    }
    settings: list[dict[str, object]] = []
    files: dict[str, Path] = {}
    by_level: dict[tuple[str | None, str | None], list[Path]] = {}
    for path in runs or ():
        made = store.read_run_settings([path])
        found = store.find_runs([path])
        where = (made.get("level") or level, made.get("split") or split)
        by_level.setdefault(where, []).append(path)
        files |= {f"{path.name}/{file.name}" if path.is_dir() else file.name: file for file in found.values()}
        if path.is_dir() and (path / "manifest.json").exists():
            settings.append(json.loads((path / "manifest.json").read_text(encoding="utf-8")))
    verdicts = review.read_verdicts(reviewed, benchmark) if reviewed else None
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
    page = report.render_report(
        benchmark,
        results,
        name=bench.resolve().name,
        hashes=hashes | {name: hash_files([file]) for name, file in files.items()},
        run_settings=settings,
        extra=[sheet for folder in add or () for sheet in read_sheets(folder)],
        with_distractors=distractors,
        seed=seed,
    )
    store.write_text(out, page)
    if tables:
        with store.fresh_folder(tables, force=force) as folder:
            for result in results:
                name = f"results_{result.evaluation.level}"
                store.write_text(folder / f"{name}.csv", tabulated.as_csv(result.table))
                store.write_text(folder / f"{name}.tex", tabulated.as_latex(result.table))
                write_sheets(folder, [*result.diagnosis, *([result.time] if result.time else [])])
    if as_json:
        levels = {one: len(found) for (one, _), found in by_level.items()}
        print_json({
            "report": str(out), "characters": len(page), "runs": len(files), "runs_by_level": levels,
            "tables": str(tables) if tables else None,
        })  # fmt: skip
    progress.say(f"{out}: {len(page) // 1024} KB")
