"""What governs a reference from behind: "points (b) and (c) of the first subparagraph of paragraph 2"."""

from __future__ import annotations

from renvoi.cite._engine import Engine
from renvoi.cite._state import Chain, Draft, is_rooted
from renvoi.grammar import Level


def opens_parent(chain: Chain, level: Level) -> bool:
    """Tell whether a unit after "of" is one that the last reference lies in."""
    last = chain.drafts[-1]
    return last.steps[0][0].rank != level.rank and not is_rooted(last)


def governed_by(engine: Engine, chain: Chain, level: Level) -> list[Draft]:
    """Return the references, last first, that a unit after "of" governs."""
    governed: list[Draft] = []
    for draft in reversed(chain.drafts):
        top = draft.steps[0][0]
        if top.rank >= engine.article_rank > level.rank and draft.steps[0][0].absolute:
            continue  # "rozdziałów 5, 6, z wyłączeniem art. 171a, rozdziału 10 działu IV"
        if draft.closed or is_rooted(draft) or top.rank == level.rank:
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
