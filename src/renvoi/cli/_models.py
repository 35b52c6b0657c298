"""The options of every command that asks a language model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from renvoi.llm.reach import Reach

DEFAULT_URL = "https://api.openai.com/v1"

ModelName = Annotated[str | None, typer.Option(help="The model that is asked.")]
BaseUrl = Annotated[
    str, typer.Option(envvar="OPENAI_BASE_URL", help="Any OpenAI-compatible endpoint; the key is OPENAI_API_KEY.")
]
Effort = Annotated[str | None, typer.Option(help="Reasoning effort, where the model knows it.")]
InFlight = Annotated[int, typer.Option(min=1, help="Requests at the same time.")]
Timeout = Annotated[float, typer.Option(min=0.1, help="Seconds for one request.")]
Prices = Annotated[Path | None, typer.Option(help="TOML: a table a model, input and output a million tokens.")]
Budget = Annotated[float | None, typer.Option(min=0, help="Stop sending once so much is spent; needs --prices.")]
Results = Annotated[list[Path] | None, typer.Option(help="Batch results to read first; repeatable.")]
GoOn = Annotated[bool, typer.Option("--go-on", help="Go on without the batch requests that no results answer.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say how many calls, tokens and what cost; send none.")]


def make_reach(
    models: Sequence[str],
    in_flight: int,
    timeout: float,
    prices: Path | None,
    budget: float | None,
    results: Sequence[Path] | None,
    dry_run: bool,
    go_on: bool = False,
) -> Reach:
    """Return how the models are reached.

    Raises:
        typer.BadParameter: a budget is given for a model without a price.
    """
    from renvoi.llm.client import Limits
    from renvoi.llm.cost import read_prices
    from renvoi.llm.reach import Reach

    known = read_prices(prices, models)
    unpriced = sorted(set(models) - known.keys())
    if budget is not None and unpriced:
        raise typer.BadParameter(f"--budget needs the price of {', '.join(unpriced)}; give it with --prices FILE")
    limits = Limits(in_flight=in_flight, timeout_s=timeout, budget=budget)
    return Reach(limits, known, tuple(results or ()), dry_run, go_on)
