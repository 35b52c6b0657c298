"""Which references of a citation an act governs that is named behind them."""

from __future__ import annotations

import re

from renvoi.cite._engine import Engine
from renvoi.cite._state import Chain, Draft, Setting


def is_of_other_kind(engine: Engine, draft: Draft, last: Draft) -> bool:
    """Tell whether no act holds two references: "§ 12, stk. 1, artikel 4 i forordning (EU) nr. 575/2013"."""
    ours, theirs = draft.steps[0][0], last.steps[0][0]
    return ours is not theirs and ours.rank == theirs.rank == engine.article_rank


def reach(setting: Setting, chain: Chain) -> int:
    """Return the first reference that an act named after the last one governs.

    What stands before "jf." is the citing act's, unless what follows inherits from it ("§ 20 Abs. 1, auch in
    Verbindung mit Abs. 2, des Gesetzes X") or the citing act has no such section.
    """
    first = chain.group
    while 0 < first < len(chain.drafts):
        before = chain.drafts[first - 1]
        if before.closed or before.silent or before.steps[0] != chain.drafts[first].steps[0]:
            break
        first -= 1
    own, top = setting.numbers, setting.top
    first = max(first, _descent(setting, chain, first))
    loose = chain.drafts[:first]
    open_ = own and not setting.act and all(not d.closed and d.steps[0][0].name == top for d in loose)
    return 0 if open_ and any(is_strange(d, own) for d in loose) else first


def _descent(setting: Setting, chain: Chain, first: int) -> int:
    """Return where a list goes back to a lower section than the citing act's own before: another act's begin there.

    "§§ 58, 59 a og § 27 i lov om X": a list of one act's sections goes up.
    """
    own, start, reached = setting.numbers, first, 0
    for n, draft in enumerate(chain.drafts[first:], first):
        level, number = draft.steps[0]
        if level.name != setting.top or draft.closed or draft.scope != "act":
            return first
        at = leading_number(number)
        if at < reached and n not in chain.asides:
            start, reached = n, 0
        reached = max(reached, at)
    theirs = any(is_strange(draft, own) for draft in chain.drafts[first:start])
    return first if theirs or not own or setting.act is not None else start


def is_strange(draft: Draft, own: frozenset[str]) -> bool:
    """Tell whether an act has not the section that a reference is in, or ends at."""
    return draft.steps[0][1] not in own or (
        len(draft.steps) == 1 and draft.until is not None and draft.until not in own
    )


def leading_number(number: str) -> int:
    digits = re.match(r"\d+", number)
    return int(digits[0]) if digits else 0
