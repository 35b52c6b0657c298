"""renvoi import, renvoi export: other people's layouts in and out."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from renvoi.cli._app import AsJson, Force, app, import_, print_json

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
    as_json: AsJson = False,
) -> None:
    """Read CRAwLeR's layout: chunks.jsonl and a file of queries.

    Example: `renvoi import crawler data/da --queries data/da/dev.jsonl -o bench`
    """
    _import("crawler", folder, out, force, as_json, queries=queries, language=language)


@import_.command("legalpincite")
def import_legalpincite(
    folder: Folder, out: Out, language: Language = None, force: Force = False, as_json: AsJson = False
) -> None:
    """Read LegalPincite's published CSV files, all splits and levels in DIR.

    Example: `renvoi import legalpincite LegalPincite -o bench`
    """
    _import("legalpincite", folder, out, force, as_json, language=language)


@import_.command("beir")
def import_beir(
    folder: Folder, out: Out, language: Language = None, force: Force = False, as_json: AsJson = False
) -> None:
    """Read BEIR's layout: corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv.

    Example: `renvoi import beir scifact -o bench`
    """
    _import("beir", folder, out, force, as_json, language=language)


@import_.command("trec")
def import_trec(
    folder: Folder, out: Out, language: Language = None, force: Force = False, as_json: AsJson = False
) -> None:
    """Read TREC files: documents.*, topics.* and qrels.* (markup, TSV or JSON lines).

    Example: `renvoi import trec collection -o bench`
    """
    _import("trec", folder, out, force, as_json, language=language)


class Target(StrEnum):
    """The layouts a benchmark can be written in."""

    csv = "csv"
    trec = "trec"
    beir = "beir"
    hf = "hf"
    pyterrier = "pyterrier"
    opensearch = "opensearch"
    mteb = "mteb"
    crawler = "crawler"


@app.command("export")
def export(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="A benchmark folder.")],
    to: Annotated[Target, typer.Option("--to", help="The layout; csv is LegalPincite's.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="The folder to write.")],
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a benchmark in a layout that other tools read.

    Example: `renvoi export bench --to beir -o bench-beir`
    """
    from renvoi import progress, registry, store

    layout = "legalpincite" if to == Target.csv else to.value
    benchmark = store.read_benchmark(bench)
    with store.fresh_folder(out, force=force) as folder:
        found = registry.load("interchange", layout)
        found.write(benchmark, folder)
        if found.card and (bench / "README.md").exists():
            found.card(folder, (bench / "README.md").read_text(encoding="utf-8"))
        n_files = sum(1 for path in folder.rglob("*") if path.is_file())
    if as_json:
        print_json({"export": str(out), "layout": to.value, "files": n_files, "queries": len(benchmark.queries)})
    progress.say(f"{out}: {n_files} files in the layout {to.value!r}")


def _import(layout: str, folder: Path, out: Path, force: bool, as_json: bool, **options: Any) -> None:
    from renvoi import progress, registry, store

    bench: Benchmark = registry.load("interchange", layout).read(folder, **options)
    store.write_benchmark(out, bench, card=_card(bench, layout), force=force)
    n_docs = sum(frame.height for frame in bench.collections.values())
    n_qrels = sum(frame.height for frame in bench.qrels.values())
    if as_json:
        print_json({
            "benchmark": str(out), "layout": layout, "queries": len(bench.queries), "documents": n_docs,
            "qrels": n_qrels, "links": bench.links.height, "language": bench.language,
        })  # fmt: skip
    progress.say(f"{out}: {len(bench.queries)} queries, {n_docs} documents, {n_qrels} qrels, language {bench.language}")


def _card(bench: Benchmark, layout: str) -> str:
    sizes = "".join(f"| {name} | {frame.height} |\n" for name, frame in bench.collections.items())
    qrels = "".join(f"| qrels {level} | {frame.height} |\n" for level, frame in bench.qrels.items())
    return (
        f"---\nlanguage: {bench.language}\n---\n# An imported benchmark\n\n"
        f"Read from the `{layout}` layout; the hashes of the files are in `manifest.json`.\n\n"
        f"| what | rows |\n|---|---|\n| queries | {len(bench.queries)} |\n{sizes}{qrels}"
    )
