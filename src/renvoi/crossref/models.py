"""Which language models play the roles of a job, and with which prompts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from renvoi.errors import RenvoiError
from renvoi.llm.calls import Model
from renvoi.llm.prompts import Prompt, read_prompt
from renvoi.llm.reach import Reach

_PROMPTS = Path(__file__).parent / "prompts"


@dataclass(frozen=True, slots=True)
class Roles:
    """The models of a job and how they are reached."""

    writer: Model | None = None
    judge: Model | None = None
    reach: Reach = field(default_factory=Reach)

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
