"""Retrieval of documents that say the same in the same words: courts restate what they hold from judgment to judgment.

    s(c) = words * bm25(c) / the best bm25 + log(1 + sum over phrases g that c shares of ln((C + 1) / df(g))^2)

A phrase is `n` words in a row. `df` counts the documents that have it among the C = `depth` best by words, which are
the ones compared; so a formula of every judgment weighs nothing, and no phrase need be kept in an index: the order of
the words is. The citation graph is not read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
from numpy.typing import NDArray

from renvoi.analysis import default_analysis
from renvoi.contexts import add_fields
from renvoi.errors import BadInput
from renvoi.index import build_index, field_texts
from renvoi.index.build import count_cores
from renvoi.retrievers import Allowed, score_all
from renvoi.retrievers._phrases import weigh_phrases
from renvoi.retrievers._precedent_reasons import Comparison
from renvoi.retrievers._sequences import order_best, rank_ids, read_queries, sequences_of
from renvoi.retrievers.lexical import LexicalScorer, scorer_of
from renvoi.types import Benchmark, Query

# What `restated` adds to the options of `lexical`, with defaults.
DEFAULTS: Mapping[str, float] = {
    "n": 6.0,  # words of a phrase
    "words": 1.0,  # weight of the score by words, which is 1 for the best document
    "depth": 200.0,  # documents that are compared with a question
}


def restated(collection: pl.DataFrame, options: Mapping[str, str], bench: Benchmark) -> RestatedScorer:
    """Return a scorer over a collection, indexed in memory.

    Args:
        collection: see `types.Benchmark`.
        options: those of `lexical`, and those of `DEFAULTS`.
        bench: gives the language.

    Raises:
        BadInput: no such option.
    """
    own, rest = split_options(options)
    fields = [key[2:] for key in rest if key.startswith("w.")] or ["body"]
    texts = field_texts(add_fields(collection, fields, bench), fields)
    index = build_index(texts, default_analysis(bench.language), in_order=True)
    return RestatedScorer(scorer_of(index, rest), collection, own)


def split_options(options: Mapping[str, str]) -> tuple[dict[str, float], dict[str, str]]:
    """Return the options of `restated` with defaults filled in, and those of `lexical`."""
    own = dict(DEFAULTS)
    for key in DEFAULTS.keys() & options.keys():
        try:
            own[key] = float(options[key])
        except ValueError:
            raise BadInput(f"{key}={options[key]}", "the value is not a number") from None
        if own[key] < (key != "words"):
            raise BadInput(f"{key}={options[key]}", "the value is too small", "give 1 or more (words: 0 or more)")
    return own, {key: value for key, value in options.items() if key not in DEFAULTS}


class RestatedScorer:
    """Scores queries by words and shared phrases. Rows are those of the collection."""

    def __init__(self, scorer: LexicalScorer, collection: pl.DataFrame, options: Mapping[str, float]) -> None:
        """Take a scorer by words, over an index of the collection that keeps their order.

        Raises:
            Mismatch: it does not.
        """
        self.scorer = scorer
        self.options = dict(options)
        self.sequences = sequences_of(scorer.index)
        self._docs = np.argsort(scorer.index.documents["row"].to_numpy()).astype(np.int32)  # row > document
        self._by_id = rank_ids(collection["id"])

    def score(self, queries: Sequence[Query]) -> NDArray[np.float32]:
        """Return (n_queries, n_docs); 0 is no match."""
        return score_all(self, queries, self.scorer.index.n_docs)

    def top(self, queries: Sequence[Query], k: int, allowed: Allowed) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return rows and scores of the best `k`, (n_queries, k) each; see `TopScorer`."""
        depth = int(self.options["depth"])
        terms, asked = read_queries(queries, self.scorer)
        rows, scores = self.scorer.search(terms, max(k, depth), allowed)
        best = scores[:, :1] if scores.shape[1] else scores
        found = np.where(rows >= 0, self.options["words"] * scores / np.where(best > 0, best, 1), -1)

        def work(line: int) -> None:
            n = min(depth, int((rows[line] >= 0).sum()))
            part = np.zeros(n, np.float64)
            weigh_phrases(
                asked.terms[asked.starts[line] : asked.starts[line + 1]], self._docs[rows[line]], n,
                self.sequences.starts, self.sequences.terms, int(self.options["n"]), part,
            )  # fmt: skip
            found[line, :n] += part

        with ThreadPoolExecutor(count_cores()) as pool:
            list(pool.map(work, range(len(queries))))
        return order_best(rows, found.astype(np.float32), self._by_id, k)

    def explain(self, query: Query, docs: Sequence[int]) -> list[tuple[str, ...]]:
        """Return what each of some documents of the index says in the very words of a question, the longest first."""
        question = Comparison(query.text, self.scorer.index)
        held = self.sequences
        return [
            question.passages(held.terms[held.starts[doc] : held.starts[doc + 1]], int(self.options["n"]))
            for doc in docs
        ]
