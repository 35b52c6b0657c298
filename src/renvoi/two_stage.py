"""A run of paragraphs > the same run with each paragraph's case weighed in: cases first, then paragraphs inside them.

    s'(p) = s(p) + weight * mean of the `top` best scores of the case that p is part of (missing ones count 0)

Scores are not scaled: a case is as good as its best paragraphs together. `along+two_stage:weight=0.3`.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from renvoi import rank
from renvoi.errors import BadInput
from renvoi.types import Benchmark, Task


def weigh_cases(run: pl.DataFrame, options: Mapping[str, str], bench: Benchmark, task: Task, k: int) -> pl.DataFrame:
    """Return the run with `weight` times its case's score added to every document's, best `k` of each query.

    Args:
        run: query_id, doc_id, score.
        options: "weight" (0.3), "top" paragraphs of a case that count (3), "depth" of the run that is read (200).
        bench: not read.
        task: its collection says which case a paragraph is part of.
        k: documents kept for each query.

    Raises:
        BadInput: no such option.
    """
    given = {"weight": "0.3", "top": "3", "depth": "200", **options}
    if len(given) != 3:
        raise BadInput("two_stage", f"has an option it lacks among {', '.join(options)}", "it has: weight, top, depth")
    try:
        weight, top, depth = float(given["weight"]), int(given["top"]), int(given["depth"])
    except ValueError:
        raise BadInput("two_stage", f"{given} are not all numbers") from None
    owner = task.corpus.select(pl.col("id").alias("doc_id"), pl.col("document_id").alias("_case"))
    held = rank.order_run(run, depth).join(owner, on="doc_id", how="left", maintain_order="left")
    best = pl.col("score").head(top).sum().over("query_id", "_case") / top  # the run is in order
    return rank.order_run(held.with_columns((pl.col("score") + weight * best).alias("score")), k)
