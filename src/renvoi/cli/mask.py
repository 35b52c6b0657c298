"""`renvoi mask`: hide the citations of a text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from renvoi.cli._app import AsJson, app, print_json


@app.command("mask")
def mask(
    text: Annotated[str, typer.Argument(help="A text, a file with one, or - for stdin.")],
    known: Annotated[str, typer.Option(help="Names of decisions it is known to cite, with commas between.")] = "",
    masks: Annotated[str, typer.Option(help="Masks to use, with commas between; default: all but ner.")] = "",
    remove: Annotated[bool, typer.Option("--remove", help="Remove instead of writing a placeholder.")] = False,
    model: Annotated[str, typer.Option(help="spaCy model of the mask ner.")] = "",
    as_json: AsJson = False,
) -> None:
    """Hide what gives cited decisions away: numbers, ECLIs, dates, pinpoints, names, reports.

    Example: `renvoi mask "See Case 900/74 Grimme [1975] ECR 1337, paragraph 27." --json`
    """
    from renvoi.masks import hide

    names = [name.strip() for name in masks.split(",") if name.strip()] or None
    masked = hide(_read(text), names, known=known.split(","), how="remove" if remove else "placeholder", model=model)
    if as_json:
        print_json({"text": masked.text, "spans": [span._asdict() for span in masked.spans]})
    else:
        sys.stdout.write(masked.text + ("" if masked.text.endswith("\n") else "\n"))


def _read(text: str) -> str:
    if text == "-":
        return sys.stdin.read()
    try:
        is_file = len(text) < 1000 and Path(text).is_file()
    except (OSError, ValueError):
        is_file = False
    return Path(text).read_text(encoding="utf-8") if is_file else text
