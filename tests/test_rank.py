from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from renvoi import rank, store
from renvoi.errors import BadInput


def run_of(*rows: tuple[str, str, float]) -> pl.DataFrame:
    schema = {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
    return pl.DataFrame(list(rows), schema=schema, orient="row")


def test_a_run_is_ordered_within_its_queries() -> None:
    run = run_of(("q2", "a", 1.0), ("q1", "a", 1.0), ("q2", "c", 2.0), ("q1", "b", 1.0), ("q1", "c", 0.5))

    assert rank.order_run(run).select("query_id", "doc_id").rows() == [
        ("q2", "c"), ("q2", "a"), ("q1", "b"), ("q1", "a"), ("q1", "c"),
    ]  # fmt: skip
    assert rank.order_run(run, 1)["doc_id"].to_list() == ["c", "b"]


def test_scores_that_single_precision_cannot_tell_apart_are_equal() -> None:
    run = run_of(("q", "a", 1.00000001), ("q", "b", 1.0))

    assert rank.order_run(run)["doc_id"].to_list() == ["b", "a"]


def test_a_run_ranks_alike_in_memory_and_in_its_file(tmp_path: Path) -> None:
    scores = np.float32(0.1) + np.arange(40, dtype=np.float32) * np.float32(1e-8)
    run = rank.order_run(run_of(*((("q", f"d{n:02d}", float(score))) for n, score in enumerate(scores))))

    store.write_run(tmp_path / "a.run", run, "a")

    assert rank.order_run(store.read_run(tmp_path / "a.run"))["doc_id"].to_list() == run["doc_id"].to_list()


def test_reciprocal_ranks_are_added() -> None:
    one = run_of(("q", "a", 9.0), ("q", "b", 8.0))
    two = run_of(("q", "b", 0.2), ("q", "c", 0.1))

    fused = rank.fuse_ranks([one, two], constant=60)

    assert fused["doc_id"].to_list() == ["b", "a", "c"]
    assert fused["score"].to_list() == pytest.approx([1 / 62 + 1 / 61, 1 / 61, 1 / 62], rel=1e-6)


def test_scaled_scores_are_weighed_and_added() -> None:
    one = run_of(("q", "a", 9.0), ("q", "b", 5.0), ("q", "c", 1.0))
    two = run_of(("q", "c", 7.0))

    fused = rank.fuse_scores([one, two], weights=[1.0, 0.25])

    assert dict(fused.select("doc_id", "score").iter_rows()) == {"a": 1.0, "b": 0.5, "c": 0.25}
    with pytest.raises(BadInput, match="2 runs and 1 weights"):
        rank.fuse_scores([one, two], weights=[1.0])
