"""A run > the same run with scores carried along citations, for any retriever.

    s'(c) = own * s(c)
                 + cited  * sum or max over d that c cites     of s(d) / degree(d)^alpha
                 + citing * sum or max over d that cite c      of s(d) / degree(d)^alpha

Scores are scaled to 0..1 within a query first, so they are never below 0. `bm25+propagate:cited=0.7,depth=10`.

Controls: `links=random` keeps every document's number of links and draws their ends anew; `links=neighbours` takes the
chunks before and after instead; `links=oracle` uses the labelled contexts of each query, which no system may know.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from renvoi import graph, rank
from renvoi.errors import BadInput
from renvoi.types import Benchmark, Query, Task

_DEFAULTS: Mapping[str, str] = {
    "own": "1",  # weight of a document's own score; 0 leaves only what it is given: one step back from what was found
    "cited": "0.7",  # weight of what a document cites
    "citing": "0",  # weight of what cites it
    "alpha": "0.25",  # how much a document that many cite gives less to each
    "depth": "20",  # how many documents of the run give: further down there is only noise to carry
    "hops": "1",
    "decay": "0.5",  # weight of each further hop
    "by": "max",  # or sum: of all that a document is linked to
    "links": "real",  # random, neighbours, oracle
    "seed": "0",
}


@dataclass(frozen=True, slots=True)
class _Edges:
    """Links by row of the collection, ordered by what gives."""

    giver: NDArray[np.int64]
    taker: NDArray[np.int64]
    weight: NDArray[np.float64]


def propagate_run(run: pl.DataFrame, options: Mapping[str, str], bench: Benchmark, task: Task, k: int) -> pl.DataFrame:
    """Return the run with scores carried along the links of the benchmark; best `k` of each query.

    A link of the query's day or later, one from or to the query's own document, and a document that may not be returned
    give and take nothing. Documents that the run lacks come in with what they are given.

    Raises:
        BadInput: no such option, or the level's documents are not the ends of links.
    """
    given = _read(options)
    corpus = task.corpus
    ids = corpus["id"].to_list()
    place = {id: n for n, id in enumerate(ids)}
    links = _links(bench, place, given["links"], int(given["seed"]))
    allowed = rank.allow(task.queries, corpus, exclude_self=rank.excludes_self(bench))
    by_query = {name[0]: part for name, part in rank.scale_run(run).group_by("query_id", maintain_order=True)}
    contexts: dict[str, list[str]] = {}
    for query_id, doc_id in bench.contexts.select("query_id", "doc_id").iter_rows():
        contexts.setdefault(query_id, []).append(doc_id)
    rows: list[tuple[str, str, float]] = []
    for n, query in enumerate(task.queries):
        part = by_query.get(query.id)
        if part is None:
            continue
        may = allowed.part(n, n + 1).matrix()[0]
        found = {place[doc]: score for doc, score in part.select("doc_id", "score").iter_rows()}
        known = links if given["links"] != "oracle" else _oracle(query, contexts.get(query.id, ()), place)
        edges = _edges(known, query, may, given)
        for row, score in _carry(found, edges, may, given).items():
            rows.append((query.id, ids[row], score))
    made = pl.DataFrame(rows, schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}, orient="row")
    return rank.order_run(made.filter(pl.col("score") > 0), k)


def _read(options: Mapping[str, str]) -> dict[str, str]:
    unknown = [key for key in options if key not in _DEFAULTS]
    given = {**_DEFAULTS, **options}
    if unknown or given["by"] not in ("max", "sum") or given["links"] not in ("real", "random", "neighbours", "oracle"):
        wrong = unknown[0] if unknown else f"by={given['by']},links={given['links']}"
        raise BadInput("propagate", f"has no option {wrong!r}", f"it has: {', '.join(_DEFAULTS)}; by=max|sum")
    for key in ("own", "cited", "citing", "alpha", "depth", "hops", "decay", "seed"):
        try:
            if float(given[key]) < 0:
                raise ValueError
        except ValueError:
            raise BadInput(f"propagate:{key}={given[key]}", "the value is no number from 0 up") from None
    return given


def _links(bench: Benchmark, place: Mapping[str, int], kind: str, seed: int) -> list[tuple[int, int, int]]:
    """Return (source, target, day) by row; day 0 where there is none."""
    if kind == "neighbours":
        documents = [id.rpartition("~")[0] for id in place]
        pairs = [(n, n + 1) for n in range(len(documents) - 1) if documents[n] == documents[n + 1]]
        return [(a, b, 0) for a, b in [*pairs, *((b, a) for a, b in pairs)]]
    found = [
        (place[source], place[target], day.toordinal() if day else 0)
        for source, target, day in graph.inherit_links(bench.links, place)
        if source in place and target in place
    ]
    if not found and bench.links.height and kind != "oracle":
        raise BadInput("propagate", "no link ends at a document of this level", "take the level par_par")
    if kind == "random":  # every document keeps how often it cites and how often it is cited
        targets = np.random.default_rng(seed).permutation([target for _, target, _ in found])
        found = [(source, int(target), day) for (source, _, day), target in zip(found, targets, strict=True)]
    return found


def _oracle(query: Query, contexts: Iterable[str], place: Mapping[str, int]) -> list[tuple[int, int, int]]:
    if query.source_id not in place:
        return []
    return [(place[query.source_id], place[doc], 0) for doc in contexts if doc in place]


def _edges(links: list[tuple[int, int, int]], query: Query, may: NDArray[np.bool_], given: Mapping[str, str]) -> _Edges:
    before = query.date.toordinal() if query.date else np.inf
    held = [(s, t) for s, t, day in links if day < before and may[s] and may[t] and s != t]
    source = np.array([s for s, _ in held], np.int64)
    target = np.array([t for _, t in held], np.int64)
    alpha = float(given["alpha"])
    parts = []
    for giver, taker, weight in ((target, source, float(given["cited"])), (source, target, float(given["citing"]))):
        if weight and len(held):
            degree = np.bincount(giver, minlength=len(may)).astype(np.float64)
            parts.append((giver, taker, weight / degree[giver] ** alpha))
    if not parts:
        none = np.empty(0, np.int64)
        return _Edges(none, none, np.empty(0))
    giver, taker, weights = (np.concatenate([part[i] for part in parts]) for i in range(3))
    order = np.argsort(giver, kind="stable")
    return _Edges(giver[order], taker[order], weights[order])


def _carry(
    found: Mapping[int, float], edges: _Edges, may: NDArray[np.bool_], given: Mapping[str, str]
) -> dict[int, float]:
    """Return the scores after all hops."""
    depth, by = int(float(given["depth"])), given["by"]
    giving = dict(sorted(found.items(), key=lambda item: -item[1])[:depth])
    own = float(given["own"])
    total = {row: own * score for row, score in found.items()}
    factor = 1.0
    for _ in range(int(float(given["hops"]))):
        got: dict[int, float] = {}
        for row, score in giving.items():
            low, high = np.searchsorted(edges.giver, (row, row + 1))
            for taker, weight in zip(edges.taker[low:high].tolist(), edges.weight[low:high].tolist(), strict=True):
                gift = score * weight
                got[taker] = max(got.get(taker, 0.0), gift) if by == "max" else got.get(taker, 0.0) + gift
        for taker, gift in got.items():
            total[taker] = total.get(taker, 0.0) + factor * gift
        giving = dict(sorted(got.items(), key=lambda item: (-item[1], item[0]))[:depth])
        factor *= float(given["decay"])
    return total
