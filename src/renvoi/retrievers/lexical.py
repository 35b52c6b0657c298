"""Retrieval by words: any model of `models` over any fields of an index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from math import inf, isinf
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from renvoi import registry
from renvoi.analysis import default_analysis
from renvoi.contexts import add_fields
from renvoi.errors import BadInput, Mismatch
from renvoi.index import Index, QueryTerms, analyse_queries, build_index, field_texts
from renvoi.index.build import count_cores
from renvoi.index.layout import PAIRS
from renvoi.models import Model
from renvoi.retrievers import Allowed
from renvoi.retrievers._prune import search_pruned
from renvoi.retrievers._search import Words, add_up, search_all
from renvoi.retrievers._weights import (
    Lists,
    compile_weight,
    inherit_weights,
    spread_frequent,
    turn_lists,
    weigh_documents,
    weigh_some,
    weigh_terms,
)
from renvoi.types import Benchmark, Query

_PRUNE_ONE_OF = 10_000  # pruning pays where at most one document in so many is wanted


def lexical(collection: pl.DataFrame, options: Mapping[str, str], bench: Benchmark) -> LexicalScorer:
    """Return a scorer over a collection, indexed in memory.

    Args:
        collection: see `types.Benchmark`.
        options: "model" (bm25 if not given), "variant", the parameters of the model, "k3", and for each field
            "w.FIELD" its weight (body alone if none is given).
        bench: gives the language.

    Raises:
        UnknownName: no such model.
        BadInput: no such option, variant or field.
    """
    fields = [key[2:] for key in options if key.startswith("w.")] or ["body"]
    return scorer_of(
        build_index(field_texts(add_fields(collection, fields, bench), fields), default_analysis(bench.language)),
        options,
    )


def scorer_of(index: Index, options: Mapping[str, str]) -> LexicalScorer:
    """Return a scorer over an index; options as in `lexical`."""
    settings = dict(options)
    name = settings.pop("model", "bm25")
    variant = settings.pop("variant", None)
    fields = {key[2:]: _number(key, settings.pop(key)) for key in list(settings) if key.startswith("w.")}
    parameters = {key: _number(key, value) for key, value in settings.items()}
    return LexicalScorer(index, name, variant, parameters, fields or None)


class LexicalScorer:
    """Scores queries by one model. Column j of the scores is row j of what the index was built from."""

    def __init__(
        self,
        index: Index,
        model: str = "bm25",
        variant: str | None = None,
        parameters: Mapping[str, float] | None = None,
        fields: Mapping[str, float] | None = None,
        prior: NDArray[np.float32] | None = None,
    ) -> None:
        """Check the settings; postings are weighed when the first query comes.

        Args:
            index: what to search.
            model: a name on the shelf `models`.
            variant: of the model; its first if None.
            parameters: of the model, and "k3" (0 counts each query word once); defaults where not given.
            fields: weight of each field; "body" alone if None.
            prior: (n_docs,) in the order of the documents given; added to the score of a document that matches.

        Raises:
            UnknownName: no such model.
            BadInput: no such variant or parameter.
            Mismatch: the index lacks a field.
        """
        self.index = index
        self.model: Model = registry.load("models", model)
        self.variant = variant or next(iter(self.model.variants))
        if self.variant not in self.model.variants:
            raise BadInput(model, f"has no variant {variant!r}", f"there are: {', '.join(self.model.variants)}")
        given = dict(parameters or {})
        self.k3 = given.pop("k3", self.model.saturation(self.variant))
        self.fields = dict(fields or {"body": 1.0})
        own = {f"b.{field}" for field in self.fields} if self.model.frequency else set()
        unknown = [name for name in given if name not in self.model.parameters and name not in own]
        if unknown:
            known = ", ".join([*self.model.parameters, "k3"])
            raise BadInput(model, f"has no parameter {unknown[0]!r}", f"it has: {known}")
        self.parameters = {**self.model.parameters, **given}
        missing = [field for field in self.fields if field not in index.fields]
        if missing:
            raise Mismatch(f"the index has no field {missing[0]!r}, it has {', '.join(index.fields)}; build it anew")
        self.pruning: bool | None = None  # True or False: always or never, whatever the corpus
        self.sparing = False  # True weighs the terms that are asked for and no others: for few questions
        self._weighed: tuple[Lists, NDArray[np.bool_]] | None = None  # so far, and which terms these are
        self._rows = index.documents["row"].to_numpy()
        self._above: NDArray[np.int32] | None = None
        self._share = 0.0
        self._per_match = _empty() if prior is None else np.asarray(prior, np.float32)[self._rows]

    def inherit(self, above: NDArray[np.int32], share: float) -> None:
        """Let documents have the words of those above them, from the first query on; see `inherit_weights`."""
        self._above, self._share = above, share
        for name in ("lists", "by_document", "frequent", "_bounds", "_can_prune"):
            self.__dict__.pop(name, None)

    @cached_property
    def lists(self) -> Any:
        """The weights by term, all fields together."""
        lists = weigh_terms(self.index, self.model, self.variant, self.parameters, self.fields)
        return lists if self._above is None else inherit_weights(lists, self._above, self._share)

    @cached_property
    def frequent(self) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Those of frequent terms for all documents; see `spread_frequent`."""
        return spread_frequent(self.lists, self.index.n_docs)

    def words(self, terms: NDArray[np.int32]) -> Words:
        """Return the weights that a search for some terms needs; the same numbers whether `sparing` or not."""
        lists = self._lists_of(terms)
        if self._spares:
            nothing = np.full(len(lists.starts) - 1, -1, np.int32), np.zeros((0, self.index.n_docs), np.float32)
            return Words(lists.starts, lists.items, lists.values, *nothing)
        return Words(lists.starts, lists.items, lists.values, *self.frequent)

    @property
    def _spares(self) -> bool:
        single = len(self.fields) == 1 and PAIRS not in self.fields and self.model.frequency is None
        return self.sparing and single and self._above is None and "lists" not in self.__dict__

    def _lists_of(self, terms: NDArray[np.int32]) -> Lists:
        """Return the weights by term, of some terms at least."""
        if not self._spares:
            every: Lists = self.lists
            return every
        if self._weighed is None:
            [postings] = (self.index.fields[field] for field in self.fields)
            # Memory that is not written is not taken.
            values = np.empty(len(postings.docs), np.float32)
            known = np.zeros(len(postings.starts) - 1, np.bool_)
            self._weighed = Lists(postings.starts, postings.docs, values), known
        lists, known = self._weighed
        missing = np.unique(terms[~known[terms]])
        if len(missing):
            weigh_some(
                self.index, self.model, self.variant, self.parameters, self.fields, missing.tolist(), lists.values
            )  # fmt: skip
            known[missing] = True
        return lists

    @cached_property
    def by_document(self) -> Any:
        """The weights by document."""
        if self._above is not None:
            return turn_lists(self.lists, self.index.n_docs)
        return weigh_documents(self.index, self.model, self.variant, self.parameters, self.fields)

    @cached_property
    def _bounds(self) -> NDArray[np.float32]:
        """The greatest weight of each term. A term without postings has none to give."""
        lists = self.lists
        held = np.diff(lists.starts) > 0
        bounds = np.zeros(len(held), np.float32)
        if held.any():
            bounds[held] = np.maximum.reduceat(lists.values, lists.starts[:-1][held])
        return bounds

    @cached_property
    def _can_prune(self) -> bool:
        """Say whether all weights are at least 0, so that more terms never mean less."""
        values = self.lists.values
        return len(values) == 0 or float(values.min()) >= 0

    @cached_property
    def _per_word(self) -> NDArray[np.float32]:
        """What a document gets for each word of a query, summed over fields."""
        if self.model.document is None:
            return _empty()
        given = tuple(self.parameters[name] for name in self.model.parameters)
        weigh = compile_weight(self.model.document, 1 + len(given))
        total = np.zeros(self.index.n_docs, np.float32)
        for field, scale in self.fields.items():
            total += np.float32(scale) * weigh(self.index.fields[field].lengths, *given)
        return total

    def score(self, queries: Sequence[Query]) -> NDArray[np.float32]:
        """Return (n_queries, n_docs); 0 is no match."""
        terms = self.read(queries)
        weights = self.saturate(terms)
        found = np.zeros((len(queries), self.index.n_docs), np.float32)
        words = self.words(terms.terms)

        def work(first: int, last: int) -> None:
            add_up(first, last, terms.starts, terms.terms, weights, *words, found)

        _share(work, len(queries))
        matched = found != 0
        if self._per_word.size:
            found += np.where(matched, terms.lengths[:, None].astype(np.float32) * self._per_word, np.float32(0))
        if self._per_match.size:
            found += np.where(matched, self._per_match, np.float32(0))
        in_order = np.empty_like(found)
        in_order[:, self._rows] = found
        return in_order

    def top(self, queries: Sequence[Query], k: int, allowed: Allowed) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return rows and scores of the best `k`, (n_queries, k) each; see `TopScorer`."""
        return self.search(self.read(queries), k, allowed)

    def search(self, terms: QueryTerms, k: int, allowed: Allowed) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Do as `top` does, for queries that are read already."""
        weights = self.saturate(terms)
        n_queries = len(terms.lengths)
        k = min(k, self.index.n_docs)
        docs = np.full((n_queries, k), -1, np.int32)
        scores = np.zeros((n_queries, k), np.float32)
        words = self.words(terms.terms)
        rows = self._rows
        mask, group, day = allowed.mask[rows], allowed.group[rows], allowed.day[rows]

        prune = (k * _PRUNE_ONE_OF <= self.index.n_docs) if self.pruning is None else self.pruning
        prune = prune and not self._spares and self._can_prune
        if prune:
            bounds, by_doc = self._bounds, self.by_document

        def work(first: int, last: int) -> None:
            if prune:
                search_pruned(
                    first, last, terms.starts, terms.terms, weights, terms.lengths, *words, bounds, by_doc.starts,
                    by_doc.items, by_doc.values, self._per_word, self._per_match, mask, group, day, allowed.own,
                    allowed.before, docs, scores,
                )  # fmt: skip
                return
            search_all(
                first, last, terms.starts, terms.terms, weights, terms.lengths, *words, self._per_word,
                self._per_match, mask, group, day, allowed.own, allowed.before, docs, scores,
            )  # fmt: skip

        if k:
            _share(work, n_queries)
        return np.where(docs >= 0, rows[docs], np.int32(-1)), scores

    def read(self, queries: Sequence[Query]) -> QueryTerms:
        """Return the terms of the queries, as `search` takes them."""
        return analyse_queries([query.text for query in queries], self.index, pairs=PAIRS in self.fields)

    def weights_of(self, doc: int, weights: Mapping[int, float]) -> dict[str, float]:
        """Return what each term adds to a document's score, the greatest first.

        Args:
            doc: a document of the index, in the index's numbering.
            weights: of the terms of a query, by number.
        """
        # By term, not by document: those lists are there already, the others would be made for this alone.
        lists, found = self._lists_of(np.array(list(weights), np.int32)), []
        for term, weight in weights.items():
            docs = lists.items[lists.starts[term] : lists.starts[term + 1]]
            at = int(np.searchsorted(docs, doc))
            if at < len(docs) and docs[at] == doc:
                found.append((self.name_of(term), weight * float(lists.values[lists.starts[term] + at])))
        return dict(sorted(found, key=lambda item: -item[1]))

    def fields_of(self, doc: int, terms: Sequence[int]) -> dict[str, tuple[str, ...]]:
        """Return which of some terms (numbers) each field of a document holds; fields without one are left out."""
        n_words, found = len(self.index.vocabulary), {}
        for field in self.fields:
            postings = self.index.fields[field]
            held = set(postings.doc_terms[postings.doc_starts[doc] : postings.doc_starts[doc + 1]].tolist())
            shift = n_words if field == PAIRS else 0
            names = tuple(self.name_of(term) for term in terms if term - shift in held)
            if names:
                found[field] = names
        return found

    def name_of(self, term: int) -> str:
        """Return a term by its number; a pair as two words."""
        words = self.index.vocabulary
        if term < len(words):
            return words[term]
        first, second = divmod(int(self.index.pairs[term - len(words)]), len(words))
        return f"{words[first]} {words[second]}"

    def saturate(self, terms: QueryTerms) -> NDArray[np.float32]:
        """Return the weight of each term in its query."""
        if isinf(self.k3):
            return terms.tfs
        return np.asarray((self.k3 + 1) * terms.tfs / (self.k3 + terms.tfs), np.float32)


def _share(work: Any, n: int) -> None:
    """Give each core some of the `n` queries, a few at a time."""
    step = max(1, min(32, n // 8))
    if n <= 1:
        work(0, n)
        return
    with ThreadPoolExecutor(count_cores()) as pool:
        list(pool.map(lambda first: work(first, min(n, first + step)), range(0, n, step)))


def _number(name: str, value: str) -> float:
    try:
        return inf if value == "inf" else float(value)
    except ValueError:
        raise BadInput(f"{name}={value}", "the value is not a number") from None


def _empty() -> NDArray[np.float32]:
    return np.empty(0, np.float32)
