"""Retrieval by words along citations: a provision is read together with one that it cites.

See `_along` for the formula. Nothing is added to the index but the links: the words of a cited provision are looked up
when a question comes. The links are dated, so nothing later than a query can reach it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from renvoi import graph
from renvoi.analysis import default_analysis, terms_of
from renvoi.contexts import add_fields
from renvoi.errors import BadInput
from renvoi.index import build_index, field_texts
from renvoi.index.build import count_cores
from renvoi.index.layout import Index
from renvoi.retrievers import ANY_DAY, NO_DAY, Allowed, number_day, score_all
from renvoi.retrievers._along import Edges, Found, Settings, count_links, search_along
from renvoi.retrievers._search import Limits, Terms
from renvoi.retrievers.lexical import LexicalScorer, scorer_of
from renvoi.types import Benchmark, Query

# What `along` adds to the options of `lexical`, with defaults.
DEFAULTS: Mapping[str, float] = {
    "cited": 1.0,  # weight of the words of a provision that the document cites
    "citing": 0.0,  # weight of the words of a document that cites it
    "by_helper": 0.0,  # what is cited by many helps each less: divided by their number to this power
    "by_receiver": 0.1,  # what cites many has more chances: divided by their number to this power
    "second": 0.8,  # share of what a second cited provision adds
    "lead_in": 0.0,  # weight of the words of the lead-ins above a document: they are its own too
    "prior": 0.0,  # times log(1 + citations before the query's day)
    "depth": 50.0,  # cited provisions that are tried for a query
    "stop_words": 0.0,  # 1 leaves out stop words
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a document was found: terms and what each adds, the greatest first."""

    own: Mapping[str, float]  # of the document itself
    through: str | None  # the id of the document that raised it
    how: str  # "cites", "is cited by"; "" without one
    added: Mapping[str, float]  # terms that weigh more there


def along(collection: pl.DataFrame, options: Mapping[str, str], bench: Benchmark) -> AlongScorer:
    """Return a scorer over a collection, indexed in memory.

    Args:
        collection: see `types.Benchmark`.
        options: those of `lexical`, and those of `DEFAULTS`.
        bench: gives the language and the links.

    Raises:
        BadInput: no such option.
    """
    own, rest = split_options(options)
    fields = [key[2:] for key in rest if key.startswith("w.")] or ["body"]
    analysis = replace(default_analysis(bench.language), stop_words=bool(own["stop_words"]))
    index = build_index(field_texts(add_fields(collection, fields, bench), fields), analysis)
    return AlongScorer(scorer_of(index, rest), bench.links, own)


def split_options(options: Mapping[str, str]) -> tuple[dict[str, float], dict[str, str]]:
    """Return the options of `along` with defaults filled in, and those of `lexical`."""
    own = dict(DEFAULTS)
    rest = {}
    for key, value in options.items():
        if key not in DEFAULTS:
            rest[key] = value
            continue
        try:
            own[key] = float(value)
        except ValueError:
            raise BadInput(f"{key}={value}", "the value is not a number") from None
        if own[key] < 0:
            raise BadInput(f"{key}={value}", "the value is below 0", "give 0 to leave it out")
    return own, rest


def make_links(links: pl.DataFrame, index: Index, *, citing: bool) -> Edges:
    """Return links by helper; those of the lead-ins above a chunk are its own too.

    Args:
        links: source_id, target_id, date; those with an end outside the index are left out.
        index: of the collection.
        citing: also let a document be helped by those that cite it.
    """
    place = {id: n for n, id in enumerate(index.documents["id"])}
    found = graph.inherit_links(links, place)
    rows = [(place[s], place[t], day) for s, t, day in found if s in place and t in place]
    source, target = (np.array([row[i] for row in rows], np.int32) for i in (0, 1))
    day = np.array([number_day(row[2], NO_DAY) for row in rows], np.int32)
    helper, to, kind = target, source, np.zeros(len(rows), np.int8)
    if citing:
        helper, to = np.concatenate([helper, source]), np.concatenate([to, target])
        kind, day = np.concatenate([kind, kind + np.int8(1)]), np.concatenate([day, day])
    order = np.lexsort((to, kind, helper))
    starts = np.zeros(len(place) + 1, np.int64)
    np.cumsum(np.bincount(helper, minlength=len(place)), out=starts[1:])
    return Edges(starts, to[order], kind[order], helper[order], day[order])


def find_above(ids: Sequence[str]) -> NDArray[np.int32]:
    """Return the lead-in above each chunk, the one above that, and so on: (n_levels, n), -1 for none."""
    place = {id: n for n, id in enumerate(ids)}
    levels = [np.array([next((place[up] for up in graph.ancestors(id, place)), -1) for id in ids], np.int32)]
    while (levels[-1] >= 0).any():
        levels.append(np.where(levels[-1] >= 0, levels[0][levels[-1]], np.int32(-1)))
    return np.array(levels[:-1], np.int32).reshape(-1, len(ids))


class AlongScorer:
    """Scores queries along citations. Rows are those of what the index was built from."""

    def __init__(self, scorer: LexicalScorer, links: pl.DataFrame, options: Mapping[str, float]) -> None:
        """Put the links in order.

        Raises:
            BadInput: the model adds something for every word of a query that a document lacks, so that documents
                cannot be taken together word by word.
        """
        if scorer.model.document is not None:
            raise BadInput("along", "the model weighs missing words", "take bm25, bm25f, tf_idf or dph")
        self.scorer = scorer
        self.options = dict(options)
        if options["lead_in"]:
            scorer.inherit(find_above(scorer.index.documents["id"].to_list()), options["lead_in"])
        self.links = make_links(links, scorer.index, citing=options["citing"] > 0)
        ends = (np.bincount(ids, minlength=1).max() for ids in (self.links.source, self.links.to))
        self._most_links = int(max(ends))
        self._degrees = np.zeros((4, scorer.index.n_docs), np.int32)
        count_links(self._degrees, self.links, ANY_DAY)
        self._rows = scorer.index.documents["row"].to_numpy()

    def score(self, queries: Sequence[Query]) -> NDArray[np.float32]:
        """Return (n_queries, n_docs); 0 is no match."""
        return score_all(self, queries, self.scorer.index.n_docs)

    def top(self, queries: Sequence[Query], k: int, allowed: Allowed) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return rows and scores of the best `k`, (n_queries, k) each; see `TopScorer`."""
        docs, scores, _ = self.search(queries, k, allowed)
        return np.where(docs >= 0, self._rows[docs], np.int32(-1)), scores

    def search(
        self, queries: Sequence[Query], k: int, allowed: Allowed
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int32]]:
        """Return documents of the index, their scores and the helper of each (-1 for none), (n_queries, k) each."""
        scorer, links, options = self.scorer, self.links, self.options
        k = min(k, scorer.index.n_docs)
        docs = np.full((len(queries), k), -1, np.int32)
        helpers = np.full((len(queries), k), -1, np.int32)
        scores = np.zeros((len(queries), k), np.float32)
        terms = scorer.read([replace(query, text=self.without_stop_words(query.text)) for query in queries])
        weights = scorer.saturate(terms)
        limits = Limits(
            allowed.mask[self._rows], allowed.group[self._rows], allowed.day[self._rows], allowed.own, allowed.before
        )
        counts = np.maximum(np.arange(self._most_links + 1), 1).astype(np.float64)
        settings = Settings(
            np.array([options["cited"], options["citing"]], np.float32), counts ** -options["by_helper"],
            counts ** -options["by_receiver"], options["second"], options["prior"],
            max(1, min(int(options["depth"]), scorer.index.n_docs)),
        )  # fmt: skip
        of_query = Terms(terms.starts, terms.terms, weights)
        words = scorer.words(terms.terms)

        def work(first: int) -> None:
            last = min(first + step, len(queries))
            search_along(
                first, last, of_query, words, links, self._degrees, settings, limits, Found(docs, scores, helpers)
            )  # fmt: skip

        step = max(1, min(32, len(queries) // 8))
        if k and len(queries) <= step:
            work(0)
        elif k:
            with ThreadPoolExecutor(count_cores()) as pool:
                list(pool.map(work, range(0, len(queries), step)))
        return docs, scores, helpers

    def explain(self, query: Query, doc: int, helper: int) -> Explanation:
        """Return which words of a query a document has itself, and which only through its helper.

        Args:
            query: as it was searched.
            doc: a document of the index.
            helper: as `search` gave it; -1 for none.
        """
        scorer = self.scorer
        terms = scorer.read([replace(query, text=self.without_stop_words(query.text))])
        weights = dict(zip(terms.terms.tolist(), scorer.saturate(terms).tolist(), strict=True))
        own = scorer.weights_of(doc, weights)
        if helper < 0:
            return Explanation(own, None, "", {})
        by = slice(self.links.starts[helper], self.links.starts[helper + 1])
        kind = next((k for t, k in zip(self.links.to[by], self.links.kind[by], strict=True) if t == doc), 0)
        theirs = scorer.weights_of(helper, weights)
        added = {term: weight for term, weight in theirs.items() if weight > own.get(term, 0.0)}
        return Explanation(own, scorer.index.documents["id"][helper], ("cites", "is cited by")[kind], added)

    def without_stop_words(self, text: str) -> str:
        """Return a question without stop words, where the index has them and they are not to count."""
        analysis = self.scorer.index.analysis
        if not self.options["stop_words"] or analysis.stop_words:
            return text
        words = re.findall(r"\w+", text)
        kept = terms_of([word.lower() for word in words], replace(analysis, stop_words=True))
        return " ".join(word for word, term in zip(words, kept, strict=True) if term)
