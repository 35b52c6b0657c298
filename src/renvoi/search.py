"""An index and a question > the best documents, as a run of one query."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import polars as pl

from renvoi import rank, systems
from renvoi.errors import BadInput
from renvoi.index import open_index
from renvoi.retrievers.lexical import scorer_of
from renvoi.types import Query


def search(
    index: Path | str,
    question: str,
    *,
    k: int = 10,
    model: str = "bm25",
    documents: Sequence[str] | None = None,
    before: date | None = None,
) -> pl.DataFrame:
    """Return the best `k` documents of an index: query_id (empty), doc_id, score, best first.

    Args:
        index: a folder that `renvoi index` wrote.
        question: any text.
        k: how many.
        model: one weighting model, with options: "bm25:k1=0.9,b=0.4".
        documents: only in these acts or judgments.
        before: only what is older than this day.

    Raises:
        BadInput: the model is a combination, or a document is not in the index.
    """
    opened = open_index(Path(index))
    system = systems.parse_system(model)
    if len(system.parts) != 1 or system.steps:
        raise BadInput("--model", f"{model!r} is not one weighting model", "an index is searched by one")
    collection = opened.documents.sort("row")
    mask = None
    if documents:
        known = collection["document_id"] if "document_id" in collection.columns else pl.Series(dtype=pl.String)
        strange = sorted(set(documents) - set(known))
        if strange:
            raise BadInput("--document", f"the index has no {strange[0]!r}")
        mask = known.is_in(list(documents)).to_numpy()
    part = system.parts[0]
    scorer = scorer_of(opened, {**part.options, "model": part.name})
    return rank.rank(scorer, [Query("", question, date=before)], collection, k=k, mask=mask)
