"""renvoi evaluate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from renvoi.cli._app import MEASURES, AsJson, Measures, Reviewed, app, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from renvoi.evaluate.tables import Table


@app.command("evaluate")
def evaluate_command(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="A benchmark folder.")],
    runs: Annotated[list[Path], typer.Argument(metavar="RUNS...", help="Run files, or folders of them.")],
    measures: Measures = MEASURES,
    level: Annotated[
        str | None, typer.Option(help="chunk, par_par, par_case, case_case; default: that of the runs.")
    ] = None,
    split: Annotated[
        str | None, typer.Option(help="Count the queries of this split only; default: that of the runs.")
    ] = None,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(
            help="Test A against B: MODEL strings, or names of runs; several with commas, or 'all'.", metavar="A B"
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="Break down by a field of the queries, such as set, or by source (who says what is relevant)."
        ),
    ] = None,
    only: Annotated[
        str, typer.Option(help="Count only queries with this value, such as source=human.", metavar="FIELD=VALUE")
    ] = "",
    exclude_self: Annotated[
        bool | None,
        typer.Option("--exclude-self/--keep-self", help="Take the query's own document out of the rankings."),
    ] = None,
    include_invalid: Annotated[
        bool, typer.Option("--include-invalid", help="Count queries that reviewers judged invalid.")
    ] = False,
    reviewed: Reviewed = None,
    diagnose: Annotated[
        bool,
        typer.Option("--diagnose", help="Also say why runs miss: contexts above, reachability, by act, by length."),
    ] = False,
    popularity: Annotated[
        bool, typer.Option(help="Add the baseline that ranks by citations, where there is a citation graph.")
    ] = True,
    seed: Annotated[int, typer.Option(help="Of bootstrap and randomisation.")] = 0,
    csv: Annotated[Path | None, typer.Option(help="Also write the table as CSV.")] = None,
    latex: Annotated[Path | None, typer.Option(help="Also write the table as LaTeX.")] = None,
    as_json: AsJson = False,
) -> None:
    """Score runs on a benchmark, with intervals and paired tests.

    Example: `renvoi evaluate bench runs --measures "nDCG@10 R@10" --compare bm25 dph --by set`
    """
    from renvoi import evaluate, progress, review, store
    from renvoi.cli._sheets import print_sheets, sheet_rows
    from renvoi.evaluate import baselines, tables
    from renvoi.evaluate import diagnose as reasons

    benchmark = store.read_benchmark(bench)
    files = store.find_runs(runs)
    made = store.read_run_settings(runs)  # what `renvoi run` was told
    level, split = level or made.get("level"), split or made.get("split")
    frames = {system: store.read_run(file) for system, file in progress.track(files.items(), "reading runs")}
    if popularity:
        frames = baselines.with_popularity(benchmark, frames, level=level, split=split)
    verdicts = review.read_verdicts(reviewed, benchmark) if reviewed else None
    evaluation = evaluate.evaluate(
        benchmark, frames, measures, level=level, split=split, exclude_self=exclude_self,
        include_invalid=include_invalid, verdicts=verdicts, only=only,
    )  # fmt: skip
    pairs = _pairs(compare, list(files), list(frames)) if compare else []
    table = tables.tabulate(evaluation, benchmark, pairs=pairs, by=by or (), seed=seed)
    if csv:
        store.write_text(csv, tables.as_csv(table))
    if latex:
        store.write_text(latex, tables.as_latex(table))
    main = evaluation.measures[0]
    sheets = reasons.diagnose(benchmark, frames, evaluation, main, verdicts) if diagnose else []
    if as_json:
        found = {"diagnosis": {sheet.name: sheet_rows(sheet) for sheet in sheets}} if diagnose else {}
        print_json({**tables.as_json(table, evaluation), **found})
    else:
        print_table(table)
        print_sheets(sheets)


def _pairs(compare: tuple[str, str], runs: Sequence[str], known: Sequence[str]) -> list[tuple[str, str]]:
    left, right = (list(runs) if names == "all" else split_names(names, known) for names in compare)
    made: list[tuple[str, str]] = []
    for a in left:
        made += [(a, b) for b in right if a != b and (b, a) not in made]
    return made


def split_names(text: str, systems: Sequence[str]) -> list[str]:
    """Return the systems that a list names, with commas between, as MODEL strings or as their runs are named.

    Either may hold commas itself: the longest stretch that names a system is taken.

    >>> split_names("dph,bm25:k1=0.9,b=0.4", ["bm25-k1=0.9,b=0.4", "dph"])
    ['dph', 'bm25-k1=0.9,b=0.4']

    Raises:
        BadInput: a stretch names none.
    """
    from renvoi.cli._collection import file_name
    from renvoi.errors import BadInput

    words = text.split(",")
    names = []
    while words:
        for n in range(len(words), 0, -1):
            said = ",".join(words[:n]).strip()
            name = said if said in systems else file_name(said)
            if name in systems:
                names.append(name)
                break
        else:
            raise BadInput("--compare", f"no run is named {words[0]!r}", f"there are: {'; '.join(systems)}")
        words = words[n:]
    return names


def print_table(table: Table, *, values: bool = True) -> None:
    """Print values (unless they were printed), groups, tests and notes."""
    from renvoi.cli._sheets import open_console

    console = open_console()
    if values:
        _print_values(console, table)
    for key in table.by:
        _print_groups(console, table, key)
    if table.comparisons:
        _print_comparisons(console, table)
    for note in table.notes:
        console.print(note, markup=False, soft_wrap=True, style="dim")


def _print_values(console: Console, table: Table) -> None:
    from rich.table import Table as Grid

    grid = Grid(box=None, pad_edge=False)
    grid.add_column("system", overflow="fold", min_width=10)
    for name in table.measures:
        grid.add_column(name, justify="right", no_wrap=True)
    best = {name: max(row.value for row in table.rows if row.measure == name) for name in table.measures}
    for system in dict.fromkeys(row.system for row in table.rows):
        cells = []
        for row in (r for r in table.rows if r.system == system):
            value = f"[bold]{row.value:.3f}[/]" if row.value == best[row.measure] else f"{row.value:.3f}"
            cells.append(f"{value}\n[dim]{_short(row.low)}–{_short(row.high)}[/]")
        grid.add_row(_plain(system), *cells)
    console.print(grid)


def _print_groups(console: Console, table: Table, key: str) -> None:
    from rich.table import Table as Grid

    grid = Grid(key, "queries", "system", *table.measures, box=None, pad_edge=False)
    for column in grid.columns[3:]:
        column.justify, column.no_wrap = "right", True
    for group, systems in table.by[key].items():
        for i, (system, values) in enumerate(systems.items()):
            head = (_plain(group), str(table.sizes[key][group])) if i == 0 else ("", "")
            grid.add_row(*head, _plain(system), *(f"{value:.3f}" for value in values.values()))
    console.print(grid)


def _print_comparisons(console: Console, table: Table) -> None:
    from rich.table import Table as Grid

    grid = Grid(box=None, pad_edge=False)
    grid.add_column("a vs. b", overflow="fold")
    grid.add_column("measure", no_wrap=True)
    for name in ("a-b", "95 %", "p", "Holm", "d", "+", "=", "-"):
        grid.add_column(name, justify="right", no_wrap=True)
    for c in table.comparisons:
        grid.add_row(
            f"{_plain(c.a)} vs. {_plain(c.b)}", c.measure, f"{c.difference:+.3f}", f"{c.low:+.3f} {c.high:+.3f}",
            _p(c.p), _p(c.p_holm), f"{c.effect:+.2f}", str(c.wins), str(c.ties), str(c.losses),
        )  # fmt: skip
    console.print(grid)


def _p(value: float) -> str:
    return "<.001" if value < 0.001 else f"{value:.3f}"


def _short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0") if value < 1 else "1"


def _plain(text: str) -> str:
    return text.replace("[", r"\[")
