"""How far a query's target and its contexts stand apart."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from renvoi.types import Benchmark, Query


def context_distances(bench: Benchmark, queries: Sequence[Query]) -> dict[str, int]:
    """Return the signed number of words from each query's target to its farthest context in the same document.

    Counted from the start of the one to the start of the other; negative: the context stands before the target.
    """
    chunks = bench.collections.get("chunks")
    if chunks is None or not bench.contexts.height:
        return {}
    ordered = chunks.sort("document_id", "order").with_columns(words=pl.col("text").str.count_matches(r"\S+"))
    ordered = ordered.with_columns(start=pl.col("words").cum_sum().over("document_id") - pl.col("words"))
    place = {doc: (act, start) for doc, act, start in ordered.select("id", "document_id", "start").iter_rows()}
    contexts: dict[str, list[str]] = {}
    for query_id, doc in bench.contexts.select("query_id", "doc_id").iter_rows():
        contexts.setdefault(query_id, []).append(doc)
    found: dict[str, int] = {}
    for query in queries:
        if query.source_id not in place:
            continue
        document, start = place[query.source_id]
        near = [place[other] for other in contexts.get(query.id, ()) if other in place and other != query.source_id]
        gaps = [there - start for act, there in near if act == document]
        if gaps:
            found[query.id] = max(gaps, key=abs)
    return found
