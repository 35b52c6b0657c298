"""Tokens and money: what a run will cost, and what it has cost."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from renvoi.errors import BadInput
from renvoi.llm.calls import Call, Reply

# Measured on Danish, Polish and English law with common tokenisers: 3.2 to 4.3 characters a token.
_CHARS_PER_TOKEN = 3.5


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in one currency per million tokens."""

    input: float
    output: float
    cached_input: float | None = None  # of tokens that the server had in its prefix cache


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a dry run says."""

    calls: int  # to be sent
    cached: int  # answered before, for nothing
    prompt_tokens: int
    completion_tokens: int  # at most
    cost: float | None  # at most; None without a price

    def line(self, currency: str = "USD") -> str:
        """Return it as one line."""
        money = "price unknown, give --prices" if self.cost is None else f"at most {self.cost:.2f} {currency}"
        return (
            f"{self.calls} calls ({self.cached} more answered before), about {self.prompt_tokens} prompt tokens, "
            f"at most {self.completion_tokens} reply tokens, {money}"
        )


class Meter:
    """Adds up what replies cost."""

    def __init__(self, price: Price | None) -> None:
        self.price = price
        self.calls = self.prompt_tokens = self.completion_tokens = self.cached_tokens = 0
        self.cost = 0.0

    def add(self, reply: Reply) -> None:
        """Count one reply."""
        self.calls += 1
        self.prompt_tokens += reply.prompt_tokens
        self.completion_tokens += reply.completion_tokens
        self.cached_tokens += reply.cached_tokens
        if self.price:
            self.cost += reply_cost(reply, self.price)

    def line(self, currency: str = "USD") -> str:
        """Return what was spent, as one line."""
        money = f", {self.cost:.4f} {currency}" if self.price else ""
        return f"{self.prompt_tokens} + {self.completion_tokens} tokens{money}"


def reply_cost(reply: Reply, price: Price) -> float:
    """Return what one reply cost.

    >>> reply_cost(Reply("", "stop", 1_000_000, 0, cached_tokens=500_000), Price(2.0, 8.0, 1.0))
    1.5
    """
    cached = reply.cached_tokens if price.cached_input is not None else 0
    full = (reply.prompt_tokens - cached) * price.input + reply.completion_tokens * price.output
    return (full + cached * (price.cached_input or 0.0)) / 1e6


def estimate(calls: Sequence[Call], n_cached: int, max_tokens: int, price: Price | None) -> Estimate:
    """Return what calls that have no reply yet will cost at most.

    Args:
        calls: those to be sent.
        n_cached: how many more were answered before.
        max_tokens: of a reply.
        price: of the model, if known.
    """
    prompt = sum(count_tokens(call.system) + count_tokens(call.shared) + count_tokens(call.user) for call in calls)
    most = max_tokens * len(calls)
    cost = None if price is None else (prompt * price.input + most * price.output) / 1e6
    return Estimate(len(calls), n_cached, prompt, most, cost)


def count_tokens(text: str) -> int:
    """Return about how many tokens a text has; no tokeniser is asked."""
    return round(len(text) / _CHARS_PER_TOKEN) + 1


def read_prices(path: Path | None, models: Iterable[str]) -> dict[str, Price]:
    """Return the prices of models from a TOML file: a table a model, `input`, `output`, optionally `cached_input`.

    Raises:
        BadInput: the file cannot be read, or a table lacks a price.
    """
    if path is None:
        return {}
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise BadInput(path, f"cannot be read as a price file ({error})") from None
    prices = {}
    for name in models:
        if name not in tables:
            continue
        row = tables[name]
        try:
            cached = row.get("cached_input")
            prices[name] = Price(float(row["input"]), float(row["output"]), None if cached is None else float(cached))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise BadInput(
                path, f"the table {name!r} has no price", 'write: ["model"] input = 0.15 output = 0.60'
            ) from None
    return prices
