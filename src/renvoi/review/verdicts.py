"""A review > one verdict a query, for scoring: from its database or from a sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from renvoi.errors import BadInput
from renvoi.evaluate import Verdict
from renvoi.review.sample import LABELS, criteria_of
from renvoi.review.sheet import read_csv, verdict
from renvoi.review.store import ADJUDICATOR, Answers, open_review
from renvoi.types import Benchmark


def read_verdicts(where: str, bench: Benchmark) -> dict[str, Verdict]:
    """Return the verdict on every reviewed query.

    Args:
        where: a sheet (a file that ends in .csv), a review's file, or its URL.
        bench: what was reviewed.

    Raises:
        BadInput: there is no review, or a sheet names a query that the benchmark does not have.
    """
    if where.lower().endswith(".csv"):
        ids, rows = read_csv(Path(where), list(criteria_of(bench)))
        unknown = sorted(set(ids) - {query.id for query in bench.queries})
        if unknown:
            raise BadInput(
                where, f"{len(unknown)} of its queries are not in the benchmark, first {unknown[0]!r}",
                "give the sheet of this benchmark",
            )  # fmt: skip
        given: dict[str, Answers] = {}
        for reviewer, query_id, field, value in rows:
            given.setdefault(reviewer, {}).setdefault(query_id, {})[field] = value
        decided = given.pop(ADJUDICATOR, {})
    else:
        if "://" not in where and not Path(where).exists():
            raise BadInput(where, "there is no review", "begin one with: renvoi review BENCH")
        review = open_review(where, bench)
        ids = [item.query_id for item in review.items]
        given = {name: review.answers(name) for name in review.reviewers()}
        decided = review.answers(ADJUDICATOR)
    criteria = list(criteria_of(bench))
    final = final_answers(ids, criteria, given, decided)
    return {id: Verdict(verdict(final[id], criteria), _labels(id, given, decided)) for id in ids}


def final_answers(
    query_ids: Sequence[str], criteria: Sequence[str], given: Mapping[str, Answers], decided: Answers
) -> dict[str, dict[str, str]]:
    """Return what counts of each query's answers.

    An answer counts where the adjudicator gave it, or else where all who answered say the same and at least two did
    (or the review has one reviewer). What is neither is left out: it is open.

    Args:
        query_ids: of the items.
        criteria: what is answered.
        given: answers by reviewer.
        decided: the adjudicator's.
    """
    final: dict[str, dict[str, str]] = {}
    for query_id in query_ids:
        row = final[query_id] = {}
        for name in criteria:
            said = [a for answers in given.values() if (a := answers.get(query_id, {}).get(name))]
            if chosen := decided.get(query_id, {}).get(name):
                row[name] = chosen
            elif len(set(said)) == 1 and len(said) >= min(2, len(given)):
                row[name] = said[0]
    return final


def _labels(query_id: str, given: Mapping[str, Answers], decided: Answers) -> tuple[str, ...]:
    """Return the labels that the adjudicator set, or else that any reviewer did."""
    rows = [decided.get(query_id, {})]
    if not any(rows[0].get(f"label:{label}") for label in LABELS):
        rows = [answers.get(query_id, {}) for answers in given.values()]
    return tuple(label for label in LABELS if any(row.get(f"label:{label}") for row in rows))
