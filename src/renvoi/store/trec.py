"""Runs and qrels <-> TREC files."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from renvoi.store.atomic import write_text


def write_run(path: Path, run: pl.DataFrame, system: str) -> None:
    """Write a run (query_id, doc_id, score; best first within a query) as a TREC run file."""
    lines = []
    rank, last = 0, None
    for query_id, doc_id, score in run.select("query_id", "doc_id", "score").iter_rows():
        rank = rank + 1 if query_id == last else 1
        last = query_id
        lines.append(f"{query_id} Q0 {doc_id} {rank} {score:.6f} {system}\n")
    write_text(path, "".join(lines))


def read_run(path: Path) -> pl.DataFrame:
    """Read a run file: query_id, doc_id, score."""
    raise NotImplementedError


def write_qrels(path: Path, qrels: pl.DataFrame) -> None:
    """Write qrels (query_id, doc_id, relevance) as a TREC qrels file."""
    rows = qrels.select("query_id", "doc_id", "relevance").iter_rows()
    write_text(path, "".join(f"{query} 0 {doc} {relevance}\n" for query, doc, relevance in rows))


def read_qrels(path: Path) -> pl.DataFrame:
    """Read a qrels file: query_id, doc_id, relevance."""
    raise NotImplementedError
