"""Scores > a run. The one place that sorts, cuts and breaks ties; and that fuses runs.

A run is a frame: query_id, doc_id, score; queries in their order, best first. Scores are numbers of single precision
(held as Float64), as trec_eval reads them; equal scores are ordered by document id, descending, as trec_eval does. So
a run in memory and the same run read from its file rank alike.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from renvoi.errors import BadInput
from renvoi.progress import say, track
from renvoi.retrievers import ANY_DAY, NO_DAY, Allowed, Preparing, Scorer, TopScorer, number_day
from renvoi.types import Benchmark, Query

_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "query_id": pl.String,
    "doc_id": pl.String,
    "score": pl.Float64,
}


def rank(
    scorer: Scorer,
    queries: Sequence[Query],
    corpus: pl.DataFrame,
    *,
    k: int = 100,
    exclude_self: bool = True,
    mask: NDArray[np.bool_] | None = None,
    batch: int = 256,
) -> pl.DataFrame:
    """Return the best `k` documents of every query as a run.

    Args:
        scorer: made from this same `corpus`.
        queries: ranked `batch` at a time.
        corpus: the collection; column j of the scores is row j.
        k: how many to keep, or all that score if there are fewer.
        exclude_self: leave out the document that the query is part of (`Query.document_id`). Candidates of the
            query's date or later are always left out.
        mask: (n_docs,) True for documents that may be returned; all if None.
        batch: queries in one call of the scorer; a scorer that cannot cut by itself needs 4 * batch * n_docs bytes.
    """
    allowed = allow(queries, corpus, exclude_self=exclude_self, mask=mask)
    parts = []
    for start in track(range(0, len(queries), batch), "searching"):
        some = queries[start : start + batch]
        part = allowed.part(start, start + len(some))
        if isinstance(scorer, TopScorer):
            rows, scores = scorer.top(some, k, part)
        else:
            rows, scores = _cut(scorer.score(some), part.matrix(), corpus["id"], k)
        parts.append(make_run(some, corpus["id"], rows, scores))
    return pl.concat(parts) if parts else pl.DataFrame(schema=_SCHEMA)


def get_ready(scorer: Scorer, queries: Sequence[Query], corpus: pl.DataFrame, *, k: int = 100) -> None:
    """Make what a scorer makes once (weights, vectors, compiled code), so that it is no part of a question's time.

    Args:
        scorer: made from this same `corpus`.
        queries: that will be ranked.
        corpus: the collection.
        k: how many will be kept.
    """
    if isinstance(scorer, Preparing):
        scorer.prepare(queries)
    elif isinstance(scorer, TopScorer) and corpus.height:
        nothing = (Query("", ""),)
        scorer.top(nothing, k, allow(nothing, corpus))


def allow(
    queries: Sequence[Query], corpus: pl.DataFrame, *, exclude_self: bool = True, mask: NDArray[np.bool_] | None = None
) -> Allowed:
    """Return which documents may be returned for which query.

    A document without a date is earlier than every query; how many there are is said where queries have dates.
    """
    n = corpus.height
    names = corpus["document_id"] if "document_id" in corpus.columns else pl.Series([""] * n, dtype=pl.String)
    distinct = names.unique(maintain_order=True)
    numbers = {name: number for number, name in enumerate(distinct)}
    group = names.replace_strict(distinct, np.arange(len(distinct)), return_dtype=pl.Int32).to_numpy()
    own = np.array([numbers.get(q.document_id, -1) if q.document_id and exclude_self else -1 for q in queries])
    day = np.full(n, NO_DAY, np.int32)
    if "date" in corpus.columns:
        days = corpus["date"].cast(pl.Date).to_physical().cast(pl.Int32)
        day = days.fill_null(NO_DAY).to_numpy().astype(np.int32)
        if days.null_count() and any(query.date for query in queries):
            say(f"{days.null_count()} documents have no date; they are taken to be earlier than every query")
    before = np.array([number_day(query.date, ANY_DAY) for query in queries], np.int32)
    allowed = np.ones(n, np.bool_) if mask is None else mask
    return Allowed(allowed, group, day, own.astype(np.int32), before)


def excludes_self(bench: Benchmark) -> bool:
    """Say whether a query's own document is to be left out.

    The manifest's "exclude_self" decides. Without it: not for statutes, where a question's answer stands in the act it
    was made from; yes for case law.
    """
    settings = bench.manifest.get("settings", {})
    found = settings.get("exclude_self", bench.manifest.get("exclude_self"))
    return bench.kind != "crossref" if found is None else bool(found)


def make_run(
    queries: Sequence[Query], ids: pl.Series, rows: NDArray[np.int32], scores: NDArray[np.float32]
) -> pl.DataFrame:
    """Return what a scorer found as a run.

    Args:
        queries: one for each line of `rows`.
        ids: of the collection.
        rows: (n_queries, k), best first, -1 for none.
        scores: (n_queries, k).
    """
    line, place = np.nonzero(rows >= 0)
    return pl.DataFrame(
        {
            "query_id": pl.Series([query.id for query in queries], dtype=pl.String).gather(line),
            "doc_id": ids.gather(rows[line, place]),
            "score": scores[line, place].astype(np.float64),
        },
        schema=_SCHEMA,
    )


def order_run(run: pl.DataFrame, k: int | None = None) -> pl.DataFrame:
    """Return a run best first, ties by id descending, cut at `k`; queries in the order they first appear.

    Scores of 0 are kept: they are another system's decision.
    """
    single = run.with_columns(pl.col("score").cast(pl.Float32).cast(pl.Float64))
    first = single.select(pl.col("query_id").unique(maintain_order=True)).with_row_index("_query")
    ordered = (
        single.join(first, on="query_id", maintain_order="left")
        .sort(["_query", "score", "doc_id"], descending=[False, True, True])
        .select("query_id", "doc_id", "score")
    )
    return ordered if k is None else ordered.group_by("query_id", maintain_order=True).head(k).select(_SCHEMA.keys())


def fuse_ranks(
    runs: Sequence[pl.DataFrame], *, weights: Sequence[float] | None = None, constant: float = 60.0, k: int = 1000
) -> pl.DataFrame:
    """Return the reciprocal rank fusion of runs: sum of weight / (constant + rank).

    G. Cormack, C. Clarke, S. Büttcher: Reciprocal rank fusion outperforms Condorcet and individual rank learning
    methods (SIGIR 2009).
    """
    ranks = [
        order_run(run).with_columns((1.0 / (constant + pl.int_range(1, pl.len() + 1).over("query_id"))).alias("score"))
        for run in runs
    ]
    return _add(ranks, weights, k)


def fuse_scores(runs: Sequence[pl.DataFrame], *, weights: Sequence[float] | None = None, k: int = 1000) -> pl.DataFrame:
    """Return the weighted sum of the scores of runs, each scaled to 0..1 within a query.

    A document that a run lacks gets 0 there, as its last one does. A query whose documents all score alike gives
    each of them 1.
    """
    return _add([scale_run(run) for run in runs], weights, k)


def scale_run(run: pl.DataFrame) -> pl.DataFrame:
    """Return a run with scores scaled to 0..1 within each query: (s - min) / (max - min)."""
    low, high = pl.col("score").min().over("query_id"), pl.col("score").max().over("query_id")
    return run.with_columns(
        pl.when(high > low).then((pl.col("score") - low) / (high - low)).otherwise(1.0).alias("score")
    )


def _add(runs: Sequence[pl.DataFrame], weights: Sequence[float] | None, k: int) -> pl.DataFrame:
    weights = [1.0] * len(runs) if weights is None else weights
    if not runs or len(weights) != len(runs):
        raise BadInput("fusion", f"there are {len(runs)} runs and {len(weights)} weights", "give one for each")
    scaled = [run.with_columns(pl.col("score") * weight) for run, weight in zip(runs, weights, strict=True)]
    total = pl.concat(scaled).group_by("query_id", "doc_id", maintain_order=True).agg(pl.col("score").sum())
    return order_run(total, k)


def _cut(
    scores: NDArray[np.float32], allowed: NDArray[np.bool_], ids: pl.Series, k: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return rows and scores of the best `k` of each line."""
    descending = np.argsort(-ids.rank("ordinal").to_numpy().astype(np.int64))  # rows by id, descending
    k = min(k, scores.shape[1])
    rows = np.full((len(scores), k), -1, np.int32)
    best = np.zeros((len(scores), k), np.float32)
    for line, (score, may) in enumerate(zip(scores, allowed, strict=True)):
        found = descending[(may & (score != 0))[descending]]
        if len(found) > k:
            least = np.partition(score[found], len(found) - k)[len(found) - k]
            found = found[score[found] >= least]
        found = found[np.argsort(-score[found], kind="stable")][:k]
        rows[line, : len(found)] = found
        best[line, : len(found)] = score[found]
    return rows, best
