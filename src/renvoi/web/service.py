"""What the page asks for, as data: hits, provisions, who cites them, references of a pasted text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from threading import Lock
from typing import Any

import polars as pl

from renvoi import registry, store
from renvoi.analysis import default_analysis
from renvoi.collection import CORPUS, collect, index_collection
from renvoi.errors import BadInput
from renvoi.progress import say
from renvoi.search import Searcher, open_search, search_in
from renvoi.show import Part, Reader
from renvoi.snippet import find_marks
from renvoi.types import Corpus
from renvoi.web.paste import Paste

_MOST_OF_A_HIT = 40  # provisions shown inside a hit
_MOST_CITING = 50


class Service:
    """Answers for one corpus, or for an index that holds none (of a benchmark): then references are not opened."""

    def __init__(self, name: str, searcher: Searcher, corpus: Corpus | None) -> None:
        self.name = name
        self.searcher = searcher
        self.has_corpus = corpus is not None
        self.reader = Reader(corpus or store.corpus_from((), (), {}, {}))
        self.paste = Paste(self.reader)
        self._lock = Lock()  # compiled loops use every core already

    def get_ready(self) -> None:
        """Make what is made once, so that the first question does not wait for it."""
        self.searcher.get_ready()
        if self.has_corpus:
            first = self.reader.corpus.provisions["id"][0]
            self.provision(first)
            self.cited_by(first)

    def about(self) -> dict[str, Any]:
        """Return what the page says about itself: name, counts, documents, jurisdictions."""
        counts: Mapping[str, Any] = self.reader.corpus.manifest.get("counts", {})
        own = list(dict.fromkeys(row["jurisdiction"] for row in self.reader.documents.values()))
        return {
            "name": self.name,
            "chunks": self.searcher.index.n_docs,
            "has_corpus": self.has_corpus,
            "counts": {key: counts[key] for key in ("provisions", "references", "links") if key in counts},
            "documents": [
                {"id": row["id"], "title": row["title"], "date": row["date"].isoformat() if row["date"] else None}
                for row in self.reader.documents.values()
            ],
            "jurisdictions": [*own, *(name for name in registry.names("jurisdictions") if name not in own)],
        }

    def search(
        self, question: str, k: int, model: str, documents: Sequence[str] | None, before: date | None
    ) -> dict[str, Any]:
        """Return hits, best first: the columns of `renvoi.search`, and each hit's provision as `provision` shows it."""
        with self._lock:
            found = self.searcher.search(question, k=k, model=model, documents=documents, before=before).to_dicts()
            words = self.searcher.words_of(question)
        hits = []
        for hit in found:
            view = self.provision(hit["doc_id"], _MOST_OF_A_HIT)
            terms = [*hit["own"], *hit["added"]]
            for part in [*view["above"], *view["parts"]]:
                part["marks"] = [mark[:2] for mark in find_marks(part["text"], terms, self.searcher.index.analysis)]
            hits.append({key: value for key, value in hit.items() if key != "query_id"} | {"provision": view})
        return {"question": question, "words": words, "hits": hits}

    def provision(self, id: str, most: int = 200) -> dict[str, Any]:
        """Return a provision, or a document by its id: see `show.View`.

        Raises:
            BadInput: there is none of that id.
        """
        if self.has_corpus:
            return asdict(self.reader.view(id, most=most))
        said = self.searcher.texts([id])
        if id not in said:
            raise BadInput(repr(id), "the index has no such document")
        row, linked = said[id], self._linked("source_id", "target_id", id)
        others = self.searcher.texts(linked)
        part = asdict(Part(id, 0, "", "", row["text"], "leaf", "in_force", ()))
        above = [part | {"id": "", "kind": "lead_in", "text": text} for text in row["lead_ins"]]
        above = [part | {"id": "", "kind": "division", "text": "", "heading": name} for name in row["labels"]] + above
        return {
            "id": id, "label": row["label"], "document_id": row["document_id"],
            "title": row["title"] or row["document_id"], "jurisdiction": "",
            "language": self.searcher.index.analysis.language, "text_state": "", "date": None, "above": above,
            "parts": [part], "left_out": 0, "n_cited_by": len(self._linked("target_id", "source_id", id)),
            "cites": [{"id": other, "label": others[other]["label"]} for other in linked if other in others],
        }  # fmt: skip

    def cited_by(self, id: str) -> dict[str, Any]:
        """Return who cites a provision or something inside it: how many, and the first 50, see `show.Citing`.

        Raises:
            BadInput: there is none of that id.
        """
        if self.has_corpus:
            n = self.reader.view(id, most=1).n_cited_by
            return {"n": n, "citing": [asdict(one) for one in self.reader.cited_by(id, most=_MOST_CITING)]}
        linked = self._linked("target_id", "source_id", id)
        said = self.searcher.texts(linked[:_MOST_CITING])
        rows = [
            {"id": other, "label": row["label"], "document_id": row["document_id"],
             "title": row["title"] or row["document_id"], "text": row["text"], "start": 0, "end": 0}
            for other, row in said.items()
        ]  # fmt: skip
        return {"n": len(linked), "citing": sorted(rows, key=lambda row: linked.index(row["id"]))}

    def citations(self, text: str, jurisdiction: str, document: str | None) -> dict[str, Any]:
        """Return the references of a text, see `Paste.read`."""
        with self._lock:
            return self.paste.read(text, jurisdiction, document)

    def _linked(self, column: str, wanted: str, id: str) -> list[str]:
        if self.searcher.links is None:
            return []
        found = self.searcher.links.filter(pl.col(column) == id).select(wanted).collect()
        return found[wanted].unique(maintain_order=True).to_list()


def open_service(path: Path) -> Service:
    """Return what serves a folder: an index, or a corpus, which is indexed in memory first.

    Raises:
        BadInput: it is neither, or an index that keeps no texts.
    """
    name = path.resolve().name
    if (path / "provisions.parquet").exists():
        corpus = store.read_corpus(path)
        say(f"{path} is indexed in memory; to begin faster: renvoi index {path} -o INDEX, then renvoi serve INDEX")
        collection = collect(corpus)
        index = index_collection(collection, default_analysis(collection.language))
        return Service(name, search_in(collection, index), corpus)
    if not (path / "terms.bin").exists():
        raise BadInput(path, "is neither a corpus nor an index", "make one with: renvoi ingest, or renvoi index")
    searcher = open_search(path)
    if not searcher.has_texts:
        raise BadInput(path, "the index keeps no texts to show", "build it again without --no-text")
    held = path / CORPUS
    return Service(name, searcher, store.read_corpus(held) if held.exists() else None)
