"""Build a benchmark from case law: the job on one page.

    corpus ─ clean ─┬─ pairs ─ annotations ─ levels ─ mask ─┐
                    └─ siblings ────────────────────────────┴─ assemble

Every step counts what it leaves out and why; the counts are the benchmark's funnel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from renvoi import audit, progress
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
    settings = {
        "splits": {name: [str(days.start or ""), str(days.end or "")] for name, days in splits.items()},
        "language": language, "keep_language": keep_language, "as_of": as_of, "case_splits": list(case_splits),
        "how": how, "damaged_in": list(damaged_in), "listed": listed is not None,
        "annotations": annotations is not None,
    }  # fmt: skip
    taking_part = _clean(corpus, language, keep_language)
    cited = _cite(corpus, taking_part.paragraphs, listed, annotations)
    made = levels.make_levels(
        cited.pairs.pairs, taking_part.paragraphs, splits, as_of=as_of, damaged_in=damaged_in
    )  # fmt: skip
    if made.asking.is_empty():
        raise BadInput("the corpus", "no paragraph of a split cites an earlier one of the corpus", "see the splits")
    bench, made = _assemble(taking_part, cited, made, case_splits=case_splits, how=how, jobs=jobs)
    inputs = dict(corpus.documents.select("path", "sha256").unique(maintain_order=True).iter_rows())
    counts = _counts(taking_part, cited, bench, made, splits)
    whole = replace(
        bench,
        language=language,
        funnel=(*taking_part.counts, *cited.pairs.counts, *made.counts),
        manifest=make_manifest("benchmark", settings, inputs, counts),
    )
    return whole, write_card(whole)


@dataclass(frozen=True, slots=True)
class _TakingPart:
    decisions: pl.DataFrame
    paragraphs: pl.DataFrame
    counts: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class _Cited:
    pairs: pairs.Pairs
    facts: Mapping[str, Any]  # how text and lists agree, what the lawyers' answers gave


def _clean(corpus: Corpus, language: str, keep_language: bool) -> _TakingPart:
    decisions, of_decisions = clean.usable_decisions(corpus, language=language)
    paragraphs, of_paragraphs = clean.usable_paragraphs(
        corpus, decisions, language=language, keep_language=keep_language
    )  # fmt: skip
    progress.say(f"{decisions.height} decisions, {paragraphs.height} paragraphs")
    return _TakingPart(decisions, paragraphs, (*of_decisions, *of_paragraphs))


def _cite(
    corpus: Corpus, paragraphs: pl.DataFrame, listed: pl.DataFrame | None, annotations: Annotations | None
) -> _Cited:
    """Return the pairs of the text, of EUR-Lex's lists and of the lawyers' answers."""
    found = pairs.find_pairs(corpus)
    facts: dict[str, Any] = {}
    if listed is not None:
        facts["agreement_text_listed"] = pairs.agreement(found.named, listed)
        found = pairs.add_pairs(found, listed, "eurlex", corpus)
    if annotations is not None:
        answered = link_annotations(annotations, paragraphs.select("id", "text"))
        facts["annotations"] = dict(answered.report)
        found = pairs.add_pairs(found, answered.pairs, "human", corpus)
    return _Cited(found, facts)


def _assemble(
    taking_part: _TakingPart, cited: _Cited, made: levels.Levels, *, case_splits: Sequence[str], how: How, jobs: int
) -> tuple[Benchmark, levels.Levels]:
    """Return collections, masked queries and qrels, and the levels as they ask in the end."""
    decisions, paragraphs = taking_part.decisions, taking_part.paragraphs
    collections = assemble.make_collections(paragraphs, decisions)
    asking = collections["cases"].filter(pl.col("id").is_in(made.asking["source_document"].unique().implode()))
    clusters = split.find_siblings(asking["id"].to_list(), asking["date"].to_list(), asking["text"].to_list())

    in_case_splits = made.asking.filter(pl.col("split").is_in(list(case_splits)))["source_document"].unique()
    of_cases = paragraphs.filter(pl.col("document_id").is_in(in_case_splits.implode()))["id"]
    wanted = {*made.asking["source_id"], *of_cases}
    known = mask.names_of_cited(cited.pairs.pairs, decisions)
    masked = mask.mask_paragraphs(paragraphs, wanted, known, how=how, jobs=jobs)
    made = _drop_emptied(made, masked)
    queries = assemble.make_queries(made, masked, paragraphs, clusters, case_splits=case_splits)

    asked = [query.id for query in queries]
    bench = Benchmark(
        kind="pincite",
        language="",
        collections=collections,
        queries=queries,
        qrels={name: rows.filter(pl.col("query_id").is_in(asked)) for name, rows in made.qrels.items()},
        contexts=pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String}),
        links=assemble.make_links(cited.pairs.pairs, paragraphs),
    )
    return bench, made


def _drop_emptied(made: levels.Levels, masked: Mapping[str, mask.Masked]) -> levels.Levels:
    """Return the levels without paragraphs of which the masks left too little to ask anything."""
    said = [name for name in made.asking["source_id"] if not audit.says_too_little(masked[name].text)]
    asking = made.asking.filter(pl.col("source_id").is_in(said))
    step = {
        "stage": "mask", "step": "eight words are left", "kept": asking.height,
        "dropped": made.asking.height - asking.height,
    }  # fmt: skip
    return replace(made, asking=asking, counts=(*made.counts, step))


def _counts(
    taking_part: _TakingPart, cited: _Cited, bench: Benchmark, made: levels.Levels, splits: Mapping[str, Days]
) -> dict[str, Any]:
    decisions, paragraphs = taking_part.decisions, taking_part.paragraphs
    clusters = {query.document_id: str(query.extra["cluster"]) for query in bench.queries}
    groups = Counter(clusters.values())
    return {
        "decisions": decisions.height,
        "paragraphs": paragraphs.height,
        "paragraphs_with_inferred_numbers": int(paragraphs["inferred"].sum()),
        "first_decision": str(decisions["date"].min()),
        "last_decision": str(decisions["date"].max()),
        "candidates": {
            name: split.candidates_before(paragraphs, days.start) for name, days in splits.items() if days.start
        },
        "sibling_clusters": sum(size > 1 for size in groups.values()),
        "decisions_with_siblings": sum(size for size in groups.values() if size > 1),
        "levels": levels.count_levels(levels.Levels(made.asking, bench.qrels, ()), list(splits)),
        **cited.facts,
    }
