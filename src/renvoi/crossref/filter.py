"""Stage filter: a question is hard if every filter retriever, reading bare chunks, ranks its target below k."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec

import polars as pl

from renvoi import systems
from renvoi.crossref.items import Draft, Drop
from renvoi.embed.embedded import EMBEDDED, has_embedded
from renvoi.errors import MissingDependency
from renvoi.types import Benchmark, Query, Task

_DEPTH = 1000  # of a ranking; a target that is not in it is missing


@dataclass(frozen=True, slots=True)
class Sieved:
    """Hard questions and as many easy ones, both in document order, and the rest."""

    drafts: tuple[Draft, ...]  # marks["set"] is "hard" or "control", marks["rank"] the rank by each retriever
    drops: tuple[Drop, ...]
    facts: Mapping[str, int]  # "hard", "control", and "missing_RETRIEVER": targets that it did not return at all


def default_filters() -> tuple[str, ...]:
    """Return the retrievers that filter where none is named: BM25, and the embedded dense model if it is installed."""
    return ("bm25", "dense:embedded") if has_embedded() else ("bm25",)


def split_by_hardness(
    drafts: Sequence[Draft], collection: pl.DataFrame, language: str, retrievers: Sequence[str], *, k: int
) -> Sieved:
    """Return the hard drafts and a control set of the same size.

    A target that a retriever does not return counts as ranked below k, and is counted. Which of the easy ones become
    controls is drawn by the hash of their ids, so that it does not hang on the order of files.

    Args:
        drafts: in document order.
        collection: bare chunks; only their text is read.
        language: of the collection.
        retrievers: MODEL strings, see `systems.parse_system`.
        k: the last rank that makes a question easy.
    """
    ranks = {name: rank_targets(drafts, collection, language, name) for name in retrievers}
    facts = {f"missing_{name}": sum(rank is None for rank in ranks[name].values()) for name in retrievers}
    marked = [
        replace(draft, marks={**draft.marks, "rank": {name: ranks[name][draft.id] for name in retrievers}})
        for draft in drafts
    ]
    hard = [d for d in marked if all(r is None or r > k for r in d.marks["rank"].values())]
    easy = sorted((d for d in marked if d not in hard), key=lambda d: hashlib.sha256(d.id.encode()).hexdigest())
    control = {d.id for d in easy[: len(hard)]}
    kept = [
        replace(d, marks={**d.marks, "set": "control" if d.id in control else "hard"})
        for d in marked
        if d in hard or d.id in control
    ]
    drops = tuple(Drop(d.id, f"found_by_{_finder(d, k)}") for d in easy[len(hard) :])
    return Sieved(tuple(kept), drops, {"hard": len(hard), "control": len(control), **facts})


def check_retriever(retriever: str) -> None:
    """Find the models that a retriever needs, before anything is paid for that waits for them.

    Raises:
        RenvoiError: a name is unknown, a package is not installed, or a model is not on this machine.
    """
    system = systems.parse_system(retriever)
    systems.check_system(system)
    for part in _flat(system):
        needs_torch = part.name in ("dense", "late_chunking", "rerank") and part.options.get("", EMBEDDED) != EMBEDDED
        if needs_torch and find_spec("sentence_transformers") is None:
            raise MissingDependency(f"the filter {retriever!r}", "sentence-transformers", "dense")


def _flat(system: systems.System) -> list[systems.Part]:
    inner = [part for one in system.parts if one.inner for part in _flat(one.inner)]
    return [*system.parts, *system.steps, *inner]


def rank_targets(
    drafts: Sequence[Draft], collection: pl.DataFrame, language: str, retriever: str
) -> dict[str, int | None]:
    """Return the rank of each draft's target, from 1; None where it is not in the first thousand or not returned."""
    queries = tuple(Query(draft.id, draft.text, source_id=draft.target_id) for draft in drafts)
    targets = {draft.id: draft.target_id for draft in drafts}
    task = Task("chunk", queries, collection, pl.DataFrame())
    bench = Benchmark(
        "crossref", language, {"chunks": collection}, queries, {}, pl.DataFrame(), _no_links()
    )  # fmt: skip
    run = systems.run_system(systems.parse_system(retriever), bench, task, k=max(1, min(_DEPTH, collection.height)))
    ranks: dict[str, int | None] = dict.fromkeys(targets)
    for query_id, docs in run.group_by("query_id", maintain_order=True).agg("doc_id").iter_rows():
        if targets[query_id] in docs:
            ranks[query_id] = docs.index(targets[query_id]) + 1
    return ranks


def _finder(draft: Draft, k: int) -> str:
    return next(str(name) for name, rank in draft.marks["rank"].items() if rank is not None and rank <= k)


def _no_links() -> pl.DataFrame:
    return pl.DataFrame(schema={"source_id": pl.String, "target_id": pl.String, "date": pl.Date})
