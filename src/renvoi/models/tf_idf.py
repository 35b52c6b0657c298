"""TF-IDF as Terrier computes it: Robertson's saturated tf, Sparck Jones' idf.

S. E. Robertson, S. Walker: Some simple effective approximations to the 2-Poisson model (SIGIR 1994); K. Sparck Jones:
A statistical interpretation of term specificity (1972).
"""

from __future__ import annotations

from math import log

from renvoi.models import Model


def _terrier(
    tf: float, length: float, df: float, cf: float, n_docs: float, n_words: float, average: float, k1: float, b: float
) -> float:
    """As Terrier's TF_IDF: log2(N / df + 1)."""
    robertson = k1 * tf / (tf + k1 * (1.0 - b + b * length / average))
    return robertson * log(n_docs / df + 1.0) / log(2.0)


tf_idf = Model(
    variants={"terrier": _terrier},
    parameters={"k1": 1.2, "b": 0.75},
    grid={"k1": (0.3, 0.6, 0.9, 1.2, 1.8), "b": (0.1, 0.3, 0.5, 0.75, 0.9)},
)
