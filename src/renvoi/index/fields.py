"""A collection > the text of each field."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from renvoi.errors import BadInput
from renvoi.index.layout import PAIRS

# Fields made from a collection itself. Others (cited, citing, context) come from `contexts` as columns of their name.
FIELDS = ("body", "path", "pairs")


def field_texts(corpus: pl.DataFrame, fields: Sequence[str] = ("body",)) -> pl.DataFrame:
    """Return `id`, `document_id` and `date` where the collection has them, and one column of text a field.

    Args:
        corpus: a collection of a benchmark (see `types.Benchmark`), with further columns for further fields.
        fields: "body" is the text; "path" the headings, labels and lead-ins of the ancestors; "pairs" the pairs of
            neighbouring words of the text; any other name is a column of `corpus` ("lead_ins").

    Raises:
        BadInput: the collection has no such column.
    """
    columns: list[pl.Expr] = [pl.col("id")]
    columns += [pl.col(name) for name in ("document_id", "date") if name in corpus.columns]
    for field in fields:
        if field in ("body", PAIRS) and field not in corpus.columns:
            columns.append(pl.col("text").alias(field))
        elif field == "path" and {"labels", "lead_ins"} & set(corpus.columns):
            # A benchmark that others made may have a column "path" of its own: an address, not text.
            held = [name for name in ("labels", "lead_ins") if name in corpus.columns]
            parts = [pl.col(name).cast(pl.List(pl.String)).list.join(" ") for name in held]
            columns.append(pl.concat_str(parts, separator=" ", ignore_nulls=True).alias("path"))
        elif field in corpus.columns and isinstance(corpus.schema[field], pl.List):
            columns.append(pl.col(field).cast(pl.List(pl.String)).list.join(" ").alias(field))
        elif field in corpus.columns:
            columns.append(pl.col(field))
        else:
            raise BadInput("collection", f"it has no column for the field {field!r}", f"it has {corpus.columns}")
    return corpus.select(columns)
