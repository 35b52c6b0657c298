"""How alike the acts of a collection are: alike acts in one collection make distractors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from renvoi import figures
from renvoi.describe import distractors
from renvoi.figures import Sheet


def similarity(chunks: pl.DataFrame, most: int) -> Sheet:
    """Return how alike acts are: cosine of their mean chunk vectors, acts ordered so that alike ones stand together.

    A chunk's vector is that of its words, weighted tf-idf; the heat map holds the `most` acts with the most chunks.
    """
    sizes = chunks.group_by("document_id").len().sort("len", "document_id", descending=[True, False])
    acts = sizes["document_id"].head(most).to_list()
    matrix = _cosines(chunks.filter(pl.col("document_id").is_in(acts)), acts)
    order = _grouped(matrix)
    matrix, names = matrix[np.ix_(order, order)], [acts[i] for i in order]
    rows = []
    for i, name in enumerate(names):
        others = matrix[i].copy()
        others[i] = -1
        rows.append((name, names[int(others.argmax())], float(others.max())))
    note = "Cosine of mean tf-idf vectors of chunks. Alike acts in one collection make distractors."
    columns = ("act", "most alike", "cosine")
    return Sheet("similarity", "Likeness of acts", columns, tuple(rows), note, figures.heat_map(matrix, names))


def _cosines(chunks: pl.DataFrame, acts: Sequence[str]) -> npt.NDArray[np.float64]:
    from scipy.sparse import csr_array

    number = {act: i for i, act in enumerate(acts)}
    vocabulary: dict[str, int] = {}
    rows, columns = [], []
    for i, text in enumerate(chunks["text"]):
        found = [vocabulary.setdefault(word, len(vocabulary)) for word in distractors.split_words(text)]
        columns += found
        rows += [i] * len(found)
    counts = csr_array((np.ones(len(rows)), (rows, columns)), shape=(chunks.height, max(len(vocabulary), 1)))
    counts.sum_duplicates()
    idf = np.log(chunks.height / np.maximum(np.bincount(counts.indices, minlength=counts.shape[1]), 1))
    counts.data = counts.data * idf[counts.indices]
    norms = np.sqrt(
        np.bincount(np.repeat(np.arange(chunks.height), np.diff(counts.indptr)), counts.data**2, chunks.height)
    )
    member = csr_array(
        (1 / np.maximum(norms, 1e-12), ([number[act] for act in chunks["document_id"]], np.arange(chunks.height))),
        shape=(len(acts), chunks.height),
    )
    means = (member @ counts).toarray()
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
    return np.asarray(np.clip(means @ means.T, 0, 1), dtype=np.float64)


def _grouped(matrix: npt.NDArray[np.float64]) -> list[int]:
    """Return an order in which alike rows stand together: the leaves of an average-linkage tree."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(matrix) < 3:
        return list(range(len(matrix)))
    apart = 1 - matrix
    np.fill_diagonal(apart, 0)
    return [int(i) for i in leaves_list(linkage(squareform((apart + apart.T) / 2, checks=False), "average"))]
