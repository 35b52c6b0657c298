"""Which language models play the roles of a job, and how a stage asks them: live, or through batch files."""

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
from renvoi.llm.prompts import Prompt, read_prompt
from renvoi.progress import say

_PROMPTS = Path(__file__).parent / "prompts"


class Waiting(RenvoiError):
    """A stage cannot go on yet: a dry run, or a batch file that waits for its results. Its message says what to do."""


@dataclass(frozen=True, slots=True)
class Roles:
    """The models of a job and how they are reached."""

    writer: Model | None = None
    judge: Model | None = None
    limits: Limits = field(default_factory=Limits)
    prices: Mapping[str, Price] = field(default_factory=dict)  # by model name
    results: tuple[Path, ...] = ()  # batch results to read first
    dry_run: bool = False

    def model(self, role: str) -> Model:
        """Return the model of a role.

        Raises:
            RenvoiError: none is named.
        """
        found: Model | None = getattr(self, role)
        if found is None:
            raise RenvoiError(
                f"no model is named for the {role}; give --model NAME (and --base-url for your own server)"
            )
        return found


def load_prompt(role: str) -> Prompt:
    """Return the template of a role."""
    return read_prompt(_PROMPTS / f"{role}.md")


def answer(calls: Sequence[Call], role: str, by: str, roles: Roles, folder: Path) -> Mapping[str, Reply | Failure]:
    """Return a reply or failure for every call.

    Args:
        calls: of one role.
        role: "writer" or "judge".
        by: "openai" or "batch".
        roles: see `Roles`.
        folder: of the job; holds `replies.sqlite` and batch files.

    Raises:
        Waiting: it is a dry run, or replies are still to come through a batch file.
    """
    model = roles.model(role)
    with open_cache(folder / "replies.sqlite") as cache:
        for file in roles.results:
            read = read_results(file, model, cache)
            say(f"{file}: {read.new} new replies, {read.known} known, {read.failed} failed")
        open_ = [call for call in calls if cache.get(call_key(call, model)) is None]
        if roles.dry_run:
            told = estimate(open_, len(calls) - len(open_), model.max_tokens, roles.prices.get(model.name))
            raise Waiting(f"dry run, {role} {model.name}: {told.line()}")
        if by == "batch" and open_:
            file = folder / f"{role}.batch.jsonl"
            n = write_requests(file, open_, model, cache)
            raise Waiting(
                f"{n} requests for the {role} are in {file}; have them answered, then run the same command again with "
                "--results FILE"
            )
        if lost := cache.unsettled():
            say(f"{lost} requests had left when the last run was stopped; the server may have billed them")
        found, meter = ask(
            calls, model, cache, limits=roles.limits, price=roles.prices.get(model.name), what=f"{role} {model.name}"
        )
        if meter.calls:
            say(f"{role}: {meter.calls} new replies, {meter.line()}")
        return found
