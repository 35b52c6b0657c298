"""An index and a question > the best documents, as a run of one query."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from renvoi import rank, systems
from renvoi.errors import BadInput
from renvoi.flagship import recipe
from renvoi.index import open_index
from renvoi.retrievers.along import AlongScorer, split_options
from renvoi.retrievers.lexical import scorer_of
from renvoi.types import Query

LINKS = "links.parquet"  # in the folder of an index
_EXPLAINED: dict[str, Any] = {
    "query_id": pl.String, "doc_id": pl.String, "score": pl.Float64, "own": pl.List(pl.String), "how": pl.String,
    "through": pl.String, "added": pl.List(pl.String),
}  # fmt: skip


def search(
    index: Path | str,
    question: str,
    *,
    k: int = 10,
    model: str = "renvoi",
    documents: Sequence[str] | None = None,
    before: date | None = None,
) -> pl.DataFrame:
    """Return the best `k` documents of an index: query_id (empty), doc_id, score, best first.

    Args:
        index: a folder that `renvoi index` wrote.
        question: any text.
        k: how many.
        model: one weighting model, with options: "bm25:k1=0.9,b=0.4"; or "along", or "renvoi", its recipe. These also
            say why: `own` terms and those that it has `through` another, `how` they are linked.
        documents: only in these acts or judgments.
        before: only what is older than this day.

    Raises:
        BadInput: the model is a combination, or a document is not in the index.
    """
    opened = open_index(Path(index))
    if model == "renvoi":  # along citations where the index has any
        model = recipe("chunk") if (Path(index) / LINKS).exists() else "bm25"
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
    query = Query("", question, date=before)
    if part.name != "along":
        return rank.rank(scorer_of(opened, {**part.options, "model": part.name}), [query], collection, k=k, mask=mask)
    own, rest = split_options(part.options)
    links = Path(index) / LINKS
    if not links.exists():
        raise BadInput(index, "it holds no links", "build it again from a benchmark or corpus that has some")
    along = AlongScorer(scorer_of(opened, rest), pl.read_parquet(links), own)
    docs, scores, helpers = along.search([query], k, rank.allow([query], collection, mask=mask))
    rows = []
    for doc, score, helper in zip(docs[0].tolist(), scores[0].tolist(), helpers[0].tolist(), strict=True):
        if doc >= 0:
            why = along.explain(query, doc, helper)
            rows.append(("", opened.documents["id"][doc], score, list(why.own), why.how, why.through, list(why.added)))
    return pl.DataFrame(rows, schema=_EXPLAINED, orient="row")
