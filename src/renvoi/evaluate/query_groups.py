"""Queries by what one of their fields says: to break values down, or to look at some of the queries only."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from renvoi.errors import BadInput, RenvoiError
from renvoi.types import Benchmark, Query, Task


def field_values(bench: Benchmark, level: str, key: str) -> dict[str, str]:
    """Return what each query's field `key` says, by query id; queries without it are left out.

    Fields are those of `Query.extra`, "split", "unit", "document_id", "year" (of `date`), and "source": all that says
    what is relevant to the query on this level ("human+text").

    Raises:
        RenvoiError: no query has the field.
    """
    if key == "source" and "source" in bench.qrels[level].columns:
        rows = bench.qrels[level].filter(pl.col("relevance") > 0).select("query_id", "source")
        told: dict[str, set[str]] = {}
        for query_id, source in rows.iter_rows():
            told.setdefault(query_id, set()).update((source or "(none)").split("+"))
        return {query_id: "+".join(sorted(names)) for query_id, names in told.items()}
    found = {q.id: value for q in bench.queries if (value := _field(q, key)) is not None}
    if not found:
        fields = sorted({name for q in bench.queries for name in q.extra})
        raise RenvoiError(f"no query has a field {key!r} to group by; there are: {', '.join(fields) or 'none'}")
    return found


def restrict(bench: Benchmark, task: Task, only: str) -> Task:
    """Return a task with some of its queries: those whose field has a value.

    Args:
        bench: of the task.
        task: one level and split.
        only: "FIELD=VALUE", see `field_values`; of a field with several values ("human+text") one is enough.

    Raises:
        BadInput: it is not of that form, or no query has the value.
    """
    key, equals, wanted = only.partition("=")
    if not equals:
        raise BadInput(f"--only {only}", "is not of the form FIELD=VALUE", "such as source=human")
    said = field_values(bench, task.level, key)
    kept = tuple(q for q in task.queries if q.id in said and wanted in (said[q.id], *said[q.id].split("+")))
    if not kept:
        there = sorted({said[q.id] for q in task.queries if q.id in said})
        raise BadInput(f"--only {only}", "no query has this value", f"there are: {', '.join(there[:20]) or 'none'}")
    return replace(task, queries=kept)


def _field(query: Query, key: str) -> str | None:
    if key in query.extra:
        return str(query.extra[key])
    if key in ("split", "unit", "document_id"):
        return str(getattr(query, key)) or None
    return str(query.date.year) if key == "year" and query.date else None
