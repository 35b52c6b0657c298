"""Benchmarks <-> a folder of Parquet, JSON lines and TSV files, a dataset card and a manifest."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from renvoi.errors import BadInput
from renvoi.store.atomic import fresh_folder, write_json, write_text
from renvoi.types import LEVELS, Benchmark, Query

_COLLECTION = {
    "id": pl.String, "text": pl.String, "lead_ins": pl.List(pl.String), "labels": pl.List(pl.String),
    "document_id": pl.String, "date": pl.Date, "order": pl.Int32,
}  # fmt: skip


def write_benchmark(path: Path, bench: Benchmark, *, card: str, force: bool = False) -> None:
    """Write a benchmark folder, whole or not at all.

    Args:
        path: the folder.
        bench: what to write.
        card: the dataset card, Markdown; becomes README.md.
        force: replace an existing folder.
    """
    with fresh_folder(path, force=force) as folder:
        for name, frame in bench.collections.items():
            frame.write_parquet(folder / f"{name}.parquet", statistics=False)
        lines = [json.dumps(_plain(q), ensure_ascii=False, default=str) for q in bench.queries]
        write_text(folder / "queries.jsonl", "".join(line + "\n" for line in lines))
        (folder / "qrels").mkdir()
        for level, qrels in bench.qrels.items():
            qrels.write_csv(folder / "qrels" / f"{level}.tsv", separator="\t")
        splits: dict[str, list[str]] = {}
        for query in bench.queries:
            splits.setdefault(query.split, []).append(query.id)
        (folder / "splits").mkdir()
        for split, members in splits.items():
            write_text(folder / "splits" / f"{split}.txt", "".join(member + "\n" for member in members))
        bench.contexts.write_csv(folder / "contexts.tsv", separator="\t")
        bench.links.write_parquet(folder / "links.parquet", statistics=False)
        write_json(folder / "funnel.json", list(bench.funnel))
        write_text(folder / "README.md", card)
        write_json(folder / "manifest.json", {**bench.manifest, "kind": bench.kind, "language": bench.language})


def read_benchmark(path: Path) -> Benchmark:
    """Read a benchmark folder.

    Raises:
        BadInput: it is no benchmark.
    """
    if not (path / "queries.jsonl").exists() or not (path / "manifest.json").exists():
        raise BadInput(
            path, "is no benchmark (it has no queries.jsonl)", "make one with: renvoi build, or renvoi import"
        )
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    text = (path / "queries.jsonl").read_text(encoding="utf-8")
    return Benchmark(
        kind=manifest["kind"],
        language=manifest["language"],
        collections={
            name: pl.read_parquet(path / f"{name}.parquet")
            for name in ("chunks", "cases")
            if (path / f"{name}.parquet").exists()
        },
        queries=tuple(_query(json.loads(line)) for line in text.splitlines()),
        qrels={
            file.stem: pl.read_csv(file, separator="\t", schema_overrides={"query_id": pl.String, "doc_id": pl.String})
            for file in sorted((path / "qrels").glob("*.tsv"), key=_level_order)
        },
        contexts=pl.read_csv(path / "contexts.tsv", separator="\t", schema_overrides={"query_id": pl.String}),
        links=pl.read_parquet(path / "links.parquet"),
        funnel=tuple(json.loads((path / "funnel.json").read_text(encoding="utf-8"))),
        manifest=manifest,
    )


def _plain(query: Query) -> dict[str, Any]:
    return {key: value for key, value in asdict(query).items() if value not in (None, "", {})}


def _query(row: dict[str, Any]) -> Query:
    day = row.pop("date", None)
    return Query(**row, date=date.fromisoformat(day) if day else None)


def _level_order(file: Path) -> int:
    return list(LEVELS).index(file.stem) if file.stem in LEVELS else len(LEVELS)
