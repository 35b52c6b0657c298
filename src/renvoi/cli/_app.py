"""The command tree that the files beside this one hang their commands on."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from renvoi import progress

app = typer.Typer(
    name="renvoi",
    help="Read the references in law exactly, build retrieval benchmarks from them, and measure retrieval on them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    add_completion=False,
)
build = typer.Typer(no_args_is_help=True, help="Build a benchmark from a corpus.")
app.add_typer(build, name="build")
ablate = typer.Typer(no_args_is_help=True, help="Measure what one ingredient is worth.")
app.add_typer(ablate, name="ablate")
import_ = typer.Typer(no_args_is_help=True, help="Read a benchmark published in another layout.")
app.add_typer(import_, name="import")

Force = Annotated[bool, typer.Option("--force", help="Replace an output that exists.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, everything else on stderr.")]
Measures = Annotated[str, typer.Option("--measures", help="Names as in ir_measures.")]
MEASURES = "Success@10 R@10 nDCG@10 AP@1000 RR@1000"
Reviewed = Annotated[
    str | None,
    typer.Option(
        "--reviewed",
        metavar="CSV|FILE|URL",
        help="Count only queries that reviewers judged valid: a sheet (`renvoi review --export`) or a review.",
    ),
]


@app.callback()
def _every_command(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no remarks.")] = False,
) -> None:
    progress.quiet = quiet


def print_json(value: Any) -> None:
    """Print one JSON document on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=1, default=str) + "\n")
