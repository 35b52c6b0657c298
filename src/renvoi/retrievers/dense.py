"""Retrieval by one vector a text: cosine with every document, exact.

dense                       the packaged multilingual-e5-small, no download
dense:NAME                  a model folder or a model of the hub that is on this machine
dense:NAME,pooling=cls,max_length=512,path=yes
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from renvoi.embed import Encoder, Vectors
from renvoi.embed.cache import embed, holds, score_by
from renvoi.embed.choose import open_encoder
from renvoi.embed.settings import read_settings
from renvoi.errors import BadInput
from renvoi.index.fields import field_texts
from renvoi.types import Benchmark, Query


def dense(collection: pl.DataFrame, options: Mapping[str, str], bench: Benchmark) -> DenseScorer:
    """Return a scorer by the vectors of a collection's texts.

    Args:
        collection: see `types.Benchmark`.
        options: "" the model ("embedded" if none); "path" yes to put headings and lead-ins before each text; "pooling"
            mean or cls; "max_length" in tokens; "prefixes" e5 or none; "normalise" yes or no; "device", "dtype" and
            "batch" for torch; "cache" a folder or none.
        bench: not read.

    Raises:
        MissingDependency: the package of the model is not installed.
        MissingModel: the model is not on this machine.
        BadInput: no such option.
    """
    path = options.get("path", "no")
    if path not in ("yes", "no"):
        raise BadInput(f"dense:path={path}", "there is no such value", "it is yes or no")
    settings = read_settings(options, "dense", ("path",), "embedded")
    return DenseScorer(open_encoder(settings), dense_texts(collection, path == "yes"), settings.cache)


def dense_texts(collection: pl.DataFrame, path: bool) -> list[str]:
    """Return the text of each document, with its headings and lead-ins before it if `path`."""
    if not path:
        return collection["text"].to_list()
    fields = field_texts(collection, ("path", "body"))
    return [f"{above}\n{text}" if above.strip() else text for above, text in fields.select("path", "body").iter_rows()]


class DenseScorer:
    """Scores queries by the product of vectors: the cosine, as vectors are of length 1."""

    def __init__(self, encoder: Encoder, texts: Sequence[str], cache: Path | None) -> None:
        """Keep what is needed; texts are encoded when the first query comes.

        Args:
            encoder: makes the vectors.
            texts: of the documents; column j of the scores is `texts[j]`.
            cache: folder of vectors made before; None for none.
        """
        self._encoder = encoder
        self._texts = texts
        self._cache = cache

    @cached_property
    def vectors(self) -> Vectors:
        """The documents' vectors, (n_docs, dimensions)."""
        return embed(self._encoder, self._texts, query=False, folder=self._cache)

    def prepare(self, queries: Sequence[Query]) -> None:
        """Make the documents' vectors, and load the weights if a query needs them."""
        if queries and self._texts:
            assert self.vectors is not None
            if not holds(self._encoder, [query.text for query in queries], query=True, folder=self._cache):
                self._encoder.load()

    def score(self, queries: Sequence[Query]) -> NDArray[np.float32]:
        """Return (n_queries, n_docs)."""
        if not queries or not self._texts:
            return np.zeros((len(queries), len(self._texts)), np.float32)
        asked = embed(self._encoder, [query.text for query in queries], query=True, folder=self._cache)
        return score_by(asked, self.vectors)
