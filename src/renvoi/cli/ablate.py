"""Commands that measure what one ingredient is worth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from renvoi.cli._app import AsJson, Force, ablate, print_json

if TYPE_CHECKING:
    from renvoi.ablate import InContext


@ablate.command()
def leakage(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="A benchmark of renvoi build pincite.")],
    models: Annotated[list[str] | None, typer.Argument(help="bm25, tf_idf …", metavar="[MODEL]...")] = None,
    level: Annotated[str | None, typer.Option(help="par_par, par_case or case_case; default: each.")] = None,
    split: Annotated[str, typer.Option(help="The queries of this split.")] = "test",
    measures: Annotated[str, typer.Option(help="Names as in ir_measures; the first is compared.")] = "nDCG@10",
    params: Annotated[Path | None, typer.Option(help="What `renvoi tune` wrote.", metavar="PARAMS.toml")] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="DIR", help="Also write the curve (CSV, LaTeX, SVG).")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of bootstrap and randomisation.")] = 0,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Measure what identifiers left in the queries are worth: numbers, citations, names.

    Example: `renvoi ablate leakage bench bm25 --level par_par`
    """
    import tomllib

    from renvoi import store
    from renvoi.ablate import ablate_leakage, leakage_sheet
    from renvoi.cli._sheets import write_sheets
    from renvoi.cli.evaluate import print_table
    from renvoi.evaluate import tables

    benchmark = store.read_benchmark(bench)
    parameters = tomllib.loads(params.read_text(encoding="utf-8")) if params else None
    found, sheets = [], []
    for name in [level] if level else list(benchmark.qrels):
        made = ablate_leakage(
            benchmark, models or ["bm25"], level=name, split=split, measures=measures, parameters=parameters, seed=seed
        )
        sheets.append(leakage_sheet(made))
        if as_json:
            found.append({"level": name, **tables.as_json(made.table, made.evaluation), "changes": list(made.changes)})
            continue
        typer.echo(f"{name}, {split}")
        print_table(made.table)
        for row in made.changes:
            change = "" if row["change"] is None else f"{row['change']:+.1%}"
            typer.echo(f"{row['system']:12} {row['setting']:14} {row[made.evaluation.measures[0]]:.3f}  {change}")
    if out:
        with store.fresh_folder(out, force=force) as folder:
            write_sheets(folder, sheets)
    if as_json:
        print_json(found)


@ablate.command()
def context(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="A benchmark of renvoi build crossref.")],
    models: Annotated[list[str] | None, typer.Argument(help="bm25, dense:NAME …", metavar="[MODEL]...")] = None,
    contexts: Annotated[
        list[str] | None, typer.Option(help="NAME=FOLDER of renvoi contextualise; repeatable [headings are made].")
    ] = None,
    split: Annotated[str | None, typer.Option(help="The queries of this split; default: all.")] = None,
    measures: Annotated[str, typer.Option(help="Names as in ir_measures.")] = "R@10 RR@1000 nDCG@10",
    by: Annotated[list[str] | None, typer.Option(help="Break down by a field of the queries, such as set.")] = None,
    append: Annotated[
        bool, typer.Option("--append", help="Put contexts behind the text: a dense model reads the first tokens only.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of bootstrap and randomisation.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Measure what contexts in front of the chunks are worth to each model: contextualiser x retriever.

    Example: `renvoi ablate context bench bm25 --contexts strong=contexts-235b --contexts weak=contexts-4b`
    """
    from dataclasses import replace

    from renvoi import registry, store, systems
    from renvoi.ablate import ablate_context
    from renvoi.cli.evaluate import print_table
    from renvoi.contexts import read_contexts
    from renvoi.evaluate import tables

    for model in models or ():
        systems.check_system(systems.parse_system(model))
    benchmark = store.read_benchmark(bench)
    made = {}
    for given in contexts or ():
        name, equals, folder = given.partition("=")
        if not equals:
            raise typer.BadParameter(f"{given!r} is not of the form NAME=FOLDER")
        made[name], _ = read_contexts(Path(folder))
    if not made:
        made["headings"] = registry.load("contexts", "headings")(benchmark, {})
    found = ablate_context(
        benchmark, made, models or ["bm25"], split=split, measures=measures, by=by or (), seed=seed,
        place="after" if append else "before",
    )  # fmt: skip
    if as_json:
        print_json({**tables.as_json(found.table, found.evaluation), "coverage": found.coverage})
        return
    _print_grids(found, list(models or ["bm25"]))
    # Differences stand in the grids; those between models are in --json.
    print_table(replace(found.table, comparisons=()), values=False)
    for name, share in found.coverage.items():
        typer.echo(f"{name}: {share:.1%} of the chunks have a context")


def _print_grids(found: InContext, models: list[str]) -> None:
    """Print a grid a measure: contexts down, models across; below each value its interval and what it adds to bare."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as Grid
    from rich.text import Text

    rows = {(row.system, row.measure): row for row in found.table.rows}
    tests = {(one.a, one.b, one.measure): one for one in found.table.comparisons}
    console = Console(highlight=False)
    for measure in found.table.measures:
        grid = Grid(measure, box=None, pad_edge=False)
        for model in models:
            grid.add_column(escape(model), overflow="fold")  # two long names may differ at their ends
        for name in ("bare", *found.coverage):
            cells = []
            for model in models:
                row = rows[f"{model} | {name}", measure]
                test = tests.get((f"{model} | {name}", f"{model} | bare", measure))
                added = f"\n{test.difference:+.3f}, p {test.p_holm:.3f}" if test else ""
                cells.append(Text(f"{row.value:.3f} ({row.low:.2f} to {row.high:.2f}){added}"))
            grid.add_row(Text(name), *cells)
        console.print(grid)
        console.print()
    console.print("+ and p (Holm): against the same model on bare chunks, by the paired test.", style="dim")
