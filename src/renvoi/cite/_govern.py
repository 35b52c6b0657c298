"""What governs a reference from behind: "points (b) and (c) of the first subparagraph of paragraph 2"."""

from __future__ import annotations

from renvoi.cite._engine import Engine
from renvoi.cite._state import Chain, Draft, is_rooted
from renvoi.grammar import Level


def opens_parent(engine: Engine, chain: Chain, level: Level, number: str) -> bool:
    """Tell whether a unit after "of" is one that the last reference lies in."""
    last = chain.drafts[-1]
    if _holds_alike(last, level, number) or _is_annex_of(last, level) or _is_division_of(engine, last, level):
        return True
    return last.steps[0][0].rank != level.rank and not is_rooted(last)


def _holds_alike(draft: Draft, level: Level, number: str) -> bool:
    """Tell whether a unit holds one of its own level: "point (d) of point 1"."""
    lies = draft.steps[0][0] is level and len(draft.steps) == 1 and not is_rooted(draft)
    return lies and not draft.steps[0][1][:1].isdigit() and number[:1].isdigit()


def _is_annex_of(draft: Draft, level: Level) -> bool:
    """Tell whether an annex holds an article or part of its own: "Article 2 of the Annex to Recommendation …"."""
    return level.name == "annex" and draft.steps[0][0].name in ("art", "part") and not draft.closed


def _is_division_of(engine: Engine, draft: Draft, level: Level) -> bool:
    """Tell whether a division lies in a higher one: "Chapter 4 of Title V of Part Three"."""
    return level.rank < draft.steps[0][0].rank < engine.article_rank and not draft.closed


def governed_by(engine: Engine, chain: Chain, level: Level, number: str = "") -> list[Draft]:
    """Return the references, last first, that a unit after "of" governs."""
    governed: list[Draft] = []
    last = chain.drafts[-1] if chain.drafts else None
    if number and last is not None and (_holds_alike(last, level, number) or _is_annex_of(last, level)):
        return [draft for draft in reversed(chain.drafts) if draft.unit == last.unit]
    for draft in reversed(chain.drafts):
        top = draft.steps[0][0]
        if top.rank >= engine.article_rank > level.rank and draft.steps[0][0].absolute:
            continue  # "rozdziałów 5, 6, z wyłączeniem art. 171a, rozdziału 10 działu IV"
        if draft.closed or top.rank == level.rank or (is_rooted(draft) and not _is_division_of(engine, draft, level)):
            break
        governed.append(draft)
    return governed


def settle_parent(chain: Chain) -> None:
    """Put the parent that was read before the references that wait for it."""
    parent = chain.parent
    if parent is None:
        return
    for draft in chain.pending:
        draft.steps = [*parent.steps, *draft.steps]
        draft.scope = parent.scope
        draft.end = max(draft.end, parent.end) if draft is chain.pending[0] else draft.end
        draft.governed = parent.steps[0][0].absolute or parent.scope == "mentioned"
    chain.drafts.remove(parent)
    chain.parent, chain.pending = None, []
