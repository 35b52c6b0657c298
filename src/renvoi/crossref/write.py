"""Stage write: one question for each candidate, by templates or by a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from renvoi.crossref.items import Candidate, Draft, Drop
from renvoi.crossref.models import Roles, load_prompt
from renvoi.crossref.roles import Source, read_drafts, writer_calls
from renvoi.crossref.statements import Law
from renvoi.crossref.template import write_queries
from renvoi.errors import UnknownName
from renvoi.llm.calls import Model
from renvoi.llm.reach import answer
from renvoi.progress import track
from renvoi.store.manifest import hash_files

WRITERS = ("template", "openai", "batch")
JUDGES = ("overlap", "openai", "batch")


def write_drafts(
    candidates: Sequence[Candidate], law: Law, source: Source, writer: str, roles: Roles, folder: Path
) -> tuple[list[Draft], list[Drop]]:
    """Return the drafts, and a failure with its reason for every candidate without one.

    Raises:
        Waiting: see `llm.reach.answer`.
    """
    if writer not in WRITERS:
        raise UnknownName("writers", writer, WRITERS)
    if writer == "template":
        made = list(track(write_queries(candidates, law, source.language), "writing", len(candidates)))
    else:
        calls = writer_calls(candidates, source, load_prompt("writer"))
        replies = answer(calls, "writer", writer, roles.model("writer"), roles.reach, folder)
        made = read_drafts(candidates, replies, source.language, roles.model("writer").name)
    return drop_same([d for d in made if isinstance(d, Draft)], [d for d in made if isinstance(d, Drop)])


def role_identity(by: str, role: str, roles: Roles) -> Mapping[str, Any]:
    """Return what decides the words of a role: the hash of the templates, or model, settings and hash of the prompt."""
    if by == "template":
        return {"templates": template_hash()}
    if by == "overlap":
        return {}
    model: Model = roles.model(role)
    prompt = load_prompt(role)
    return {
        "model": model.name, "temperature": model.temperature, "effort": model.effort, "max_tokens": model.max_tokens,
        "prompt": f"{prompt.name} v{prompt.version}", "prompt_sha256": prompt.sha256,
    }  # fmt: skip


def template_hash() -> str:
    """Return a hash of the templates, so that changed ones are used at once."""
    folder = Path(__file__).parent
    return hash_files(sorted([*folder.glob("phrase_*.py"), folder / "statements.py", folder / "template.py"]))


def drop_same(drafts: Sequence[Draft], drops: Sequence[Drop]) -> tuple[list[Draft], list[Drop]]:
    """Drop every question that was made for two targets: neither is the answer."""
    counts: dict[str, int] = {}
    for draft in drafts:
        counts[draft.text.casefold()] = counts.get(draft.text.casefold(), 0) + 1
    same = {draft.id for draft in drafts if counts[draft.text.casefold()] > 1}
    more = [Drop(draft.id, "same_question") for draft in drafts if draft.id in same]
    return [draft for draft in drafts if draft.id not in same], [*drops, *more]
