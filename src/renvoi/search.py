"""An index and a question > the best documents, with what they say and why they were found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from renvoi import cases, rank, systems
from renvoi.analysis import find_terms
from renvoi.collection import LINKS, TEXTS, Collection
from renvoi.errors import BadInput
from renvoi.flagship import recipe
from renvoi.index import Index, open_index
from renvoi.retrievers import Allowed, along, precedents, restated
from renvoi.retrievers._precedent_reasons import as_of
from renvoi.retrievers.along import AlongScorer
from renvoi.retrievers.lexical import LexicalScorer, scorer_of
from renvoi.retrievers.precedents import PrecedentScorer
from renvoi.retrievers.restated import RestatedScorer
from renvoi.snippet import cut_snippet, find_marks
from renvoi.types import Query

_TERMS = pl.List(pl.String)
_EXPLAINED: dict[str, Any] = {
    "query_id": pl.String, "rank": pl.Int32, "doc_id": pl.String, "score": pl.Float64, "own": _TERMS,
    "fields": pl.List(pl.Struct({"field": pl.String, "terms": _TERMS})), "how": pl.String, "through": pl.String,
    "added": _TERMS, "passages": _TERMS, "cited": pl.Int32, "cited_last": pl.Date,
    "weighed": pl.List(pl.Struct({"says": pl.String, "features": _TERMS, "weight": pl.Float64})),
}  # fmt: skip
_READ: dict[str, Any] = {
    "document_id": pl.String, "title": pl.String, "label": pl.String, "labels": _TERMS, "lead_ins": _TERMS,
    "text": pl.String, "snippet": pl.String, "marks": pl.List(pl.List(pl.Int32)), "through_label": pl.String,
    "through_title": pl.String,
}  # fmt: skip
_LINKS: dict[str, Any] = {"source_id": pl.String, "target_id": pl.String, "date": pl.Date}
_Scorer = LexicalScorer | AlongScorer | PrecedentScorer | RestatedScorer


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
        model: "renvoi", the recipe for what the index holds; or one weighting model, with options
            ("bm25:k1=0.9,b=0.4"); or "along", "precedents" or "restated".
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
        self._scorers: dict[str, _Scorer] = {}
        self._allowed: Allowed | None = None
        self._sparing = True

    def get_ready(self, model: str = "renvoi") -> None:
        """Make now what many questions need; else each question makes what it needs alone."""
        self._sparing = False
        self._scorers.clear()
        self.search("a", k=1, model=model)

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
        and `added` (the terms that weigh more there). Of paragraphs of judgments also `passages` (what it says in the
        same words, as the question writes it, the longest first), and by `precedents` how often it was `cited` before
        the question's day, when last (`cited_last`), and which features `weighed` most: what they add to the log of the
        score beyond the mean of all candidates. Where the index keeps texts: document_id, title (of the act, or the
        case number), label, labels, lead_ins, text, `snippet` with the question's words at `marks` (start and end,
        characters), and label and title of what it was found `through`.

        Raises:
            BadInput: as `search` of this module.
        """
        scorer = self._scorer(self._model(model))
        query = Query("", question, date=before)
        allowed = self._allow(query, documents)
        if isinstance(scorer, AlongScorer):
            docs, scores, helpers = (part[0].tolist() for part in scorer.search([query], k, allowed))
            docs = [doc for doc in docs if doc >= 0]
            reasons = [self._follow(scorer, query, doc, helper) for doc, helper in zip(docs, helpers, strict=False)]
        else:
            allowed = as_of(allowed) if isinstance(scorer, PrecedentScorer) else allowed
            rows, found = scorer.top([query], k, allowed)
            docs, scores = [int(self._numbers[row]) for row in rows[0].tolist() if row >= 0], found[0].tolist()
            reasons = self._reasons(scorer, query, allowed, docs)
        hits = [
            {"doc_id": self.index.documents["id"][doc], "score": score} | reason
            for doc, score, reason in zip(docs, scores, reasons, strict=False)
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
        if self.index.manifest["settings"].get("kind") == "judgments" and self.index.keeps_order:
            return recipe("par_par")
        return recipe("chunk") if self.links is not None else "bm25"  # along citations where the index has any

    def _scorer(self, model: str) -> _Scorer:
        if model not in self._scorers:
            scorer = self._make_scorer(model)
            lexical = scorer if isinstance(scorer, LexicalScorer) else scorer.scorer
            lexical.sparing = self._sparing
            self._scorers[model] = scorer
        return self._scorers[model]

    def _make_scorer(self, model: str) -> _Scorer:
        system = systems.parse_system(model)
        if len(system.parts) != 1 or system.steps:
            raise BadInput("--model", f"{model!r} is not one weighting model", "an index is searched by one")
        part = system.parts[0]
        if part.name == "along":
            own, rest = along.split_options(part.options)
            if self.links is None:
                where = self.index.path or "index"
                raise BadInput(where, "it holds no links", "build it again from a benchmark or corpus that has some")
            return AlongScorer(scorer_of(self.index, rest), self.links.collect(), own)
        if part.name == "precedents":
            own, factors, rest = precedents.split_options(part.options)
            links = pl.DataFrame(schema=_LINKS) if self.links is None else self.links.collect()
            lexical = scorer_of(self.index, {"k3": "0", **rest})
            return PrecedentScorer(lexical, self._collection, self._collection, links, own, factors)
        if part.name == "restated":
            own, rest = restated.split_options(part.options)
            return RestatedScorer(scorer_of(self.index, rest), self._collection, own)
        return scorer_of(self.index, {**part.options, "model": part.name})

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

    def _follow(self, scorer: AlongScorer, query: Query, doc: int, helper: int) -> dict[str, Any]:
        """Return why a hit was found along a citation."""
        why = scorer.explain(query, doc, helper)
        words = self._words(scorer.scorer, replace(query, text=scorer.without_stop_words(query.text)), doc)
        return {**words, "how": why.how, "through": why.through, "added": list(why.added)}

    def _reasons(
        self, scorer: LexicalScorer | PrecedentScorer | RestatedScorer, query: Query, allowed: Allowed, docs: list[int]
    ) -> list[dict[str, Any]]:
        """Return why each hit was found."""
        if isinstance(scorer, LexicalScorer):
            return [self._words(scorer, query, doc) for doc in docs]
        words = [self._words(scorer.scorer, query, doc) for doc in docs]
        if isinstance(scorer, RestatedScorer):
            said = scorer.explain(query, docs)
            return [one | {"passages": list(passages)} for one, passages in zip(words, said, strict=True)]
        return [
            one | {
                "how": "is cited by" if why.through else "", "through": why.through, "added": list(why.added),
                "passages": list(why.passages), "cited": why.cited, "cited_last": why.last,
                "weighed": [asdict(share) for share in why.weighed],
            }
            for one, why in zip(words, scorer.explain(query, allowed, docs), strict=True)
        ]  # fmt: skip

    def _words(self, lexical: LexicalScorer, query: Query, doc: int) -> dict[str, Any]:
        """Return which words of a question a hit has, and in which field; the rest of a row as nothing."""
        terms = lexical.read([query])
        numbers = terms.terms.tolist()
        own = lexical.weights_of(doc, dict(zip(numbers, lexical.saturate(terms).tolist(), strict=True)))
        fields = lexical.fields_of(doc, numbers)
        return {
            "own": list(own),
            "fields": [{"field": field, "terms": list(names)} for field, names in fields.items()],
            "how": "", "through": None, "added": [], "passages": [], "cited": None, "cited_last": None, "weighed": [],
        }  # fmt: skip

    def _with_text(self, hit: dict[str, Any], said: dict[str, dict[str, Any]]) -> dict[str, Any]:
        row = {key: value for key, value in said[hit["doc_id"]].items() if key != "id"}
        marks = find_marks(row["text"], hit["own"], self.index.analysis)
        start, end = cut_snippet(row["text"], marks)
        inside = [[mark.start - start, mark.end - start] for mark in marks if start <= mark.start and mark.end <= end]
        other = said[hit["through"]] if hit["through"] else {"label": None, "title": None, "document_id": ""}
        return hit | row | {
            "snippet": row["text"][start:end], "marks": inside, "through_label": other["label"],
            "through_title": cases.name_case(other["document_id"] or "") or other["title"],
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
