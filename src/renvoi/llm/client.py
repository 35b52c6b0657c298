"""Ask many questions at once: so many in flight, retried with patience, within a budget, every reply kept at once."""

from __future__ import annotations

import asyncio
import os
import random
import ssl
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import httpx

from renvoi import progress
from renvoi.errors import RenvoiError
from renvoi.llm.cache import ReplyCache
from renvoi.llm.calls import Call, Failure, Model, Reply, call_key, reply_from, request_body
from renvoi.llm.cost import Meter, Price

_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_PATIENT = 2  # tries after which an endpoint that never answered is given up
_HOPELESS = frozenset({401, 403, 404})


class EndpointRefuses(RenvoiError):
    """The endpoint will answer no call: wrong key, wrong address or unknown model."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How hard to try."""

    in_flight: int = 16
    timeout_s: float = 120.0
    attempts: int = 6  # for one call
    retries: int | None = None  # for all calls together; None: 50 and one for every two calls
    wait_s: float = 1.0  # before the first retry; doubled each time, with jitter, at most 60 s
    budget: float | None = None  # money; no call is sent once it is spent


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
    spoiled: bool = False  # the endpoint does not know response_format
    found: dict[str, Reply | Failure] = field(default_factory=dict)


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
    run = _Run(model, cache, limits, meter, headers, httpx.create_ssl_context(), retries)
    queue = iter(list(calls.items()))
    with progress.counter(what, len(calls)) as count:
        workers = [asyncio.create_task(_work(run, queue, count)) for _ in range(min(limits.in_flight, len(calls)))]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
    return run.found


async def _work(run: _Run, queue: Iterator[tuple[str, Call]], count: Callable[[str], None]) -> None:
    # One client for each worker: a shared pool looks at all its connections before every request.
    async with httpx.AsyncClient(headers=run.headers, timeout=run.limits.timeout_s, verify=run.security) as client:
        for key, call in queue:
            budget = run.limits.budget
            if budget is not None and run.meter.cost >= budget:
                run.found[key] = Failure("over_budget", f"{run.meter.cost:.4f} spent")
            else:
                run.found[key] = await _ask_one(run, client, key, call)
            count(run.meter.line())


async def _ask_one(run: _Run, client: httpx.AsyncClient, key: str, call: Call) -> Reply | Failure:
    failure = Failure("connection")
    run.cache.mark_sent(key)
    for attempt in range(run.limits.attempts):
        if attempt:
            if run.retries_left <= 0:
                failure = replace(failure, note=f"{failure.note}; no retries are left".lstrip("; "))
                break
            run.retries_left -= 1
        answer, wait = await _send(run, client, key, call)
        if isinstance(answer, Reply):
            run.cache.put(key, run.model.name, answer)
            run.meter.add(answer)
            return answer
        failure = answer
        if wait is None:
            break
        if failure.reason == "connection" and attempt >= _PATIENT and not run.meter.calls:
            raise EndpointRefuses(
                f"{run.model.base_url} cannot be reached ({failure.note}); check --base-url and that the server runs"
            )
        patience = min(60.0, run.limits.wait_s * 2**attempt) * (0.5 + random.random() / 2)
        await asyncio.sleep(max(wait, patience) if attempt + 1 < run.limits.attempts else 0)
    run.cache.mark_settled([key])
    return failure


async def _send(run: _Run, client: httpx.AsyncClient, key: str, call: Call) -> tuple[Reply | Failure, float | None]:
    """Send one request; return what came, and how long to wait before trying again (None: do not)."""
    model = replace(run.model, enforce_schema=False) if run.spoiled else run.model
    url = f"{run.model.base_url.rstrip('/')}/chat/completions"
    try:
        # The key lets a server that knows it bill a request once that was cut off and sent again.
        response = await client.post(url, json=request_body(call, model), headers={"Idempotency-Key": key})
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
        reason = "rate_limited" if status == 429 else "server_error"
        return Failure(reason, f"HTTP {status}"), _retry_after(response)
    if status == 400 and "response_format" in response.text and not run.spoiled and call.schema is not None:
        run.spoiled = True  # older servers: ask without, the reply is validated in any case
        return Failure("refused", _said(response)), 0.0
    if status != 200:
        return Failure("refused", f"HTTP {status}: {_said(response)}"), None
    try:
        return reply_from(response.json()), None
    except ValueError as error:
        return Failure("broken_body", str(error)[:120]), 0.0


def _retry_after(response: httpx.Response) -> float:
    try:
        return min(120.0, float(response.headers.get("Retry-After", 0)))
    except ValueError:
        return 0.0


def _said(response: httpx.Response) -> str:
    return " ".join(response.text.split())[:160]
