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
    """What a dry run says: about how much, with replies of usual length and a prefix cache, and the most it can be."""

    calls: int  # to be sent
    cached: int  # answered before, for nothing
    prompt_tokens: int
    repeated_tokens: int  # of the prompts: what an earlier call of this run began with
    likely_tokens: int  # of replies
    most_tokens: int
    likely: float | None  # money; None without a price
    most: float | None

    def line(self, currency: str = "USD") -> str:
        """Return it as one line."""
        money = (
            "price unknown, give --prices"
            if self.likely is None
            else f"about {self.likely:.2f} {currency}, at most {self.most:.2f} {currency}"
        )
        again = f" ({self.repeated_tokens:,} of them repeated)" if self.repeated_tokens else ""
        return (
            f"{self.calls:,} calls ({self.cached:,} more answered before), about {self.prompt_tokens:,} prompt "
            f"tokens{again} and {self.likely_tokens:,} reply tokens, at most {self.most_tokens:,}; {money}"
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


def estimate(
    calls: Sequence[Call], n_cached: int, max_tokens: int, price: Price | None, *, usual_tokens: int | None = None
) -> Estimate:
    """Return what calls that have no reply yet will cost, and what they cost at most.

    At most: nothing comes from a prefix cache, and every reply is as long as it may be.

    Args:
        calls: those to be sent.
        n_cached: how many more were answered before.
        max_tokens: of a reply.
        price: of the model, if known.
        usual_tokens: of a reply; default: `max_tokens`.
    """
    begun: set[tuple[str, str]] = set()
    prompt = repeated = 0
    for call in calls:
        first = count_tokens(call.system) + count_tokens(call.shared)
        prompt += first + count_tokens(call.user)
        repeated += first if (call.system, call.shared) in begun else 0
        begun.add((call.system, call.shared))
    likely, most = len(calls) * min(usual_tokens or max_tokens, max_tokens), len(calls) * max_tokens
    if price is None:
        return Estimate(len(calls), n_cached, prompt, repeated, likely, most, None, None)
    return Estimate(
        len(calls), n_cached, prompt, repeated, likely, most,
        likely=reply_cost(Reply("", "", prompt, likely, cached_tokens=repeated), price),
        most=reply_cost(Reply("", "", prompt, most), price),
    )  # fmt: skip


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
