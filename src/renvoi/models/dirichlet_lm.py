"""Query likelihood with Dirichlet smoothing.

C. Zhai, J. Lafferty: A study of smoothing methods for language models applied to information retrieval (TOIS 2004),
the rank-equivalent form of their section 3: matched terms, and a term for the length of the document.
"""

from __future__ import annotations

from math import log

from renvoi.models import Model


def _zhai(
    tf: float, length: float, df: float, cf: float, n_docs: float, n_words: float, average: float, mu: float
) -> float:
    """log(1 + tf / (mu p(t|C)))."""
    return log(1.0 + tf * n_words / (mu * cf))


def _length(length: float, mu: float) -> float:
    """log(mu / (length + mu)), once for each word of the query."""
    return log(mu / (length + mu))


dirichlet_lm = Model(
    variants={"zhai": _zhai},
    parameters={"mu": 1000.0},
    grid={"mu": (50.0, 100.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0)},
    document=_length,
)
