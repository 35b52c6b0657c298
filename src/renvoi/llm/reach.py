"""How a job reaches its language models: live, through batch files, or not at all (a dry run)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from renvoi.errors import RenvoiError
from renvoi.llm.batch import read_results, write_requests
from renvoi.llm.cache import open_cache
from renvoi.llm.calls import Call, Failure, Model, Reply, call_key
from renvoi.llm.client import Limits, ask
from renvoi.llm.cost import Price, estimate
from renvoi.progress import say


class Waiting(RenvoiError):
    """A job cannot go on yet: a dry run, or a batch file that waits for its results. Its message says what to do."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What holds for all calls of a job."""

    limits: Limits = field(default_factory=Limits)
    prices: Mapping[str, Price] = field(default_factory=dict)  # by model name
    results: tuple[Path, ...] = ()  # batch results to read first
    dry_run: bool = False


def answer(
    calls: Sequence[Call], role: str, by: str, model: Model, reach: Reach, folder: Path
) -> Mapping[str, Reply | Failure]:
    """Return a reply or failure for every call.

    Args:
        calls: of one role.
        role: its name, for messages and the batch file.
        by: "openai" or "batch".
        model: who is asked.
        reach: see `Reach`.
        folder: of the job; holds `replies.sqlite` and batch files.

    Raises:
        Waiting: it is a dry run, or replies are still to come through a batch file.
    """
    with open_cache(folder / "replies.sqlite") as cache:
        for file in reach.results:
            read = read_results(file, model, cache)
            say(f"{file}: {read.new} new replies, {read.known} known, {read.failed} failed")
        open_ = [call for call in calls if cache.get(call_key(call, model)) is None]
        if reach.dry_run:
            told = estimate(open_, len(calls) - len(open_), model.max_tokens, reach.prices.get(model.name))
            raise Waiting(f"dry run, {role} {model.name}: {told.line()}")
        if by == "batch" and open_:
            file = folder / f"{role}.batch.jsonl"
            n, files = write_requests(file, open_, model, cache)
            named = ", ".join(map(str, files))
            raise Waiting(
                f"{n} requests for the {role} are in {named}; have them answered, then run the same command again with "
                "--results FILE"
            )
        if lost := cache.unsettled():
            say(f"{lost} requests had left when the last run was stopped; the server may have billed them")
        found, meter = ask(
            calls, model, cache, limits=reach.limits, price=reach.prices.get(model.name), what=f"{role} {model.name}"
        )
        if meter.calls:
            say(f"{role}: {meter.calls} new replies, {meter.line()}")
        return found
