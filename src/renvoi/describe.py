"""A benchmark > facts a reader asks for first: sizes, lengths, distances, overlaps, distractors."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from renvoi import compare, distances, distractors, figures
from renvoi.figures import Sheet
from renvoi.types import LEVELS, Benchmark, Query, Task

N_DISTRACTOR_QUERIES = 200  # more say little more: the share's interval is then 14 points wide at most
_MAX_ACTS = 60
_WORDS = r"[^\s]+"


def describe(bench: Benchmark, *, with_distractors: bool = True, seed: int = 0) -> list[Sheet]:
    """Return every sheet that the benchmark has the data for, facts first.

    Args:
        bench: what to describe.
        with_distractors: also search the strongest distractor of up to 200 queries a level.
        seed: chooses these queries.
    """
    sheets = [facts(bench), lengths(bench)]
    if bench.funnel:
        sheets.insert(0, funnel(bench))
    chunks = bench.collections.get("chunks")
    if chunks is not None and "chunk" in bench.qrels and chunks["document_id"].n_unique() > 1:
        if chunks["document_id"].n_unique() <= _MAX_ACTS:
            sheets.append(chunk_lengths(chunks))
        sheets.append(similarity(chunks))
    apart = distances.context_distances(bench, bench.queries)
    if apart:
        sheets.append(token_distances(list(apart.values())))
    if bench.links.height:
        sheets.append(references(bench))
    for level in bench.qrels:
        task = bench.task(level)
        if "source" in task.qrels.columns:
            sheets.append(sources(task))
        sheets.append(overlap(task))
        if with_distractors and LEVELS[level] in (("par", "chunks"), ("chunk", "chunks")):
            sheets.append(distractor_sheet(task, bench.language, seed))
    return [sheet for sheet in sheets if sheet.rows]


def funnel(bench: Benchmark) -> Sheet:
    """Return what each stage kept and dropped."""
    columns = list(dict.fromkeys(key for row in bench.funnel for key in row))
    rows = tuple(
        tuple(
            value if isinstance(value := row.get(c), (str, int, float)) or value is None else str(value)
            for c in columns
        )
        for row in bench.funnel
    )
    return Sheet("funnel", "Funnel", tuple(columns), rows)


def facts(bench: Benchmark) -> Sheet:
    """Return queries, documents and qrels by level and split."""
    rows: list[tuple[str | int | float | None, ...]] = []
    for level in bench.qrels:
        task = bench.task(level)
        for split in dict.fromkeys(q.split for q in task.queries):
            part = bench.task(level, split)
            per_query = part.qrels.filter(pl.col("relevance") > 0).group_by("query_id").len()["len"]
            rows.append(
                (
                    level, split, len(part.queries), part.corpus.height, part.qrels.height, per_query.len(),
                    float(per_query.mean() or 0), int(per_query.max() or 0),  # type: ignore[arg-type]
                )
            )  # fmt: skip
    columns = ("level", "split", "queries", "documents", "qrels", "queries with relevant", "relevant each", "most")
    return Sheet("facts", "Size", columns, tuple(rows), f"Language: {bench.language}. Kind: {bench.kind}.")


def lengths(bench: Benchmark) -> Sheet:
    """Return words of queries and documents, and documents of a case."""
    rows = []
    for unit in dict.fromkeys(q.unit for q in bench.queries):
        rows.append(
            _spread(f"words of a query ({unit})", [len(q.text.split()) for q in bench.queries if q.unit == unit])
        )
    for name, frame in bench.collections.items():
        rows.append(_spread(f"words of a document ({name})", frame["text"].str.count_matches(_WORDS).to_list()))
        sizes = frame.group_by("document_id").len()["len"].to_list()
        if max(sizes, default=0) > 1:
            rows.append(_spread("chunks of an act or judgment", sizes))
    return Sheet("lengths", "Lengths", ("of", "number", "mean", "median", "p95", "max"), tuple(rows))


def chunk_lengths(chunks: pl.DataFrame) -> Sheet:
    """Return words of a chunk by act."""
    counted = chunks.select("document_id", words=pl.col("text").str.count_matches(_WORDS))
    by_act = {
        str(act): frame["words"].to_list() for (act,), frame in counted.group_by(["document_id"], maintain_order=True)
    }
    rows = tuple(_spread(act, words) for act, words in by_act.items())
    columns = ("act", "chunks", "mean", "median", "p95", "max")
    return Sheet("chunk_lengths", "Words of a chunk", columns, rows, svg=figures.boxes(by_act, x="words of a chunk"))


def token_distances(values: Sequence[int]) -> Sheet:
    """Return how far the farthest context stands from the target, before and after."""
    rows = []
    for name, chosen in (
        ("before the target", [-v for v in values if v < 0]),
        ("after the target", [v for v in values if v > 0]),
    ):
        if chosen:
            rows.append((*_spread(name, chosen), len(chosen) / len(values)))
    columns = ("farthest context", "queries", "mean", "median", "p95", "max", "share")
    drawing = figures.histogram(
        [float(v) for v in values], x="words from target to farthest context (negative: before)", symlog=100
    )
    note = "Words from start to start, for contexts in the target's own document."
    return Sheet("token_distances", "Distance to the farthest context", columns, tuple(rows), note, drawing)


def references(bench: Benchmark) -> Sheet:
    """Return links out of and into a chunk."""
    chunks = bench.collections["chunks"].height
    links = bench.links.select("source_id", "target_id").unique()
    rows = []
    for name, column in (("references out of a chunk", "source_id"), ("citations of a chunk", "target_id")):
        counts = links.group_by(column).len()["len"].to_list()
        rows.append((*_spread(name, counts), len(counts) / chunks))
    columns = ("of chunks that have any", "chunks", "mean", "median", "p95", "max", "share of all chunks")
    counts = links.group_by("source_id").len()["len"].to_list()
    drawing = figures.histogram(
        [float(min(c, 30)) for c in counts],
        x="references out of a chunk (30: or more)",
        bins=[i + 0.5 for i in range(31)],
    )
    return Sheet("references", "References", columns, tuple(rows), svg=drawing)


def similarity(chunks: pl.DataFrame) -> Sheet:
    """Return how alike acts are: cosine of their mean chunk vectors, acts ordered so that alike ones stand together.

    A chunk's vector is that of its words, weighted tf-idf; the heat map holds the 60 acts with the most chunks.
    """
    sizes = chunks.group_by("document_id").len().sort("len", "document_id", descending=[True, False])
    acts = sizes["document_id"].head(_MAX_ACTS).to_list()
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


def sources(task: Task) -> Sheet:
    """Return where the qrels of a level come from."""
    counts = task.qrels.group_by("source").len().sort("len", "source", descending=[True, False])
    rows = tuple((str(name or "(none)"), n, n / task.qrels.height) for name, n in counts.iter_rows())
    return Sheet(f"sources_{task.level}", f"Sources of the qrels, {task.level}", ("source", "qrels", "share"), rows)


def overlap(task: Task) -> Sheet:
    """Return the Jaccard overlap of queries with what is relevant to them."""
    values = distractors.overlaps(task)["jaccard"].to_list()
    if not values:
        return Sheet("overlap", "", (), ())
    rows = (_spread("query and relevant document", values),)
    columns = ("Jaccard overlap of words", "pairs", "mean", "median", "p95", "max")
    bins = [i / 40 for i in range(41)]
    drawing = figures.histogram(values, x="Jaccard overlap", bins=bins)
    return Sheet(f"overlap_{task.level}", f"Overlap of words, {task.level}", columns, rows, svg=drawing)


def distractor_sheet(task: Task, language: str, seed: int = 0) -> Sheet:
    """Return how often a document that is not relevant is more like the query than every relevant one."""
    words = distractors.split_words_as_rouge if language == "en" else distractors.split_words
    queries = _sample(task.queries, seed)
    found = distractors.find_distractors(task, words, [q.id for q in queries])
    if not found.rows:
        return Sheet("distractors", "", (), ())
    strong, n = sum(row.strong for row in found.rows), len(found.rows)
    low, high = compare.exact(strong, n)
    rows = ((n, strong, strong / n, f"{low:.3f} to {high:.3f}", found.pairs, found.compared),)
    columns = ("queries", "with a strong distractor", "share", "95 % interval", "pairs", "compared word by word")
    note = (
        "ROUGE-L recall of the query in every candidate, exact; strong: the best other document is more like the query "
        "than the best relevant one. Points above the diagonal."
    )
    drawing = figures.scatter(
        [row.relevant for row in found.rows], [row.other for row in found.rows],
        x_label="best relevant document", y_label="best other document",
    )  # fmt: skip
    return Sheet(f"distractors_{task.level}", f"Distractors, {task.level}", columns, rows, note, drawing)


def _sample(queries: Sequence[Query], seed: int) -> list[Query]:
    if len(queries) <= N_DISTRACTOR_QUERIES:
        return list(queries)
    return random.Random(seed).sample(list(queries), N_DISTRACTOR_QUERIES)


def _spread(name: str, values: Sequence[float]) -> tuple[str | int | float, ...]:
    array = np.asarray(values, dtype=np.float64)
    middle, high = np.quantile(array, [0.5, 0.95])
    return name, len(values), float(array.mean()), float(middle), float(high), max(values)


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
