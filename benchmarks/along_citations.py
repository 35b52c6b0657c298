"""What each step along citations is worth on context-dependent questions: recall, harm, contexts above, cost.

    python benchmarks/along_citations.py BENCH... [--written BENCH...] [--held-out RUN...] [--svg FILE]
        [--variants] [--grid] [--cost]

A BENCH is a folder of `renvoi import crawler`, whose queries have `set` (hard or control) and labelled contexts.
--written   benchmarks of `renvoi build crossref` (its templates): their hard questions whole, with every second word
            left out at random, and with two of three.
--held-out  a run of `renvoi tune BENCH renvoi --held-out RUNS --folds 0 --split all`, one for each BENCH.
--svg       also draw recall by step.
--variants  also print the recipe with one parameter changed.
--grid      also say how all settings that `renvoi tune` tries do on the hard questions.
--cost      also time 1,000 questions of a BENCH and of a written one, and weigh the index.
Prints Markdown rows, the paired test of the controls, and the share of labelled contexts that links reach; see
docs/along-citations.md.
"""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from renvoi import graph, rank, store, systems
from renvoi.analysis import default_analysis
from renvoi.evaluate import compare
from renvoi.flagship import recipe
from renvoi.index import build_index, field_texts
from renvoi.retrievers import Allowed
from renvoi.retrievers.along import along
from renvoi.retrievers.lexical import lexical
from renvoi.tune import tune
from renvoi.types import Benchmark, Query

BM25 = "bm25:k1=0.9,b=0.4"
ALONG = "along:k1=0.9,b=0.4"
STEPS = {
    "BM25": BM25,
    "cited text as a field": f"{BM25},w.body=1,w.cited=0.7",
    "scores along links": f"{BM25}+propagate",
    "field and scores": f"{BM25},w.body=1,w.cited=0.7+propagate",
    "random links": f"{BM25}+propagate:links=random",
    "neighbours as links": f"{BM25}+propagate:links=neighbours",
    "oracle links": f"{BM25}+propagate:links=oracle",
    "word by word": f"{ALONG},second=0",
    "+ a second one": ALONG,
    "+ no stop words": f"{ALONG},stop_words=1",
    "+ lead-ins": f"{ALONG},stop_words=1,lead_in=1",
    "+ cited 1.2 (recipe)": "renvoi",
}
# One parameter of the recipe changed.
VARIANTS = ("lead_in=0.5", "lead_in=0.7", "depth=20", "depth=100", "cited=1", "cited=1.4", "cited=1.4,by_receiver=0.15",
            "cited=1.6,by_receiver=0.15", "by_receiver=0", "by_helper=0.1", "second=0")  # fmt: skip
WRITTEN = ("BM25", "cited text as a field", "scores along links", "+ no stop words", "+ lead-ins",
           "+ cited 1.2 (recipe)")  # fmt: skip
DRAWN = ("BM25", "neighbours as links", "scores along links", "cited text as a field", "word by word",
         "+ a second one", "+ no stop words", "+ lead-ins", "+ cited 1.2 (recipe)")  # fmt: skip
_NOWHERE = 10**6

Ranks = tuple[np.ndarray, np.ndarray]  # of each query's target; whether a labelled context stands above it


def run_of(bench: Benchmark, model: str) -> pl.DataFrame:
    """Return the 1,000 best of each question."""
    return systems.run_system(systems.parse_system(model), bench, bench.task(), k=1000)


def ranks_of(bench: Benchmark, run: pl.DataFrame) -> Ranks:
    """Return where each target stands, far down if nowhere."""
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


def members(bench: Benchmark, name: str) -> np.ndarray:
    """Return which questions are of a set."""
    return np.array([query.extra["set"] == name for query in bench.queries])


def acts_of(bench: Benchmark) -> np.ndarray:
    """Return the act of each question's target."""
    return np.array([query.source_id.rpartition("~")[0] for query in bench.queries])


def row(bench: Benchmark, name: str, found: Ranks) -> tuple[str, float, float, float]:
    """Return a Markdown row, and Recall@10 of the hard questions with its interval."""
    hard, control = members(bench, "hard"), members(bench, "control")
    ranks, outranked = found
    low, high = compare.intervals((ranks[hard, None] <= 10).astype(float), acts_of(bench)[hard].tolist())[0]
    recall = float((ranks[hard] <= 10).mean())
    line = (
        f"| {bench.language} | {name} | {recall:.3f} ({low:.2f} to {high:.2f}) | {(1 / ranks[hard]).mean():.3f} "
        f"| {(ranks[control] <= 10).mean():.3f} | {outranked[hard].mean():.2f} |"
    )
    return line, recall, low, high


def test_harm(bench: Benchmark, ranks: np.ndarray, base: np.ndarray) -> str:
    """Return the paired test of the control questions: Recall@10 of the recipe less BM25's."""
    control = members(bench, "control")
    ours, theirs = ((one[control] <= 10).astype(float) for one in (ranks, base))
    gained, lost, n = int((ours > theirs).sum()), int((ours < theirs).sum()), int(control.sum())
    low, high = compare.exact(lost, n)
    p = compare.randomisation_p(ours - theirs)
    return (
        f"{bench.language} controls: {n} questions, {gained} gained, {lost} lost (exact 95 % interval of the share "
        f"lost: {low:.2f} to {high:.2f}), paired randomisation p = {p:.2f}"
    )


def count_links(bench: Benchmark) -> str:
    """Return how many labelled contexts of valid questions are one link from the target, how many two."""
    ids = dict.fromkeys(bench.collections["chunks"]["id"])
    cited: dict[str, set[str]] = {}
    for source, target, _ in graph.inherit_links(bench.links, ids):
        cited.setdefault(source, set()).add(target)
    targets = {query.id: query.source_id for query in bench.queries if query.extra["set"] != "invalid"}
    near = far = n = 0
    for query_id, context in bench.contexts.select("query_id", "doc_id").iter_rows():
        if query_id in targets:
            first = cited.get(targets[query_id], set())
            n += 1
            near += context in first
            far += context not in first and any(context in cited.get(step, ()) for step in first)
    return f"{bench.language} contexts: {near} of {n} one link away, {far} two"


def thin(bench: Benchmark, share: float, seed: int) -> Benchmark:
    """Return the hard questions, each word kept with a chance."""
    rng = np.random.default_rng(seed)
    kept = []
    for query in bench.queries:
        if query.extra.get("set") == "hard":
            words = re.findall(r"\w+", query.text)
            stay = rng.random(len(words)) < share
            kept.append(replace(query, text=" ".join(w for w, s in zip(words, stay, strict=True) if s)))
    return replace(bench, queries=tuple(kept))


def measure_written(bench: Benchmark) -> None:
    """Print Recall@10 and MRR on written questions, whole and thinned, by step."""
    versions = [thin(bench, share, seed) for share, seed in ((1.0, 0), (0.5, 0), (0.33, 1))]
    for name in WRITTEN:
        cells = []
        for version in versions:
            ranks, _ = ranks_of(version, run_of(version, STEPS[name]))
            cells.append(f"{(ranks <= 10).mean():.3f}, {(1 / ranks).mean():.3f}")
        print(f"| {bench.language} ({len(versions[0].queries)}) | {name} | {' | '.join(cells)} |", flush=True)


def measure_grid(bench: Benchmark) -> None:
    """Print how Recall@10 of the hard questions is spread over all settings that are tried."""
    hard = replace(bench, queries=tuple(q for q in bench.queries if q.extra["set"] == "hard"))
    values = np.array([trial.value for trial in tune(hard, "renvoi", split=None, measure="R@10").trials])
    shares = ", ".join(f"{(values >= bar).mean():.2f} reach {bar:.2f}" for bar in (0.8, 0.85, 0.9))
    print(
        f"{bench.language}, {len(values)} settings: least {values.min():.3f}, median {np.median(values):.3f}, "
        f"most {values.max():.3f}; {shares}"
    )


def measure_cost(bench: Benchmark) -> None:
    """Print the processor time of a question and the size of an index beside plain BM25's, in one process, warm."""
    collection = bench.collections["chunks"]
    queries = (bench.queries * (1 + 1000 // len(bench.queries)))[:1000]
    allowed = rank.allow(queries, collection, exclude_self=rank.excludes_self(bench))
    part = systems.parse_system(recipe("chunk")).parts[0]
    scorers = (lexical(collection, {"k1": "0.9", "b": "0.4"}, bench), along(collection, part.options, bench))
    searches: list[Callable[[], Any]] = [lambda scorer=scorer: scorer.top(queries, 10, allowed) for scorer in scorers]
    times: list[list[float]] = [[], []]
    for turn in range(12):
        for n, search in enumerate(searches):
            start = time.process_time()
            search()
            if turn:
                times[n].append(time.process_time() - start)
    plain, ours = (statistics.median(one) for one in times)  # of 1,000 questions in seconds: of one in milliseconds
    singly = [statistics.median(_time_singly(scorer, queries[:300], allowed.part(0, 1))) for scorer in scorers]
    sizes = [_size(bench, stop_words) for stop_words in (False, True)]
    print(
        f"{bench.language}, {collection.height} chunks: BM25 {plain:.3f} ms, recipe {ours:.3f} ms a question, "
        f"{statistics.median(b / a for a, b in zip(*times, strict=True)):.1f} times; "
        f"asked singly {singly[0] * 1e3:.2f} and {singly[1] * 1e3:.2f} ms, {singly[1] / singly[0]:.1f} times; "
        f"index {sizes[1] / sizes[0]:.2f} times BM25's with its links"
    )


def _time_singly(scorer: Any, queries: Sequence[Query], allowed: Allowed) -> list[float]:
    times = []
    for query in queries:
        start = time.process_time()
        scorer.top([query], 10, allowed)
        times.append(time.process_time() - start)
    return times


def _size(bench: Benchmark, ours: bool) -> int:
    """Return the bytes of an index on disk: BM25's, or the recipe's without stop words and with links."""
    with tempfile.TemporaryDirectory() as folder:
        analysis = replace(default_analysis(bench.language), stop_words=ours)
        build_index(field_texts(bench.collections["chunks"]), analysis, Path(folder) / "index")
        if ours:
            bench.links.write_parquet(Path(folder) / "index" / "links.parquet", statistics=False)
        return sum(file.stat().st_size for file in (Path(folder) / "index").rglob("*") if file.is_file())


def draw(found: dict[str, dict[str, tuple[float, float, float]]], path: Path) -> None:
    """Draw Recall@10 with intervals, a panel a language, a line a step."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "renvoi", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot as plt

    bars = {"da": 0.80, "pl": 0.90}
    figure, panels = plt.subplots(1, len(found), figsize=(4.2 * len(found) + 1, 3.2), sharey=True, squeeze=False)
    for panel, (language, steps) in zip(panels[0], found.items(), strict=True):
        names = [name for name in DRAWN if name in steps]
        y = np.arange(len(names))[::-1]
        middle, low, high = np.array([steps[name] for name in names]).T
        colours = ["#8a94a0" if name in DRAWN[:4] else "#2f6f9f" for name in names]
        panel.hlines(y, low, high, colors=colours, linewidth=1.5)
        panel.scatter(middle, y, c=colours, s=28, zorder=3)
        for at, value in zip(y, middle, strict=True):
            panel.annotate(f"{value:.2f}", (value, at), (0, 5), textcoords="offset points", ha="center", fontsize=8)
        panel.axvline(bars[language], color="#b5483a", linestyle=":", linewidth=1)
        panel.set_yticks(y, names)
        panel.set_xlim(-0.03, 1.03)
        panel.set_ylim(-0.5, len(names) - 0.2)
        panel.set_title({"da": "Danish", "pl": "Polish"}[language])
        panel.set_xlabel("Recall@10, 95 %")
        panel.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benches", nargs="*", type=Path)
    parser.add_argument("--written", nargs="*", type=Path, default=[])
    parser.add_argument("--held-out", nargs="*", type=Path, default=[])
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--variants", action="store_true")
    parser.add_argument("--grid", action="store_true")
    parser.add_argument("--cost", action="store_true")
    given = parser.parse_args(arguments)
    drawn: dict[str, dict[str, tuple[float, float, float]]] = {}
    benches = [store.read_benchmark(folder) for folder in given.benches]
    print("| | system | hard R@10 (95 %) | hard MRR | control R@10 | a context above |\n|---|---|---|---|---|---|")
    remarks = []
    for n, bench in enumerate(benches):
        ranks: dict[str, Ranks] = {}
        for name, model in STEPS.items():
            ranks[name] = ranks_of(bench, run_of(bench, model))
            line, *values = row(bench, name, ranks[name])
            drawn.setdefault(bench.language, {})[name] = (values[0], values[1], values[2])
            print(line, flush=True)
        if n < len(given.held_out):
            found = ranks_of(bench, store.read_run(given.held_out[n]))
            print(row(bench, "leave one act out", found)[0])
        remarks += [test_harm(bench, ranks["+ cited 1.2 (recipe)"][0], ranks["BM25"][0]), count_links(bench)]
    print(*remarks, sep="\n")
    if given.variants:
        for bench in benches:
            for change in VARIANTS:
                print(row(bench, change, ranks_of(bench, run_of(bench, f"renvoi:{change}")))[0], flush=True)
    written = [store.read_benchmark(folder) for folder in given.written]
    for bench in written:
        measure_written(bench)
    if given.svg:
        draw(drawn, given.svg)
    if given.grid:
        for bench in benches:
            measure_grid(bench)
    if given.cost:
        for bench in (*benches, *written):
            measure_cost(bench)


if __name__ == "__main__":
    main()
