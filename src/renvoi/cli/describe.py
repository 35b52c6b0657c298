"""renvoi describe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from renvoi.cli._app import AsJson, Force, app, print_json


@app.command("describe")
def describe_command(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="A benchmark folder.")],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="DIR", help="Also write every table (CSV, LaTeX) and figure (SVG)."),
    ] = None,
    distractors: Annotated[bool, typer.Option(help="Search each query's strongest distractor.")] = True,
    seed: Annotated[int, typer.Option(help="Chooses the queries where there are more than 200.")] = 0,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Say what a benchmark is like: sizes, lengths, distances, likeness of acts, overlap, distractors.

    Example: `renvoi describe bench -o bench-facts`
    """
    from renvoi import describe, store
    from renvoi.cli._sheets import print_sheets, sheet_rows, write_sheets

    sheets = describe.describe(store.read_benchmark(bench), with_distractors=distractors, seed=seed)
    if out:
        with store.fresh_folder(out, force=force) as folder:
            write_sheets(folder, sheets)
    if as_json:
        print_json({sheet.name: {"title": sheet.title, "rows": sheet_rows(sheet)} for sheet in sheets})
    else:
        print_sheets(sheets)
