"""The command that builds a benchmark from case law."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from renvoi.cli._app import AsJson, Force, build, print_json


class AsOf(StrEnum):
    """What a query's candidates must be earlier than."""

    its_split = "split"
    its_query = "query"


@build.command()
def pincite(
    corpus: Annotated[Path, typer.Argument(help="A corpus of judgments, from renvoi ingest.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The benchmark folder to write.")],
    train: Annotated[
        str, typer.Option(help="Days of decision, the end excluded: :2018, 2017, 2018-03:2022; none: no such split.")
    ] = ":2018",
    dev: Annotated[str, typer.Option(help="Days of decision of dev.")] = "2018:2022",
    test: Annotated[str, typer.Option(help="Days of decision of test.")] = "2022:2026",
    listed: Annotated[
        Path | None,
        typer.Option(help="Pairs listed by EUR-Lex: CSV (CELEX_FROM, NUMBER_FROM, CELEX_TO, NUMBER_TO) or a folder."),
    ] = None,
    annotations: Annotated[
        Path | None, typer.Option(help="A folder of two lawyers' workbooks, one folder an annotator.")
    ] = None,
    language: Annotated[str, typer.Option(help="Language of the texts.")] = "en",
    keep_language: Annotated[bool, typer.Option("--keep-language", help="Keep paragraphs in other languages.")] = False,
    as_of: Annotated[
        AsOf, typer.Option(help="Candidates are earlier than the split's first day, or than the query's own.")
    ] = AsOf.its_split,
    train_cases: Annotated[bool, typer.Option("--train-cases", help="Make case queries for train too.")] = False,
    damaged_queries: Annotated[
        bool, typer.Option("--damaged-queries", help="Make dev and test queries also from texts that lost digits.")
    ] = False,
    placeholders: Annotated[
        bool, typer.Option("--placeholders", help="Put a word in brackets where a citation is hidden.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Processes that mask at the same time.")] = 1,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Build the three levels of pincite retrieval: paragraph to paragraph, paragraph to case, case to case.

    Example: `renvoi build pincite corpus -o bench --train :2017 --dev 2017 --test 2018: --jobs 2`
    """
    import polars as pl

    from renvoi import progress, store
    from renvoi.errors import OutputExists
    from renvoi.pincite.annotations import read_annotations
    from renvoi.pincite.build import build_pincite
    from renvoi.pincite.pairs import read_listed
    from renvoi.pincite.split import check_apart, check_held, parse_days

    if output.exists() and not force:
        raise OutputExists(output)
    given = {"train": train, "dev": dev, "test": test}
    splits = {name: parse_days(days, f"--{name} {days}") for name, days in given.items() if days != "none"}
    check_apart(splits)
    judgments = store.read_corpus(corpus)
    decided = judgments.documents.filter(pl.col("jurisdiction") == "cjeu")["date"].drop_nulls()
    check_held(splits, decided.unique().to_list())
    bench, card = build_pincite(
        judgments,
        splits=splits,
        listed=read_listed(listed) if listed else None,
        annotations=read_annotations(annotations) if annotations else None,
        language=language,
        keep_language=keep_language,
        as_of=as_of.value,
        case_splits=("train", "dev", "test") if train_cases else ("dev", "test"),
        damaged_in=("train", "dev", "test") if damaged_queries else ("train",),
        how="placeholder" if placeholders else "remove",
        jobs=jobs,
    )
    store.write_benchmark(output, bench, card=card, force=force)
    if as_json:
        print_json({"benchmark": str(output), **bench.manifest["counts"], "funnel": list(bench.funnel)})
    for row in bench.manifest["counts"]["levels"]:
        progress.say(f"{row['level']} {row['split']}: {row['queries']} queries, {row['relevant']} relevant")
    for level, said in bench.manifest["counts"].get("agreement_text_listed", {}).get("levels", {}).items():
        progress.say(
            f"{level}: {said['both']} citations in the text and in EUR-Lex's lists, "
            f"{said['text_only']} in the text only, {said['listed_only']} in the lists only"
        )
    progress.say(f"{output}: see its README.md")
