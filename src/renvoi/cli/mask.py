"""`renvoi mask`: hide the citations of a text."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from renvoi.cli._app import AsJson, app, print_json

# One word with an ending, or that begins as paths do: "nosuch.txt", "./texts/a". "C-415/93" is a text.
_PATH = re.compile(r"\S*\.[A-Za-z][A-Za-z0-9]{1,5}|(?:~|\.{1,2})?/\S+|[A-Za-z]:\\\S+")


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
    from renvoi.errors import BadInput

    if text == "-":
        return sys.stdin.read()
    try:
        is_file = len(text) < 1000 and Path(text).is_file()
    except (OSError, ValueError):
        is_file = False
    if is_file:
        try:
            return Path(text).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadInput(text, f"is not UTF-8 at byte {error.start}", "save it as UTF-8") from None
    if _PATH.fullmatch(text):
        raise BadInput(
            text, "looks like a file and does not exist", "check its name, or give the text on stdin: renvoi mask -"
        )
    return text
