"""Commands that make a corpus."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from renvoi.cli._app import AsJson, Force, app, print_json


@app.command()
def ingest(
    files: Annotated[list[Path], typer.Argument(help="Files, or folders that are searched.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The corpus folder to write.")],
    jurisdiction: Annotated[
        str | None, typer.Option(help="da, pl, eu, cjeu, de …; needed only where the files do not tell.")
    ] = None,
    format: Annotated[str | None, typer.Option(help="A source by name; found from the content otherwise.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes that read at the same time.")] = 1,
    keep_going: Annotated[bool, typer.Option("--keep-going", help="Leave out what cannot be read.")] = False,
    longest: Annotated[
        int, typer.Option(min=1, help="Refuse a file with an operative provision of this many characters.")
    ] = 100_000,
    metadata: Annotated[
        Path | None, typer.Option(help="A folder of EUR-Lex exports and notices: ECLI, names and dates of judgments.")
    ] = None,
    language: Annotated[str | None, typer.Option(help="Refuse documents in other languages: en, it …")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Read acts and judgments into a corpus.

    Example: `renvoi ingest laws/ -o corpus --jobs 2 --keep-going`
    """
    from renvoi import case_metadata, progress, registry, store
    from renvoi import ingest as read
    from renvoi.errors import BadInput, OutputExists

    if output.exists() and not force:
        raise OutputExists(output)
    if jurisdiction is not None:
        registry.load("jurisdictions", jurisdiction)  # a slip of the pen would leave every reference unread
    paths = read.find_files(files)
    documents, refused = read.read_files(paths, jurisdiction=jurisdiction, format=format, jobs=jobs, longest=longest)
    documents, refused = read.keep_language(documents, refused, language)
    for item in refused:
        sys.stderr.write(f"refused: {item.line}\n")
    if refused and not keep_going:
        raise BadInput(
            output, f"not written, {len(refused)} of {len(paths)} files refused", "give --keep-going to leave them out"
        )
    settings: dict[str, str | bool | None] = {
        "jurisdiction": jurisdiction, "format": format, "keep_going": keep_going, "language": language,
    }  # fmt: skip
    table = case_metadata.read_case_metadata(metadata) if metadata else None
    documents = case_metadata.add_metadata(documents, table) if table else documents
    corpus = read.make_corpus(documents, refused, settings, table.findings if table else (), table, jobs)
    store.write_corpus(output, corpus, force=force)
    counts = corpus.manifest["counts"]
    if as_json:
        print_json({"corpus": str(output), "files": len(paths), **counts, "refused": [r.line for r in refused]})
    for kind, n in counts["findings"].items():
        progress.say(f"finding: {kind} × {n}")
    progress.say(
        f"{output}: {counts['documents']} documents, {counts['provisions']} provisions from "
        f"{len(paths) - len(refused)} of {len(paths)} files"
    )
    if refused:
        raise typer.Exit(1)
