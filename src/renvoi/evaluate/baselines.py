"""Systems that need no choosing and stand in every table."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from renvoi import systems
from renvoi.types import Benchmark

POPULARITY = "popularity"


def with_popularity(
    bench: Benchmark, runs: Mapping[str, pl.DataFrame], *, level: str | None = None, split: str | None = None
) -> dict[str, pl.DataFrame]:
    """Return the runs and, where the benchmark has a citation graph, that of the documents cited most."""
    if not bench.links.height or POPULARITY in runs:
        return dict(runs)
    run = systems.run_system(systems.parse_system(POPULARITY), bench, bench.task(level, split), k=1000)
    return {**runs, POPULARITY: run}
