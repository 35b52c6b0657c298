"""BERTScore F1: how alike two texts are by the vectors of their words in context, whatever the order of the words.

T. Zhang, V. Kishore, F. Wu, K. Q. Weinberger, Y. Artzi: BERTScore: Evaluating text generation with BERT (ICLR 2020).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from renvoi import progress
from renvoi.embed.tokens import TokenEncoder, Tokens
from renvoi.types import Task

_BATCH = 8  # pairs read at once


def greedy_f1(one: Tokens, other: Tokens) -> float:
    """Return the F1 of two texts: every token counts with the cosine to the token of the other text most like it.

    Neither idf weights nor a rescaling to a baseline. Special tokens can be met but do not count themselves, as in the
    authors' code; 0 where a text has no other token.
    """
    if not one.counts.any() or not other.counts.any():
        return 0.0
    cosines = one.vectors @ other.vectors.T
    precision = float(cosines.max(axis=1)[one.counts].mean())
    recall = float(cosines.max(axis=0)[other.counts].mean())
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def score_pairs(encoder: TokenEncoder, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return the F1 of each pair of texts, in their order."""
    # Pairs of like length are read together: less padding.
    order = sorted(range(len(pairs)), key=lambda i: -max(len(pairs[i][0]), len(pairs[i][1])))
    scores = np.zeros(len(pairs))
    batches = [order[i : i + _BATCH] for i in range(0, len(order), _BATCH)]
    for batch in progress.track(batches, f"BERTScore, {_BATCH} pairs a time"):
        read = encoder.encode([text for i in batch for text in pairs[i]])
        for n, i in enumerate(batch):
            scores[i] = greedy_f1(read[2 * n], read[2 * n + 1])
    return scores.tolist()


def relevant_pairs(task: Task) -> pl.DataFrame:
    """Return query_id, doc_id, query, text of every relevant pair whose document is held."""
    texts = pl.DataFrame(
        [(q.id, q.text) for q in task.queries], schema={"query_id": pl.String, "query": pl.String}, orient="row"
    )
    held = task.corpus.select(pl.col("id").alias("doc_id"), "text")
    relevant = task.qrels.filter(pl.col("relevance") > 0).select("query_id", "doc_id")
    return relevant.join(texts, on="query_id", maintain_order="left").join(held, on="doc_id", maintain_order="left")
