"""Chunks > the text that stands around them. One file a way, holding one `Contextualiser` named as the file.

A context is put beside its chunk as the field `context`, or in front of it. What failed has a reason in place of a
context, and is never indexed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import polars as pl

from renvoi import registry
from renvoi.errors import BadInput, Mismatch
from renvoi.store.atomic import fresh_folder, write_json
from renvoi.types import Benchmark

# (benchmark, options) > one row a chunk, in the order of the collection: id, context, reason. The context is null where
# it failed, and "" where there is nothing to say; the reason is null where it did not fail.
Contextualiser = Callable[[Benchmark, Mapping[str, Any]], pl.DataFrame]

Place = Literal["beside", "before", "after"]  # a field of its own, or part of the text

SCHEMA = {"id": pl.String, "context": pl.String, "reason": pl.String}


# Fields of the index that are contexts, by the way that makes them.
FIELDS = {"cited": "inline", "citing": "citing"}


def add_fields(collection: pl.DataFrame, fields: Iterable[str], bench: Benchmark) -> pl.DataFrame:
    """Return the collection with a column for each of the fields that is a context and that it lacks."""
    for field in fields:
        if field in FIELDS and field not in collection.columns:
            maker: Contextualiser = registry.load("contexts", FIELDS[field])
            made = maker(bench, {}).select("id", pl.col("context").alias(field))
            collection = collection.join(made, on="id", how="left", maintain_order="left")
    return collection


def write_contexts(path: Path, contexts: pl.DataFrame, manifest: Mapping[str, Any], *, force: bool = False) -> None:
    """Write a folder of contexts, whole or not at all."""
    with fresh_folder(path, force=force) as folder:
        contexts.write_parquet(folder / "contexts.parquet", statistics=False)
        write_json(folder / "manifest.json", manifest)


def read_contexts(path: Path) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Read a folder of contexts and its manifest.

    Raises:
        BadInput: it holds none.
    """
    if not (path / "contexts.parquet").exists():
        raise BadInput(
            path, "holds no contexts", "make them with: renvoi contextualise BENCH --with headings -o CONTEXTS"
        )
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    return pl.read_parquet(path / "contexts.parquet"), manifest


def attach_contexts(collection: pl.DataFrame, contexts: pl.DataFrame, *, place: Place = "beside") -> pl.DataFrame:
    """Return the collection with a column `context`, or with each context before or after its chunk's text.

    A chunk whose context failed keeps its text alone. A model that reads the first tokens only may see nothing of the
    text behind a long context: put it after.

    Raises:
        Mismatch: the contexts were made for other chunks.
    """
    unknown = contexts.join(collection, on="id", how="anti")
    if unknown.height:
        raise Mismatch(f"{unknown.height} contexts belong to no chunk of the collection, such as {unknown['id'][0]}")
    joined = collection.join(contexts.select("id", "context"), on="id", how="left", maintain_order="left")
    joined = joined.with_columns(pl.col("context").fill_null(""))
    if place == "beside":
        return joined
    order = ["context", "text"] if place == "before" else ["text", "context"]
    text = pl.concat_str(order, separator="\n")
    text = text.str.strip_chars_start("\n") if place == "before" else text.str.strip_chars_end("\n")
    return joined.with_columns(text.alias("text")).drop("context")
