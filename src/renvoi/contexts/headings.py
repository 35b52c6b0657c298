"""Headings and lead-ins of the ancestors: no model is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from renvoi.contexts import SCHEMA
from renvoi.types import Benchmark


def headings(bench: Benchmark, options: Mapping[str, Any]) -> pl.DataFrame:
    """Return the labels and lead-ins above each chunk, outermost first."""
    collection = bench.collections["chunks"]
    rows = [
        (id, " ".join([*labels, *lead_ins]).strip(), None)
        for id, labels, lead_ins in collection.select("id", "labels", "lead_ins").iter_rows()
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")
