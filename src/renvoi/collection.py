"""A benchmark or corpus folder > what is indexed of it, and what a hit of that index shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl

from renvoi import cases, ids, registry, store
from renvoi.analysis import Analysis
from renvoi.case_grammar import CaseGrammar
from renvoi.chunk import chunk_corpus, make_collection, make_links
from renvoi.coverage import label_styles
from renvoi.errors import BadInput
from renvoi.index import Index, build_index, field_texts
from renvoi.progress import say
from renvoi.store.corpus import fill_folder
from renvoi.types import Corpus

# In the folder of an index.
LINKS = "links.parquet"
TEXTS = "texts.parquet"
CORPUS = "corpus"

Kind = Literal["statutes", "judgments"]
_CASE_LEVELS = {"par_par", "par_case", "case_case"}
_ROWS = 8192  # of the texts that are unpacked to read one of them
_SHOWN: dict[str, Any] = {
    "id": pl.String, "document_id": pl.String, "title": pl.String, "label": pl.String, "labels": pl.List(pl.String),
    "lead_ins": pl.List(pl.String), "text": pl.String,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Collection:
    """What an index is built from.

    chunks    see `types.Benchmark`
    links     source_id, target_id, date: the citation graph of the chunks
    shown     what a hit shows: id, document_id, title (of the act or judgment), label (in the national style), labels
              (headings and labels of what it lies in, its own last), lead_ins, text
    language  ISO 639-1
    corpus    what the chunks were cut from; None for a benchmark
    kind      what most of the chunks are of: it is how an index is searched where no model is named
    """

    chunks: pl.DataFrame
    links: pl.DataFrame
    shown: pl.DataFrame
    language: str
    corpus: Corpus | None
    kind: Kind


def read_collection(path: Path) -> Collection:
    """Return what to index of a benchmark or corpus folder.

    Raises:
        BadInput: it is neither.
    """
    if not (path / "queries.jsonl").exists():
        return collect(store.read_corpus(path))
    bench = store.read_benchmark(path)
    chunks = next(iter(bench.collections.values()))
    kind: Kind = "judgments" if bench.kind == "pincite" or _CASE_LEVELS & bench.qrels.keys() else "statutes"
    jurisdiction = "cjeu" if kind == "judgments" else {"en": "eu"}.get(bench.language, bench.language)
    styles = dict.fromkeys(chunks["document_id"], label_styles(jurisdiction))
    numbers = {id: cases.name_case(id) or "" for id in styles}
    return Collection(chunks, _dated(bench.links), _shown(chunks, numbers, styles), bench.language, None, kind)


def collect(corpus: Corpus) -> Collection:
    """Return the chunks of a corpus, with their links."""
    languages = corpus.documents["language"].unique(maintain_order=True).to_list()
    if len(languages) > 1:
        say(f"the corpus is in {', '.join(sorted(languages))}; it is read as {languages[0]}, see --language")
    cut = chunk_corpus(corpus)
    chunks = make_collection(corpus, cut)
    if chunks.is_empty():
        raise BadInput("corpus", "holds no provision with a text to search")
    styles = {id: label_styles(name) for id, name in corpus.documents.select("id", "jurisdiction").iter_rows()}
    titles = dict(corpus.documents.select("id", "title").iter_rows())
    return Collection(
        chunks, make_links(corpus, cut), _shown(chunks, titles, styles), languages[0], corpus, _kind_of(corpus, chunks)
    )


def index_collection(
    collection: Collection,
    analysis: Analysis,
    path: Path | None = None,
    *,
    fields: Sequence[str] = ("body",),
    text: bool = True,
    force: bool = False,
) -> Index:
    """Return an index of a collection; with a `path` it is written there, with the links and what hits show.

    Args:
        collection: what to index.
        analysis: how text becomes terms.
        path: a folder; None builds in memory.
        fields: see `index.field_texts`.
        text: also keep what hits show, and the corpus, for `renvoi serve`.
        force: replace an existing folder.

    Raises:
        OutputExists: `path` exists and `force` is False.
    """

    def beside(folder: Path) -> None:
        if collection.links.height:
            collection.links.write_parquet(folder / LINKS, statistics=False)
        if text:
            ordered = collection.shown.sort("id", descending=True)  # neighbours pack well
            ordered.write_parquet(folder / TEXTS, row_group_size=_ROWS)
        if text and collection.corpus is not None:
            (folder / CORPUS).mkdir()
            fill_folder(folder / CORPUS, collection.corpus)

    return build_index(
        field_texts(collection.chunks, fields), analysis, path, in_order=collection.kind == "judgments",
        about={"kind": collection.kind}, beside=beside, force=force,
    )  # fmt: skip


def label_of(id: str, styles: Mapping[str, str]) -> str:
    """Return the address of a chunk as people write it, from its id.

    >>> label_of("dk/lbk/2015/1~sec_5__subsec_2", {"sec": "§ {}", "subsec": "stk. {}"})
    '§ 5, stk. 2'
    >>> label_of("an act~§ 5/stk. 2", {})
    '§ 5, stk. 2'
    """
    tail = id.rpartition("~")[2]
    try:
        path = ids.parse_path(tail)
    except ValueError:
        path = ()
    if path and all(step.level in styles for step in path):
        return ids.format_label(path, styles)
    return tail.replace("/", ", ") if "~" in id else id


def _kind_of(corpus: Corpus, chunks: pl.DataFrame) -> Kind:
    """Return what most of the chunks are of, and say so where there are both."""
    known = registry.names("jurisdictions")
    judged = {
        id
        for id, name in corpus.documents.select("id", "jurisdiction").iter_rows()
        if name in known and isinstance(registry.load("jurisdictions", name), CaseGrammar)
    }
    n = chunks["document_id"].is_in(list(judged)).sum()
    kind: Kind = "judgments" if 2 * n > chunks.height else "statutes"
    if 0 < n < chunks.height:
        say(f"{n} of {chunks.height} chunks are of judgments; it is searched as {kind}, see --kind")
    return kind


def _shown(chunks: pl.DataFrame, titles: Mapping[str, str], styles: Mapping[str, Mapping[str, str]]) -> pl.DataFrame:
    columns = {name: chunks[name] if name in chunks.columns else None for name in ("labels", "lead_ins")}
    rows = [
        (id, document_id, titles.get(document_id, ""), label_of(id, styles.get(document_id, {})))
        for id, document_id in chunks.select("id", "document_id").iter_rows()
    ]
    made = pl.DataFrame(rows, schema=["id", "document_id", "title", "label"], orient="row")
    nothing = pl.lit([], pl.List(pl.String))
    lists = [nothing.alias(name) if found is None else found for name, found in columns.items()]
    made = made.with_columns(*lists, chunks["text"])
    return made.select(pl.col(name).cast(kind) for name, kind in _SHOWN.items())


def _dated(links: pl.DataFrame) -> pl.DataFrame:
    if "date" not in links.columns:
        links = links.with_columns(pl.lit(None, pl.Date).alias("date"))
    return (
        links.filter(pl.col("target_id").is_not_null())
        .select("source_id", "target_id", "date")
        .unique(maintain_order=True)
    )
