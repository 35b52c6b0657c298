"""Levels of a benchmark, split by split: when, how many, how long, who says so, and how alike asked and found are.

These are the figures by which LegalPincite describes itself (arXiv 2608.03756, tables 2 to 5, figures 2 and 3).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import date

import polars as pl

from renvoi import figures
from renvoi.describe import bertscore, distractors
from renvoi.embed.tokens import TokenEncoder
from renvoi.evaluate import compare
from renvoi.figures import Sheet, spread
from renvoi.types import LEVELS, Benchmark, Query, Task

_SPREAD = ("number", "mean", "median", "p95", "max")
_WORDS = "Words are parted by blanks; LegalPincite counts NLTK tokens, which part marks too and come to some 15 % more."
_WORD = r"[^\s]+"
_HUMAN = "human"  # the source of a pair that people validated


def parts(bench: Benchmark) -> Iterator[tuple[str, str, Task]]:
    """Yield level, split and task of every part of a benchmark: train, dev and test in this order, then others."""
    for level in bench.qrels:
        for split in _in_order(bench.task(level).queries):
            yield level, split, bench.task(level, split)


def candidates_of(task: Task) -> pl.DataFrame:
    """Return the documents that some query of a task may find: all, or those before the last of its days."""
    days = [query.date for query in task.queries if query.date]
    if not days or len(days) < len(task.queries):
        return task.corpus
    return task.corpus.filter(pl.col("date").is_null() | (pl.col("date") < max(days)))


def days(bench: Benchmark) -> Sheet:
    """Return the first and last day of what asks, of what is relevant and of what may be found (table 2)."""
    level = next(iter(bench.qrels))
    rows: list[tuple[str | int | float | None, ...]] = []
    drawn: dict[str, tuple[float, float]] = {}
    for _, split, task in (part for part in parts(bench) if part[0] == level):
        asked = [day for query in task.queries if (day := _decided(query))]
        relevant = task.corpus.filter(
            pl.col("id").is_in(task.qrels.filter(pl.col("relevance") > 0)["doc_id"].implode())
        )["date"].drop_nulls()
        found = candidates_of(task)["date"].drop_nulls()
        if not asked or relevant.is_empty() or found.is_empty():
            continue
        spans = {"queries": asked, "relevant": relevant.to_list(), "candidates": found.to_list()}
        ends = {name: (min(some), max(some)) for name, some in spans.items()}
        rows.append((split, *(f"{first} to {last}" for first, last in ends.values())))
        drawn |= {f"{split} {name}": (_year(first), _year(last)) for name, (first, last) in ends.items()}
    columns = ("split", "queries", "relevant", "candidates")
    note = "Days of decision. A candidate is older than the first day of its split, or where said than the query."
    drawing = figures.spans(drawn, x="decided") if drawn else ""
    return Sheet("days", f"Days of decision, {level}", columns, tuple(rows), note, drawing)


def sizes(bench: Benchmark) -> Sheet:
    """Return queries, candidates and what is relevant by level and split (table 3)."""
    rows: list[tuple[str | int | float | None, ...]] = []
    each: dict[str, Sequence[float]] = {}
    for level, split, task in parts(bench):
        per_query = task.qrels.filter(pl.col("relevance") > 0).group_by("query_id").len()["len"]
        counts = per_query.to_list()
        rows.append(
            (
                level, split, len(task.queries), candidates_of(task).height, task.qrels.height, len(counts),
                sum(counts) / len(counts) if counts else 0.0, max(counts, default=0),
            )
        )  # fmt: skip
        if counts:
            each[f"{level} {split}"] = counts
    columns = ("level", "split", "queries", "documents", "qrels", "queries with relevant", "relevant each", "most")
    note = f"Language: {bench.language}. Kind: {bench.kind}. Documents: those that some query of the split may find."
    drawing = figures.boxes(each, x="relevant documents of a query") if len(each) > 1 else ""
    return Sheet("facts", "Size", columns, tuple(rows), note, drawing)


def candidates(bench: Benchmark) -> Sheet:
    """Return number and words of what may be found, and paragraphs of a case, by split and collection (table 4)."""
    rows: list[tuple[str | int | float | None, ...]] = []
    words: dict[str, list[int]] = {}
    for level, split, task in parts(bench):
        collection = LEVELS[level][1]
        name = f"{collection} {split}"
        if name in words:
            continue
        held = candidates_of(task)
        words[name] = held["text"].str.count_matches(_WORD).to_list()
        owners = bench.collections.get("chunks", held).filter(
            pl.col("document_id").is_in(held["document_id"].unique().implode())
        )
        n_owners = owners["document_id"].n_unique()
        rows.append((split, *spread(collection, words[name]), owners.height / n_owners if n_owners else None))
    columns = ("split", "collection", *_SPREAD, "chunks of an act or judgment")
    drawing = figures.boxes(words, x="words of a document")
    return Sheet("candidates", "Words of what may be found", columns, tuple(rows), _WORDS, drawing)


def query_lengths(bench: Benchmark) -> Sheet:
    """Return the words of queries by unit and split (figure 2, left)."""
    words: dict[str, list[int]] = {}
    units = list(dict.fromkeys(query.unit for query in bench.queries))
    order = _in_order(bench.queries)
    for query in sorted(bench.queries, key=lambda q: (units.index(q.unit), order.index(q.split))):
        words.setdefault(f"{query.unit} {query.split}", []).append(len(query.text.split()))
    rows = tuple(spread(name, some) for name, some in words.items())
    drawing = figures.boxes(words, x="words of a query")
    return Sheet("query_lengths", "Words of a query", ("queries", *_SPREAD), rows, _WORDS, drawing)


def sources(bench: Benchmark) -> Sheet:
    """Return where the qrels come from, by level and split (table 5)."""
    rows: list[tuple[str | int | float | None, ...]] = []
    drawn: dict[str, float] = {}
    for level, split, task in parts(bench):
        if "source" not in task.qrels.columns or not task.qrels.height:
            continue
        counts = task.qrels.group_by("source").agg(pl.len(), pl.col("query_id").n_unique().alias("queries"))
        for name, n, queries in counts.sort("len", "source", descending=[True, False]).iter_rows():
            rows.append((level, split, str(name or "(none)"), n, n / task.qrels.height, queries))
            drawn[f"{level} {split}: {name or '(none)'}"] = n
    columns = ("level", "split", "source", "qrels", "share", "queries")
    note = "text: read from the text; eurlex: listed by EUR-Lex; human: validated by lawyers; with +: by several."
    drawing = figures.bars(drawn, x="qrels", log=True) if drawn else ""
    return Sheet("sources", "Sources of the qrels", columns, tuple(rows), note, drawing)


def overlap(bench: Benchmark) -> Sheet:
    """Return the Jaccard overlap of queries with what is relevant to them, by level and split (figure 2, middle)."""
    values = {
        f"{level} {split}": some
        for level, split, task in parts(bench)
        if (some := distractors.overlaps(task)["jaccard"].to_list())
    }
    rows = tuple(spread(name, some) for name, some in values.items())
    drawing = figures.boxes(values, x="Jaccard overlap of the words of query and relevant document", limit=1.0)
    return Sheet("overlap", "Overlap of words", ("query and relevant document", *_SPREAD), rows, svg=drawing)


def likeness(bench: Benchmark, encoder: TokenEncoder, *, most: int, seed: int) -> Sheet:
    """Return the BERTScore F1 of queries with what is relevant to them, by level and split (figure 2, right).

    Args:
        bench: what to describe.
        encoder: gives the vectors of tokens.
        most: pairs a level and split; of more so many are drawn; 0: all.
        seed: of the draw.
    """
    rows, values = [], {}
    for level, split, task in parts(bench):
        pairs = bertscore.relevant_pairs(task).select("query", "text").rows()
        drawn = random.Random(seed).sample(pairs, most) if 0 < most < len(pairs) else pairs
        if drawn:
            values[f"{level} {split}"] = bertscore.score_pairs(encoder, drawn)
            rows.append((*spread(f"{level} {split}", values[f"{level} {split}"]), len(pairs)))
    layer = f"layer {encoder.layer}" if encoder.layer >= 0 else "last layer"
    note = (
        f"BERTScore F1 (Zhang et al. 2020) by {encoder.name}, {layer}, on at most the first {encoder.max_length} "
        "tokens, without idf and without rescaling."
    )
    drawing = figures.boxes(values, x="BERTScore F1 of query and relevant document", limit=1.0)
    columns = ("query and relevant document", *_SPREAD, "of pairs")
    return Sheet("likeness", "Likeness of meaning", columns, tuple(rows), note, drawing)


def distractor_sheets(bench: Benchmark, level: str) -> list[Sheet]:
    """Return for each split how often a document that is not relevant is more like the query than every relevant one.

    All queries are compared with all candidates (figure 3), and those that people validated are told apart.
    """
    task = bench.task(level)
    words = distractors.split_words_as_rouge if bench.language == "en" else distractors.split_words
    found = distractors.find_distractors(task, words)
    split_by_query = {query.id: query.split for query in task.queries}
    sheets = []
    for split in _in_order(task.queries):
        rows = [row for row in found.rows if split_by_query[row.query_id] == split]
        if rows:
            sheets.append(_distractor_sheet(bench.task(level, split), split, rows))
    return sheets


def _distractor_sheet(task: Task, split: str, found: Sequence[distractors.Distraction]) -> Sheet:
    n_candidates = candidates_of(task).height
    groups = {"all": list(found)}
    if "source" in task.qrels.columns:
        asked = set(task.qrels.filter(pl.col("source").str.contains(_HUMAN, literal=True))["query_id"])
        if validated := [row for row in found if row.query_id in asked]:
            groups["validated by people"] = validated
    rows = []
    for name, some in groups.items():
        strong = sum(row.strong for row in some)
        low, high = compare.exact(strong, len(some))
        pairs = len(some) * n_candidates
        rows.append((name, len(some), strong, strong / len(some), f"{low:.3f} to {high:.3f}", pairs))
    columns = ("queries that are", "queries", "with a strong distractor", "share", "95 % interval", "pairs")
    note = (
        "ROUGE-L recall of the query in every candidate, exact; strong: the best other document is more like the query "
        "than the best relevant one. Above the diagonal."
    )
    drawing = figures.scatter(
        [row.relevant for row in found], [row.other for row in found],
        x_label="best relevant document", y_label="best other document",
    )  # fmt: skip
    part = "" if split == "all" else f"_{split}"
    title = f"Distractors, {task.level}{part.replace('_', ', ')}"
    return Sheet(f"distractors_{task.level}{part}", title, columns, tuple(rows), note, drawing)


def _in_order(queries: Sequence[Query]) -> list[str]:
    known = ("train", "dev", "test")
    return sorted({q.split for q in queries}, key=lambda name: (known.index(name) if name in known else 3, name))


def _decided(query: Query) -> date | None:
    """Return the day of the decision that a query comes from; `date` may be the first day of its split."""
    told = query.extra.get("decided")
    return date.fromisoformat(told) if told else query.date


def _year(day: date) -> float:
    return day.year + (day.timetuple().tm_yday - 1) / 366
