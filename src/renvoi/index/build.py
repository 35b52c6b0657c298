"""Build an index: cut the texts into surfaces, settle the vocabulary, count, turn round.

Documents are worked through in blocks, by as many threads as there are cores (the compiled loops let go of the
interpreter). What a block leaves behind is kept in memory up to a budget and on disk beyond it. The result does not
depend on the number of threads, on the budget, or on the order of the documents.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import DTypeLike, NDArray

from renvoi.analysis import Analysis, prepare, terms_of, write_analysis
from renvoi.analysis.surfaces import SurfaceTable
from renvoi.errors import BadInput
from renvoi.index.files import ArrayStore, close_store
from renvoi.index.kernels import count_terms, scatter
from renvoi.index.layout import ORDER, PAIRS, Index, Postings, Vocabulary
from renvoi.index.pairs import Block, number_pairs
from renvoi.progress import track
from renvoi.store import fresh_folder, make_manifest

_BLOCK_BYTES = 4 << 20
_NOT_FIELDS = ("id", "document_id", "date", "row")


def build_index(
    documents: pl.DataFrame,
    analysis: Analysis,
    path: Path | None = None,
    *,
    threads: int | None = None,
    memory_mb: int = 1024,
    in_order: bool = False,
    about: Mapping[str, Any] | None = None,
    beside: Callable[[Path], None] | None = None,
    force: bool = False,
) -> Index:
    """Return an index of documents; with a `path` it is written there, and opened.

    The field "pairs" is read as pairs of neighbouring words.

    Args:
        documents: `id` and one column of text for each field (see `field_texts`); `document_id` and `date` are kept
            for filters.
        analysis: how text becomes terms.
        path: a folder; None builds in memory.
        threads: how many; one for each core if None.
        memory_mb: what the words and postings under way may take before they go to disk.
        in_order: also keep the words of the field "body", if any, in the order they stand in; see `order_type`.
        about: what else the manifest says under "settings".
        beside: writes further files into the folder before it gets its name; the manifest keeps their hashes.
        force: replace an existing folder.

    Raises:
        BadInput: ids are missing or double, or there is no field.
        OutputExists: `path` exists and `force` is False.
    """
    names = [name for name in documents.columns if name not in _NOT_FIELDS]
    ordered = _order(documents, names)
    threads = threads or count_cores()
    with ExitStack() as stack:
        folder = stack.enter_context(fresh_folder(path, force=force)) if path is not None else None
        pool = stack.enter_context(ThreadPoolExecutor(threads))
        spill = stack.enter_context(_spill(memory_mb << 20, folder))
        store = ArrayStore(folder)
        blocks, surfaces, digest = _read_texts(ordered, names, analysis, pool, threads, spill)
        vocabulary, terms = _settle(surfaces, analysis, store)
        order: NDArray[Any] = np.empty(0, np.int32)
        if in_order and "body" in blocks:
            kept_as = order_type(len(vocabulary))
            order = store.put_parts(ORDER, kept_as, (_keep_order(block, terms) for block in blocks["body"]))
        pairs = np.empty(0, np.int64)
        fields = {}
        for name in names:
            given, numbered, n_terms = blocks[name], terms, len(vocabulary)
            if name == PAIRS:
                pairs, given = number_pairs(given, terms, n_terms, pool, spill.keep)
                store.put("pairs", pairs)
                numbered, n_terms = [np.arange(len(pairs), dtype=np.int32)] * threads, len(pairs)
            fields[name] = _turn_round(name, given, numbered, n_terms, pool, spill, store, memory_mb << 20)
        kept = ordered.select([c for c in ("id", "document_id", "date") if c in ordered.columns] + ["row"])
        manifest = make_manifest(
            "index",
            {"analysis": write_analysis(analysis), "fields": names, **(about or {})},
            {"documents": digest},
            {"documents": ordered.height, "terms": len(vocabulary),
             "postings": {name: len(postings.docs) for name, postings in fields.items()},
             "words": {name: int(postings.lengths.sum(dtype=np.int64)) for name, postings in fields.items()}},
        )  # fmt: skip
        if folder is None:
            return Index(kept, vocabulary, fields, analysis, manifest, pairs, order)
        if beside is not None:
            beside(folder)
        close_store(store, kept, manifest)
    from renvoi.index.files import open_index

    assert path is not None
    return open_index(path)


def order_type(n_terms: int) -> DTypeLike:
    """Return the type of the terms in order: the smaller one where it holds the numbers of all of them."""
    return np.uint16 if n_terms <= 1 << 16 else np.int32


def count_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _order(documents: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    if "id" not in documents.columns or not names:
        raise BadInput("documents", f"the columns are {documents.columns}", "give id and a column for each field")
    if documents["id"].null_count():
        raise BadInput("documents", f"{documents['id'].null_count()} have no id")
    if documents["id"].n_unique() != documents.height:
        double = documents["id"].filter(documents["id"].is_duplicated())[0]
        raise BadInput("documents", f"the id {double!r} stands there twice", "ids must be distinct")
    rows = pl.Series("row", np.arange(documents.height, dtype=np.int32))
    filled = [pl.col(name).cast(pl.String).fill_null("") for name in names]
    return documents.with_columns(filled).with_columns(rows).sort("id", descending=True)


class _Spill:
    """Keeps arrays in memory up to a budget, and in a file beyond it."""

    def __init__(self, budget: int, folder: Path) -> None:
        self._left = budget
        self._folder = folder
        self._n = 0

    def keep(self, array: NDArray[Any]) -> Callable[[], NDArray[Any]]:
        """Return a call that gives the array back."""
        if array.nbytes <= self._left:
            self._left -= array.nbytes
            return lambda: array
        self._n += 1
        file = self._folder / f"{id(self)}-{self._n}.npy"
        np.save(file, array)
        return lambda: np.load(file)


@contextmanager
def _spill(budget: int, beside: Path | None) -> Iterator[_Spill]:
    with tempfile.TemporaryDirectory(prefix=".renvoi-spill-", dir=beside.parent if beside else None) as folder:
        yield _Spill(budget, Path(folder))


def _read_texts(
    ordered: pl.DataFrame, names: Sequence[str], analysis: Analysis, pool: ThreadPoolExecutor, threads: int,
    spill: _Spill,
) -> tuple[dict[str, list[Block]], list[list[str]], str]:  # fmt: skip
    tables = [SurfaceTable() for _ in range(threads)]
    jobs: list[tuple[str, int, int]] = []
    for name in names:
        jobs += [(name, start, n) for start, n in _cut_blocks(ordered[name])]
    parts = [jobs[len(jobs) * w // threads : len(jobs) * (w + 1) // threads] for w in range(threads)]
    digests: dict[tuple[str, int], bytes] = {}

    def work(worker: int) -> Iterator[tuple[str, Block]]:
        for name, start, n in parts[worker]:
            data, ends = _bytes_of(ordered[name].slice(start, n), analysis)
            digests[name, start] = hashlib.sha256(data).digest()
            numbers, number_ends = tables[worker].cut(data, ends)
            yield name, (worker, spill.keep(numbers), spill.keep(number_ends))

    blocks: dict[str, list[Block]] = {name: [] for name in names}
    done = list(track(pool.map(lambda w: list(work(w)), range(threads)), "reading texts", threads))
    for part in done:
        for name, block in part:
            blocks[name].append(block)
    digest = hashlib.sha256("\n".join(ordered["id"]).encode())
    for key in sorted(digests):
        digest.update(digests[key])
    return blocks, [table.surfaces() for table in tables], digest.hexdigest()


def _cut_blocks(texts: pl.Series) -> Iterator[tuple[int, int]]:
    """Yield (first, number of texts) so that a block has about `_BLOCK_BYTES`."""
    ends = texts.str.len_bytes().cast(pl.Int64).cum_sum().to_numpy()
    start = 0
    while start < len(ends):
        before = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + _BLOCK_BYTES, "right")))
        yield start, stop - start
        start = stop


def _bytes_of(texts: pl.Series, analysis: Analysis) -> tuple[bytes, NDArray[np.int64]]:
    if analysis.legal_tokens:
        texts = pl.Series([prepare(text, analysis) for text in texts], dtype=pl.String)
    ends = texts.str.len_bytes().cast(pl.Int64).cum_sum().to_numpy()
    data: bytes = texts.str.join("").cast(pl.Binary).item()
    return data, ends


def _settle(
    surfaces: list[list[str]], analysis: Analysis, store: ArrayStore
) -> tuple[Vocabulary, list[NDArray[np.int32]]]:
    """Return the vocabulary, and for each worker the term of each of its surfaces."""
    distinct = list(dict.fromkeys(surface for part in surfaces for surface in part))
    terms = terms_of(distinct, analysis)
    ordered = sorted({term for term in terms if term})
    number = {term: n for n, term in enumerate(ordered)}
    number[""] = -1
    of = dict(zip(distinct, terms, strict=True))
    encoded = [term.encode() for term in ordered]
    ends = np.zeros(len(ordered) + 1, np.int64)
    np.cumsum([len(term) for term in encoded], out=ends[1:])
    text = np.frombuffer(b"".join(encoded), np.uint8)
    vocabulary = Vocabulary(store.put("terms", text), store.put("term_ends", ends))
    return vocabulary, [np.array([number[of[surface]] for surface in part], np.int32) for part in surfaces]


def _keep_order(block: Block, terms: list[NDArray[np.int32]]) -> NDArray[np.int32]:
    worker, numbers, _ = block
    found = terms[worker][numbers()]
    kept: NDArray[np.int32] = found[found >= 0]  # without what is never indexed
    return kept


def _turn_round(
    name: str, blocks: list[Block], terms: list[NDArray[np.int32]], n_terms: int, pool: ThreadPoolExecutor,
    spill: _Spill, store: ArrayStore, budget: int,
) -> Postings:  # fmt: skip
    """Return the postings of one field."""
    groups = [blocks[len(blocks) * g // len(terms) : len(blocks) * (g + 1) // len(terms)] for g in range(len(terms))]
    dfs = [np.zeros(n_terms, np.int64) for _ in groups]

    def count(group: int) -> list[Any]:
        done = []
        for worker, numbers, ends in groups[group]:
            doc_terms, doc_tfs, term_ends, lengths = count_terms(numbers(), ends(), terms[worker], dfs[group])
            done.append((spill.keep(doc_terms), spill.keep(doc_tfs), term_ends, lengths))
        return done

    counted = [part for group in pool.map(count, range(len(groups))) for part in group]
    lengths = np.concatenate([part[3] for part in counted] or [np.empty(0, np.int32)])
    tf_type = np.uint16 if lengths.size == 0 or lengths.max() < 1 << 16 else np.uint32
    doc_starts = np.zeros(len(lengths) + 1, np.int64)
    done = 0
    total = 0
    for part in counted:
        doc_starts[done + 1 : done + 1 + len(part[2])] = part[2] + total
        done += len(part[2])
        total = int(doc_starts[done])
    doc_terms = store.put_parts(f"{name}.doc_terms", np.int32, (part[0]() for part in counted))
    doc_tfs = store.put_parts(f"{name}.doc_tfs", tf_type, (part[1]() for part in counted))
    starts = np.zeros(n_terms + 1, np.int64)
    np.cumsum(sum(dfs), out=starts[1:])
    docs = store.make(f"{name}.docs", np.int32, total)
    tfs = store.make(f"{name}.tfs", tf_type, total)
    cuts = np.cumsum([0] + [sum(len(ends()) for _, _, ends in group) for group in groups])
    ats = list(starts[:-1] + np.cumsum([np.zeros(n_terms, np.int64), *dfs[:-1]], axis=0))
    for low, high in _term_ranges(starts, budget, docs.itemsize + tfs.itemsize):
        jobs = [
            pool.submit(scatter, doc_starts, doc_terms, doc_tfs, cuts[g], cuts[g + 1], ats[g], low, high, docs, tfs)
            for g in range(len(groups))
        ]
        for job in jobs:
            job.result()
    return Postings(
        store.put(f"{name}.starts", starts), docs, tfs,
        store.put(f"{name}.doc_starts", doc_starts), doc_terms, doc_tfs, store.put(f"{name}.lengths", lengths),
    )  # fmt: skip


def _term_ranges(starts: NDArray[np.int64], budget: int, width: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of terms whose postings fit the budget, so that what is written at random stays in memory."""
    low, n_terms = 0, len(starts) - 1
    while low < n_terms:
        high = int(np.searchsorted(starts, starts[low] + budget // width, "right")) - 1
        high = min(max(high, low + 1), n_terms)
        yield low, high
        low = high
