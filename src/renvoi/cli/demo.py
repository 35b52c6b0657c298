"""`renvoi demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from renvoi.cli._app import AsJson, Force, app, print_json


@app.command()
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write.")] = Path("demo"),
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Take the whole tour on bundled fictional law: references, benchmarks, runs, a table and a page.

    Example: `renvoi demo -o demo`
    """
    from dataclasses import asdict

    from rich.console import Console
    from rich.table import Table

    from renvoi import store
    from renvoi.demo import MEASURES, run_demo

    with store.fresh_folder(output, force=force) as folder:
        parts = run_demo(folder)
    if as_json:
        print_json({"output": str(output), "parts": [asdict(part) for part in parts]})
        return
    table = Table("", "questions", "n", "system", *MEASURES)
    for part in parts:
        for row in part.scores:
            values = (f"{row['values'][measure]:.3f}" for measure in MEASURES)
            table.add_row(part.name, row["set"], str(row["n"]), row["system"], *values)
    console = Console()
    console.print(table)
    for part in parts:
        if part.note:
            console.print(f"{part.name}: {part.note}", markup=False, highlight=False)
    console.print(f"look at {output / 'index.html'}", markup=False, highlight=False)
