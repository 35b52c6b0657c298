"""BM25F: frequencies of all fields, each with its weight and its length, under one saturation.

H. Zaragoza, N. Craswell, M. Taylor, S. Saria, S. Robertson: Microsoft Cambridge at TREC-13 (2004), equations 1-3.
"""

from __future__ import annotations

from math import log

from renvoi.models import Model


def _zaragoza(
    tf: float, length: float, df: float, cf: float, n_docs: float, n_words: float, average: float, k1: float, b: float
) -> float:
    """Saturate the summed frequency; idf as Lucene's. `df` counts documents that have the term in any field."""
    return log(1.0 + (n_docs - df + 0.5) / (df + 0.5)) * tf / (tf + k1)


def _frequency(tf: float, length: float, average: float, weight: float, b: float) -> float:
    """What one field adds."""
    return weight * tf / (1.0 - b + b * length / average)


bm25f = Model(
    variants={"zaragoza": _zaragoza},
    parameters={"k1": 1.2, "b": 0.75},  # `b` is every field's, unless "b.FIELD" is given
    grid={"k1": (0.3, 0.6, 0.9, 1.2, 1.8), "b": (0.1, 0.3, 0.5, 0.75, 0.9)},
    frequency=_frequency,
)
