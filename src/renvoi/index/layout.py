"""What an index holds. All arrays may be memory-mapped.

Inside an index documents are numbered by id, *descending*: of two documents with equal scores the lower number comes
first, which is trec_eval's rule for ties. `rows` leads back to the order of the documents given.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from renvoi.analysis import Analysis

_READ_AT = 32  # one term in so many has been asked for
PAIRS = "pairs"  # the field whose terms are pairs of neighbouring words
ORDER = "order"  # the array of words in the order they stand in


@dataclass(frozen=True, slots=True)
class Postings:
    """One field, by term and by document. In the field of pairs, terms are numbered from the first pair.

    starts, docs, tfs              postings of term t: `docs[starts[t]:starts[t + 1]]`, ascending, and how often
    doc_starts, doc_terms, doc_tfs the same by document; terms ascending
    lengths                        indexed words of each document
    """

    starts: NDArray[np.int64]  # (n_terms + 1,)
    docs: NDArray[np.int32]
    tfs: NDArray[Any]  # uint16, or uint32 where a document is longer than 65,535 words
    doc_starts: NDArray[np.int64]  # (n_docs + 1,)
    doc_terms: NDArray[np.int32]
    doc_tfs: NDArray[Any]
    lengths: NDArray[np.int32]  # (n_docs,)


class Vocabulary:
    """Terms in the order of their bytes; found by halving, so that nothing is read when an index is opened.

    Once a part of it has been asked for, all is read into a dictionary, which finds a term several times as fast.
    """

    def __init__(self, text: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self.text = text
        self.ends = ends  # (n_terms + 1,); term t is text[ends[t]:ends[t + 1]], UTF-8
        self._asked = 0
        self._numbers: dict[bytes, int] | None = None

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, term: int) -> str:
        return self._bytes(term).decode()

    def find(self, terms: Iterable[str]) -> NDArray[np.int32]:
        """Return the number of each term, -1 where the index does not have it."""
        wanted = [term.encode() for term in terms]
        self._asked += len(wanted)
        if self._numbers is None and self._asked * _READ_AT > len(self):
            text, ends = self.text.tobytes(), self.ends.tolist()
            self._numbers = {text[a:b]: n for n, (a, b) in enumerate(pairwise(ends))}
        if self._numbers is None:
            return np.array([self._find(term) for term in wanted], np.int32)
        return np.array([self._numbers.get(term, -1) for term in wanted], np.int32)

    def _find(self, wanted: bytes) -> int:
        at = bisect_left(range(len(self)), wanted, key=self._bytes)
        return at if wanted and at < len(self) and self._bytes(at) == wanted else -1

    def _bytes(self, term: int) -> bytes:
        return self.text[self.ends[term] : self.ends[term + 1]].tobytes()


@dataclass(frozen=True, slots=True)
class Index:
    """Postings of some fields over one vocabulary."""

    documents: pl.DataFrame  # id, row, and document_id and date where they were given; row n is document n
    vocabulary: Vocabulary
    fields: Mapping[str, Postings]
    analysis: Analysis
    manifest: Mapping[str, Any]
    pairs: NDArray[np.int64]  # ascending; see `index.pairs`; empty without that field
    order: NDArray[Any]  # terms of "body" as they stand, uint16 or int32, document after document; empty if not kept
    path: Path | None = None  # None: in memory

    @property
    def n_docs(self) -> int:
        """How many documents there are."""
        return self.documents.height

    @property
    def keeps_order(self) -> bool:
        """Say whether it knows the order in which words stand."""
        body = self.fields.get("body")
        return body is not None and len(self.order) == int(body.lengths.sum(dtype=np.int64))
