"""DPH: a hypergeometric divergence from randomness, without parameters.

G. Amati: Frequentist and Bayesian approach to information retrieval (ECIR 2006); DPH with Popper's normalisation as
in Terrier and in Amati et al., FUB at TREC 2007.
"""

from __future__ import annotations

from math import log, pi

from renvoi.models import Model


def _terrier(tf: float, length: float, df: float, cf: float, n_docs: float, n_words: float, average: float) -> float:
    """As Terrier's DPH; 0 where the document consists of the term alone (Terrier divides 0 by 0 there)."""
    share = tf / length
    if share >= 1.0:
        return 0.0
    norm = (1.0 - share) * (1.0 - share) / (tf + 1.0)
    surprise = tf * log(tf * average / length * n_docs / cf) + 0.5 * log(2.0 * pi * tf * (1.0 - share))
    return norm * surprise / log(2.0)


dph = Model(variants={"terrier": _terrier}, parameters={})
