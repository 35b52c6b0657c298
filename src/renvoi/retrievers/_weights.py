"""A model over an index > one weight a posting. Everything after this is the same for all models.

Fields are merged here: scores are sums over terms, so the weighted sum of the scores of fields is the score by
weighted sums of weights (and BM25F sums frequencies first). A search then reads one list a term, whatever the fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numba import njit, vectorize
from numpy.typing import NDArray

from renvoi.index import Index, Postings
from renvoi.index.build import count_cores
from renvoi.index.layout import PAIRS
from renvoi.models import Model, Weight

_CHUNK = 1 << 19
_FREQUENT = 4  # a term of at least one document in so many has a row
_MOST_ROWS = 64


@dataclass(frozen=True, slots=True)
class Lists:
    """Sparse rows: those of terms hold (document, value), those of documents hold (term, value)."""

    starts: NDArray[np.int64]
    items: NDArray[np.int32]
    values: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of one field."""

    df: NDArray[np.float64]
    cf: NDArray[np.float64]
    n_docs: float
    n_words: float
    average: float


@cache
def compile_weight(function: Weight, n_arguments: int) -> Callable[..., NDArray[np.float32]]:
    """Return a weight function that runs over arrays."""
    signature = f"float32({', '.join(['float64'] * n_arguments)})"
    decorate: Any = vectorize
    compiled: Callable[..., NDArray[np.float32]] = decorate([signature], cache=True)(function)
    return compiled


def spread_frequent(lists: Lists, n_docs: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return the weights of frequent terms for all documents: the row of each term (-1 for none), and the rows.

    Reading such a row in order is faster than its postings, which cost twice the bytes and a jump each: a search of
    400,000 paragraphs for a paragraph took 5.5 ms without rows and 2.4 ms with 18 of them (2 cores, 2026-11).
    """
    held = np.diff(lists.starts)
    frequent = np.nonzero(held * _FREQUENT > n_docs)[0]
    frequent = frequent[np.argsort(-held[frequent], kind="stable")][:_MOST_ROWS]
    rows = np.zeros((len(frequent), n_docs), np.float32)
    row_of = np.full(len(held), -1, np.int32)
    for row, term in enumerate(frequent):
        part = slice(lists.starts[term], lists.starts[term + 1])
        rows[row, lists.items[part]] = lists.values[part]
        row_of[term] = row
    return row_of, rows


def inherit_weights(lists: Lists, above: NDArray[np.int32], share: float) -> Lists:
    """Return lists by term in which a document has the words of those above it too, each at its greatest weight.

    Args:
        lists: by term.
        above: (n_levels, n_docs) the document above each, the one above that, and so on; -1 for none.
        share: of the weight that a word has where it stands, above 0.
    """
    from scipy.sparse import csr_matrix

    n_docs = above.shape[1]
    own = csr_matrix((lists.values, lists.items, lists.starts), shape=(len(lists.starts) - 1, n_docs))
    total = own
    for level in above:
        below = np.nonzero(level >= 0)[0]
        down = csr_matrix((np.full(len(below), share, np.float32), (level[below], below)), shape=(n_docs, n_docs))
        total = total.maximum(own @ down)
    total.sort_indices()
    return Lists(total.indptr.astype(np.int64), total.indices.astype(np.int32), total.data)


def turn_lists(lists: Lists, n_docs: int) -> Lists:
    """Return lists by document of lists by term."""
    from scipy.sparse import csr_matrix

    turned = csr_matrix((lists.values, lists.items, lists.starts), shape=(len(lists.starts) - 1, n_docs)).tocsc()
    turned.sort_indices()
    return Lists(turned.indptr.astype(np.int64), turned.indices.astype(np.int32), turned.data)


def statistics_of(postings: Postings) -> Statistics:
    """Return the statistics of a field."""
    df = np.diff(postings.starts).astype(np.float64)
    cf = np.zeros(len(df))
    _sum_up(postings.starts, postings.tfs, cf)
    n_docs = len(postings.lengths)
    n_words = float(postings.lengths.sum(dtype=np.int64))
    return Statistics(df, cf, float(n_docs), n_words, n_words / n_docs if n_words else 1.0)


def weigh_terms(
    index: Index, model: Model, variant: str, parameters: Mapping[str, float], fields: Mapping[str, float]
) -> Lists:
    """Return for each term its documents and weights."""
    return _weigh(index, model, variant, parameters, fields, by_document=False)


def weigh_documents(
    index: Index, model: Model, variant: str, parameters: Mapping[str, float], fields: Mapping[str, float]
) -> Lists:
    """Return for each document its terms and weights: the very same numbers."""
    return _weigh(index, model, variant, parameters, fields, by_document=True)


def weigh_some(
    index: Index, model: Model, variant: str, parameters: Mapping[str, float], fields: Mapping[str, float],
    terms: Sequence[int], values: NDArray[np.float32],
) -> None:  # fmt: skip
    """Write the weights of some terms alone, the same numbers as `weigh_terms`, where their postings stand.

    Args:
        index: see `weigh_terms`, this and the next four; one field of words, and a model that sums over fields.
        model: see index.
        variant: see index.
        parameters: see index.
        fields: see index.
        terms: which.
        values: (n_postings,) written in part.
    """
    [(field, scale)] = fields.items()
    postings = index.fields[field]
    given = tuple(parameters[name] for name in model.parameters)
    weight = compile_weight(model.variants[variant], 7 + len(given))
    fill = _weight_of(weight, statistics_of(postings), given, scale)
    for term in terms:
        part = slice(postings.starts[term], postings.starts[term + 1])
        owners = np.full(part.stop - part.start, term, np.int32)
        values[part] = fill(postings.tfs[part], postings.lengths[postings.docs[part]], owners)


def _weigh(
    index: Index, model: Model, variant: str, parameters: Mapping[str, float], fields: Mapping[str, float],
    *, by_document: bool,
) -> Lists:  # fmt: skip
    given = tuple(parameters[name] for name in model.parameters)
    weight = compile_weight(model.variants[variant], 7 + len(given))
    parts = []
    n_terms = count_terms_of(index, fields)
    for field, scale in fields.items():
        postings = index.fields[field]
        stats = statistics_of(postings)
        if model.frequency is not None:
            frequency = compile_weight(model.frequency, 5)
            b = parameters.get(f"b.{field}", parameters["b"])
            part = _fill(postings, by_document, _frequency_of(frequency, stats, scale, b))
        else:
            part = _fill(postings, by_document, _weight_of(weight, stats, given, scale))
        parts.append(_place(part, index, field, n_terms, by_document))
    merged = parts[0]
    for part in parts[1:]:
        merged = Lists(*_merge(merged.starts, merged.items, merged.values, part.starts, part.items, part.values))
    if model.frequency is None:
        return merged
    return _saturate(index, merged, weight, given, by_document, fields)


def _weight_of(weight: Any, stats: Statistics, given: tuple[float, ...], scale: float) -> Any:
    def fill(tf: Any, length: Any, term: Any) -> Any:
        found = weight(
            tf, length, stats.df[term], stats.cf[term], stats.n_docs, stats.n_words, stats.average, *given
        )  # fmt: skip
        return found if scale == 1.0 else found * np.float32(scale)

    return fill


def _frequency_of(frequency: Any, stats: Statistics, scale: float, b: float) -> Any:
    return lambda tf, length, term: frequency(tf, length, stats.average, scale, b)


def _saturate(
    index: Index, merged: Lists, weight: Any, given: tuple[float, ...], by_document: bool, fields: Mapping[str, float]
) -> Lists:
    df = _df_of_any(index, fields)
    n_docs = float(index.n_docs)
    owners = np.repeat(np.arange(len(merged.starts) - 1, dtype=np.int32), np.diff(merged.starts))
    terms = merged.items if by_document else owners
    values = weight(merged.values, 1.0, df[terms], 1.0, n_docs, 1.0, 1.0, *given)
    return Lists(merged.starts, merged.items, values)


def _df_of_any(index: Index, fields: Mapping[str, float]) -> NDArray[np.float64]:
    n_terms = count_terms_of(index, fields)
    first, *others = (
        _place(Lists(p.starts, p.docs, np.zeros(len(p.docs), np.float32)), index, field, n_terms, False)
        for field, p in ((field, index.fields[field]) for field in fields)
    )
    for other in others:
        first = Lists(*_merge(first.starts, first.items, first.values, other.starts, other.items, other.values))
    return np.diff(first.starts).astype(np.float64)


def count_terms_of(index: Index, fields: Mapping[str, float]) -> int:
    """Return how many terms there are: words, then pairs if there is a field of them."""
    return len(index.vocabulary) + (len(index.pairs) if PAIRS in fields else 0)


def _place(part: Lists, index: Index, field: str, n_terms: int, by_document: bool) -> Lists:
    """Return the lists of a field with terms as numbered in the whole index."""
    before = len(index.vocabulary) if field == PAIRS else 0
    if by_document:
        return Lists(part.starts, part.items + np.int32(before), part.values) if before else part
    after = n_terms - before - (len(part.starts) - 1)
    if before == 0 and after == 0:
        return part
    starts = np.concatenate([np.zeros(before, np.int64), part.starts, np.full(after, part.starts[-1])])
    return Lists(starts, part.items, part.values)


def _fill(postings: Postings, by_document: bool, fill: Any) -> Lists:
    """Compute a value for each posting, in chunks on all cores."""
    starts = postings.doc_starts if by_document else postings.starts
    items = postings.doc_terms if by_document else postings.docs
    tfs = postings.doc_tfs if by_document else postings.tfs
    values = np.empty(len(items), np.float32)

    def work(chunk: tuple[int, int]) -> None:
        low, high = chunk  # rows
        a, b = starts[low], starts[high]
        owners = np.repeat(np.arange(low, high, dtype=np.int32), np.diff(starts[low : high + 1]))
        terms, docs = (items[a:b], owners) if by_document else (owners, items[a:b])
        values[a:b] = fill(tfs[a:b], postings.lengths[docs], terms)

    with ThreadPoolExecutor(count_cores()) as pool:
        list(pool.map(work, _row_chunks(starts)))
    return Lists(starts, items, values)


def _row_chunks(starts: NDArray[np.int64]) -> list[tuple[int, int]]:
    chunks, low, n = [], 0, len(starts) - 1
    while low < n:
        high = min(n, max(low + 1, int(np.searchsorted(starts, starts[low] + _CHUNK, "right")) - 1))
        chunks.append((low, high))
        low = high
    return chunks


@njit(nogil=True, cache=True)
def _sum_up(starts: Any, tfs: Any, out: Any) -> None:  # pragma: no cover - compiled
    for term in range(out.size):
        total = 0
        for p in range(starts[term], starts[term + 1]):
            total += tfs[p]
        out[term] = total


@njit(nogil=True, cache=True)
def _merge(
    a_starts: Any, a_items: Any, a_values: Any, b_starts: Any, b_items: Any, b_values: Any
) -> Any:  # pragma: no cover - compiled
    """Return the union of two sets of sparse rows, values of the same item added."""
    n = a_starts.size - 1
    starts = np.zeros(n + 1, np.int64)
    items = np.empty(a_items.size + b_items.size, np.int32)
    values = np.empty(a_items.size + b_items.size, np.float32)
    at = 0
    for row in range(n):
        i, i_end, j, j_end = a_starts[row], a_starts[row + 1], b_starts[row], b_starts[row + 1]
        while i < i_end or j < j_end:
            if j == j_end or (i < i_end and a_items[i] < b_items[j]):
                items[at], values[at] = a_items[i], a_values[i]
                i += 1
            elif i == i_end or b_items[j] < a_items[i]:
                items[at], values[at] = b_items[j], b_values[j]
                j += 1
            else:
                items[at], values[at] = a_items[i], a_values[i] + b_values[j]
                i += 1
                j += 1
            at += 1
        starts[row + 1] = at
    return starts, items[:at].copy(), values[:at].copy()
