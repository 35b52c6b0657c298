"""What earlier documents said when they cited a chunk: the anchor text of case law.

A context made here is of one day (`before`): nothing that was decided on it or later is in it. For queries of many
days, `along:citing=…` reads the citing paragraphs at query time, as of each query's own day.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import polars as pl

from renvoi import masks
from renvoi.contexts import SCHEMA
from renvoi.errors import BadInput
from renvoi.types import Benchmark


def citing(bench: Benchmark, options: Mapping[str, Any]) -> pl.DataFrame:
    """Return the paragraphs that cite each chunk, their citations masked, the latest first.

    Args:
        bench: with dated links.
        options: "before" (a date, or YYYY-MM-DD; default: the first day of the queries), "words" of one citing
            paragraph (60), "most" citing paragraphs (10).

    Raises:
        BadInput: "before" is later than a query, whose own time it would give away.
    """
    collection = bench.collections["chunks"]
    days = [query.date for query in bench.queries if query.date]
    first = min(days) if days else None
    given = options.get("before") or first
    before = date.fromisoformat(given) if isinstance(given, str) else given
    if first is not None and before is not None and before > first:
        raise BadInput("citing", f"before={before} is later than a query ({first})", f"give {first} or earlier")
    words, most = int(options.get("words", 60)), int(options.get("most", 10))
    texts = dict(collection.select("id", "text").iter_rows())
    links = bench.links.filter(pl.col("source_id").is_in(list(texts)) & pl.col("target_id").is_in(list(texts)))
    if before is not None:
        links = links.filter(pl.col("date").is_null() | (pl.col("date") < before))
    masked = {
        id: " ".join(masks.hide(texts[id], how="remove").text.split(" ")[:words])
        for id in links["source_id"].unique().to_list()
    }
    found: dict[str, list[str]] = {}
    ordered = links.unique(["source_id", "target_id"]).sort(["date", "source_id"], descending=True, nulls_last=True)
    for source, target in ordered.select("source_id", "target_id").iter_rows():
        if len(found.setdefault(target, [])) < most:
            found[target].append(masked[source])
    return pl.DataFrame([(id, " ".join(found.get(id, ())), None) for id in texts], schema=SCHEMA, orient="row")
