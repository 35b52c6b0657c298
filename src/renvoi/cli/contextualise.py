"""`renvoi contextualise`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from renvoi.cli._app import AsJson, Force, app, print_json
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


@app.command()
def contextualise(
    bench: Annotated[Path, typer.Argument(help="A benchmark folder.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder of contexts to write.")],
    by: Annotated[
        str, typer.Option("--with", help="headings, openai, batch, or another way on the shelf.")
    ] = "headings",
    limit: Annotated[int | None, typer.Option(min=1, help="The first so many chunks only, to try a model.")] = None,
    window: Annotated[int, typer.Option(min=500, help="Tokens of an act read at once.")] = 32_000,
    overlap: Annotated[int, typer.Option(min=0, help="Tokens that two windows share.")] = 8_000,
    model: ModelName = None,
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
    """Say of each chunk what stands around it, for retrieval to read.

    Example: `renvoi contextualise bench --with openai --model NAME --base-url http://localhost:8000/v1 -o contexts`
    """
    import polars as pl

    from renvoi import contexts, registry, store
    from renvoi.errors import OutputExists, RenvoiError
    from renvoi.llm.calls import Model
    from renvoi.llm.reach import Waiting, count_spent
    from renvoi.progress import say
    from renvoi.store.manifest import hash_files, make_manifest

    if output.exists() and not force and not dry_run:
        raise OutputExists(output)
    way = "openai" if by == "batch" else by
    maker = registry.load("contexts", way)
    options: dict[str, Any] = {"limit": limit}
    settings: dict[str, Any] = {"with": way, "limit": limit}
    if way == "openai":
        if model is None:
            raise RenvoiError(f"--with {by} needs a model; give --model NAME (and --base-url for your own server)")
        from renvoi.contexts.openai import load_prompt

        prompt = load_prompt()
        options |= {
            "model": Model(model, base_url, effort=effort, max_tokens=400), "by": by, "window": window,
            "overlap": overlap,
            "reach": make_reach([model], in_flight, timeout, prices, budget, results, dry_run, go_on),
            "folder": output.with_name(output.name + ".work"),
        }  # fmt: skip
        settings |= {
            "model": model, "effort": effort, "window": window, "overlap": overlap, "prompt_sha256": prompt.sha256,
            "prompt": f"{prompt.name} v{prompt.version}",
        }  # fmt: skip
    try:
        made = maker(store.read_benchmark(bench), options)
    except Waiting as waiting:
        say(str(waiting))
        return
    failed = dict(made.drop_nulls("reason").group_by("reason").len().sort("reason").iter_rows())
    counts: dict[str, Any] = {
        "chunks": made.height,
        "contexts": made.filter(pl.col("context").fill_null("") != "").height,
        "failed": failed,
    }
    if way == "openai":
        counts["spent"] = count_spent(options["folder"], options["reach"].prices)
    inputs = {"benchmark": hash_files([bench / "chunks.parquet"])}
    contexts.write_contexts(output, made, make_manifest("contexts", settings, inputs, counts), force=force)
    if as_json:
        print_json({"contexts": str(output), **counts})
        return
    reasons = ", ".join(f"{reason} {n}" for reason, n in failed.items())
    say(
        f"{output}: {counts['contexts']} contexts for {made.height} chunks" + (f"; failed: {reasons}" if failed else "")
    )
