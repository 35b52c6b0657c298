"""The command that gets raw files from their publishers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from renvoi.cli._app import AsJson, app, print_json

_OTHER_NAMES = {"eurlex": "cellar"}


@app.command()
def fetch(
    source: Annotated[str, typer.Argument(help="eurlex, retsinformation or sejm.", show_default=False)],
    ids: Annotated[
        list[str] | None, typer.Argument(help="62018CJ0529, lta/2015/1089, DU/2022/655 …", show_default=False)
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for the raw files.")] = Path("raw"),
    judgments: Annotated[
        str | None, typer.Option(help="EUR-Lex: all decisions of these days, the end excluded: 2017, 2017-03:2018.")
    ] = None,
    language: Annotated[str, typer.Option(help="Of the text, where there are several.")] = "en",
    format: Annotated[str | None, typer.Option(help="EUR-Lex: text, xhtml, html, fmx4 or notice.")] = None,
    pause: Annotated[float, typer.Option(min=0.0, help="Seconds between two requests.")] = 1.0,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many identifiers.")] = None,
    base: Annotated[str | None, typer.Option(help="Another address of the service, such as a mirror.")] = None,
    as_json: AsJson = False,
) -> None:
    """Get raw files from their publisher, slowly, keeping bytes, hash and address; run again to resume.

    Example: `renvoi fetch eurlex 62018CJ0529 32016R0679 -o raw`
    """
    from renvoi import progress, registry
    from renvoi.errors import BadInput
    from renvoi.fetchers._polite import fetch_one, polite
    from renvoi.pincite.split import parse_days

    fetcher = registry.load("fetchers", _OTHER_NAMES.get(source, source))
    format = format or fetcher.formats[0]
    if format not in fetcher.formats:
        raise BadInput(repr(format), f"is no format of {source}", f"it has {', '.join(fetcher.formats)}")
    address = (base or fetcher.base).rstrip("/")
    wanted = list(ids or ())
    with polite(pause_s=pause) as client:
        if judgments is not None:
            days = parse_days(judgments)
            if fetcher.listing is None or days.start is None or days.end is None:
                raise BadInput(repr(judgments), "cannot be listed", "give eurlex and days with a start and an end")
            wanted += fetcher.listing(client, address, days.start, days.end, language)
        wanted = list(dict.fromkeys(wanted))[:limit]
        if not wanted:
            raise BadInput(source, "nothing to fetch", "give identifiers, or --judgments with days that have some")
        results = [
            fetch_one(client, fetcher, id, output, language=language, format=format, base=address)
            for id in progress.track(wanted, "fetching")
        ]
    failed = [result for result in results if result.state == "failed"]
    for result in failed:
        sys.stderr.write(f"failed: {result.id}: {result.line}\n")
    if as_json:
        print_json(
            [{"id": r.id, "state": r.state, "files": [str(f) for f in r.files], "line": r.line} for r in results]
        )
    kept = sum(result.state == "kept" for result in results)
    progress.say(f"{output}: {len(results) - kept - len(failed)} fetched, {kept} there already, {len(failed)} failed")
    if failed:
        raise typer.Exit(1)
