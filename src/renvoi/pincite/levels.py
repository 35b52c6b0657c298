"""Levels: the same pincites read as paragraph to paragraph, paragraph to case, and case to case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from renvoi.pincite.split import Days, cut_days, split_of


@dataclass(frozen=True, slots=True)
class Levels:
    """Who asks, in which split, and what is relevant.

    asking  source_id, source_document, split, cut (candidates are before that day), decided; in document order
    qrels   by level: query_id, doc_id, relevance, source, numbers (how far the target's paragraph number can be
            trusted: "printed", "checked", "inferred")
    """

    asking: pl.DataFrame
    qrels: Mapping[str, pl.DataFrame]
    counts: tuple[Mapping[str, Any], ...]


def make_levels(
    pairs: pl.DataFrame,
    paragraphs: pl.DataFrame,
    splits: Mapping[str, Days],
    *,
    as_of: str = "split",
    damaged_in: Sequence[str] = ("train",),
) -> Levels:
    """Return the three levels.

    Args:
        pairs: as `find_pairs` returns them.
        paragraphs: those that take part, as `usable_paragraphs` returns them.
        splits: the days of each split.
        as_of: "split" or "query", see `cut_days`.
        damaged_in: splits whose queries may come from texts with inferred numbers, which lost digits.
    """
    counts: list[Mapping[str, Any]] = []

    def keep(frame: pl.DataFrame, condition: pl.Expr, step: str) -> pl.DataFrame:
        kept = frame.filter(condition)
        counts.append({"stage": "levels", "step": step, "kept": kept.height, "dropped": frame.height - kept.height})
        return kept

    sources = paragraphs.select(
        pl.col("id").alias("source_id"),
        pl.col("date").alias("decided"),
        pl.col("kind").alias("source_kind"),
        "inferred",
    )
    targets = paragraphs.select(pl.col("id").alias("target_id"), pl.col("date").alias("target_date"), "numbers")
    rows = pairs.join(sources, on="source_id", how="left", maintain_order="left")
    rows = rows.join(targets, on="target_id", how="left", maintain_order="left")
    rows = keep(rows, pl.col("decided").is_not_null() & pl.col("target_date").is_not_null(), "both take part")
    rows = keep(rows, pl.col("source_kind") != "costs", "the citing paragraph is not on costs")
    rows = keep(rows, pl.col("target_date") < pl.col("decided"), "the cited decision is earlier")
    days = rows["decided"].unique().to_list()
    table = pl.DataFrame(
        [(day, name, cut_days(splits, name, day, as_of)) for day in days if (name := split_of(day, splits))],
        schema={"decided": pl.Date, "split": pl.String, "cut": pl.Date},
        orient="row",
    )
    rows = rows.join(table, on="decided", how="left", maintain_order="left")
    rows = keep(rows, pl.col("split").is_not_null(), "decided in a split")
    whole = ~pl.col("inferred") | pl.col("split").is_in(list(damaged_in))
    rows = keep(rows, whole, f"the citing text kept its digits (not asked in {', '.join(damaged_in) or 'any split'})")
    rows = keep(rows, pl.col("target_date") < pl.col("cut"), "cited before the split begins")
    asking = rows.select("source_id", "source_document", "split", "cut", "decided").unique(maintain_order=True)
    return Levels(asking, _qrels(rows), tuple(counts))


def par_query_id(source_id: str) -> str:
    """Return the published form of a paragraph's id.

    >>> par_query_id("62018CJ0529~para_21")
    '62018CJ0529-21'
    """
    return source_id.replace("~para_", "-")


def trust_by_query(qrels: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Return for every query the least trust that its targets' paragraph numbers deserve.

    Values: "printed", "checked" (inferred, and as many as there should be), "inferred".
    """
    order = {"printed": 0, "checked": 1, "inferred": 2}
    found: dict[str, str] = {}
    for level in ("case_case", "par_case", "par_par"):
        for query, numbers in qrels[level].select("query_id", "numbers").iter_rows():
            found[query] = max(found.get(query, "printed"), numbers, key=order.__getitem__)
    return found


def count_levels(levels: Levels, splits: Sequence[str]) -> list[dict[str, Any]]:
    """Return queries, relevant pairs and their ratio for each level and split."""
    split_by_query = {
        **{par_query_id(row[0]): row[1] for row in levels.asking.select("source_id", "split").iter_rows()},
        **dict(levels.asking.select("source_document", "split").unique().iter_rows()),
    }
    rows = []
    for level, qrels in levels.qrels.items():
        marked = qrels.with_columns(pl.col("query_id").replace_strict(split_by_query, default=None).alias("split"))
        for split in splits:
            part = marked.filter(pl.col("split") == split)
            per_query = part.group_by("query_id").len()["len"]
            rows.append(
                {
                    "level": level,
                    "split": split,
                    "queries": per_query.len(),
                    "relevant": part.height,
                    "per_query": round(part.height / per_query.len(), 2) if per_query.len() else 0.0,
                    "most": per_query.max() or 0,
                }
            )
    return rows


def _qrels(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    par = pl.col("source_id").str.replace("~para_", "-", literal=True)
    case = pl.col("source_document")
    made = {}
    for level, query, doc in (
        ("par_par", par, "target_id"),
        ("par_case", par, "target_document"),
        ("case_case", case, "target_document"),
    ):
        made[level] = (
            rows.select(query.alias("query_id"), pl.col(doc).alias("doc_id"), "source", "numbers")
            .group_by("query_id", "doc_id", maintain_order=True)
            .agg(pl.col("source").str.split("+").explode().unique().sort().str.join("+"), pl.col("numbers").first())
            .with_columns(pl.lit(1, pl.Int64).alias("relevance"))
            .select("query_id", "doc_id", "relevance", "source", "numbers")
        )
    return made
