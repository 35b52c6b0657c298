"""What each step along citations is worth on context-dependent questions: recall, harm, controls, cost.

    python benchmarks/along_citations.py BENCH... [--loao]

A BENCH is a folder of `renvoi import crawler`, whose queries have `set` (hard or control) and labelled contexts.
With --loao the parameters are chosen anew for each act on the others, and the act is scored with them.
Prints one Markdown row a system; see docs/along-citations.md.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl

from renvoi import compare, rank, store, systems
from renvoi.flagship import recipe
from renvoi.retrievers.along import AlongScorer, along, split_options
from renvoi.retrievers.lexical import scorer_of
from renvoi.types import Benchmark

BM25 = "bm25:k1=0.9,b=0.4"
FIELD = f"{BM25},w.body=1,w.cited=0.7"
SYSTEMS = (
    BM25,
    FIELD,
    f"{BM25}+propagate",
    f"{FIELD}+propagate",
    f"{BM25}+propagate:links=random",
    f"{BM25}+propagate:links=neighbours",
    f"{BM25}+propagate:links=oracle",
    "along:k1=0.9,b=0.4,second=0",
    "along:k1=0.9,b=0.4",
    "along:k1=0.9,b=0.4,stop_words=1,second=0",
    "renvoi",
)
K1, B = (0.6, 0.9, 1.2), (0.4, 0.75)
GRID = {
    "cited": (0.9, 1.0), "by_helper": (0.0, 0.1), "by_receiver": (0.0, 0.05, 0.1), "second": (0.0, 0.5, 0.8),
}  # fmt: skip
_NOWHERE = 10**6


def rank_targets(bench: Benchmark, model: str) -> tuple[np.ndarray, np.ndarray]:
    """Return each query's rank of its target, and whether a labelled context stands above it."""
    return ranks_of(bench, systems.run_system(systems.parse_system(model), bench, bench.task(), k=1000))


def ranks_of(bench: Benchmark, run: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the same of a run."""
    ranked: dict[str, list[str]] = {}
    for query_id, doc_id in run.select("query_id", "doc_id").iter_rows():
        ranked.setdefault(query_id, []).append(doc_id)
    contexts: dict[str, set[str]] = {}
    for query_id, doc_id in bench.contexts.select("query_id", "doc_id").iter_rows():
        contexts.setdefault(query_id, set()).add(doc_id)
    ranks, outranked = [], []
    for query in bench.queries:
        found = ranked.get(query.id, [])
        place = found.index(query.source_id) if query.source_id in found else len(found)
        ranks.append(place + 1 if place < len(found) else _NOWHERE)
        outranked.append(bool(contexts.get(query.id, set()) & set(found[:place])))
    return np.array(ranks), np.array(outranked)


def row(bench: Benchmark, name: str, ranks: np.ndarray, outranked: np.ndarray | None = None) -> str:
    """Return a Markdown row."""
    sets = np.array([query.extra["set"] for query in bench.queries])
    acts = np.array([query.source_id.rpartition("~")[0] for query in bench.queries])
    hard, control = sets == "hard", sets == "control"
    low, high = compare.intervals((ranks[hard, None] <= 10).astype(float), acts[hard].tolist())[0]
    above = "" if outranked is None else f"{outranked[hard].mean():.2f}"
    return (
        f"| {bench.language} | `{name}` | {(ranks[hard] <= 10).mean():.3f} ({low:.2f} to {high:.2f}) "
        f"| {(1 / ranks[hard]).mean():.3f} | {(ranks[control] <= 10).mean():.3f} | {above} |"
    )


def leave_one_act_out(bench: Benchmark) -> np.ndarray:
    """Return the ranks where each act is scored with the parameters that are best on the other acts."""
    valid = np.array([query.extra["set"] != "invalid" for query in bench.queries])
    acts = np.array([query.source_id.rpartition("~")[0] for query in bench.queries])
    settings, tried = [], []
    own, rest = split_options(systems.parse_system(recipe("chunk")).parts[0].options)
    collection = bench.collections["chunks"]
    index = along(collection, {"stop_words": "1"}, bench).scorer.index
    for k1, b in product(K1, B):
        scorer = AlongScorer(scorer_of(index, {**rest, "k1": str(k1), "b": str(b)}), bench.links, own)
        for values in product(*GRID.values()):
            setting = dict(zip(GRID, values, strict=True))
            scorer.options = {**own, **setting}
            run = rank.rank(scorer, bench.queries, collection, k=1000, exclude_self=False)
            settings.append({"k1": k1, "b": b, **setting})
            tried.append(ranks_of(bench, run)[0])
    table = np.array(tried)  # (n_settings, n_queries)
    worth = (table <= 10) + 1 / table
    chosen = np.zeros(len(valid), np.int64)
    for act in np.unique(acts):
        best = int(worth[:, valid & (acts != act)].mean(axis=1).argmax())
        chosen[acts == act] = best
        print(f"  without {act}: {settings[best]}", file=sys.stderr)
    return table[chosen, np.arange(len(valid))]


def main() -> None:
    """Print the tables."""
    print("| | system | hard R@10 (95 %) | hard MRR | control R@10 | a context above |\n|---|---|---|---|---|---|")
    for folder in [word for word in sys.argv[1:] if not word.startswith("--")]:
        bench = store.read_benchmark(Path(folder))
        for model in SYSTEMS:
            print(row(bench, model, *rank_targets(bench, model)), flush=True)
        if "--loao" in sys.argv:
            print(row(bench, "leave one act out", leave_one_act_out(bench)), flush=True)


if __name__ == "__main__":
    main()
