"""Answers of several reviewers > how valid the queries are, and how far the reviewers agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import sqrt

from renvoi.evaluate import compare
from renvoi.figures import Sheet
from renvoi.pincite.annotations import cohen_kappa
from renvoi.review.sample import LABELS
from renvoi.review.sheet import verdict
from renvoi.review.store import ADJUDICATOR, Answers, ReviewStore
from renvoi.review.verdicts import final_answers
from renvoi.types import Benchmark

VALID = "valid"  # all criteria answered yes


def agree(review: ReviewStore, bench: Benchmark) -> tuple[Sheet, ...]:
    """Return four tables: final answers with intervals, agreement by pair of reviewers, labels, progress.

    Which answers are final: see `final_answers`. What is not is counted as open.
    """
    names = review.reviewers()
    given = {name: review.answers(name) for name in names}
    ids = [item.query_id for item in review.items]
    final = final_answers(ids, list(review.criteria), given, review.answers(ADJUDICATOR))
    sets = {query.id: str(query.extra.get("set", "")) for query in bench.queries}
    progress = tuple((name, done, len(review.items)) for name, done in review.progress().items())
    return (
        _rates(review, final, sets),
        _pairs(review, given),
        _labels(given),
        Sheet("review_progress", "Progress", ("reviewer", "items answered", "of"), progress),
    )


def kappa_interval(pairs: Sequence[tuple[bool, bool]]) -> tuple[float, float] | None:
    """Return the 95 % interval of Cohen's kappa; None where kappa is undefined.

    The hull of two: the large-sample one (Fleiss, Cohen and Everitt 1969, their formula for a kappa that is not 0) and
    Cohen's (1960), which moves the observed agreement and holds the agreement by chance, here with the exact ends of
    the former. The first alone has width 0 where all agree, however few they are.
    """
    value = cohen_kappa(pairs)
    if value is None:
        return None
    n = len(pairs)
    share = {(a, b): sum(pair == (a, b) for pair in pairs) / n for a in (False, True) for b in (False, True)}
    rows = {a: share[a, False] + share[a, True] for a in (False, True)}
    columns = {b: share[False, b] + share[True, b] for b in (False, True)}
    chance = sum(rows[a] * columns[a] for a in rows)
    observed = share[False, False] + share[True, True]
    on = sum(share[a, a] * ((1 - chance) - (columns[a] + rows[a]) * (1 - observed)) ** 2 for a in rows)
    off = (1 - observed) ** 2 * sum(share[a, b] * (columns[a] + rows[b]) ** 2 for a in rows for b in columns if a != b)
    variance = max(0.0, on + off - (observed * chance - 2 * chance + observed) ** 2) / (n * (1 - chance) ** 4)
    half = 1.959964 * sqrt(variance)
    low, high = ((end - chance) / (1 - chance) for end in compare.exact(round(observed * n), n))
    return max(-1.0, min(value - half, low)), min(1.0, max(value + half, high))


def _rates(review: ReviewStore, final: Mapping[str, dict[str, str]], sets: Mapping[str, str]) -> Sheet:
    names = [*review.criteria, VALID]
    groups = sorted({sets.get(query_id, "") for query_id in final})
    rows: list[tuple[str | int | float | None, ...]] = []
    for group in [None, *groups] if len(groups) > 1 else [None]:
        members = [row for query_id, row in final.items() if group is None or sets.get(query_id, "") == group]
        for name in names:
            answers = [yes for row in members if (yes := _said(row, name, list(review.criteria))) is not None]
            n, n_yes = len(answers), sum(answers)
            low, high = compare.exact(n_yes, n) if n else (None, None)
            rows.append((group or "all", name, n_yes, n, n_yes / n if n else None, low, high, len(members) - n))
    return Sheet(
        "review_answers",
        "Final answers",
        ("set", "criterion", "yes", "of", "share", "low", "high", "open"),
        tuple(rows),
        "Exact 95 % intervals (Clopper and Pearson). Open: not answered, or disputed and not adjudicated; not counted.",
    )


def _pairs(review: ReviewStore, given: Mapping[str, Answers]) -> Sheet:
    rows: list[tuple[str | int | float | None, ...]] = []
    for first, second in combinations(given, 2):
        for name in [*review.criteria, VALID]:
            pairs = list(_both(review, given[first], given[second], name))
            n, same = len(pairs), sum(a == b for a, b in pairs)
            low, high = kappa_interval(pairs) or (None, None)
            share = same / n if n else None
            rows.append((first, second, name, same, n, share, cohen_kappa(pairs), low, high))
    return Sheet(
        "review_agreement",
        "Agreement",
        ("first", "second", "criterion", "same", "of", "share", "kappa", "low", "high"),
        tuple(rows),
        "Cohen's kappa with its 95 % interval; none where both give one answer throughout. Before adjudication.",
    )


def _labels(given: Mapping[str, Answers]) -> Sheet:
    counts: list[tuple[str | int | float | None, ...]] = [
        (label, *(sum(1 for said in answers.values() if said.get(f"label:{label}")) for answers in given.values()))
        for label in LABELS
    ]
    return Sheet("review_labels", "Failure labels", ("label", *given), tuple(counts))


def _both(review: ReviewStore, first: Answers, second: Answers, name: str) -> Iterable[tuple[bool, bool]]:
    criteria = list(review.criteria)
    for item in review.items:
        a, b = (_said(answers.get(item.query_id, {}), name, criteria) for answers in (first, second))
        if a is not None and b is not None:
            yield a, b


def _said(row: dict[str, str], name: str, criteria: Sequence[str]) -> bool | None:
    if name == VALID:
        return verdict(row, criteria)
    return {"yes": True, "no": False}.get(row.get(name, ""))
