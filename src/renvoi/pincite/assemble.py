"""Assemble: paragraphs, cases, queries, qrels and the citation graph become one benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from renvoi.pincite.levels import Levels, par_query_id, trust_by_query
from renvoi.pincite.mask import Masked
from renvoi.types import Query

_NO_TEXTS = pl.lit([], pl.List(pl.String))
_JOIN = "\n"  # between the paragraphs of a case


def make_collections(paragraphs: pl.DataFrame, decisions: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the collections "chunks" (numbered paragraphs) and "cases" (their texts joined), by date."""
    order = pl.int_range(0, pl.len(), dtype=pl.Int32).alias("order")
    columns = ("id", "text", "lead_ins", "labels", "document_id", "date", "order")
    chunks = paragraphs.with_columns(_NO_TEXTS.alias("lead_ins"), order).select(columns)
    titles = decisions.select(pl.col("id").alias("document_id"), pl.concat_list("title").alias("labels"))
    cases = (
        paragraphs.group_by("document_id", maintain_order=True)
        .agg(pl.col("text").str.join(_JOIN), pl.col("date").first())
        .join(titles, on="document_id", how="left", maintain_order="left")
        .with_columns(pl.col("document_id").alias("id"), _NO_TEXTS.alias("lead_ins"), order)
        .select(columns)
    )
    return {"chunks": chunks, "cases": cases}


def make_links(pairs: pl.DataFrame, paragraphs: pl.DataFrame) -> pl.DataFrame:
    """Return every pincite between paragraphs of the collection: source_id, target_id, date of the citing decision."""
    dates = paragraphs.select(pl.col("id").alias("source_id"), "date")
    return (
        pairs.join(dates, on="source_id", how="inner", maintain_order="left")
        .filter(pl.col("target_id").is_in(paragraphs["id"].implode()))
        .select("source_id", "target_id", "date")
    )


def make_queries(
    levels: Levels,
    masked: Mapping[str, Masked],
    paragraphs: pl.DataFrame,
    clusters: Mapping[str, str],
    *,
    case_splits: Sequence[str],
) -> tuple[Query, ...]:
    """Return paragraph queries, then case queries of `case_splits`, each in document order.

    `extra` holds the unmasked text, the spans hidden in it (start, end, kind), the cluster of sibling judgments and
    the day of the decision, and how far the paragraph numbers of its targets can be trusted; `date` is the day before
    which candidates must be.
    """
    trust = trust_by_query(levels.qrels)
    queries = []
    cases: dict[str, dict[str, Any]] = {}
    for source_id, document, split, cut, decided in levels.asking.iter_rows():
        cases.setdefault(document, {"split": split, "date": cut, "decided": decided})
        id = par_query_id(source_id)
        extra = {
            **_extra(masked[source_id]), "cluster": clusters[document], "decided": str(decided), "targets": trust[id],
        }  # fmt: skip
        queries.append(Query(id, masked[source_id].text, split, "par", source_id, document, cut, extra))
    wanted = {name for name, case in cases.items() if case["split"] in case_splits}
    rows = paragraphs.filter(pl.col("document_id").is_in(list(wanted))).select("id", "document_id")
    members: dict[str, list[Masked]] = {}
    for name, document in rows.iter_rows():
        members.setdefault(document, []).append(masked[name])
    for document, case in cases.items():
        if document in members:
            whole = _joined(members[document])
            extra = {
                **_extra(whole), "cluster": clusters[document], "decided": str(case["decided"]),
                "targets": trust[document],
            }  # fmt: skip
            queries.append(Query(document, whole.text, case["split"], "case", document, document, case["date"], extra))
    return tuple(queries)


def _extra(masked: Masked) -> dict[str, Any]:
    return {"unmasked": masked.unmasked, "spans": [list(span) for span in masked.spans]}


def _joined(parts: Sequence[Masked]) -> Masked:
    spans = []
    offset = 0
    for part in parts:
        spans += [(start + offset, end + offset, kind) for start, end, kind in part.spans]
        offset += len(part.unmasked) + len(_JOIN)
    return Masked(_JOIN.join(part.text for part in parts), _JOIN.join(part.unmasked for part in parts), tuple(spans))
