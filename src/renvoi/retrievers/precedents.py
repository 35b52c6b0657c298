"""Retrieval of the paragraphs, or cases, that a court would cite: a weighted sum of what speaks for a precedent.

Candidates are the `depth` best paragraphs by words (bm25, each word of the question once) and what the `lending` best
of them cite. Each is scored exp(sum of weight * feature); `f.NAME=` gives a weight. Weights are learned on earlier
queries (`benchmarks/learn_precedents.py`) and stand in `recipes.toml`. A case scores as its best paragraph.

Nothing is kept beside the postings of the words but the order of the words and the links.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from renvoi.analysis import default_analysis
from renvoi.errors import BadInput
from renvoi.index import Index, build_index, field_texts
from renvoi.index.build import count_cores
from renvoi.retrievers import NO_DAY, Allowed, score_all
from renvoi.retrievers._precedent_reasons import Comparison, Reason, find_citing, weigh_features
from renvoi.retrievers._precedents import N_FEATURES, Asked, Citations, Ends, Paragraphs, rank_precedents
from renvoi.retrievers._search import Limits, Terms
from renvoi.retrievers._sequences import rank_ids, read_queries, sequences_of
from renvoi.retrievers.lexical import LexicalScorer, scorer_of
from renvoi.types import Benchmark, Query

# What speaks for a paragraph p as a precedent of a question q. s(p) is its score by words, s(1) the best such score.
FEATURES: Mapping[str, str] = {
    "words": "s(p) / s(1)",
    "score": "s(p) / 10",
    "share": "s(p) / idf of the words of q",
    "pairs": "share of the neighbouring pairs of words of q that p has, by idf",
    "skips": "the same with one word between",
    "run": "longest chain of such pairs / words of q",
    "covered": "share of p's words that q has, by idf",
    "restated": "pairs * covered",
    "common": "longest common subsequence of p and q / words of p",
    "phrases": "log(1 + shared phrases, those of few candidates more); see `restated`",
    "lent": "how much better the best paragraph that cites p is than p: max(0, s(h) - s(p)) / s(1)",
    "citing": "s(h) / s(1)",
    "cited": "log(1 + citations of p before the question's day)",
    "ever_cited": "1 if there are any",
    "lately": "1 / (1 + years since the last)",
    "age": "log(1 + years since p)",
    "court": "1 if p is of the Court of Justice (by its CELEX number)",
    "near": "s of the paragraphs before and after p / s(1)",
    "place": "0 to 1, from the first to the last paragraph of the case",
    "case": "s of the two best other candidates of p's case / s(1)",
    "case_many": "log of how many candidates p's case has",
    "words_rank": "1 / rank of p among the candidates by `words`",
    "phrases_rank": "the same by `phrases`",
    "citing_rank": "the same by `citing`",
    "case_rank": "the same by `case`",
}
# What `precedents` adds to the options of `lexical`, with defaults; and f.NAME for each feature (words 1, others 0).
DEFAULTS: Mapping[str, float] = {
    "depth": 200.0,  # candidates by words
    "lending": 100.0,  # how many of these bring what they cite
    "phrase": 4.0,  # words of a phrase
}
_LEAST = {"depth": 1.0, "lending": 0.0, "phrase": 1.0}


@dataclass(frozen=True, slots=True)
class Candidates:
    """What was read of the candidates of some queries, in the order found."""

    docs: NDArray[np.int32]  # (n_queries, most) rows of the chunks, -1 for none
    features: NDArray[np.float32]  # (n_queries, most, N_FEATURES)


def precedents(collection: pl.DataFrame, options: Mapping[str, str], bench: Benchmark) -> PrecedentScorer:
    """Return a scorer over a collection, its paragraphs indexed in memory.

    Args:
        collection: paragraphs, or the cases that they are of.
        options: those of `lexical` (k1, b …), those of `DEFAULTS`, and f.NAME for the weight of a feature.
        bench: gives the language, the links and the paragraphs of cases.

    Raises:
        BadInput: no such option.
    """
    own, factors, rest = split_options(options)
    chunks = paragraphs_of(collection, bench)
    index = build_index(field_texts(chunks), default_analysis(bench.language), in_order=True)
    return PrecedentScorer(scorer_of(index, {"k3": "0", **rest}), chunks, collection, bench.links, own, factors)


def paragraphs_of(collection: pl.DataFrame, bench: Benchmark) -> pl.DataFrame:
    """Return the paragraphs of a collection of cases; any other collection as it is."""
    if collection["id"].equals(collection["document_id"]) and "chunks" in bench.collections:
        return bench.collections["chunks"]
    return collection


def split_options(options: Mapping[str, str]) -> tuple[dict[str, float], NDArray[np.float64], dict[str, str]]:
    """Return the options of `precedents` with defaults filled in, the weights of the features, those of `lexical`."""
    own, rest = dict(DEFAULTS), {}
    factors = np.zeros(N_FEATURES)
    if not any(key.startswith("f.") for key in options):
        factors[0] = 1.0
    names = list(FEATURES)
    for key, value in options.items():
        if key not in DEFAULTS and not key.startswith("f."):
            rest[key] = value
            continue
        try:
            number = float(value)
        except ValueError:
            raise BadInput(f"{key}={value}", "the value is not a number") from None
        if key in DEFAULTS:
            if number < _LEAST[key]:
                raise BadInput(f"{key}={value}", "the value is too small", f"give {_LEAST[key]:.0f} or more")
            own[key] = number
        elif key[2:] in FEATURES:
            factors[names.index(key[2:])] = number
        else:
            raise BadInput(f"{key}={value}", "there is no such feature", f"there are: {', '.join(names)}")
    return own, factors, rest


class PrecedentScorer:
    """Scores queries by what speaks for a precedent. Rows are those of the collection."""

    def __init__(
        self,
        scorer: LexicalScorer,
        chunks: pl.DataFrame,
        collection: pl.DataFrame,
        links: pl.DataFrame,
        options: Mapping[str, float],
        factors: NDArray[np.float64],
    ) -> None:
        """Put paragraphs and links in the order of the index.

        Args:
            scorer: by words, over the chunks.
            chunks: the paragraphs.
            collection: the same, or their cases.
            links: source_id, target_id, date; those with an end outside the chunks are left out.
            options: see `DEFAULTS`.
            factors: (N_FEATURES,) weights.
        """
        self.scorer = scorer
        self.options = dict(options)
        self.factors = factors
        self.by_case = not chunks["id"].equals(collection["id"])
        self.texts = _order_paragraphs(chunks, scorer.index)
        self.links = _order_links(links, scorer.index)
        self._rows = scorer.index.documents["row"].to_numpy()
        self._by_id = np.argsort(self._rows)  # an index is ordered as ties are settled
        self._end = self._rows  # row of a document in the collection
        self._runs = np.empty(0, np.int64)
        if self.by_case:
            self._by_id = rank_ids(collection["id"])
            place = {id: row for row, id in enumerate(collection["id"])}
            self._end = np.array([place.get(id, -1) for id in chunks["document_id"]], np.int32)[self._rows]
            changes = np.nonzero(np.diff(self._end))[0] + 1
            self._runs = np.concatenate([[0], changes, [len(self._end)]])
        self._end_of = np.append(self._by_id, -1)[self._end].astype(np.int32)  # see `Ends`
        self._row_of = np.argsort(self._by_id).astype(np.int32)  # of each end

    def score(self, queries: Sequence[Query]) -> NDArray[np.float32]:
        """Return (n_queries, n_docs); 0 is no match."""
        return score_all(self, queries, len(self._by_id))

    def top(self, queries: Sequence[Query], k: int, allowed: Allowed) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return rows and scores of the best `k`, (n_queries, k) each; see `TopScorer`."""
        shape = (len(queries), min(k, len(self._by_id)))
        ends, scores = np.full(shape, -1, np.int32), np.zeros(shape, np.float32)
        nothing = np.empty((0, 0), np.int32), np.empty((0, 0, N_FEATURES), np.float32)
        self._run(queries, allowed, ends, scores, *nothing)
        return np.where(ends >= 0, self._row_of[ends], -1).astype(np.int32), scores

    def read(self, queries: Sequence[Query], allowed: Allowed) -> Candidates:
        """Return the candidates of queries and their features, for learning; `docs` are rows of the chunks."""
        depth = self._depth()
        shape = (len(queries), depth + depth // 4)
        docs = np.full(shape, -1, np.int32)
        features = np.zeros((*shape, N_FEATURES), np.float32)
        nothing = np.empty((len(queries), 0), np.int32), np.empty((len(queries), 0), np.float32)
        self._run(queries, allowed, *nothing, docs, features)
        return Candidates(np.where(docs >= 0, self._rows[docs], -1).astype(np.int32), features)

    def explain(self, query: Query, allowed: Allowed, docs: Sequence[int]) -> list[Reason]:
        """Return why each of some documents of the index was found for a query; `allowed` as it was searched."""
        scorer, names = self.scorer, self.scorer.index.documents["id"]
        terms = scorer.read([query])
        weights = dict(zip(terms.terms.tolist(), scorer.saturate(terms).tolist(), strict=True))
        scores = scorer.score([query])[0][self._rows]
        found = self.read([query], allowed)
        known = found.docs[0] >= 0
        told = weigh_features(found.features[0][known], self.factors, list(FEATURES)) if known.any() else []
        weighed = dict(zip(found.docs[0][known].tolist(), told, strict=True))
        question = Comparison(query.text, scorer.index)
        reasons = []
        for doc in docs:
            own = scorer.weights_of(doc, weights)
            helper, cited, last = find_citing(doc, self.links, scores, allowed, self._rows)
            theirs = scorer.weights_of(helper, weights) if helper >= 0 else {}
            added = {term: weight for term, weight in theirs.items() if weight > own.get(term, 0.0)}
            said = self.texts.terms[self.texts.starts[doc] : self.texts.starts[doc + 1]]
            passages = question.passages(said, int(self.options["phrase"]))
            through = names[helper] if helper >= 0 else None
            shares = weighed.get(int(self._rows[doc]), ())
            reasons.append(Reason(passages, through, added, cited, last, shares))
        return reasons

    def _depth(self) -> int:
        return min(int(self.options["depth"]), self.scorer.index.n_docs)

    def _run(
        self, queries: Sequence[Query], allowed: Allowed, ends: NDArray[np.int32], scores: NDArray[np.float32],
        docs: NDArray[np.int32], features: NDArray[np.float32],
    ) -> None:  # fmt: skip
        scorer, options = self.scorer, self.options
        terms, asked = read_queries(queries, scorer)
        weights = scorer.saturate(terms)
        at = self._end
        of_query, sequences = Terms(terms.starts, terms.terms, weights), Asked(asked.starts, asked.terms)
        words = scorer.words(terms.terms)
        limits = _limit(allowed, at)  # by document of the index
        of_docs = Ends(self._end_of, self._runs, _limit(allowed, self._row_of))

        def work(first: int) -> None:
            rank_precedents(
                first, min(first + step, len(queries)), of_query, sequences, words, limits, self.texts, self.links,
                of_docs, self._depth(), int(options["lending"]), int(options["phrase"]), self.factors, ends, scores,
                docs, features,
            )  # fmt: skip

        step = max(1, min(32, len(queries) // 8))
        with ThreadPoolExecutor(count_cores()) as pool:
            list(pool.map(work, range(0, len(queries), step)))


def _limit(allowed: Allowed, rows: NDArray[np.int32]) -> Limits:
    """Return which of some rows, -1 for none, exist for which query."""
    return Limits(allowed.mask[rows] & (rows >= 0), allowed.group[rows], allowed.day[rows], allowed.own, allowed.before)


def _order_paragraphs(chunks: pl.DataFrame, index: Index) -> Paragraphs:
    """Return what is known of each paragraph, in the order of the index."""
    rows = index.documents["row"].to_numpy()
    texts = sequences_of(index)
    df = np.diff(index.fields["body"].starts).astype(np.float64)
    worth = np.log(1.0 + (index.n_docs - df + 0.5) / (df + 0.5)).astype(np.float32)
    n = chunks.height
    owners = chunks["document_id"].unique(maintain_order=True)
    number = chunks["document_id"].replace_strict(owners, np.arange(len(owners)), return_dtype=pl.Int32).to_numpy()
    here = np.empty(n, np.int32)
    here[rows] = np.arange(n, dtype=np.int32)
    joined = number[1:] == number[:-1]
    previous, following = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    previous[1:][joined] = here[:-1][joined]
    following[:-1][joined] = here[1:][joined]
    size = np.bincount(number, minlength=len(owners))
    by_owner = np.argsort(number, kind="stable")
    nth = np.empty(n)
    nth[by_owner] = np.arange(1, n + 1) - (np.cumsum(size) - size)[number[by_owner]]
    place = nth / size[number]
    court = owners.str.contains(r"^6\d{4}CJ").fill_null(False).to_numpy().astype(np.float32)[number]
    return Paragraphs(
        texts.starts, texts.terms, worth, previous[rows], following[rows], place[rows].astype(np.float32), court[rows],
        number[rows],
    )  # fmt: skip


def _order_links(links: pl.DataFrame, index: Index) -> Citations:
    """Return the links by either end; each pair once, as of its first day."""
    place = index.documents.select("id", doc=pl.int_range(pl.len(), dtype=pl.Int32))
    found = (
        links.join(place.rename({"doc": "source"}), left_on="source_id", right_on="id")
        .join(place.rename({"doc": "target"}), left_on="target_id", right_on="id")
        .select("source", "target", day=pl.col("date").cast(pl.Date).to_physical().fill_null(NO_DAY))
        .group_by("source", "target")
        .agg(pl.col("day").min())
        .sort("source", "target")
    )
    source, target, days = (found[name].to_numpy().astype(np.int32) for name in ("source", "target", "day"))
    by_source = (_starts(source, index.n_docs), target, days)
    order = np.lexsort((source, target))
    return Citations(_starts(target, index.n_docs), source[order], days[order], *by_source)


def _starts(keys: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(keys, minlength=n), out=starts[1:])
    return starts
