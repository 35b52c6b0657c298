"""What the recipes for case law cost beside plain BM25: time of a question and size on disk.

    python benchmarks/case_speed.py BENCH [--level LEVEL]... [--split test] [--turns 5] [-k 1000] [--size]

BENCH is a folder of `renvoi build pincite`. For each level the recipe and BM25 over the same collection rank all
queries of a split by turns, in one process, warm; `par_case` is set beside BM25 over paragraphs, too, since it is these
that it finds. Prints the median seconds of each, and the median of the ratios of a turn, so that what else the machine
does falls on both. --size also writes the index of words to a temporary folder and says what the recipe adds to it.
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


def seconds(work: Callable[[], Any]) -> float:
    """Return how long it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


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
        print(
            f"{level}, {len(task.queries)} queries: {name} {median(turn[n] for turn in taken):.2f} s, renvoi takes "
            f"{median(turn[0] / turn[n] for turn in taken):.2f} times as long",
            flush=True,
        )


def weigh(bench: Benchmark, level: str) -> None:
    """Print the bytes of the index of words on disk, and what the recipe of a level keeps besides."""
    corpus = bench.collections["cases" if level == "case_case" else "chunks"]
    with tempfile.TemporaryDirectory() as folder:
        index = build_index(field_texts(corpus), default_analysis(bench.language), Path(folder) / "index")
        words = _bytes_under(Path(folder) / "index")
        n_words = sum(int(field.lengths.sum()) for field in index.fields.values())
        bench.links.write_parquet(Path(folder) / "links.parquet", statistics=False)
        links = 0 if level == "case_case" else (Path(folder) / "links.parquet").stat().st_size
    more = 4 * n_words + 8 * (corpus.height + 1) + links
    print(f"{level}: words {words / 2**20:.0f} MiB, in order and with links {(words + more) / words:.2f} times that")


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
