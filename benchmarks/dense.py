"""What vectors are worth on context-dependent questions: alone, with contexts, fused with words, carried along links.

    python benchmarks/dense.py BENCH... --model NAME [--inline CONTEXTS...] [--skip late,path]

A BENCH is a folder of `renvoi import crawler`, as for `along_citations.py`; NAME is what stands behind `dense:`, a
model folder or "embedded". CONTEXTS are folders of `renvoi contextualise --with inline`, one a BENCH in the same order;
they stand behind the text of the chunk, because a model reads the first tokens only. Prints one Markdown row a system,
with difference and two-sided p of a paired randomisation test against the recipe over all judged-valid questions; then
the fusion whose weight is chosen for each act on the other acts. See docs/dense.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from along_citations import BM25, Ranks, ranks_of, row, run_of

from renvoi import store
from renvoi.contexts import attach_contexts, read_contexts
from renvoi.evaluate import compare
from renvoi.types import Benchmark

RECIPE = "renvoi"
BACK = "own=0,cited=1"  # scores of cited provisions go to those that cite them, and nothing else counts
WEIGHTS = (0.05, 0.1, 0.2, 0.4, 0.8)


def systems_of(name: str, skip: set[str]) -> Iterator[str]:
    """Yield the MODEL strings that read bare chunks."""
    dense = f"dense:{name}"
    yield from (RECIPE, BM25, dense, f"{dense}+propagate", f"hybrid:{BM25}+{dense}")
    yield f"hybrid:{BM25}+{dense}+propagate"
    yield from (f"{BM25}+rerank:{name}", f"{RECIPE}+rerank:{name}", f"{RECIPE}+rerank:{name},top=10")
    yield f"hybrid:{RECIPE}+{dense}"
    yield f"{dense}+propagate:{BACK}"
    yield from fusions(name)
    if "path" not in skip:
        yield f"{dense},path=yes"
    if "late" not in skip and name != "embedded":
        yield f"late_chunking:{name}"
    if "citations" not in skip and name != "embedded":
        yield f"late_chunking:{name},window=citations"


def fusions(name: str) -> list[str]:
    """Return the weighted sums of the recipe and of vectors, or of what is one step back from what these find."""
    parts = (f"dense:{name}", f"(dense:{name}+propagate:{BACK})")
    return [f"hybrid:by=scores,w2={weight}:{RECIPE}+{part}" for part in parts for weight in WEIGHTS]


def inlined(bench: Benchmark, contexts: Path) -> Benchmark:
    """Return the benchmark with what each chunk cites behind its text."""
    made, _ = read_contexts(contexts)
    chunks = attach_contexts(bench.collections["chunks"], made, place="after")
    return replace(bench, collections={**bench.collections, "chunks": chunks})


def choose_elsewhere(bench: Benchmark, found: dict[str, Ranks], names: list[str]) -> Ranks:
    """Return the ranks where each act is scored by the system that is best on the other acts."""
    table, above = (np.array([found[name][i] for name in names]) for i in (0, 1))  # (n_systems, n_queries)
    worth = (table <= 10) + 1 / table
    valid = np.array([query.extra["set"] != "invalid" for query in bench.queries])
    acts = np.array([query.source_id.rpartition("~")[0] for query in bench.queries])
    best = np.zeros(len(acts), np.int64)
    for act in np.unique(acts):
        best[acts == act] = int(worth[:, valid & (acts != act)].mean(axis=1).argmax())
    return table[best, np.arange(len(acts))], above[best, np.arange(len(acts))]


def against(bench: Benchmark, ranks: np.ndarray, recipe: np.ndarray) -> str:
    """Return the p of Recall@10 and of the reciprocal rank against the recipe's, over valid questions."""
    valid = np.array([query.extra["set"] != "invalid" for query in bench.queries])
    acts = [query.source_id.rpartition("~")[0] for query in bench.queries if query.extra["set"] != "invalid"]
    values = [np.stack([ranks_ <= 10, 1 / ranks_], axis=1)[valid].astype(float) for ranks_ in (ranks, recipe)]
    tested = compare.compare(("it", values[0]), (RECIPE, values[1]), ("R@10", "RR"), acts)
    return " ".join(f"{one.difference:+.2f} (p {one.p:.2f}) |" for one in tested)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("benches", nargs="+", type=Path)
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--inline", nargs="*", type=Path, default=[])
    parser.add_argument("--skip", default="")
    given = parser.parse_args()
    skip = set(given.skip.split(","))
    print("| | system | hard R@10 (95 %) | hard MRR | control R@10 | a context above | R@10, all | MRR, all |")
    print("|---|---|---|---|---|---|---|---|")
    for place, folder in enumerate(given.benches):
        bench = store.read_benchmark(folder)
        found: dict[str, Ranks] = {}
        tried = [(model, bench) for model in systems_of(given.model, skip)]
        if given.inline:
            wide = inlined(bench, given.inline[place])
            dense = f"dense:{given.model}"
            tried += [(dense, wide), (f"hybrid:{BM25}+{dense}", wide), (f"hybrid:{RECIPE}+{dense}", wide)]
        for model, some in tried:
            name = model.replace(given.model, "NAME") + (" (inlined)" if some is not bench else "")
            found[name] = ranks_of(some, run_of(some, model))
            print(row(bench, name, found[name])[0], against(bench, found[name][0], found[RECIPE][0]), flush=True)
        names = [name.replace(given.model, "NAME") for name in (RECIPE, *fusions(given.model))]
        elsewhere = choose_elsewhere(bench, found, names)
        print(row(bench, "fusion, weight chosen on the other acts", elsewhere)[0],
              against(bench, elsewhere[0], found[RECIPE][0]), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
