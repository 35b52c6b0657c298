"""A benchmark > facts a reader asks for first: sizes, lengths, distances, overlaps, distractors."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from renvoi import figures
from renvoi.describe import acts_alike, level_facts
from renvoi.embed.tokens import TokenEncoder
from renvoi.evaluate import distances
from renvoi.figures import Sheet, spread
from renvoi.types import LEVELS, Benchmark

_MAX_ACTS = 60
_WORDS = r"[^\s]+"


def describe(
    bench: Benchmark,
    *,
    with_distractors: bool = True,
    encoder: TokenEncoder | None = None,
    bertscore_pairs: int = 300,
    seed: int = 0,
) -> list[Sheet]:
    """Return every sheet that the benchmark has the data for, facts first.

    Args:
        bench: what to describe.
        with_distractors: also search the strongest distractor of every query of paragraphs or chunks.
        encoder: also tell how alike queries and what is relevant to them are by BERTScore.
        bertscore_pairs: so many a level and split, drawn; 0: all.
        seed: of the draw.
    """
    sheets = [level_facts.days(bench), level_facts.sizes(bench), lengths(bench)]
    if bench.funnel:
        sheets.insert(0, funnel(bench))
    chunks = bench.collections.get("chunks")
    if chunks is not None and "chunk" in bench.qrels and chunks["document_id"].n_unique() > 1:
        if chunks["document_id"].n_unique() <= _MAX_ACTS:
            sheets.append(chunk_lengths(chunks))
        sheets.append(acts_alike.similarity(chunks, _MAX_ACTS))
    sheets += [level_facts.candidates(bench), level_facts.query_lengths(bench)]
    apart = distances.context_distances(bench, bench.queries)
    if apart:
        sheets.append(token_distances(list(apart.values())))
    if bench.links.height:
        sheets.append(references(bench))
    sheets += [level_facts.sources(bench), agreement(bench), level_facts.overlap(bench)]
    if encoder is not None:
        sheets.append(level_facts.likeness(bench, encoder, most=bertscore_pairs, seed=seed))
    if with_distractors:
        for level in bench.qrels:
            if LEVELS[level] in (("par", "chunks"), ("chunk", "chunks")):
                sheets += level_facts.distractor_sheets(bench, level)
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


def lengths(bench: Benchmark) -> Sheet:
    """Return words of queries and documents, and documents of a case."""
    rows = []
    for unit in dict.fromkeys(q.unit for q in bench.queries):
        rows.append(
            spread(f"words of a query ({unit})", [len(q.text.split()) for q in bench.queries if q.unit == unit])
        )
    for name, frame in bench.collections.items():
        rows.append(spread(f"words of a document ({name})", frame["text"].str.count_matches(_WORDS).to_list()))
        sizes = frame.group_by("document_id").len()["len"].to_list()
        if max(sizes, default=0) > 1:
            rows.append(spread("chunks of an act or judgment", sizes))
    return Sheet("lengths", "Lengths", ("of", "number", "mean", "median", "p95", "max"), tuple(rows))


def chunk_lengths(chunks: pl.DataFrame) -> Sheet:
    """Return words of a chunk by act."""
    counted = chunks.select("document_id", words=pl.col("text").str.count_matches(_WORDS))
    by_act = {
        str(act): frame["words"].to_list() for (act,), frame in counted.group_by(["document_id"], maintain_order=True)
    }
    rows = tuple(spread(act, words) for act, words in by_act.items())
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
            rows.append((*spread(name, chosen), len(chosen) / len(values)))
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
        rows.append((*spread(name, counts), len(counts) / chunks))
    columns = ("of chunks that have any", "chunks", "mean", "median", "p95", "max", "share of all chunks")
    counts = links.group_by("source_id").len()["len"].to_list()
    drawing = figures.histogram(
        [float(min(c, 30)) for c in counts],
        x="references out of a chunk (30: or more)",
        bins=[i + 0.5 for i in range(31)],
    )
    return Sheet("references", "References", columns, tuple(rows), svg=drawing)


def agreement(bench: Benchmark) -> Sheet:
    """Return how citations read from the text and those that EUR-Lex lists agree, by level."""
    told = bench.manifest.get("counts", {}).get("agreement_text_listed", {}).get("levels", {})
    rows = tuple(
        (level, said["both"], said["text_only"], said["listed_only"], said["of_listed"], said["of_text"])
        for level, said in told.items()
    )
    columns = ("level", "in both", "text only", "listed only", "share of the listed", "share of those in the text")
    note = "Over the decisions that EUR-Lex's lists cover; the pairs that differ are in the manifest."
    return Sheet("agreement", "Citations in the text and in EUR-Lex's lists", columns, rows, note)
