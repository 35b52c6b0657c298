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
    bertscore: Annotated[
        str | None,
        typer.Option(help="Also BERTScore F1 by this transformer: a folder, or a name of the hub.", metavar="MODEL"),
    ] = None,
    bertscore_pairs: Annotated[
        int, typer.Option(min=0, help="Pairs for it a level and split, drawn by --seed; 0: all.")
    ] = 300,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Say what a benchmark is like: days, sizes, lengths, sources, distances, likeness, overlap, distractors.

    Example: `renvoi describe bench -o bench-facts`
    """
    from renvoi import describe, store
    from renvoi.cli._sheets import print_sheets, sheet_rows, write_sheets
    from renvoi.embed.tokens import TokenEncoder

    encoder = TokenEncoder(bertscore) if bertscore else None
    sheets = describe.describe(
        store.read_benchmark(bench), with_distractors=distractors, encoder=encoder, bertscore_pairs=bertscore_pairs,
        seed=seed,
    )  # fmt: skip
    if out:
        with store.fresh_folder(out, force=force) as folder:
            write_sheets(folder, sheets)
    if as_json:
        print_json({sheet.name: {"title": sheet.title, "rows": sheet_rows(sheet)} for sheet in sheets})
    else:
        print_sheets(sheets)
