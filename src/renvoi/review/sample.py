"""Benchmark > the items that people review, and what they are asked about each."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from renvoi.crossref.assure import CRITERIA
from renvoi.errors import BadInput
from renvoi.types import LEVELS, Benchmark, Query

# What the query may be at fault for. Labels of the ranking are not asked: reviewers must not know the ranks.
LABELS: Mapping[str, str] = {
    "asks_context": "The asked fact stands only in a context.",
    "asks_implicit_context": "Who or what is asked for is defined in what stands above the target.",
    "partial_context": "A context that is needed is not among those shown.",
    "not_context_dependent": "The target alone answers the query.",
    "many_questions": "It is more than one question.",
    "wrong_reference": "A context is not what the target cites.",
    "unnatural": "Nobody would ask it so.",
}

_WITHOUT_CONTEXTS: Mapping[str, str] = {"relevant": "The target answers the query, or bears on it."}


@dataclass(frozen=True, slots=True)
class Passage:
    """A provision as a reviewer sees it."""

    id: str
    labels: tuple[str, ...]  # headings and labels from the top, its own last
    lead_ins: tuple[str, ...]  # texts of what stands above it, outermost first
    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """What is reviewed at a time. Nothing in it tells how a retriever ranked the target, nor which set it is in."""

    query_id: str
    document_id: str  # of the target
    query: str
    answer: str  # as the writer gave it; usually ""
    targets: tuple[Passage, ...]
    contexts: tuple[Passage, ...]


def criteria_of(bench: Benchmark) -> Mapping[str, str]:
    """Return the questions to answer with yes or no: the judge's where queries have contexts, else relevance."""
    return CRITERIA if bench.contexts.height else _WITHOUT_CONTEXTS


def sample_items(bench: Benchmark, *, n: int = 4, seed: int = 0) -> tuple[Item, ...]:
    """Return `n` items of every act, in an order that tells nothing.

    Within an act the sets (hard, control …) take turns until `n` are drawn; which set begins is drawn too.

    Args:
        bench: queries of its first level are drawn; those without a relevant document are not.
        n: items an act; fewer where the act has fewer.
        seed: of the draw. The same benchmark and seed give the same items in the same order.

    Raises:
        BadInput: no query has a relevant document.
    """
    level = next(iter(bench.qrels))
    qrels = bench.qrels[level].filter(bench.qrels[level]["relevance"] > 0).select("query_id", "doc_id")
    relevant = dict(qrels.reverse().iter_rows())  # the first document of each
    held = dict(bench.collections[LEVELS[level][1]].select("id", "document_id").iter_rows())
    strata: dict[str, dict[str, list[Query]]] = {}
    for query in sorted(bench.task(level).queries, key=lambda q: q.id):
        if query.id in relevant:
            act = query.document_id or held.get(relevant[query.id]) or query.source_id or query.id
            strata.setdefault(act, {}).setdefault(str(query.extra.get("set", "")), []).append(query)
    if not strata:
        raise BadInput("the benchmark", "has no query with a relevant document", "there is nothing to review")
    rng = random.Random(seed)
    drawn: list[str] = []
    for act in sorted(strata):
        drawn += _take_turns(list(strata[act].values()), n, rng)
    rng.shuffle(drawn)
    return items_of(bench, drawn)


def items_of(bench: Benchmark, query_ids: Iterable[str]) -> tuple[Item, ...]:
    """Return the items of these queries, in this order.

    Raises:
        BadInput: the benchmark has no such query.
    """
    level = next(iter(bench.qrels))
    queries = {query.id: query for query in bench.queries}
    wanted = list(query_ids)
    missing = [query_id for query_id in wanted if query_id not in queries]
    if missing:
        raise BadInput(missing[0], f"is no query of this benchmark ({len(missing)} such)", "give the one it came from")
    qrels = bench.qrels[level].filter(bench.qrels[level]["relevance"] > 0)
    targets = _grouped(qrels.select("query_id", "doc_id").iter_rows(), wanted)
    contexts = _grouped(bench.contexts.select("query_id", "doc_id").iter_rows(), wanted)
    shown = {doc for group in (targets, contexts) for docs in group.values() for doc in docs}
    collection = bench.collections[LEVELS[level][1]]
    held = {row["id"]: row for row in collection.filter(collection["id"].is_in(sorted(shown))).iter_rows(named=True)}
    return tuple(
        Item(
            query_id=query_id,
            document_id=next((held[d]["document_id"] for d in targets[query_id] if d in held), ""),
            query=queries[query_id].text,
            answer=str(queries[query_id].extra.get("answer") or ""),
            targets=tuple(_passage(d, held) for d in targets[query_id]),
            contexts=tuple(_passage(d, held) for d in contexts[query_id]),
        )
        for query_id in wanted
    )


def fingerprint(item: Item) -> str:
    """Return a hash of all that a reviewer sees of an item."""
    seen = json.dumps(asdict(item), ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(seen.encode()).hexdigest()


def _take_turns(groups: list[list[Query]], n: int, rng: random.Random) -> list[str]:
    rng.shuffle(groups)
    for group in groups:
        rng.shuffle(group)
    taken: list[str] = []
    for turn in range(n):
        taken += [group[turn].id for group in groups if turn < len(group)]
    return taken[:n]


def _grouped(pairs: Iterable[tuple[Any, ...]], wanted: Iterable[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {query_id: [] for query_id in wanted}
    for query_id, doc_id in pairs:
        if query_id in groups and doc_id not in groups[query_id]:
            groups[query_id].append(doc_id)
    return groups


def _passage(doc_id: str, held: Mapping[str, Mapping[str, Any]]) -> Passage:
    row = held.get(doc_id)
    if row is None:
        return Passage(doc_id, (), (), "(not in the collection)")
    return Passage(doc_id, tuple(row["labels"] or ()), tuple(row["lead_ins"] or ()), row["text"])
