"""How a job reaches its language models: live, through batch files, or not at all (a dry run)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from renvoi.errors import RenvoiError
from renvoi.llm.batch import read_results, write_requests
from renvoi.llm.cache import ReplyCache, open_cache
from renvoi.llm.calls import Call, Failure, Model, Reply, call_key
from renvoi.llm.client import Limits, ask
from renvoi.llm.cost import Price, estimate, reply_cost
from renvoi.progress import say

# Tokens of a usual reply, for dry runs. A question with its ids; four answers with a sentence each; two sentences.
USUAL_TOKENS: Mapping[str, int] = {"writer": 80, "judge": 200, "contextualiser": 120}


class OverBudget(RenvoiError):
    """The budget of a job is spent; what was answered is kept."""


class Waiting(RenvoiError):
    """A job cannot go on yet: a dry run, or a batch file that waits for its results. Its message says what to do."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What holds for all calls of a job."""

    limits: Limits = field(default_factory=Limits)
    prices: Mapping[str, Price] = field(default_factory=dict)  # by model name
    results: tuple[Path, ...] = ()  # batch results to read first
    dry_run: bool = False
    go_on: bool = False  # without the requests of batch files that no results answer


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
        OverBudget: the budget is spent. It is the job's: of all its roles, and of the runs before.
    """
    with open_cache(folder / "replies.sqlite") as cache:
        for file in reach.results:
            read = read_results(file, model, cache)
            say(f"{file}: {read.new} new replies, {read.known} known, {read.failed} failed")
        open_ = [call for call in calls if cache.get(call_key(call, model)) is None]
        if reach.dry_run:
            told = estimate(
                open_, len(calls) - len(open_), model.max_tokens, reach.prices.get(model.name),
                usual_tokens=USUAL_TOKENS.get(role),
            )  # fmt: skip
            raise Waiting(f"dry run, {role} {model.name}: {told.line()}")
        if by == "batch" and open_:
            if reach.go_on and len(open_) < len(calls):  # a role that was never answered is not gone without
                say(f"{role}: going on without {len(open_)} of {len(calls)} replies")
                return {call.id: cache.get(call_key(call, model)) or Failure("no_result") for call in calls}
            file = folder / f"{role}.batch.jsonl"
            n, files = write_requests(file, open_, model, cache)
            named = ", ".join(map(str, files))
            known = len(calls) - len(open_)
            more, or_else = (f" ({known} more are answered)", ", or with --go-on") if known else ("", "")
            raise Waiting(
                f"{n} requests for the {role} are in {named}{more}; have them answered, then run the same command "
                f"again with --results FILE{or_else}"
            )
        if lost := cache.unsettled():
            say(f"{lost} requests had left when the last run was stopped; the server may have billed them")
        limits, spent = reach.limits, 0.0
        if limits.budget is not None:
            spent = _spent(cache, reach.prices)
            limits = replace(limits, budget=max(0.0, limits.budget - spent))
        found, meter = ask(
            calls, model, cache, limits=limits, price=reach.prices.get(model.name), what=f"{role} {model.name}"
        )
        if meter.calls:
            say(f"{role}: {meter.calls} new replies, {meter.line()}")
        _check_ends(found, role, reach.limits.budget, spent + meter.cost)
        return found


def count_spent(folder: Path, prices: Mapping[str, Price]) -> dict[str, float | None]:
    """Return the tokens of all replies of a job, and what they cost; None where a model has no price."""
    with open_cache(folder / "replies.sqlite") as cache:
        held = list(cache.replies())
        return {
            "prompt_tokens": sum(reply.prompt_tokens for _, reply in held),
            "cached_tokens": sum(reply.cached_tokens for _, reply in held),
            "completion_tokens": sum(reply.completion_tokens for _, reply in held),
            "cost": round(_spent(cache, prices), 6) if all(model in prices for model, _ in held) else None,
        }


def _spent(cache: ReplyCache, prices: Mapping[str, Price]) -> float:
    """Return what the replies of a job have cost, by the prices that are known."""
    return sum(reply_cost(reply, prices[model]) for model, reply in cache.replies() if model in prices)


def _check_ends(found: Mapping[str, Reply | Failure], role: str, budget: float | None, spent: float) -> None:
    """Tell how many calls have no reply.

    Raises:
        OverBudget: some were not sent.
    """
    reasons = Counter(end.reason for end in found.values() if isinstance(end, Failure))
    if unsent := reasons.pop("over_budget", 0):
        raise OverBudget(
            f"the budget of {budget:g} is spent ({spent:.4f} by this job so far): {len(found) - unsent} of "
            f"{len(found)} calls of the {role} are done and kept; run the same command again with a larger --budget"
        )
    if reasons:
        said = ", ".join(f"{reason} {n}" for reason, n in reasons.most_common())
        say(f"{role}: {reasons.total()} calls have no reply ({said}); the same command with --force asks them again")
