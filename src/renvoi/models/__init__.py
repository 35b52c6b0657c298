"""Weighting models: one small pure function each, over the statistics of a term in a document.

A weight function takes `(tf, length, df, cf, n_docs, n_words, average, *parameters)`, all numbers, and returns what
the term adds to the score of the document for one mention in the query:

tf       how often the document has the term, > 0
length   words of the document
df, cf   documents that have the term; how often the collection has it
n_docs, n_words, average   documents and words of the collection; words of a document on average

It is plain Python (tests call it as it stands) and is compiled to run over all postings. Statistics are those of one
field, except in a model that has a `frequency` function: there, frequencies of all fields are summed first, and `tf`
is that sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf

Weight = Callable[..., float]


@dataclass(frozen=True, slots=True)
class Model:
    """A model with its variants, the first of which is the default."""

    variants: Mapping[str, Weight]
    parameters: Mapping[str, float]  # with defaults, in the order the functions take them
    grid: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # what `tune` tries
    # Saturation of repeated query words, (k3 + 1) q / (k3 + q), by variant; infinite (q itself) where not named.
    k3: Mapping[str, float] = field(default_factory=dict)
    # Added to the score of a document that matches, once for each word of the query: (length, *parameters) > number.
    document: Weight | None = None
    # (tf, length, average, weight, b) > what a field adds to `tf`.
    frequency: Weight | None = None

    def saturation(self, variant: str) -> float:
        """Return the default k3 of a variant."""
        return self.k3.get(variant, inf)
