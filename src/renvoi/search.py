"""An index and a question > the best documents, with what they say and why they were found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from renvoi import rank, systems
from renvoi.analysis import find_terms
from renvoi.collection import LINKS, TEXTS, Collection
from renvoi.errors import BadInput
from renvoi.flagship import recipe
from renvoi.index import Index, open_index
from renvoi.retrievers import Allowed
from renvoi.retrievers.along import AlongScorer, split_options
from renvoi.retrievers.lexical import LexicalScorer, scorer_of
from renvoi.snippet import cut_snippet, find_marks
from renvoi.types import Query

_TERMS = pl.List(pl.String)
_EXPLAINED: dict[str, Any] = {
    "query_id": pl.String, "rank": pl.Int32, "doc_id": pl.String, "score": pl.Float64, "own": _TERMS,
    "fields": pl.List(pl.Struct({"field": pl.String, "terms": _TERMS})), "how": pl.String, "through": pl.String,
    "added": _TERMS,
}  # fmt: skip
_READ: dict[str, Any] = {
    "document_id": pl.String, "title": pl.String, "label": pl.String, "labels": _TERMS, "lead_ins": _TERMS,
    "text": pl.String, "snippet": pl.String, "marks": pl.List(pl.List(pl.Int32)), "through_label": pl.String,
    "through_title": pl.String,
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
    """Return the best `k` documents of an index, best first: one row each, see `Searcher.search`.

    Args:
        index: a folder that `renvoi index` wrote.
        question: any text.
        k: how many.
        model: one weighting model, with options: "bm25:k1=0.9,b=0.4"; or "along", or "renvoi", its recipe, which also
            find a provision through another that it cites.
        documents: only in these acts or judgments.
        before: only what is older than this day.

    Raises:
        BadInput: the model is a combination, or a document is not in the index.
    """
    return open_search(Path(index)).search(question, k=k, model=model, documents=documents, before=before)


def open_search(index: Path) -> Searcher:
    """Return an index to be searched more than once. Neither its arrays nor its texts are read yet."""
    opened = open_index(index)
    links = index / LINKS
    return Searcher(opened, pl.scan_parquet(links) if links.exists() else None, index / TEXTS)


def search_in(collection: Collection, index: Index) -> Searcher:
    """Return an index in memory to be searched."""
    return Searcher(index, collection.links.lazy() if collection.links.height else None, collection.shown)


class Searcher:
    """One index, searched by any weighting model. What a model needs is made when it is first asked for."""

    def __init__(self, index: Index, links: pl.LazyFrame | None, texts: Path | pl.DataFrame) -> None:
        """Take an index, the links of its documents, and what they say (a file that need not be there)."""
        self.index = index
        self.links = links
        self._texts = texts
        self._collection = index.documents.sort("row")
        self._numbers = np.argsort(index.documents["row"].to_numpy())  # row > document of the index
        self._scorers: dict[str, LexicalScorer | AlongScorer] = {}
        self._allowed: Allowed | None = None

    @property
    def has_texts(self) -> bool:
        """Say whether the index keeps what its documents say."""
        return isinstance(self._texts, pl.DataFrame) or self._texts.exists()

    def texts(self, ids: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return what documents say, by id: document_id, title, label, labels, lead_ins, text; {} without texts."""
        if not self.has_texts:
            return {}
        held = self._texts.lazy() if isinstance(self._texts, pl.DataFrame) else _scan(self._texts)
        found = held.filter(pl.col("id").is_in(list(ids))).collect()
        return {row["id"]: row for row in found.iter_rows(named=True)}

    def search(
        self,
        question: str,
        *,
        k: int = 10,
        model: str = "renvoi",
        documents: Sequence[str] | None = None,
        before: date | None = None,
    ) -> pl.DataFrame:
        """Return the best `k` documents, best first.

        Columns: query_id (empty), rank, doc_id, score; why: `own` (its terms of the question, the weightiest first),
        `fields` (which field holds which), `through` (another document that raised it), `how` ("cites", "is cited by")
        and `added` (the terms that weigh more there). Where the index keeps texts: document_id, title (of the act),
        label, labels, lead_ins, text, `snippet` with the question's words at `marks` (start and end, characters), and
        label and title of what it was found `through`.

        Raises:
            BadInput: as `search` of this module.
        """
        scorer = self._scorer(self._model(model))
        query = Query("", question, date=before)
        allowed = self._allow(query, documents)
        if isinstance(scorer, AlongScorer):
            docs, scores, helpers = (part[0].tolist() for part in scorer.search([query], k, allowed))
        else:
            rows, found = scorer.top([query], k, allowed)
            docs = [int(self._numbers[row]) if row >= 0 else -1 for row in rows[0].tolist()]
            scores, helpers = found[0].tolist(), [-1] * len(docs)
        hits = [
            self._explain(scorer, query, doc, helper) | {"score": score}
            for doc, score, helper in zip(docs, scores, helpers, strict=True)
            if doc >= 0
        ]
        schema = dict(_EXPLAINED)
        if self.has_texts:
            schema |= _READ
            said = self.texts([id for hit in hits for id in (hit["doc_id"], hit["through"]) if id])
            hits = [self._with_text(hit, said) for hit in hits]
        return pl.DataFrame(
            [hit | {"query_id": "", "rank": n} for n, hit in enumerate(hits, 1)], schema=schema, orient="row"
        )

    def _model(self, model: str) -> str:
        if model != "renvoi":
            return model
        return recipe("chunk") if self.links is not None else "bm25"  # along citations where the index has any

    def _scorer(self, model: str) -> LexicalScorer | AlongScorer:
        if model in self._scorers:
            return self._scorers[model]
        system = systems.parse_system(model)
        if len(system.parts) != 1 or system.steps:
            raise BadInput("--model", f"{model!r} is not one weighting model", "an index is searched by one")
        part = system.parts[0]
        scorer: LexicalScorer | AlongScorer
        if part.name == "along":
            own, rest = split_options(part.options)
            if self.links is None:
                where = self.index.path or "index"
                raise BadInput(where, "it holds no links", "build it again from a benchmark or corpus that has some")
            scorer = AlongScorer(scorer_of(self.index, rest), self.links.collect(), own)
        else:
            scorer = scorer_of(self.index, {**part.options, "model": part.name})
        self._scorers[model] = scorer
        return scorer

    def _allow(self, query: Query, documents: Sequence[str] | None) -> Allowed:
        if self._allowed is None:
            self._allowed = rank.allow([Query("", "")], self._collection)
        allowed = self._allowed
        if query.date is not None:
            allowed = rank.allow([query], self._collection)
        if documents:
            known = self._collection.get_column("document_id", default=pl.Series(dtype=pl.String))
            strange = sorted(set(documents) - set(known))
            if strange:
                raise BadInput("--document", f"the index has no {strange[0]!r}")
            allowed = replace(allowed, mask=known.is_in(list(documents)).to_numpy())
        return allowed

    def _explain(self, scorer: LexicalScorer | AlongScorer, query: Query, doc: int, helper: int) -> dict[str, Any]:
        through, how, text = None, "", query.text
        added: list[str] = []
        if isinstance(scorer, AlongScorer):
            why = scorer.explain(query, doc, helper)
            through, how, added = why.through, why.how, list(why.added)
            lexical, text = scorer.scorer, scorer.without_stop_words(query.text)
        else:
            lexical = scorer
        terms = lexical.read([replace(query, text=text)])
        numbers = terms.terms.tolist()
        own = lexical.weights_of(doc, dict(zip(numbers, lexical.saturate(terms).tolist(), strict=True)))
        fields = lexical.fields_of(doc, numbers)
        return {
            "doc_id": self.index.documents["id"][doc],
            "own": list(own),
            "fields": [{"field": field, "terms": list(names)} for field, names in fields.items()],
            "how": how, "through": through, "added": added,
        }  # fmt: skip

    def _with_text(self, hit: dict[str, Any], said: dict[str, dict[str, Any]]) -> dict[str, Any]:
        row = {key: value for key, value in said[hit["doc_id"]].items() if key != "id"}
        marks = find_marks(row["text"], hit["own"], self.index.analysis)
        start, end = cut_snippet(row["text"], marks)
        inside = [[mark.start - start, mark.end - start] for mark in marks if start <= mark.start and mark.end <= end]
        other = said[hit["through"]] if hit["through"] else {"label": None, "title": None}
        return hit | row | {
            "snippet": row["text"][start:end], "marks": inside,
            "through_label": other["label"], "through_title": other["title"],
        }  # fmt: skip

    def words_of(self, question: str) -> dict[str, str]:
        """Return the terms of a question, each with the word of the question that stands for it."""
        found: dict[str, str] = {}
        for word in question.split():
            for term in find_terms(word, self.index.analysis):
                found.setdefault(term, word.strip(".,;:?!()\"'«»„“”").lower())
        return found


def _scan(file: Path) -> pl.LazyFrame:
    # Finds the rows by their ids first and unpacks the texts of no others.
    return pl.scan_parquet(file, parallel="prefiltered")
