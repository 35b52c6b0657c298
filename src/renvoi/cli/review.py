"""renvoi review."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from renvoi.cli._app import AsJson, Force, app, print_json

if TYPE_CHECKING:
    from renvoi.figures import Sheet


@app.command("review")
def review_command(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="A benchmark folder.")],
    reviewer: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who reviews here; without it the page asks.")
    ] = None,
    port: Annotated[int, typer.Option(help="Of the page, on this machine only.", min=1, max=65535)] = 8765,
    n: Annotated[
        int | None, typer.Option(help="Items an act, when the review begins. Default: 4.", min=1, show_default=False)
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Of the draw, when the review begins. Default: 0.", show_default=False)
    ] = None,
    db: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|URL",
            envvar="RENVOI_REVIEW_DB",
            help="Where answers are kept: a file, or postgresql://… for a team. Default: BENCH.review.sqlite.",
        ),
    ] = None,
    export: Annotated[
        Path | None, typer.Option("--export", metavar="CSV", help="Write the answers (of --reviewer, or all).")
    ] = None,
    import_: Annotated[Path | None, typer.Option("--import", metavar="CSV", help="Read answers from a sheet.")] = None,
    agreement: Annotated[bool, typer.Option("--agreement", help="Print shares, agreement and intervals.")] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Review a sample of a benchmark's queries on a local web page, with the keyboard.

    Example: `renvoi review bench --reviewer anna`, then `renvoi review bench --agreement`
    """
    from renvoi import progress, review, store
    from renvoi.errors import BadInput, OutputExists

    if export and export.exists() and not force:
        raise OutputExists(export)
    benchmark = store.read_benchmark(bench)
    # Beside the folder: a benchmark built again must not take its review with it.
    where = db or str(bench.resolve().with_name(bench.resolve().name + ".review.sqlite"))
    if agreement and not import_ and "://" not in where and not Path(where).exists():
        raise BadInput(where, "there is no review yet", f"begin one with: renvoi review {bench}")
    ids, rows = review.read_csv(import_, list(review.criteria_of(benchmark))) if import_ else (None, [])
    opened = review.open_review(where, benchmark, n=n, seed=seed, query_ids=ids)
    if import_:
        progress.say(f"{import_}: {opened.merge(rows, force=force)} new answers")
    if export:
        store.write_text(export, review.export_csv(opened, [reviewer] if reviewer else None))
        progress.say(f"{export}: {len(opened.items)} items")
    if agreement:
        _print_agreement(review.agree(opened, benchmark), as_json)
    if export or import_ or agreement:
        return

    from renvoi.review import page

    progress.say(f"{len(opened.items)} items at http://{page.HOST}:{port} (Ctrl-C ends; every key press is kept)")
    page.serve(opened, bench.resolve().name, reviewer=reviewer, port=port)


def _print_agreement(sheets: tuple[Sheet, ...], as_json: bool) -> None:
    from renvoi.cli._sheets import print_sheets, sheet_rows

    if as_json:
        print_json({sheet.name: sheet_rows(sheet) for sheet in sheets})
    else:
        print_sheets([sheet for sheet in sheets if sheet.rows])
