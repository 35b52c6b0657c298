"""What is asked, what comes back, and how it is named: by the hash of all that can change the reply."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Model:
    """A model and how it is asked."""

    name: str
    base_url: str = "https://api.openai.com/v1"
    temperature: float | None = 0.0  # None: not sent, for models that take none
    effort: str | None = None  # reasoning effort, where a model knows it
    max_tokens: int = 1024  # of the reply
    enforce_schema: bool = True  # ask the server to enforce the schema; replies are validated in any case


@dataclass(frozen=True, slots=True)
class Call:
    """One question to a model."""

    id: str  # of what it is about: a chunk or query id
    system: str
    user: str
    schema: Mapping[str, Any] | None = None  # JSON Schema of the reply; None for plain text
    schema_name: str = "reply"
    shared: str = ""  # what many calls say before `user`: first, so that prefix caches pay, and one string in memory


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said."""

    text: str
    finish: str  # "stop", "length" …
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0  # of the prompt, as the server says


# Reasons of a `Failure`: no reply came. The same call may get one another time.
UNANSWERED = frozenset(
    {"timeout", "server_error", "rate_limited", "connection", "broken_body", "refused", "over_budget", "no_result"}
)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no reply that can be used.

    Reasons: `timeout`, `server_error`, `rate_limited`, `connection`, `broken_body`, `refused` (HTTP 4xx),
    `over_budget`, `no_result` (of a batch); and of a reply that came: see `replies.InvalidReply`.
    """

    reason: str
    note: str = ""


def request_body(call: Call, model: Model) -> dict[str, Any]:
    """Return the body of a chat completion request, the same for a live call and a batch file."""
    body: dict[str, Any] = {
        "model": model.name,
        "messages": [{"role": "system", "content": call.system}, {"role": "user", "content": call.shared + call.user}],
        "max_tokens": model.max_tokens,
    }
    if model.temperature is not None:
        body["temperature"] = model.temperature
    if model.effort is not None:
        body["reasoning_effort"] = model.effort
    if call.schema is not None and model.enforce_schema:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": call.schema_name, "strict": True, "schema": dict(call.schema)},
        }
    return body


def call_key(call: Call, model: Model) -> str:
    """Return the name of a call: a hash of everything that can change its reply, 64 hexadecimal digits.

    Where the endpoint stands is not part of it: the same model served elsewhere is the same model.
    """
    return hashlib.sha256(json.dumps(request_body(call, model), sort_keys=True).encode()).hexdigest()


def reply_from(body: Mapping[str, Any]) -> Reply:
    """Return the reply in a chat completion. Where the model refused, `finish` is "refusal" and the text says why.

    Raises:
        ValueError: it is none.
    """
    try:
        choice = body["choices"][0]
        message = choice["message"]
        refusal = message.get("refusal")
        usage = body.get("usage") or {}
        details = usage.get("prompt_tokens_details") or {}
        return Reply(
            text=str(refusal) if refusal else _text(message["content"]),
            finish="refusal" if refusal else str(choice.get("finish_reason") or "stop"),
            prompt_tokens=int(usage.get("prompt_tokens") or 0),
            completion_tokens=int(usage.get("completion_tokens") or 0),
            cached_tokens=int(details.get("cached_tokens") or 0),
        )
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        said = body.get("error") if isinstance(body, Mapping) else None  # some gateways send errors with status 200
        said = said.get("message", said) if isinstance(said, Mapping) else said
        raise ValueError(f"no chat completion: {said or repr(error)}") from error


def _text(content: Any) -> str:
    """Return the text of a message, which some servers send in parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""
