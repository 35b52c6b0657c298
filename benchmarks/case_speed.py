"""What the recipes for case law cost beside plain BM25: time of a question and size on disk.

    python benchmarks/case_speed.py BENCH [--level LEVEL]... [--split test] [--turns 5] [-k 1000] [--size]

BENCH is a folder of `renvoi build pincite`. For each level the recipe and BM25 over the same collection rank all
queries of a split by turns, in one process, warm; `par_case` is set beside BM25 over paragraphs, too, since it is these
that it finds. Prints the median seconds of each, by the clock and of processors, and the median of the ratios of a
turn, so that what else the machine does falls on both; on a machine that others use, the processors' time says more.
--size also writes the index to a temporary folder, without and with what the recipe needs, and sets them side by side.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import polars as pl

from renvoi import rank, store, systems
from renvoi.analysis import default_analysis
from renvoi.flagship import recipe
from renvoi.index import build_index, field_texts
from renvoi.retrievers import Scorer
from renvoi.retrievers.lexical import lexical
from renvoi.retrievers.precedents import precedents
from renvoi.retrievers.restated import restated
from renvoi.types import Benchmark, Query

RETRIEVERS = {"precedents": precedents, "restated": restated}
LEVELS = ("par_par", "par_case", "case_case")


def search(scorer: Scorer, queries: Sequence[Query], corpus: pl.DataFrame, k: int) -> Callable[[], Any]:
    """Return what ranks the queries, made ready."""
    rank.get_ready(scorer, queries, corpus, k=k)
    return lambda: rank.rank(scorer, queries, corpus, k=k)


def seconds(work: Callable[[], Any]) -> tuple[float, float]:
    """Return how long it takes, and the processor time of all its threads."""
    start = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start[0], time.process_time() - start[1]


def measure(bench: Benchmark, level: str, split: str, k: int, turns: int) -> None:
    """Print how long the recipe of a level takes, and BM25."""
    task = bench.task(level, split)
    part = systems.parse_system(recipe(level)).parts[0]
    works = {"renvoi": search(RETRIEVERS[part.name](task.corpus, part.options, bench), task.queries, task.corpus, k)}
    works["BM25"] = search(lexical(task.corpus, {}, bench), task.queries, task.corpus, k)
    if level == "par_case":
        chunks = bench.collections["chunks"]
        works["BM25 over paragraphs"] = search(lexical(chunks, {}, bench), task.queries, chunks, k)
    taken = [[seconds(work) for work in works.values()] for _ in range(turns + 1)][1:]
    for n, name in enumerate(works):
        wall, cpu = (median(turn[n][clock] for turn in taken) for clock in (0, 1))
        ratios = [median(turn[0][clock] / turn[n][clock] for turn in taken) for clock in (0, 1)]
        print(
            f"{level}, {len(task.queries)} queries: {name} {wall:.2f} s, of processors {cpu:.2f} s; renvoi takes "
            f"{ratios[0]:.2f} times as long, {ratios[1]:.2f} times as much",
            flush=True,
        )


def weigh(bench: Benchmark, level: str) -> None:
    """Print the bytes of the index of words on disk, and what the recipe of a level keeps besides."""
    corpus = bench.collections["cases" if level == "case_case" else "chunks"]
    with tempfile.TemporaryDirectory() as name:
        folder, analysis = Path(name), default_analysis(bench.language)
        build_index(field_texts(corpus), analysis, folder / "words")
        build_index(field_texts(corpus), analysis, folder / "ours", in_order=True)
        if level != "case_case":
            bench.links.write_parquet(folder / "ours" / "links.parquet", statistics=False)
        words, ours = _bytes_under(folder / "words"), _bytes_under(folder / "ours")
    print(f"{level}: words {words / 2**20:.0f} MiB, with their order and links {ours / words:.2f} times that")


def _bytes_under(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def main() -> None:
    """Measure the levels asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("bench", type=Path)
    parser.add_argument("--level", action="append", choices=LEVELS)
    parser.add_argument("--split", default="test")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("-k", type=int, default=1000)
    parser.add_argument("--size", action="store_true")
    given = parser.parse_args()
    bench = store.read_benchmark(given.bench)
    for level in given.level or LEVELS:
        measure(bench, level, given.split, given.k, given.turns)
        if given.size:
            weigh(bench, level)


if __name__ == "__main__":
    main()
