"""Build a benchmark from case law: the job on one page.

    corpus ─ clean ─┬─ pairs ─ annotations ─ levels ─ mask ─┐
                    └─ siblings ────────────────────────────┴─ assemble

Every step counts what it leaves out and why; the counts are the benchmark's funnel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from renvoi import progress
from renvoi.errors import BadInput
from renvoi.masks import How
from renvoi.pincite import assemble, clean, levels, mask, pairs, split
from renvoi.pincite.annotations import Annotations, link_annotations
from renvoi.pincite.card import write_card
from renvoi.pincite.split import Days
from renvoi.store.manifest import make_manifest
from renvoi.types import Benchmark, Corpus

SPLITS: Mapping[str, Days] = {
    "train": split.parse_days(":2018"), "dev": split.parse_days("2018:2022"), "test": split.parse_days("2022:2026"),
}  # fmt: skip


def build_pincite(
    corpus: Corpus,
    *,
    splits: Mapping[str, Days] = SPLITS,
    listed: pl.DataFrame | None = None,
    annotations: Annotations | None = None,
    language: str = "en",
    keep_language: bool = False,
    as_of: str = "split",
    case_splits: Sequence[str] = ("dev", "test"),
    damaged_in: Sequence[str] = ("train",),
    how: How = "remove",
    jobs: int = 1,
) -> tuple[Benchmark, str]:
    """Return the benchmark and its dataset card.

    Args:
        corpus: judgments with their citations.
        splits: days of decision for each split.
        listed: pairs of EUR-Lex's lists, see `pairs.read_listed`.
        annotations: answers of two lawyers; pairs that both call relevant are added.
        language: of the texts; others are left out and counted.
        keep_language: keep single paragraphs in other languages.
        as_of: "split": one collection for all queries of a split; "query": all that is earlier than the query.
        case_splits: splits that get queries made of whole cases (they are long).
        damaged_in: splits whose queries may come from texts that lost their paragraph numbers and other digits.
        how: citations are hidden: "remove", or "placeholder" for a word in brackets.
        jobs: processes that mask.

    Raises:
        BadInput: the splits overlap, or nothing is left.
    """
    split.check_apart(splits)
    decisions, funnel = clean.usable_decisions(corpus, language=language)
    paragraphs, counts = clean.usable_paragraphs(corpus, decisions, language=language, keep_language=keep_language)
    funnel += counts
    progress.say(f"{decisions.height} decisions, {paragraphs.height} paragraphs")

    found = pairs.find_pairs(corpus)
    agreed = pairs.agreement(found.named, listed) if listed is not None else None
    found = found if listed is None else pairs.add_pairs(found, listed, "eurlex", corpus)
    answered = None
    if annotations is not None:
        answered = link_annotations(annotations, paragraphs.select("id", "text"))
        found = pairs.add_pairs(found, answered.pairs, "human", corpus)
    funnel += found.counts

    made = levels.make_levels(found.pairs, paragraphs, splits, as_of=as_of, damaged_in=damaged_in)
    funnel += made.counts
    if made.asking.is_empty():
        raise BadInput("the corpus", "no paragraph of a split cites an earlier one of the corpus", "see the splits")
    collections = assemble.make_collections(paragraphs, decisions)
    cases = collections["cases"].filter(pl.col("id").is_in(made.asking["source_document"].unique().implode()))
    clusters = split.find_siblings(cases["id"].to_list(), cases["date"].to_list(), cases["text"].to_list())

    in_case_splits = made.asking.filter(pl.col("split").is_in(list(case_splits)))["source_document"].unique()
    whole = paragraphs.filter(pl.col("document_id").is_in(in_case_splits.implode()))["id"]
    wanted = {*made.asking["source_id"], *whole}
    masked = mask.mask_paragraphs(paragraphs, wanted, mask.names_of_cited(found.pairs, decisions), how=how, jobs=jobs)
    queries = assemble.make_queries(made, masked, paragraphs, clusters, case_splits=case_splits)

    asked = {query.id for query in queries}
    qrels = {name: rows.filter(pl.col("query_id").is_in(list(asked))) for name, rows in made.qrels.items()}
    table = levels.count_levels(levels.Levels(made.asking, qrels, ()), list(splits))
    counts_of = _counts(paragraphs, decisions, splits, table, clusters, agreed)
    if answered is not None:
        counts_of["annotations"] = dict(answered.report)
    settings = {
        "splits": {name: [str(days.start or ""), str(days.end or "")] for name, days in splits.items()},
        "language": language, "keep_language": keep_language, "as_of": as_of, "case_splits": list(case_splits),
        "how": how, "damaged_in": list(damaged_in), "listed": listed is not None,
        "annotations": annotations is not None,
    }  # fmt: skip
    inputs = dict(corpus.documents.select("path", "sha256").unique(maintain_order=True).iter_rows())
    bench = Benchmark(
        kind="pincite",
        language=language,
        collections=collections,
        queries=queries,
        qrels=qrels,
        contexts=pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String}),
        links=assemble.make_links(found.pairs, paragraphs),
        funnel=tuple(funnel),
        manifest=make_manifest("benchmark", settings, inputs, counts_of),
    )
    return bench, write_card(bench)


def _counts(
    paragraphs: pl.DataFrame,
    decisions: pl.DataFrame,
    splits: Mapping[str, Days],
    table: Sequence[Mapping[str, Any]],
    clusters: Mapping[str, str],
    agreed: Mapping[str, Any] | None,
) -> dict[str, Any]:
    sizes: dict[str, int] = {}
    for leader in clusters.values():
        sizes[leader] = sizes.get(leader, 0) + 1
    counts: dict[str, Any] = {
        "decisions": decisions.height,
        "paragraphs": paragraphs.height,
        "paragraphs_with_inferred_numbers": int(paragraphs["inferred"].sum()),
        "first_decision": str(decisions["date"].min()),
        "last_decision": str(decisions["date"].max()),
        "candidates": {
            name: split.candidates_before(paragraphs, days.start) for name, days in splits.items() if days.start
        },
        "sibling_clusters": sum(size > 1 for size in sizes.values()),
        "decisions_with_siblings": sum(size for size in sizes.values() if size > 1),
        "levels": list(table),
    }
    if agreed is not None:
        counts["agreement_text_listed"] = agreed
    return counts
