"""Stage write: one question for each candidate, by templates or by a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from renvoi.crossref.items import Candidate, Draft, Drop
from renvoi.crossref.statements import Law
from renvoi.crossref.template import write_queries
from renvoi.errors import RenvoiError
from renvoi.progress import track
from renvoi.store.manifest import hash_files


@dataclass(frozen=True, slots=True)
class Writing:
    """How the language models of a job are reached."""

    def identity(self, by: str, role: str) -> Mapping[str, Any]:
        """Return what of this changes a role's replies."""
        return {"templates": template_hash()} if by == "template" else {}

    def provenance(self, settings: object) -> Mapping[str, Any]:
        """Return models and prompt hashes for the manifest."""
        return {}


def write_drafts(
    candidates: Sequence[Candidate],
    law: Law,
    collection: pl.DataFrame,
    language: str,
    writer: str,
    writing: Writing,
    folder: Path,
) -> tuple[list[Draft], list[Drop]]:
    """Return the drafts, and a failure with its reason for every candidate without one."""
    if writer != "template":
        raise RenvoiError(f"no writer is named {writer!r}; there are: template")
    made = list(track(write_queries(candidates, law, language), "writing", len(candidates)))
    return drop_same([d for d in made if isinstance(d, Draft)], [d for d in made if isinstance(d, Drop)])


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
