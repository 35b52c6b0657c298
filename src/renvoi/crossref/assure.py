"""Stage assure: a judge answers four questions about each query; the verdict is computed from the answers here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from renvoi.crossref.filter import rank_targets
from renvoi.crossref.items import Candidate, Draft, Drop

# Each must be answered yes. The order is the order of the reasons.
CRITERIA: Mapping[str, str] = {
    "asks_target": "The query asks for a statement that the target makes, not one of its contexts.",
    "needs_context": "The target alone is not sufficient to see that it answers the query.",
    "sufficient": "The target, its contexts and its lead-ins together are sufficient to answer the query.",
    "rewards_context": "Knowing what the target cites brings the target up, rather than shared words.",
}
_WORD = re.compile(r"[^\W\d_]{3,}|\d+")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where the deterministic judge draws its lines; shares of the query's words."""

    asks_target: float = 0.10  # at least this share stands in the target
    needs_context: float = 0.80  # at most this share stands in the target
    sufficient: float = 0.75  # at least this share stands in target, contexts and lead-ins


def judge_by_overlap(
    drafts: Sequence[Draft],
    candidates: Mapping[str, Candidate],
    collection: pl.DataFrame,
    language: str,
    retriever: str = "bm25",
    thresholds: Thresholds = Thresholds(),
) -> list[Draft]:
    """Return the drafts with the deterministic judge's answers in marks["answers"].

    Args:
        drafts: to judge.
        candidates: by target id.
        collection: bare chunks.
        language: of the collection.
        retriever: whose ranks, with and without the contexts behind each target, answer the last criterion.
        thresholds: see `Thresholds`.
    """
    texts = dict(collection.select("id", "text").iter_rows())
    leads = {id: " ".join(lead_ins) for id, lead_ins in collection.select("id", "lead_ins").iter_rows()}
    cited = {id: " ".join(f"{leads[c]} {texts[c]}" for c in candidate.contexts) for id, candidate in candidates.items()}
    inlined = collection.with_columns(
        pl.Series("text", [f"{text} {cited.get(id, '')}" for id, text in collection.select("id", "text").iter_rows()])
    )
    bare = rank_targets(drafts, collection, language, retriever)
    deep = rank_targets(drafts, inlined, language, retriever)
    judged = []
    for draft in drafts:
        candidate = candidates[draft.target_id]
        words = _words(draft.text)
        alone = _covered(words, texts[candidate.id])
        together = _covered(words, " ".join((texts[candidate.id], cited[candidate.id], *candidate.implicit)))
        before, after = bare[draft.id], deep[draft.id]
        answers = {
            "asks_target": alone >= thresholds.asks_target,
            "needs_context": alone <= thresholds.needs_context,
            "sufficient": together >= thresholds.sufficient,
            "rewards_context": after is not None and (before is None or after < before or after == before == 1),
        }
        judged.append(replace(draft, marks={**draft.marks, "answers": answers, "judge": "overlap"}))
    return judged


def decide(drafts: Sequence[Draft]) -> tuple[list[Draft], list[Drop]]:
    """Return the drafts whose answers are all yes; the others are dropped for the first criterion answered no."""
    kept: list[Draft] = []
    drops: list[Drop] = []
    for draft in drafts:
        answers = draft.marks["answers"]
        failed = next((name for name in CRITERIA if not answers[name]), None)
        if failed:
            drops.append(Drop(draft.id, f"not_{failed}"))
        else:
            kept.append(draft)
    return kept, drops


def _words(text: str) -> set[str]:
    return {match[0].casefold()[:6] for match in _WORD.finditer(text)}  # the first six letters stand for the stem


def _covered(words: set[str], text: str) -> float:
    return len(words & _words(text)) / len(words) if words else 0.0
