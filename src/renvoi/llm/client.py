"""Ask many questions at once: so many in flight, retried with patience, within a budget, every reply kept at once."""

from __future__ import annotations

import asyncio
import heapq
import os
import random
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from renvoi import progress
from renvoi.errors import RenvoiError
from renvoi.llm.cache import ReplyCache
from renvoi.llm.calls import Call, Failure, Model, Reply, call_key, reply_from, request_body
from renvoi.llm.cost import Meter, Price

_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_PATIENT = 2  # tries after which an endpoint that never answered is given up
_HOPELESS = frozenset({401, 403, 404})
_REFUSALS = 10  # refused calls, none answered, after which the others would be refused too
# What some endpoints do not take, told by a word of their complaint; asked again without.
_SPARED = {"response_format": "response_format", "json_schema": "response_format",
           "max_completion_tokens": "max_tokens", "temperature": "temperature"}  # fmt: skip


class EndpointRefuses(RenvoiError):
    """The endpoint will answer no call: wrong key, wrong address, unknown model, or it takes no such request."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How hard to try."""

    in_flight: int = 16
    timeout_s: float = 120.0
    attempts: int = 6  # for one call
    retries: int | None = None  # for all calls together; None: 50 and one for every two calls
    wait_s: float = 1.0  # before the first retry; doubled each time, with jitter, at most 60 s
    budget: float | None = None  # money; no call is sent once it is spent


@dataclass(order=True)
class _Job:
    """One call on its way."""

    ready: float  # when it may be sent, by the monotonic clock
    key: str
    call: Call = field(compare=False)
    attempts: int = field(default=0, compare=False)
    failure: Failure = field(default=Failure("connection"), compare=False)


@dataclass
class _Run:
    """The state of one `ask`."""

    model: Model
    cache: ReplyCache
    limits: Limits
    meter: Meter
    headers: dict[str, str]
    security: ssl.SSLContext
    retries_left: int
    fresh: Iterator[_Job]
    again: list[_Job] = field(default_factory=list)  # a heap: what failed and is tried again, soonest first
    spared: frozenset[str] = frozenset()  # fields of the body that the endpoint does not take
    refusals: int = 0
    quiet_until: float = 0.0  # the server asked for silence
    found: dict[str, Reply | Failure] = field(default_factory=dict)

    def take(self) -> _Job | None:
        """Return what is to be sent next: what may be tried again before what is new, so that nothing is left last."""
        if self.again and self.again[0].ready <= time.monotonic():
            return heapq.heappop(self.again)
        job = next(self.fresh, None)
        return job if job is not None or not self.again else heapq.heappop(self.again)


def ask(
    calls: Sequence[Call],
    model: Model,
    cache: ReplyCache,
    *,
    limits: Limits = Limits(),
    price: Price | None = None,
    what: str = "asking",
    api_key: str | None = None,
) -> tuple[dict[str, Reply | Failure], Meter]:
    """Return a reply or a failure for every call, by the call's id, and what it cost.

    Replies come from the cache where it has them; new ones are in the cache before this returns, also when it is
    interrupted or killed. Calls that say the same are sent once.

    Args:
        calls: with different ids.
        model: see `Model`.
        cache: see `ReplyCache`.
        limits: see `Limits`.
        price: of the model, for the spend and the budget.
        what: said by the progress.
        api_key: the environment's OPENAI_API_KEY if None; may be empty for a local server.

    Raises:
        EndpointRefuses: no call will ever be answered.
        KeyboardInterrupt: the user stopped; what came is kept.
    """
    keys = {call.id: call_key(call, model) for call in calls}
    assert len(keys) == len(calls), "calls have different ids"
    known = {key: reply for key in set(keys.values()) if (reply := cache.get(key)) is not None}
    open_: dict[str, Call] = {}
    for call in calls:
        if keys[call.id] not in known:
            open_.setdefault(keys[call.id], call)
    meter = Meter(price)
    found: dict[str, Reply | Failure] = dict(known)
    if open_:
        key = os.environ.get("OPENAI_API_KEY", "") if api_key is None else api_key
        found |= asyncio.run(_ask_all(open_, model, cache, limits, meter, what, key))
    return {call.id: found[keys[call.id]] for call in calls}, meter


async def _ask_all(
    calls: dict[str, Call], model: Model, cache: ReplyCache, limits: Limits, meter: Meter, what: str, api_key: str
) -> dict[str, Reply | Failure]:
    retries = limits.retries if limits.retries is not None else 50 + len(calls) // 2
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    fresh = (_Job(0.0, key, call) for key, call in calls.items())
    run = _Run(model, cache, limits, meter, headers, httpx.create_ssl_context(), retries, fresh)
    with progress.counter(what, len(calls)) as count:
        workers = [asyncio.create_task(_work(run, count)) for _ in range(min(limits.in_flight, len(calls)))]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
    return run.found


async def _work(run: _Run, count: Callable[[str], None]) -> None:
    """Send one call after the other. What is to be tried again later is put back: waiting holds no place in flight."""
    # One client for each worker: a shared pool looks at all its connections before every request.
    async with httpx.AsyncClient(headers=run.headers, timeout=run.limits.timeout_s, verify=run.security) as client:
        while (job := run.take()) is not None:
            await asyncio.sleep(max(0.0, max(job.ready, run.quiet_until) - time.monotonic()))
            budget = run.limits.budget
            if budget is not None and run.meter.cost >= budget:
                run.found[job.key] = Failure("over_budget", f"{run.meter.cost:.4f} spent")
                run.cache.mark_settled([job.key])
            elif (ended := await _try(run, client, job)) is not None:
                run.found[job.key] = ended
            else:
                continue
            count(run.meter.line())


async def _try(run: _Run, client: httpx.AsyncClient, job: _Job) -> Reply | Failure | None:
    """Return how a call ended, or None where it is put back to be tried again."""
    if not job.attempts:
        run.cache.mark_sent(job.key)
    answer, wait = await _send(run, client, job)
    job.attempts += 1
    if isinstance(answer, Reply):
        run.cache.put(job.key, run.model.name, answer)
        run.meter.add(answer)
        return answer
    if answer.reason == "connection" and job.attempts > _PATIENT and not run.meter.calls:
        raise EndpointRefuses(
            f"{run.model.base_url} cannot be reached ({answer.note}); check --base-url and that the server runs"
        )
    if wait is None or job.attempts >= run.limits.attempts:
        run.cache.mark_settled([job.key])
        return answer
    if run.retries_left <= 0:
        run.cache.mark_settled([job.key])
        return Failure(answer.reason, f"{answer.note}; no retries are left".lstrip("; "))
    run.retries_left -= 1
    patience = min(60.0, run.limits.wait_s * 2 ** (job.attempts - 1)) * (0.5 + random.random() / 2)
    job.ready = time.monotonic() + max(wait, patience)
    if wait:  # the server asked for silence: nobody sends
        run.quiet_until = max(run.quiet_until, job.ready)
    if wait or answer.reason == "rate_limited":  # it has too much to do: this place in flight stays empty
        await asyncio.sleep(max(wait, patience))
    heapq.heappush(run.again, job)
    return None


async def _send(run: _Run, client: httpx.AsyncClient, job: _Job) -> tuple[Reply | Failure, float | None]:
    """Send one request; return what came, and how long to wait before trying again (None: do not)."""
    url = f"{run.model.base_url.rstrip('/')}/chat/completions"
    spared = run.spared
    body = _without(request_body(job.call, run.model), spared)
    try:
        # The key lets a server that knows it bill a request once that was cut off and sent again.
        response = await client.post(url, json=body, headers={"Idempotency-Key": job.key})
    except httpx.TimeoutException:
        return Failure("timeout", f"{run.limits.timeout_s:g} s"), 0.0
    except httpx.HTTPError as error:
        return Failure("connection", f"{type(error).__name__}: {error}".rstrip(": ")), 0.0
    status = response.status_code
    if status in _HOPELESS:
        raise EndpointRefuses(
            f"{url} answers {status} to the model {run.model.name!r}: {_said(response)}; check --base-url, --model and "
            "OPENAI_API_KEY"
        )
    if status in _RETRIED:
        return Failure("rate_limited" if status == 429 else "server_error", f"HTTP {status}"), _retry_after(response)
    if status == 400 and (name := _complained(response, body)):
        if name not in run.spared:
            progress.say(f"{url} takes no {name} ({_said(response)}); asked without")
        run.spared |= {name}
        job.attempts -= 1
        run.retries_left += 1
        return Failure("refused", _said(response)), 0.0
    if status != 200:
        run.refusals += 1
        if run.refusals >= _REFUSALS and not run.meter.calls:
            raise EndpointRefuses(
                f"{url} refused the first {run.refusals} calls: HTTP {status}: {_said(response)}; nothing more was sent"
            )
        return Failure("refused", f"HTTP {status}: {_said(response)}"), None
    try:
        completion = response.json()
    except ValueError:  # such as the page of a proxy
        return Failure("broken_body", f"no JSON: {_said(response)}"), 0.0
    try:
        return reply_from(completion), None
    except ValueError as error:
        return Failure("broken_body", str(error)[:160]), 0.0


def _without(body: dict[str, Any], spared: frozenset[str]) -> Mapping[str, Any]:
    """Return the body without what the endpoint does not take; newer models have another name for `max_tokens`."""
    kept = {name: value for name, value in body.items() if name not in spared}
    return {**kept, "max_completion_tokens": body["max_tokens"]} if "max_tokens" in spared else kept


def _complained(response: httpx.Response, body: Mapping[str, Any]) -> str | None:
    """Return the field of the body that the endpoint complains of, if it can be spared."""
    return next((name for word, name in _SPARED.items() if word in response.text and name in body), None)


def _retry_after(response: httpx.Response) -> float:
    """Return how many seconds the server asks to wait: it says a number, or a day and time (RFC 9110)."""
    said = response.headers.get("Retry-After", "0")
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return 0.0
    return min(120.0, max(0.0, seconds)) if seconds == seconds else 0.0


def _said(response: httpx.Response) -> str:
    return " ".join(response.text.split())[:160]
