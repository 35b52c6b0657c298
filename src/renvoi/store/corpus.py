"""Corpora <-> four Parquet files and a manifest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from renvoi import ids
from renvoi.errors import BadInput
from renvoi.store.atomic import fresh_folder, write_json
from renvoi.types import Citation, Corpus, Document, Link, Provision, SourceFile, Unresolved

_DOCUMENTS: dict[str, Any] = {
    "id": pl.String, "jurisdiction": pl.String, "language": pl.String, "kind": pl.String, "title": pl.String,
    "short_titles": pl.List(pl.String), "date": pl.Date, "text_state": pl.String, "path": pl.String,
    "sha256": pl.String, "format": pl.String, "metadata": pl.String,
}  # fmt: skip
_PROVISIONS: dict[str, Any] = {
    "id": pl.String, "document_id": pl.String, "path": pl.String, "label": pl.String, "heading": pl.String,
    "text": pl.String, "order": pl.Int32, "parent": pl.String, "kind": pl.String, "state": pl.String,
}  # fmt: skip
_CITATIONS: dict[str, Any] = {
    "source_id": pl.String, "citation": pl.Int32, "start": pl.Int32, "end": pl.Int32, "ref_start": pl.Int32,
    "ref_end": pl.Int32, "path": pl.String, "until": pl.String, "act": pl.String, "scope": pl.String,
    "kind": pl.String, "exception": pl.Boolean,
}  # fmt: skip
_LINKS: dict[str, Any] = {
    "source_id": pl.String, "citation": pl.Int32, "ref_start": pl.Int32, "ref_end": pl.Int32, "target_id": pl.String,
    "cited": pl.String, "act": pl.String, "reason": pl.String, "nearest": pl.String,
}  # fmt: skip

_TABLES = ("documents", "provisions", "citations", "links")


def corpus_from(
    documents: Sequence[Document],
    citations: Iterable[Citation],
    ends: Mapping[tuple[str, int], Sequence[Link | Unresolved]],
    manifest: Mapping[str, Any],
) -> Corpus:
    """Return documents and their citations as columns.

    Args:
        documents: with their provisions.
        citations: in document order; a provision's citations are numbered from 0 in this order.
        ends: what the references of a citation reach, by source id and number of the citation.
        manifest: see `make_manifest`.
    """
    document_rows = [
        (
            d.id, d.jurisdiction, d.language, d.kind, d.title, list(d.short_titles), d.date, d.text_state,
            d.source.path, d.source.sha256, d.source.format,
            json.dumps(dict(d.metadata), ensure_ascii=False, default=str),
        )
        for d in documents
    ]  # fmt: skip
    provision_rows = [
        (p.id, p.document_id, ids.format_path(p.path), p.label, p.heading, p.text, p.order, p.parent, p.kind, p.state)
        for d in documents
        for p in d.provisions
    ]
    citation_rows: list[tuple[Any, ...]] = []
    link_rows: list[tuple[Any, ...]] = []
    numbers: dict[str, int] = {}
    for c in citations:
        number = numbers.get(c.source_id, 0)
        numbers[c.source_id] = number + 1
        for r in c.references:
            until = None if r.until is None else ids.format_path(r.until)
            citation_rows.append(
                (c.source_id, number, c.start, c.end, r.start, r.end, ids.format_path(r.path), until, r.act, r.scope,
                 r.kind, r.exception)
            )  # fmt: skip
        for end in ends.get((c.source_id, number), ()):
            r = end.reference
            if isinstance(end, Link):
                document_id, path = ids.parse_id(end.target_id)
                cited = ids.format_path((*path, *end.fragment))
                link_rows.append((c.source_id, number, r.start, r.end, end.target_id, cited, document_id, None, None))
            else:
                cited = ids.format_path(end.path)
                link_rows.append((c.source_id, number, r.start, r.end, None, cited, end.act, end.reason, end.nearest))
    return Corpus(
        documents=pl.DataFrame(document_rows, schema=_DOCUMENTS, orient="row"),
        provisions=pl.DataFrame(provision_rows, schema=_PROVISIONS, orient="row"),
        citations=pl.DataFrame(citation_rows, schema=_CITATIONS, orient="row"),
        links=pl.DataFrame(link_rows, schema=_LINKS, orient="row"),
        manifest=manifest,
    )


def write_corpus(path: Path, corpus: Corpus, *, force: bool = False) -> None:
    """Write a corpus folder, whole or not at all."""
    with fresh_folder(path, force=force) as folder:
        fill_folder(folder, corpus)


def fill_folder(folder: Path, corpus: Corpus) -> None:
    """Write the files of a corpus into a folder that is being made."""
    for name in _TABLES:
        getattr(corpus, name).write_parquet(folder / f"{name}.parquet", statistics=False)
    write_json(folder / "manifest.json", corpus.manifest)


def read_corpus(path: Path) -> Corpus:
    """Read a corpus folder.

    Raises:
        BadInput: it is no corpus.
    """
    for name in ("manifest.json", *(f"{table}.parquet" for table in _TABLES)):
        if not (path / name).exists():
            raise BadInput(path, f"is no corpus (it has no {name})", "make one with: renvoi ingest FILES... -o CORPUS")
    tables = {name: pl.read_parquet(path / f"{name}.parquet") for name in _TABLES}
    return Corpus(**tables, manifest=json.loads((path / "manifest.json").read_text(encoding="utf-8")))


def documents_of(corpus: Corpus) -> tuple[Document, ...]:
    """Return the documents that a corpus was made from, without their findings."""
    columns = ("id", "document_id", "path", "label", "heading", "text", "order", "parent", "kind", "state")
    held: dict[str, list[Provision]] = {}
    for id, document_id, path, *rest in corpus.provisions.select(columns).iter_rows():
        held.setdefault(document_id, []).append(Provision(id, document_id, ids.parse_path(path), *rest))
    return tuple(
        Document(
            row["id"], row["jurisdiction"], row["language"], row["kind"], row["title"], tuple(row["short_titles"]),
            row["date"], row["text_state"], SourceFile(row["path"], row["sha256"], row["format"]),
            tuple(held.get(row["id"], ())), json.loads(row["metadata"]),
        )
        for row in corpus.documents.iter_rows(named=True)
    )  # fmt: skip
