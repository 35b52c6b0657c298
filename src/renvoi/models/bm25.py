"""Okapi BM25 in four variants that are met under this name.

S. E. Robertson, S. Walker, S. Jones, M. Hancock-Beaulieu, M. Gatford: Okapi at TREC-3 (1994). The variants are told
apart by C. Kamphuis, A. de Vries, L. Boytsov, J. Lin: Which BM25 Do You Mean? (ECIR 2020).
"""

from __future__ import annotations

from math import log

from renvoi.models import Model


def _lucene(
    tf: float, length: float, df: float, cf: float, n_docs: float, n_words: float, average: float, k1: float, b: float
) -> float:
    """As Lucene 8 and later, but with lengths as they are (Lucene rounds them to one byte)."""
    return log(1.0 + (n_docs - df + 0.5) / (df + 0.5)) * tf / (tf + k1 * (1.0 - b + b * length / average))


def _robertson(
    tf: float, length: float, df: float, cf: float, n_docs: float, n_words: float, average: float, k1: float, b: float
) -> float:
    """As in the paper, with k1 + 1 and natural logarithms; below zero for a term in more than half the documents."""
    return log((n_docs - df + 0.5) / (df + 0.5)) * (k1 + 1.0) * tf / (tf + k1 * (1.0 - b + b * length / average))


def _terrier(
    tf: float, length: float, df: float, cf: float, n_docs: float, n_words: float, average: float, k1: float, b: float
) -> float:
    """As Terrier's BM25: the paper's, in bits."""
    idf = log((n_docs - df + 0.5) / (df + 0.5)) / log(2.0)
    return idf * (k1 + 1.0) * tf / (tf + k1 * (1.0 - b + b * length / average))


def _atire(
    tf: float, length: float, df: float, cf: float, n_docs: float, n_words: float, average: float, k1: float, b: float
) -> float:
    """As ATIRE (Trotman, Jia, Crane 2012): an idf that is never below zero."""
    return log(n_docs / df) * (k1 + 1.0) * tf / (tf + k1 * (1.0 - b + b * length / average))


bm25 = Model(
    variants={"lucene": _lucene, "terrier": _terrier, "robertson": _robertson, "atire": _atire},
    parameters={"k1": 1.2, "b": 0.75},
    grid={"k1": (0.3, 0.6, 0.9, 1.2, 1.8), "b": (0.1, 0.3, 0.5, 0.75, 0.9)},
    k3={"terrier": 8.0},
)
