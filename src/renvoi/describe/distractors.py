"""How like a query its relevant documents are, and how like it the others: overlap of words, with and without order."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from renvoi import progress
from renvoi.describe import lcs
from renvoi.types import Query, Task

_EVERY_WORD = re.compile(r"[^\W_]+")
_ROUGE_WORD = re.compile(r"[a-z0-9]+")  # rouge-score's own: a letter with an accent parts words
_BATCH = 64  # queries between two reports of progress
_NEVER = date.max.toordinal()

Words = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class Distraction:
    """The best relevant document of a query beside the best other one, by ROUGE-L recall."""

    query_id: str
    relevant: float
    relevant_id: str
    other: float
    other_id: str  # "" where there is no other candidate

    @property
    def strong(self) -> bool:
        """Whether the other document is more like the query than any relevant one."""
        return self.other > self.relevant


@dataclass(frozen=True, slots=True)
class Distractions:
    """All queries, and how much work it was."""

    rows: tuple[Distraction, ...]
    pairs: int  # queries x candidates
    compared: int  # pairs whose subsequence had to be computed; the rest cannot win
    without_words: tuple[str, ...]  # queries without a word: left out


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case, letters of every alphabet."""
    return _EVERY_WORD.findall(text.lower())


def split_words_as_rouge(text: str) -> list[str]:
    """Return the words of a text as rouge-score cuts them (without its stemmer)."""
    return _ROUGE_WORD.findall(text.lower())


def rouge_l_recall(query: str, candidate: str, words: Words = split_words) -> float:
    """Return the share of the query's words that the candidate has in the same order (Lin 2004)."""
    vocabulary: dict[str, int] = {}
    wanted = np.asarray([vocabulary.setdefault(word, len(vocabulary) + 1) for word in words(query)], dtype=np.int32)
    if not len(wanted):
        return 0.0
    flat, starts = _flatten([candidate], words, vocabulary)
    return int(lcs.lcs_lengths(wanted, flat, starts, np.zeros(1, np.int32), len(vocabulary) + 1)[0]) / len(wanted)


def jaccard(query: str, candidate: str, words: Words = split_words) -> float:
    """Return the share of the words of either that both have (Jaccard 1901); 0 if neither has any."""
    a, b = set(words(query)), set(words(candidate))
    return len(a & b) / len(a | b) if a | b else 0.0


def overlaps(task: Task, words: Words = split_words) -> pl.DataFrame:
    """Return query_id, doc_id, jaccard of every relevant pair."""
    relevant = task.qrels.filter(pl.col("relevance") > 0).select("query_id", "doc_id")
    vocabulary: dict[str, int] = {}

    def numbers(texts: Iterable[tuple[str, str]]) -> dict[str, Any]:
        return {
            name: np.unique([vocabulary.setdefault(word, len(vocabulary)) for word in words(text)])
            for name, text in texts
        }

    asked, wanted = set(relevant["query_id"]), relevant["doc_id"].unique()
    queries = numbers((q.id, q.text) for q in task.queries if q.id in asked)
    documents = numbers(task.corpus.filter(pl.col("id").is_in(wanted.implode())).select("id", "text").iter_rows())
    rows = []
    for query, doc in relevant.iter_rows():
        if query in queries and doc in documents:
            a, b = queries[query], documents[doc]
            shared = np.intersect1d(a, b, assume_unique=True).size
            rows.append((query, doc, shared / (a.size + b.size - shared) if a.size + b.size else 0.0))
    return pl.DataFrame(rows, schema={"query_id": pl.String, "doc_id": pl.String, "jaccard": pl.Float64}, orient="row")


def find_distractors(task: Task, words: Words = split_words, queries: Sequence[str] | None = None) -> Distractions:
    """Compare every query with every candidate, exactly.

    A query's own document, and what is not earlier than a dated query, is no candidate. Queries without a relevant
    document in the corpus are left out.

    Args:
        task: queries, corpus, qrels.
        words: how texts are cut; `split_words_as_rouge` gives the values of the package rouge-score.
        queries: ids to look at; default: all.
    """
    place = {doc: i for i, doc in enumerate(task.corpus["id"])}
    relevant: dict[str, list[int]] = {}
    for query_id, doc in task.qrels.filter(pl.col("relevance") > 0).select("query_id", "doc_id").iter_rows():
        if doc in place:
            relevant.setdefault(query_id, []).append(place[doc])
    wanted = None if queries is None else set(queries)
    chosen = [q for q in task.queries if q.id in relevant and (wanted is None or q.id in wanted)]
    cut = [(q, words(q.text)) for q in chosen]
    kept = [(q, found) for q, found in cut if found]
    vocabulary: dict[str, int] = {}
    numbers = [
        np.asarray([vocabulary.setdefault(w, len(vocabulary) + 1) for w in found], np.int32) for _, found in kept
    ]
    flat, starts = _flatten(task.corpus["text"], words, vocabulary)
    first, candidates, counts = lcs.post(flat, starts, len(vocabulary) + 1)
    barriers = _Barriers(task, [q for q, _ in kept])
    rows: list[Distraction] = []
    compared = 0
    batches = [range(i, min(i + _BATCH, len(kept))) for i in range(0, len(kept), _BATCH)]
    for batch in progress.track(batches, f"comparing queries, {_BATCH} a time"):
        barred = [relevant[kept[i][0].id] for i in batch]
        best, length, n = lcs.best_others(
            *_ragged([numbers[i] for i in batch]), flat, starts, first, candidates, counts, *_ragged(barred),
            barriers.owner, barriers.own[batch.start : batch.stop],
            barriers.day, barriers.before[batch.start : batch.stop],
        )  # fmt: skip
        compared += int(n.sum())
        for i, other, other_length in zip(batch, best.tolist(), length.tolist(), strict=True):
            query, size = kept[i][0], len(numbers[i])
            mine = np.asarray(relevant[query.id], np.int32)
            lengths = lcs.lcs_lengths(numbers[i], flat, starts, mine, len(vocabulary) + 1)
            top = int(lengths.argmax())
            other_id = task.corpus["id"][other] if other >= 0 else ""
            rows.append(
                Distraction(
                    query.id, int(lengths[top]) / size, task.corpus["id"][int(mine[top])], other_length / size, other_id
                )
            )
    dropped = tuple(q.id for q, found in cut if not found)
    return Distractions(tuple(rows), len(kept) * task.corpus.height, compared, dropped)


class _Barriers:
    """Numbers that say which candidates a query may be compared with."""

    def __init__(self, task: Task, queries: Sequence[Query]) -> None:
        documents = task.corpus["document_id"].to_list()
        number = {name: i for i, name in enumerate(dict.fromkeys(documents))}
        self.owner = np.asarray([number[name] for name in documents], np.int32)
        # Where a query's own document holds what is relevant to it (statutes), it is no barrier.
        self.own = np.asarray([number.get(q.document_id, -1) if q.unit != "chunk" else -1 for q in queries], np.int32)
        days = task.corpus["date"].to_list()
        self.day = np.asarray([day.toordinal() if day else 0 for day in days], np.int32)
        self.before = np.asarray([q.date.toordinal() if q.date else _NEVER for q in queries], np.int32)


def _flatten(texts: Iterable[str], words: Words, vocabulary: dict[str, int]) -> tuple[Any, npt.NDArray[np.int64]]:
    """Return the words of all texts that the vocabulary has, as numbers, and where each text starts."""
    flat, starts = array("i"), [0]
    for text in texts:
        flat.extend([vocabulary[word] for word in words(text) if word in vocabulary])
        starts.append(len(flat))
    return np.asarray(flat, np.int32), np.asarray(starts, np.int64)


def _ragged(rows: Sequence[Any]) -> tuple[Any, npt.NDArray[np.int64]]:
    starts = np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64)
    flat = np.concatenate([np.asarray(row, np.int32) for row in rows]) if rows else np.zeros(0, np.int32)
    return flat, starts
