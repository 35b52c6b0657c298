"""Benchmark + runs > values per query, with everything that was left out counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from renvoi import rank
from renvoi.errors import Mismatch
from renvoi.evaluate import measures as measuring
from renvoi.evaluate import query_groups
from renvoi.types import Benchmark, Query, Task


@dataclass(frozen=True, slots=True)
class Copy:
    """A candidate whose text is the query's own, ranked but not relevant."""

    query_id: str
    doc_id: str
    rank: int


@dataclass(frozen=True, slots=True)
class Scores:
    """What one system reached."""

    values: npt.NDArray[np.float64]  # (n_queries, n_measures)
    missing: tuple[str, ...]  # judged queries for which the run has nothing: they score 0
    removed: int  # rows of the run that were the query's own document
    copies: tuple[Copy, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What people said of a query."""

    valid: bool | None  # None: disputed, or not answered in full
    labels: tuple[str, ...] = ()  # why it fails


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The values of several systems on the same queries."""

    level: str
    split: str | None
    measures: tuple[str, ...]
    query_ids: tuple[str, ...]  # those counted, in the order of the benchmark
    clusters: tuple[str, ...]  # of each query: its sibling cluster, or the document it was made from
    systems: Mapping[str, Scores]
    unjudged: tuple[str, ...]  # queries without a relevant document: excluded
    invalid: tuple[str, ...]  # queries that a reviewer judged invalid: excluded
    undecided: tuple[str, ...] = ()  # reviewed, open or disputed: excluded where only reviewed ones count
    unreviewed: tuple[str, ...] = ()  # excluded where only reviewed ones count
    only: str = ""  # "source=human": others were not looked at


def evaluate(
    bench: Benchmark,
    runs: Mapping[str, pl.DataFrame],
    measures: str | Sequence[str] = measuring.DEFAULT,
    *,
    level: str | None = None,
    split: str | None = None,
    exclude_self: bool | None = None,
    include_invalid: bool = False,
    verdicts: Mapping[str, Verdict] | None = None,
    only: str = "",
) -> Evaluation:
    """Return the value of every query, system and measure.

    Args:
        bench: holds the qrels.
        runs: query_id, doc_id, score of each system; queries of other splits are ignored.
        measures: names as in `ir_measures`.
        level: default: the first of the benchmark.
        split: default: all queries.
        exclude_self: take the query's own document out of the rankings first; default: as `renvoi run` does.
        include_invalid: count queries whose `valid` is false.
        verdicts: of a review, by query; if given, only queries with the verdict "valid" count, whatever `valid` says.
        only: "FIELD=VALUE": look at these queries only, see `query_groups.restrict`.

    Raises:
        Mismatch: a run names a query or a document that the benchmark does not have.
    """
    names = measuring.parse_measures(measures)
    task = bench.task(level, split)
    if exclude_self is None:
        exclude_self = rank.excludes_self(bench)
    if only:
        task = query_groups.restrict(bench, task, only)
    relevant = set(task.qrels.filter(pl.col("relevance") > 0)["query_id"])
    invalid, undecided, unreviewed = _left_out(task.queries, include_invalid, verdicts)
    left_out = {*invalid, *undecided, *unreviewed}
    counted = [q for q in task.queries if q.id in relevant and q.id not in left_out]
    unjudged = tuple(q.id for q in task.queries if q.id not in relevant and q.id not in left_out)
    if not counted:
        why = "is judged valid and has" if verdicts is not None else "has"
        raise Mismatch(f"no query of level {task.level!r}{_of(split)} {why} a relevant document; nothing to evaluate")
    copies = _copies(counted, task.corpus)
    own = _own(counted, task) if exclude_self else None
    unit_ids = pl.Series([q.id for q in bench.task(level).queries], dtype=pl.String)
    scored = {}
    for system, run in runs.items():
        _check_ids(system, run, unit_ids, task)
        kept = run if own is None else run.join(own, on=["query_id", "doc_id"], how="anti")
        scored[system] = _scores(kept, run.height - kept.height, counted, task, names, copies)
    clusters = cluster_ids(counted, task.corpus)
    ids = tuple(q.id for q in counted)
    return Evaluation(task.level, split, names, ids, clusters, scored, unjudged, invalid, undecided, unreviewed, only)


def _left_out(
    queries: Sequence[Query], include_invalid: bool, verdicts: Mapping[str, Verdict] | None
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the queries that do not count: judged invalid, undecided, not reviewed."""
    if verdicts is None:
        return tuple(q.id for q in queries if not include_invalid and q.extra.get("valid") is False), (), ()
    said = {q.id: verdicts[q.id].valid for q in queries if q.id in verdicts}
    return (
        tuple(id for id, valid in said.items() if valid is False and not include_invalid),
        tuple(id for id, valid in said.items() if valid is None),
        tuple(q.id for q in queries if q.id not in said),
    )


def cluster_ids(queries: Sequence[Query], corpus: pl.DataFrame) -> tuple[str, ...]:
    """Return what each query shares with its like: a sibling cluster, else a document, else nothing (its own id)."""
    sources = pl.Series([q.source_id for q in queries], dtype=pl.String)
    held = corpus.filter(pl.col("id").is_in(sources.implode())).select("id", "document_id")
    document = dict(held.iter_rows())
    return tuple(
        str(q.extra.get("cluster") or document.get(q.source_id) or q.document_id or q.extra.get("act") or q.id)
        for q in queries
    )


def mean_values(evaluation: Evaluation, rows: Sequence[int] | None = None) -> dict[str, dict[str, float]]:
    """Return the mean of each measure by system, over all queries or those at `rows`."""
    chosen = slice(None) if rows is None else list(rows)
    return {
        system: dict(zip(evaluation.measures, scores.values[chosen].mean(axis=0).tolist(), strict=True))
        for system, scores in evaluation.systems.items()
    }


def rules(evaluation: Evaluation) -> list[str]:
    """Return what a reader of any table must know: who was counted, and how."""
    chosen = f" with {evaluation.only}" if evaluation.only else ""
    where = f"of level {evaluation.level}{_of(evaluation.split)}"
    lines = [f"{len(evaluation.query_ids)} queries{chosen} {where} are counted."]
    if evaluation.unjudged:
        lines.append(f"{len(evaluation.unjudged)} queries have no relevant documents and are excluded.")
    if evaluation.invalid:
        lines.append(f"{len(evaluation.invalid)} queries were judged invalid and are excluded.")
    if evaluation.undecided:
        lines.append(f"{len(evaluation.undecided)} reviewed queries have no verdict yet and are excluded.")
    if evaluation.unreviewed:
        lines.append(f"{len(evaluation.unreviewed)} queries were not reviewed and are excluded.")
    for system, scores in evaluation.systems.items():
        if scores.missing:
            lines.append(f"{system}: {len(scores.missing)} judged queries are missing from the run; they score 0.")
        if scores.removed:
            lines.append(f"{system}: {scores.removed} rows were the query's own document and are taken out.")
        if scores.copies:
            n = len({copy.query_id for copy in scores.copies})
            first = scores.copies[0]
            lines.append(
                f"{system}: for {n} queries a copy of the query itself is ranked (first: {first.query_id}, "
                f"{first.doc_id} at rank {first.rank}); a copy is no ordinary error."
            )
    lines.append("Equal scores are ordered by document id, descending, as trec_eval does.")
    return lines


def _scores(
    run: pl.DataFrame,
    removed: int,
    counted: Sequence[Query],
    task: Task,
    names: Sequence[str],
    copies: pl.DataFrame,
) -> Scores:
    ids = [q.id for q in counted]
    rankings = measuring.rank(run, task.qrels, ids)
    present = set(rankings.run["query_id"])
    ranked = rankings.run.filter(pl.col("grade") <= 0).join(copies, on=["query_id", "doc_id"], how="semi")
    return Scores(
        values=measuring.measure(rankings, names),
        missing=tuple(query for query in ids if query not in present),
        removed=removed,
        copies=tuple(Copy(*row) for row in ranked.select("query_id", "doc_id", "rank").iter_rows()),
    )


def _check_ids(system: str, run: pl.DataFrame, known: pl.Series, task: Task) -> None:
    for column, ids, whole in (("query_id", known, "queries"), ("doc_id", task.corpus["id"], "documents")):
        stray = run.filter(~pl.col(column).is_in(ids.implode()))
        if stray.height:
            raise Mismatch(
                f"run {system!r}: {stray[column].n_unique()} {whole} are not in level {task.level!r} of the benchmark, "
                f"first {stray[column][0]!r}; evaluate a run on the benchmark and level it was made from"
            )


def _own(queries: Sequence[Query], task: Task) -> pl.DataFrame:
    """Return query_id, doc_id of what is the query itself or from its own document, what is relevant to it never."""
    pairs = {"query_id": pl.String, "doc_id": pl.String}
    same = [(q.id, doc) for q in queries for doc in (q.id, q.source_id) if doc]
    owners = pl.DataFrame(
        [(q.id, q.document_id) for q in queries if q.document_id],
        schema={"query_id": pl.String, "document_id": pl.String},
        orient="row",
    )
    documents = task.corpus.select(pl.col("id").alias("doc_id"), "document_id")
    within = owners.join(documents, on="document_id").select("query_id", "doc_id")
    relevant = task.qrels.filter(pl.col("relevance") > 0)
    own = pl.concat([pl.DataFrame(same, schema=pairs, orient="row"), within]).unique()
    return own.join(relevant, on=["query_id", "doc_id"], how="anti")


def _copies(queries: Sequence[Query], corpus: pl.DataFrame) -> pl.DataFrame:
    """Return query_id, doc_id of candidates whose text is that of a query, masked or not."""
    texts = [
        (q.id, " ".join(text.split())) for q in queries for text in (q.text, q.extra.get("unmasked") or "") if text
    ]
    wanted = pl.DataFrame(texts, schema={"query_id": pl.String, "text": pl.String}, orient="row")
    folded = corpus.select(pl.col("id").alias("doc_id"), pl.col("text").str.replace_all(r"\s+", " ").str.strip_chars())
    return wanted.join(folded, on="text").select("query_id", "doc_id").unique(maintain_order=True)


def _of(split: str | None) -> str:
    return f", split {split}," if split else ""
