"""Sheets on a terminal, and as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from renvoi.figures import Sheet


_WIDE = 200  # characters


def open_console() -> Console:
    """Return where tables are printed. A file or a pipe has no edge: no name is cut there."""
    from rich.console import Console

    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDE)


def sheet_rows(sheet: Sheet) -> list[dict[str, Any]]:
    """Return the rows of a sheet for JSON."""
    return [dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows]


def print_sheets(sheets: Sequence[Sheet]) -> None:
    """Print each sheet under its title."""
    from rich.markup import escape
    from rich.table import Table as Grid

    from renvoi.figures import cell

    console = open_console()
    for sheet in sheets:
        grid = Grid(box=None, pad_edge=False, title=escape(sheet.title), title_justify="left", title_style="bold")
        for j, name in enumerate(sheet.columns):
            text = any(isinstance(row[j], str) for row in sheet.rows)
            grid.add_column(escape(name), justify="left" if text else "right")
        for row in sheet.rows:
            grid.add_row(*(escape(cell(value)) for value in row))
        console.print(grid)
        if sheet.note:
            console.print(sheet.note, markup=False, style="dim")
        console.print()


def write_sheets(folder: Path, sheets: Sequence[Sheet]) -> None:
    """Write each sheet as CSV and LaTeX, and its drawing as SVG."""
    from renvoi import figures, store

    for sheet in sheets:
        store.write_text(folder / f"{sheet.name}.csv", figures.as_csv(sheet))
        store.write_text(folder / f"{sheet.name}.tex", figures.as_latex(sheet))
        if sheet.svg:
            store.write_text(folder / f"{sheet.name}.svg", figures.standalone(sheet.svg))
