"""A model's text > a value, tolerant of how it is wrapped and strict about what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from renvoi.errors import RenvoiError
from renvoi.llm.calls import Reply

_FENCE = re.compile(r"```[a-zA-Z]*\s*\n?(.*?)```", re.S)
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.S)  # servers that do not part thoughts from replies
_DECLINED = frozenset({"content_filter", "refusal"})
_MARKER = re.compile(r"<\s*[A-Z_]{3,}\s*>|^\s*\[?(?:ERROR|FAILURE|FAILED)\b", re.M)
_TRAILING_COMMA = re.compile(r",(\s*[\]}])")


class InvalidReply(RenvoiError):
    """A reply came and cannot be used.

    `reason` is one of: `truncated`, `declined` (the model or a filter refused), `empty`, `marker` (a failure marker of
    some other tool), `not_json`, `schema_mismatch`, and what a role checks: `unknown_context_id`, `wrong_language`,
    `names_an_address`, `many_questions`, `contradicts_itself` …
    """

    def __init__(self, reason: str, note: str = "") -> None:
        self.reason = reason
        self.note = note
        super().__init__(f"{reason}: {note}" if note else reason)


def read_text(reply: Reply) -> str:
    """Return a plain-text reply, without what the model thought aloud before it.

    Raises:
        InvalidReply: it was cut, is empty, a refusal or a failure marker.
    """
    if reply.finish == "length":
        raise InvalidReply("truncated", f"{reply.completion_tokens} tokens")
    if reply.finish in _DECLINED:
        raise InvalidReply("declined", reply.text[:80] or reply.finish)
    text = _THOUGHT.sub("", reply.text, count=1).strip()
    if text.startswith("<think>"):
        raise InvalidReply("truncated", "thinking did not end")
    if not text:
        raise InvalidReply("empty")
    if match := _MARKER.search(text):
        raise InvalidReply("marker", match[0].strip())
    return text


def read_json(reply: Reply, schema: Mapping[str, Any]) -> Any:
    """Return the value of a JSON reply.

    Fences, words around it and trailing commas are tolerated, numbers in quotes become numbers where the schema wants
    them; a key or item that is missing, too many or of another kind is not.

    Raises:
        InvalidReply: it cannot be read, or is not what the schema says.
    """
    text = read_text(reply)
    value = _parse(text)
    return conform(value, schema, "reply")


def conform(value: Any, schema: Mapping[str, Any], where: str) -> Any:
    """Return a value as a JSON Schema wants it.

    Known of JSON Schema: type, enum, properties, required, additionalProperties, items, minItems, maxItems, minLength;
    and of ours `aliases`, other names that are accepted for properties.

    Raises:
        InvalidReply: it is something else; the note says where.
    """
    kind = schema.get("type")
    if kind == "object":
        return _object(value, schema, where)
    if kind == "array":
        return _array(value, schema, where)
    value = _scalar(value, str(kind), where)
    if "enum" in schema and value not in schema["enum"]:
        raise InvalidReply("schema_mismatch", f"{where} is {value!r}, not one of {schema['enum']}")
    if isinstance(value, str) and len(value.strip()) < schema.get("minLength", 0):
        raise InvalidReply("schema_mismatch", f"{where} is too short")
    return value


def _parse(text: str) -> Any:
    candidates = [text, *(match[1] for match in _FENCE.finditer(text))]
    first = min((i for i in (text.find("{"), text.find("[")) if i >= 0), default=-1)
    if first >= 0:
        last = text.rfind("}" if text[first] == "{" else "]")
        candidates.append(text[first : last + 1])
    for candidate in candidates:
        for form in (candidate, _TRAILING_COMMA.sub(r"\1", candidate)):
            try:
                return json.loads(form)
            except ValueError:
                continue
    raise InvalidReply("not_json", text[:80])


def _object(value: Any, schema: Mapping[str, Any], where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidReply("schema_mismatch", f"{where} is no object")
    properties: Mapping[str, Any] = schema["properties"]
    aliases: Mapping[str, str] = schema.get("aliases", {})
    value = {aliases.get(name, name): item for name, item in value.items()}
    missing = [name for name in schema.get("required", properties) if name not in value]
    extra = [name for name in value if name not in properties]
    if missing or (extra and schema.get("additionalProperties") is False):
        raise InvalidReply("schema_mismatch", f"{where} lacks {missing} and has {extra} too many")
    return {name: conform(value[name], properties[name], f"{where}.{name}") for name in properties if name in value}


def _array(value: Any, schema: Mapping[str, Any], where: str) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidReply("schema_mismatch", f"{where} is no list")
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        raise InvalidReply("schema_mismatch", f"{where} has {len(value)} items")
    return [conform(item, schema["items"], f"{where}[{i}]") for i, item in enumerate(value)]


def _scalar(value: Any, kind: str, where: str) -> Any:
    if kind == "integer" and isinstance(value, str) and re.fullmatch(r"\s*-?\d+\s*", value):
        return int(value)
    if kind == "boolean" and isinstance(value, str) and value.strip().lower() in ("true", "false", "yes", "no"):
        return value.strip().lower() in ("true", "yes")
    if kind == "string" and isinstance(value, str):
        return value
    if (kind == "integer" and isinstance(value, int) and not isinstance(value, bool)) or (
        kind == "boolean" and isinstance(value, bool)
    ):
        return value
    raise InvalidReply("schema_mismatch", f"{where} is {value!r}, no {kind}")
