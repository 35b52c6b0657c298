"""`renvoi build crossref`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from renvoi.cli._app import AsJson, Force, build, print_json


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
        list[str] | None, typer.Option("--filter", help="A retriever that must miss the target; repeatable [bm25].")
    ] = None,
    held_out: Annotated[list[str] | None, typer.Option(help="A retriever named in the card as not used.")] = None,
    k: Annotated[int, typer.Option(min=1, help="The target must rank below this.")] = 10,
    token_limit: Annotated[int, typer.Option(min=50, help="Words of a target with all it cites.")] = 4000,
    limit: Annotated[int | None, typer.Option(min=1, help="Write for so many candidates only.")] = None,
    model: Annotated[str | None, typer.Option(help="The model that writes (and judges).")] = None,
    judge_model: Annotated[str | None, typer.Option(help="The model that judges, if another.")] = None,
    base_url: Annotated[
        str, typer.Option(envvar="OPENAI_BASE_URL", help="Any OpenAI-compatible endpoint; the key is OPENAI_API_KEY.")
    ] = "https://api.openai.com/v1",
    effort: Annotated[str | None, typer.Option(help="Reasoning effort, where the model knows it.")] = None,
    in_flight: Annotated[int, typer.Option(min=1, help="Requests at the same time.")] = 16,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one request.")] = 120.0,
    prices: Annotated[
        Path | None, typer.Option(help="TOML: a table a model, input and output a million tokens.")
    ] = None,
    budget: Annotated[
        float | None, typer.Option(min=0, help="Stop sending once so much is spent; needs --prices.")
    ] = None,
    results: Annotated[list[Path] | None, typer.Option(help="Batch results to read first; repeatable.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how many calls, tokens and what cost; send none.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Build questions that can only be answered through a reference. Stages resume where they were.

    Example: `renvoi build crossref corpus -o bench --filter bm25 --k 10`

    With a model: `renvoi build crossref corpus -o bench --writer openai --judge openai --model NAME --dry-run`
    """
    from renvoi.crossref.build import STAGES, Job, Settings, build_crossref
    from renvoi.crossref.models import Roles
    from renvoi.llm.calls import Model
    from renvoi.llm.client import Limits
    from renvoi.llm.cost import read_prices
    from renvoi.progress import say

    settings = Settings(
        writer=writer, judge=judge, filters=tuple(filters or ("bm25",)), held_out=tuple(held_out or ()), k=k,
        token_limit=token_limit, limit=limit,
    )  # fmt: skip
    names = [name for name in (model, judge_model or model) if name]
    models = [Model(name, base_url, effort=effort) for name in names]
    roles = Roles(
        writer=models[0] if model else None,
        judge=models[-1] if models else None,
        limits=Limits(in_flight=in_flight, timeout_s=timeout, budget=budget),
        prices=read_prices(prices, names),
        results=tuple(results or ()),
        dry_run=dry_run,
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
