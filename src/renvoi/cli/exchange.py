"""renvoi import, renvoi export: other people's layouts in and out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from renvoi.cli._app import Force, import_

if TYPE_CHECKING:
    from renvoi.types import Benchmark

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder that was published.")]
Out = Annotated[Path, typer.Option("-o", "--out", metavar="BENCH", help="The benchmark folder to write.")]
Language = Annotated[str | None, typer.Option(help="ISO 639-1 code; default: guessed from the texts.")]


@import_.command("crawler")
def import_crawler(
    folder: Folder,
    out: Out,
    queries: Annotated[Path | None, typer.Option(help="The file of queries; default: the one in DIR.")] = None,
    language: Language = None,
    force: Force = False,
) -> None:
    """Read CRAwLeR's layout: chunks.jsonl and a file of queries.

    Example: `renvoi import crawler data/da --queries data/da/dev.jsonl -o bench`
    """
    _import("crawler", folder, out, force, queries=queries, language=language)


def _import(layout: str, folder: Path, out: Path, force: bool, **options: Any) -> None:
    from renvoi import progress, registry, store

    bench: Benchmark = registry.load("interchange", layout).read(folder, **options)
    store.write_benchmark(out, bench, card=_card(bench, layout), force=force)
    n_docs = sum(frame.height for frame in bench.collections.values())
    n_qrels = sum(frame.height for frame in bench.qrels.values())
    progress.say(f"{out}: {len(bench.queries)} queries, {n_docs} documents, {n_qrels} qrels, language {bench.language}")


def _card(bench: Benchmark, layout: str) -> str:
    sizes = "".join(f"| {name} | {frame.height} |\n" for name, frame in bench.collections.items())
    qrels = "".join(f"| qrels {level} | {frame.height} |\n" for level, frame in bench.qrels.items())
    return (
        f"---\nlanguage: {bench.language}\n---\n# An imported benchmark\n\n"
        f"Read from the `{layout}` layout; the hashes of the files are in `manifest.json`.\n\n"
        f"| what | rows |\n|---|---|\n| queries | {len(bench.queries)} |\n{sizes}{qrels}"
    )
