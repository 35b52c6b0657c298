"""`renvoi build crossref`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from renvoi.cli._app import AsJson, Force, build, print_json
from renvoi.cli._models import (
    DEFAULT_URL,
    BaseUrl,
    Budget,
    DryRun,
    Effort,
    GoOn,
    InFlight,
    ModelName,
    Prices,
    Results,
    Timeout,
    make_reach,
)


class Stage(StrEnum):
    """The stages of the job, in order."""

    candidates = "candidates"
    write = "write"
    leak = "leak"
    filter = "filter"
    assure = "assure"
    assemble = "assemble"


@build.command()
def crossref(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder, of acts in one language.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The benchmark folder to write.")],
    stage: Annotated[Stage | None, typer.Option(help="Stop after this stage; all by default.")] = None,
    writer: Annotated[str, typer.Option(help="template, openai or batch.")] = "template",
    judge: Annotated[str, typer.Option(help="overlap, openai or batch.")] = "overlap",
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            help="A retriever that must miss the target; repeatable [bm25, and dense:embedded where it is installed].",
        ),
    ] = None,
    held_out: Annotated[list[str] | None, typer.Option(help="A retriever named in the card as not used.")] = None,
    k: Annotated[int, typer.Option(min=1, help="The target must rank below this.")] = 10,
    token_limit: Annotated[int, typer.Option(min=50, help="Words of a target with all it cites.")] = 4000,
    limit: Annotated[int | None, typer.Option(min=1, help="Write for so many candidates only.")] = None,
    model: ModelName = None,
    judge_model: Annotated[str | None, typer.Option(help="The model that judges, if another.")] = None,
    base_url: BaseUrl = DEFAULT_URL,
    effort: Effort = None,
    in_flight: InFlight = 16,
    timeout: Timeout = 120.0,
    prices: Prices = None,
    budget: Budget = None,
    results: Results = None,
    go_on: GoOn = False,
    dry_run: DryRun = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Build questions that can only be answered through a reference. Stages resume where they were.

    Example: `renvoi build crossref corpus -o bench --filter bm25 --k 10`

    With a model: `renvoi build crossref corpus -o bench --writer openai --judge openai --model NAME --dry-run`
    """
    from renvoi.crossref.build import STAGES, Job, Settings, build_crossref
    from renvoi.crossref.filter import default_filters
    from renvoi.crossref.models import Roles
    from renvoi.llm.calls import Model
    from renvoi.progress import say

    settings = Settings(
        writer=writer, judge=judge, filters=tuple(filters or default_filters()), held_out=tuple(held_out or ()), k=k,
        token_limit=token_limit, limit=limit,
    )  # fmt: skip
    names = [model, judge_model or model] if model else []
    models = [Model(name, base_url, effort=effort) for name in names]
    roles = Roles(
        writer=models[0] if models else None,
        judge=models[-1] if models else None,
        reach=make_reach(names, in_flight, timeout, prices, budget, results, dry_run, go_on),
    )
    job = Job(corpus, output, settings, roles)
    bench = build_crossref(job, stage=stage.value if stage else None, force=force)
    last = STAGES.index(stage.value) + 1 if stage else len(STAGES)
    done = [name for name in STAGES[: min(last, len(STAGES) - 1)] if job.work.has(name)]
    funnel = [job.work.state(name)["funnel"] for name in done]
    if as_json:
        print_json({"benchmark": str(output) if bench else None, "work": str(job.work.folder), "funnel": funnel})
        return
    for row in funnel:
        reasons = ", ".join(f"{reason} {n}" for reason, n in row["dropped"].items())
        say(f"{row['stage']:<10} {row['in']:>6} > {row['out']:<6} {reasons}")
    if bench:
        counts = bench.manifest["counts"]
        say(f"{output}: {counts['hard']} hard and {counts['control']} control questions over {counts['chunks']} chunks")
