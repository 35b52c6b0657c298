"""How well the references of each document were read, so that a bad act is seen before a benchmark is built from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from renvoi import registry
from renvoi.errors import BadInput
from renvoi.types import Corpus


def coverage(corpus: Corpus, document_id: str | None = None) -> list[dict[str, Any]]:
    """Return a row for each document with a citation, most references first.

    Each row has `document`, `title`, `citations`, `references`, `ends` (a range has many), `linked`, `internal` (ends
    in the document itself) with `internal_missing` among them, `unresolved` by reason, and `suspicious`: links of a
    provision to itself, and references to repealed provisions.

    Raises:
        BadInput: `document_id` is not in the corpus.
    """
    if document_id is not None and document_id not in corpus.documents["id"]:
        raise BadInput(repr(document_id), "the corpus has no such document", "list them with: renvoi refs CORPUS")
    own = pl.col("source_id").str.split("~").list.first().alias("document")
    references = corpus.citations.with_columns(own)
    links = corpus.links.with_columns(own)
    rows = []
    for document, title in corpus.documents.select("id", "title").iter_rows():
        if document_id not in (None, document):
            continue
        cited = references.filter(pl.col("document") == document)
        ends = links.filter(pl.col("document") == document)
        internal = ends.filter(pl.col("act") == document)
        reasons = ends.filter(pl.col("reason").is_not_null()).group_by("reason").len().sort("reason")
        missing = internal.filter(pl.col("reason") == "no_such_provision").height
        rows.append({
            "document": document,
            "title": title,
            "citations": cited.select("source_id", "citation").unique().height,
            "references": cited.height,
            "ends": ends.height,
            "linked": ends["target_id"].is_not_null().sum(),
            "internal": internal.height,
            "internal_missing": missing,
            "unresolved": dict(reasons.iter_rows()),
            "suspicious": {
                "to_itself": ends.filter(pl.col("target_id") == pl.col("source_id")).height,
                "to_repealed": ends.filter(pl.col("reason") == "repealed").height,
            },
        })  # fmt: skip
    return sorted(rows, key=lambda row: (-row["references"], row["document"]))


def totals(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the sums of `coverage` rows, and the share of internal ends that no provision answers."""
    unresolved: dict[str, int] = {}
    for row in rows:
        for reason, n in row["unresolved"].items():
            unresolved[reason] = unresolved.get(reason, 0) + n
    sums = {
        k: sum(r[k] for r in rows)
        for k in ("citations", "references", "ends", "linked", "internal", "internal_missing")
    }
    share = sums["internal_missing"] / sums["internal"] if sums["internal"] else 0.0
    return {"documents": len(rows), **sums, "internal_missing_share": round(share, 5), "unresolved": unresolved}


def label_styles(jurisdiction: str) -> Mapping[str, str]:
    """Return how a jurisdiction writes its levels; nothing where it has no grammar."""
    if jurisdiction not in registry.names("jurisdictions"):
        return {}
    grammar = registry.load("jurisdictions", jurisdiction)
    return {**grammar.styles, **getattr(grammar, "printed", {})}
