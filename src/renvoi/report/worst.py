"""The queries a good system fails on, with two rankings side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import polars as pl

from renvoi.evaluate import Evaluation
from renvoi.evaluate import measures as measuring
from renvoi.types import LEVELS, Benchmark

_SHOWN = 5  # documents of a ranking
_CUT = 260  # characters of a document
_QUERY_CUT = 700  # characters of a query: one of a case is a whole judgment


@dataclass(frozen=True, slots=True)
class Hit:
    """One document of a ranking."""

    rank: int
    doc_id: str
    mark: str  # "relevant", "context", ""
    html: str  # the beginning of its text, citations marked


@dataclass(frozen=True, slots=True)
class Miss:
    """One query, what it asks for, and what was found instead."""

    query_id: str
    html: str
    group: str  # its set, if it has one
    relevant: tuple[Hit, ...]  # rank 0 where the first system does not rank it
    rankings: Mapping[str, tuple[Hit, ...]]


def worst_queries(
    bench: Benchmark, runs: Mapping[str, pl.DataFrame], evaluation: Evaluation, systems: Sequence[str], n: int = 12
) -> list[Miss]:
    """Return the `n` queries whose relevant documents the first of `systems` ranks lowest, worst first."""
    corpus = bench.collections[LEVELS[evaluation.level][1]]
    counted = list(evaluation.query_ids)
    qrels = bench.qrels[evaluation.level]
    rankings = {name: measuring.rank(runs[name], qrels, counted).run for name in systems}
    first = rankings[systems[0]].filter(pl.col("grade") > 0).group_by("query_id").agg(pl.col("rank").min())
    best = dict(first.iter_rows())
    chosen = sorted(counted, key=lambda q: (-best.get(q, 10**9), counted.index(q)))[:n]
    relevant: dict[str, list[str]] = {q: [] for q in chosen} | _grouped(qrels.filter(pl.col("relevance") > 0), chosen)
    contexts = _grouped(bench.contexts, chosen)
    tops = {
        name: {
            query: frame.sort("rank").head(_SHOWN)
            for (query,), frame in run.filter(pl.col("query_id").is_in(chosen)).group_by(["query_id"])
        }
        for name, run in rankings.items()
    }
    shown = {doc for docs in relevant.values() for doc in docs}
    shown |= {doc for by_query in tops.values() for frame in by_query.values() for doc in frame["doc_id"]}
    texts = dict(corpus.filter(pl.col("id").is_in(list(shown))).select("id", "text").iter_rows())
    mark = _marker(bench, list(texts.values()))
    queries = {q.id: q for q in bench.queries}
    ranks = {(q, d): r for q, d, r in rankings[systems[0]].select("query_id", "doc_id", "rank").iter_rows()}
    made = []
    for query_id in chosen:
        role = dict.fromkeys(contexts.get(query_id, ()), "context") | dict.fromkeys(relevant[query_id], "relevant")
        hits = [
            Hit(ranks.get((query_id, doc), 0), doc, "relevant", mark(texts.get(doc, ""))) for doc in relevant[query_id]
        ]
        side = {
            name: tuple(
                Hit(rank, doc, role.get(doc, ""), mark(texts.get(doc, "")))
                for rank, doc in by_query[query_id].select("rank", "doc_id").iter_rows()
            )
            if query_id in by_query
            else ()
            for name, by_query in tops.items()
        }
        query = queries[query_id]
        made.append(
            Miss(
                query_id,
                escape(_cut(query.text, _QUERY_CUT)),
                str(query.extra.get("set", "")),
                tuple(hits[:_SHOWN]),
                side,
            )
        )
    return made


def _grouped(frame: pl.DataFrame, chosen: Sequence[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for query, doc in frame.filter(pl.col("query_id").is_in(list(chosen))).select("query_id", "doc_id").iter_rows():
        groups.setdefault(query, []).append(doc)
    return groups


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[:length].rsplit(" ", 1)[0] + " …"


def _marker(bench: Benchmark, texts: Sequence[str]) -> Callable[[str], str]:
    """Return what makes the beginning of a text HTML with its citations marked."""
    find = _finder(bench, texts)

    def mark(text: str) -> str:
        cut = _cut(text, _CUT)
        pieces, last = [], 0
        for start, end in find(text):
            if start >= last and end <= len(cut):
                pieces += [escape(cut[last:start]), f"<mark>{escape(cut[start:end])}</mark>"]
                last = end
        return "".join([*pieces, escape(cut[last:])])

    return mark


def _finder(bench: Benchmark, texts: Sequence[str]) -> Callable[[str], list[tuple[int, int]]]:
    from renvoi import cite, registry
    from renvoi.acts import ActFinder
    from renvoi.cite_cases import find_case_citations

    if bench.kind == "pincite" or bench.language == "en":
        return lambda text: [(c.start, c.end) for c in find_case_citations(text)]
    if bench.language not in registry.names("jurisdictions"):
        return lambda text: []
    grammar = registry.load("jurisdictions", bench.language)
    setting, engine = cite.Setting(ActFinder(grammar, texts), frozenset(), ""), cite.engine_for(grammar)
    return lambda text: [(c.start, c.end) for c in cite.find_in_text(text, "", setting, engine)]
