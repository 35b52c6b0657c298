"""Runs on a benchmark > why they miss: contexts that outrank the target, what a step along a citation would reach.

Every function returns a sheet: the table, and what its columns mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from renvoi.evaluate import Evaluation, Verdict, compare, distances
from renvoi.evaluate import measures as measuring
from renvoi.figures import Sheet, bars
from renvoi.types import LEVELS, Benchmark, Query

_SETS = ("hard", "control")
_IN_DEGREES = ((0, 0), (1, 1), (2, 5), (6, 20), (21, None))


def ranks(run: pl.DataFrame, wanted: pl.DataFrame) -> pl.DataFrame:
    """Return query_id, doc_id, rank of the wanted pairs; null where the run does not have them.

    Args:
        run: query_id, doc_id, score.
        wanted: query_id, doc_id.
    """
    ids = wanted["query_id"].unique(maintain_order=True).to_list()
    none = wanted.select("query_id", "doc_id", relevance=pl.lit(0)).unique(maintain_order=True)
    ranked = measuring.rank(run, none, ids).run
    return wanted.join(ranked.select("query_id", "doc_id", "rank"), on=["query_id", "doc_id"], how="left")


def outranked(bench: Benchmark, runs: Mapping[str, pl.DataFrame], evaluation: Evaluation, k: int = 10) -> Sheet:
    """Return how often labelled contexts, and siblings, rank above the target."""
    targets, contexts = _targets(bench, evaluation), _contexts(bench, evaluation)
    siblings = _siblings(bench, evaluation, targets).join(contexts, on=["query_id", "doc_id"], how="anti")
    rows: list[tuple[str | int | float | None, ...]] = []
    for system, run in runs.items():
        target = ranks(run, targets).group_by("query_id").agg(pl.col("rank").min().alias("target"))
        joined = ranks(run, contexts).join(target, on="query_id").with_columns(above=_above())
        found = joined.group_by("query_id", maintain_order=True).agg(
            pl.col("above").any().alias("any"),
            pl.col("above").all().alias("all"),
            (pl.col("target") - pl.col("rank")).max().alias("gap"),
            pl.col("target").first(),
        )
        missed = found.filter((pl.col("target") > k) | pl.col("target").is_null())
        beside = ranks(run, siblings).join(target, on="query_id").with_columns(above=_above())
        by_sibling = beside.filter("above")["query_id"].n_unique()
        gap = found["gap"].mean()
        rows.append(
            (
                system,
                found.height,
                _mean(found["any"]),
                _mean(found["all"]),
                float(gap) if isinstance(gap, float) else None,
                missed.height,
                _mean(missed["any"]),
                by_sibling / target.height if siblings.height else None,
            )
        )
    columns = (
        "system",
        "queries",
        "any context above",
        "all contexts above",
        "mean rank gap",
        f"missed at {k}",
        "of those: any above",
        "a sibling above",
    )
    note = (
        "Shares of queries with labelled contexts. The gap is the target's rank less the best context's, where both "
        "are ranked; a target that is not ranked stands below every ranked context. A sibling is another chunk "
        "directly under the same provision, no context of the query; its share is of all queries."
    )
    return Sheet("outranked", "Outranked by context", columns, tuple(rows), note)


def pairs(bench: Benchmark, runs: Mapping[str, pl.DataFrame], evaluation: Evaluation, k: int = 10) -> Sheet:
    """Return how often a reader of the top `k` gets the target, a labelled context, one of them, both, or all."""
    targets, contexts = _targets(bench, evaluation), _contexts(bench, evaluation)
    asked = set(contexts["query_id"]) & set(targets["query_id"])
    rows: list[tuple[str | int | float | None, ...]] = []
    for system, run in runs.items():
        near = pl.col("rank").fill_null(k + 1) <= k
        found = set(ranks(run, targets).filter(near)["query_id"]) & asked
        by_query = ranks(run, contexts).group_by("query_id").agg(near.any().alias("any"), near.all().alias("all"))
        some, every = (set(by_query.filter(pl.col(name))["query_id"]) & asked for name in ("any", "all"))
        sets = (found, some, found | some, found & some, found & every)
        rows.append((system, len(asked), *(len(one) / len(asked) for one in sets)))
    columns = ("system", "queries", "target", "a context", "either", "both", "target and all contexts")
    note = (
        f"Shares of queries with labelled contexts, in the top {k}. Who has a context is one citation from the target."
    )
    return Sheet("pairs", f"Target and contexts in the top {k}", columns, tuple(rows), note)


def reachability(
    bench: Benchmark, runs: Mapping[str, pl.DataFrame], evaluation: Evaluation, k: int = 10, j: int = 5
) -> Sheet:
    """Return how many targets are in the top `k`, or one citation away from a chunk in the top `j`."""
    targets = _targets(bench, evaluation)
    cited = _cited(bench, evaluation, targets)
    rows: list[tuple[str | int | float | None, ...]] = []
    n = len(evaluation.query_ids)
    for system, run in runs.items():
        direct = set(ranks(run, targets).filter(pl.col("rank") <= k)["query_id"])
        back = set(ranks(run, cited).filter(pl.col("rank") <= j)["query_id"]) if cited.height else set()
        rows.append((system, n, len(direct) / n, len(back) / n, len(direct | back) / n))
    columns = ("system", "queries", f"target in top {k}", f"what it cites in top {j}", "either")
    note = "One step backwards along a citation, from a chunk that was found to the target that cites it."
    return Sheet("reachability", "Reachability", columns, tuple(rows), note)


def by_groups(
    evaluation: Evaluation, groups: Mapping[str, Sequence[str]], name: str, title: str, measure: str
) -> Sheet:
    """Return each system's mean by group.

    Args:
        evaluation: the values.
        groups: group > query ids, in the order to print.
        name: of the files.
        title: what the groups are.
        measure: one of the evaluation's.
    """
    place = {query: i for i, query in enumerate(evaluation.query_ids)}
    column = evaluation.measures.index(measure)
    rows: list[tuple[str | int | float | None, ...]] = []
    for group, ids in groups.items():
        members = [place[query] for query in ids if query in place]
        if members:
            means = [float(s.values[members, column].mean()) for s in evaluation.systems.values()]
            rows.append((group, len(members), *means))
    best = max(evaluation.systems, key=lambda s: float(evaluation.systems[s].values[:, column].mean()))
    at = list(evaluation.systems).index(best) + 2
    drawing = (
        bars({f"{row[0]} ({row[1]})": float(row[at] or 0) for row in rows}, x=f"{measure}, {best}") if rows else ""
    )
    return Sheet(name, f"By {title}", (title, "queries", *evaluation.systems), tuple(rows), f"{measure}.", drawing)


def breakdowns(bench: Benchmark, evaluation: Evaluation, measure: str) -> list[Sheet]:
    """Return the values by act, kind of reference, number of contexts, distance, and lengths of chunk and query."""
    queries = [q for q in bench.queries if q.id in set(evaluation.query_ids)]
    corpus = bench.collections[LEVELS[evaluation.level][1]]
    length = dict(corpus.select("id", pl.col("text").str.count_matches(r"\S+")).iter_rows())
    targets = dict(_targets(bench, evaluation).iter_rows())
    counts = dict(bench.contexts.group_by("query_id").len().iter_rows())
    fields: list[tuple[str, str, dict[str, list[str]]]] = [
        ("by_act", "document", _named(dict(zip(evaluation.query_ids, evaluation.clusters, strict=True)))),
        ("by_set", "set", _named({q.id: str(q.extra["set"]) for q in queries if "set" in q.extra})),
        ("by_kind", "kind of reference", _named(_kinds(queries))),
        ("by_contexts", "contexts", _named({q: str(n) for q, n in counts.items()})),
        ("by_distance", "words to the farthest context", _by_side(distances.context_distances(bench, queries))),
        ("by_chunk_length", "words of the target", _binned({q: length[d] for q, d in targets.items() if d in length})),
        ("by_query_length", "words of the query", _binned({q.id: len(q.text.split()) for q in queries})),
    ]
    return [
        by_groups(evaluation, groups, name, title, measure) for name, title, groups in fields if 1 < len(groups) <= 60
    ]


def harm(bench: Benchmark, evaluation: Evaluation, measure: str) -> Sheet | None:
    """Return what each system gains over BM25 on the hard set, and gains or loses on the control set.

    Hard queries were chosen because BM25 fails on them, so a gain there is expected; what counts as well is that
    nothing is lost on the others. None where the benchmark has no two such sets, or no run is BM25's. Of several of
    BM25 the one that is lowest on the hard set is compared with: it read bare chunks.
    """
    sets = {q.id: q.extra.get("set") for q in bench.queries}
    rows_of = {name: [i for i, q in enumerate(evaluation.query_ids) if sets.get(q) == name] for name in _SETS}
    column = evaluation.measures.index(measure)
    values = {system: scores.values[:, [column]] for system, scores in evaluation.systems.items()}
    bases = [system for system in values if system.rsplit("/", 1)[-1] == "bm25"]
    if not all(rows_of.values()) or not bases or len(values) < 2:
        return None
    base = min(bases, key=lambda system: float(values[system][rows_of["hard"]].mean()))
    rows: list[tuple[str | int | float | None, ...]] = []
    for system, own in values.items():
        row: list[str | int | float | None] = [system]
        for name in _SETS:
            at = rows_of[name]
            gains = own[at] - values[base][at]
            low, high = compare.bootstrap(gains, [evaluation.clusters[i] for i in at])
            told = system != base
            row += [float(own[at].mean()), float(gains.mean()) if told else None]
            row += [float(low[0]) if told else None, float(high[0]) if told else None]
        rows.append(tuple(row))
    columns = ["system"]
    for name in _SETS:
        columns += [name, f"{name}: less {base}", "low", "high"]
    sizes = " and ".join(f"{len(rows_of[name])} {name}" for name in _SETS)
    note = f"{measure}; {sizes} queries; 95 % intervals of the paired difference. A loss on the control set is harm."
    return Sheet("harm", "Gain on the hard set, harm on the control set", tuple(columns), tuple(rows), note)


def head_and_tail(bench: Benchmark, evaluation: Evaluation, measure: str) -> Sheet:
    """Return the values by how often the relevant documents are cited, over the whole citation graph."""
    degree = in_degrees(bench, evaluation.level)
    relevant = bench.qrels[evaluation.level].filter(pl.col("relevance") > 0)
    cited: dict[str, int] = {}
    for query, doc in relevant.select("query_id", "doc_id").iter_rows():
        cited[query] = max(cited.get(query, 0), degree.get(doc, 0))
    groups: dict[str, list[str]] = {}
    for low, high in _IN_DEGREES:
        name = str(low) if low == high else f"{low} and more" if high is None else f"{low} to {high}"
        members = [q for q in evaluation.query_ids if low <= cited.get(q, 0) <= (high if high is not None else 10**9)]
        if members:
            groups[name] = members
    return by_groups(evaluation, groups, "head_and_tail", "citations to the most cited relevant document", measure)


def by_labels(
    bench: Benchmark, runs: Mapping[str, pl.DataFrame], level: str, verdicts: Mapping[str, Verdict], k: int = 10
) -> Sheet:
    """Return how every system ranks the targets of reviewed queries, by what reviewers said of the query.

    All reviewed queries are in it, also those that are judged invalid and count nowhere else.
    """
    names = sorted({label for said in verdicts.values() for label in said.labels})
    groups = {
        "valid": [q for q, said in verdicts.items() if said.valid],
        "invalid": [q for q, said in verdicts.items() if said.valid is False],
        "open": [q for q, said in verdicts.items() if said.valid is None],
    } | {name: [q for q, said in verdicts.items() if name in said.labels] for name in names}
    qrels = bench.qrels[level].filter(pl.col("relevance") > 0).select("query_id", "doc_id")
    contexts = bench.contexts.select("query_id", "doc_id").unique(maintain_order=True)
    rows: list[tuple[str | int | float | None, ...]] = []
    for system, run in runs.items():
        reviewed = pl.col("query_id").is_in(list(verdicts))
        target = ranks(run, qrels.filter(reviewed)).group_by("query_id").agg(pl.col("rank").min().alias("target"))
        joined = ranks(run, contexts.filter(reviewed)).join(target, on="query_id").with_columns(above=_above())
        above = dict(joined.group_by("query_id").agg(pl.col("above").any()).iter_rows())
        found = dict(target.iter_rows())
        for name, members in groups.items():
            places = [found[q] for q in members if q in found]
            if not places:
                continue
            middle = float(np.median([place or np.inf for place in places]))
            said = [above[q] for q in members if q in above]
            rows.append((
                name, system, len(places), sum(place is not None and place <= k for place in places) / len(places),
                middle if np.isfinite(middle) else None, sum(said) / len(said) if said else None,
            ))  # fmt: skip
    order = list(groups)
    rows.sort(key=lambda row: order.index(str(row[0])))  # stable: systems stay as given
    columns = ("verdict or label", "system", "queries", f"target in top {k}", "median rank", "any context above")
    note = "Reviewed queries. A query may have several labels. No median rank: most targets are not ranked."
    return Sheet("by_labels", "Verdicts and failure labels by rank", columns, tuple(rows), note)


def in_degrees(bench: Benchmark, level: str) -> dict[str, int]:
    """Return how many links reach each document of a level's collection (a case: all of its paragraphs)."""
    links = bench.links.select("source_id", "target_id").unique()
    if LEVELS[level][1] == "cases" and "chunks" in bench.collections:
        owner = bench.collections["chunks"].select(pl.col("id").alias("target_id"), "document_id")
        links = links.join(owner, on="target_id").select("source_id", pl.col("document_id").alias("target_id")).unique()
    return dict(links.group_by("target_id").len().iter_rows())


def diagnose(
    bench: Benchmark,
    runs: Mapping[str, pl.DataFrame],
    evaluation: Evaluation,
    measure: str,
    verdicts: Mapping[str, Verdict] | None = None,
) -> list[Sheet]:
    """Return every diagnosis that this benchmark, and a review of it, have the data for."""
    sheets = []
    if verdicts:
        sheets.append(by_labels(bench, runs, evaluation.level, verdicts))
    if _contexts(bench, evaluation).height:
        sheets += [outranked(bench, runs, evaluation), pairs(bench, runs, evaluation)]
    if _cited(bench, evaluation, _targets(bench, evaluation)).height:
        sheets.append(reachability(bench, runs, evaluation))
    if found := harm(bench, evaluation, measure):
        sheets.append(found)
    if bench.links.height:
        sheets.append(head_and_tail(bench, evaluation, measure))
    return [*sheets, *breakdowns(bench, evaluation, measure)]


def _targets(bench: Benchmark, evaluation: Evaluation) -> pl.DataFrame:
    qrels = bench.qrels[evaluation.level].filter(pl.col("relevance") > 0).select("query_id", "doc_id")
    return qrels.filter(pl.col("query_id").is_in(list(evaluation.query_ids)))


def _contexts(bench: Benchmark, evaluation: Evaluation) -> pl.DataFrame:
    pairs = bench.contexts.select("query_id", "doc_id").unique(maintain_order=True)
    return pairs.filter(pl.col("query_id").is_in(list(evaluation.query_ids)))


def _siblings(bench: Benchmark, evaluation: Evaluation, targets: pl.DataFrame) -> pl.DataFrame:
    """Return query_id, doc_id of the other chunks directly under the same provision as a target, by their ids."""
    parent = pl.col("doc_id").str.extract(r"^(.*~.*)(?:__|/)[^/]*?$").alias("parent")
    ids = bench.collections[LEVELS[evaluation.level][1]].select(pl.col("id").alias("doc_id"), "document_id")
    under = ids.with_columns(parent).drop_nulls("parent")
    own = targets.with_columns(parent).drop_nulls("parent").rename({"doc_id": "target"})
    found = own.join(under, on="parent").filter(pl.col("doc_id") != pl.col("target"))
    return (
        found.select("query_id", "doc_id")
        .unique(maintain_order=True)
        .join(targets, on=["query_id", "doc_id"], how="anti")
    )


def _cited(bench: Benchmark, evaluation: Evaluation, targets: pl.DataFrame) -> pl.DataFrame:
    links = bench.links.select(pl.col("source_id").alias("doc_id"), "target_id")
    along = targets.join(links, on="doc_id").select("query_id", pl.col("target_id").alias("doc_id"))
    return pl.concat([along, _contexts(bench, evaluation)]).unique(maintain_order=True)


def _above() -> pl.Expr:
    ranked = pl.col("rank").is_not_null()
    return ranked & (pl.col("target").is_null() | (pl.col("rank") < pl.col("target")))


def _mean(column: pl.Series) -> float | None:
    value = column.mean()
    return float(value) if isinstance(value, (int, float)) else None


def _kinds(queries: Sequence[Query]) -> dict[str, str]:
    found = {q.id: str(q.extra.get("reference_kind") or q.extra.get("kind") or "") for q in queries}
    return {query: kind.split("|")[0].split("+")[0].split(";")[0].strip() for query, kind in found.items() if kind}


def _named(values: Mapping[str, str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for query, name in values.items():
        groups.setdefault(name, []).append(query)
    return dict(sorted(groups.items()))


def _by_side(values: Mapping[str, int]) -> dict[str, list[str]]:
    """Return four groups: far and near before, near and far after, parted at the median of each side."""
    groups: dict[str, list[str]] = {}
    for name, side in (("before", -1), ("after", 1)):
        there = {query: abs(value) for query, value in values.items() if value * side > 0}
        if not there:
            continue
        middle = int(np.median(list(there.values())))
        for size, far in ((f"up to {middle}", False), (f"over {middle}", True)):
            members = [query for query, value in there.items() if (value > middle) == far]
            if members:
                groups[f"{size} {name}"] = members
    return groups


def _binned(values: Mapping[str, int]) -> dict[str, list[str]]:
    """Return four groups of about the same size, named by their least and greatest value."""
    if len(set(values.values())) < 4:
        return {}
    edges = np.quantile(list(values.values()), [0.25, 0.5, 0.75])
    bins: list[list[str]] = [[] for _ in range(4)]
    for query, value in sorted(values.items(), key=lambda item: item[1]):
        bins[int(np.searchsorted(edges, value, side="left"))].append(query)
    return {f"{values[m[0]]} to {values[m[-1]]}": m for m in bins if m}
