"""Prompt templates: files with a version, known by their hash.

A template is a Markdown file: `version: N`, then the jinja2 templates `## system`, `## shared` (how many calls begin
alike) and `## user`. Text of the law is put in as JSON strings (`| quote`): nothing it says can leave its quotes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from renvoi.errors import BadInput

_PARTS = re.compile(
    r"\Aversion: (?P<version>\d+)\n+## system\n(?P<system>.*?)\n"
    r"(?:## shared\n(?P<shared>.*?)\n)?## user\n(?P<user>.*)\Z",
    re.S,
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template for one role."""

    name: str
    version: int
    sha256: str
    system: str
    user: str
    shared: str = ""

    def fill_shared(self, values: Mapping[str, Any]) -> str:
        """Return what stands before the user message of many calls, "" where the template has no such part."""
        return _ENVIRONMENT.from_string(self.shared).render(values)

    def fill(self, values: Mapping[str, Any]) -> tuple[str, str]:
        """Return the system and user message.

        Raises:
            jinja2.UndefinedError: a value is missing.
        """
        return tuple(_ENVIRONMENT.from_string(part).render(values).strip() for part in (self.system, self.user))  # type: ignore[return-value]


def read_prompt(path: Path) -> Prompt:
    """Return the template in a file.

    Raises:
        BadInput: it has no version, or not both parts.
    """
    text = path.read_text(encoding="utf-8")
    match = _PARTS.match(text)
    if not match:
        raise BadInput(path, "is no prompt", "write 'version: N', then the parts '## system' and '## user'")
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Prompt(path.stem, int(match["version"]), digest, match["system"], match["user"], match["shared"] or "")


def quote(value: Any) -> str:
    """Return a value as JSON that also cannot close a tag: `<` and `>` are escaped."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c").replace(">", "\\u003e")


_ENVIRONMENT = jinja2.Environment(
    undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
)
_ENVIRONMENT.filters["quote"] = quote
