"""Index, search and tune beside bm25s (and tantivy, where it is installed), on real paragraphs, in one run.

    python benchmarks/lexical.py --data ../shared/data --docs 100000 --queries 500 --json
    python benchmarks/lexical.py --data ../shared/data --full

The last line with --json: how many times faster than bm25s we are, `{"index": r, "search_1000": r, "search_10": r,
"grid_25": r}`. All read the same words: Snowball English stems, numbers and single letters kept, no stop words. bm25s
searches with numba on as many threads as we use. Texts of queries are analysed within the time of searching, by
both. In `grid_25`, bm25s starts from its tokens and indexes for each setting (three settings are measured, for 25),
while we start from text.
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import os
import platform
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import polars as pl

from renvoi import progress, rank, tune
from renvoi.analysis import Analysis
from renvoi.index import build_index, open_index
from renvoi.index.build import count_cores
from renvoi.models.bm25 import bm25
from renvoi.retrievers.lexical import LexicalScorer
from renvoi.types import Benchmark, Query

CORPUS = "cjeu/earlier_judgments_inferred_numbers.jsonl.gz"
PATTERN = r"(?u)\b\w+\b"
ENGLISH = Analysis("en")


def read_paragraphs(data: Path, n: int) -> list[str]:
    """Return the first `n` paragraphs, or all for 0."""
    texts: list[str] = []
    with gzip.open(data / CORPUS, "rt", encoding="utf-8") as lines:
        for line in lines:
            texts += [paragraph["text"] for paragraph in json.loads(line)["paragraphs"]]
            if n and len(texts) >= n:
                return texts[:n]
    return texts


def seconds(work: Callable[[], Any]) -> float:
    """Return how long it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def side_by_side(repeats: int, *works: Callable[[], Any]) -> list[float]:
    """Return the median time of each, taken in turns, so that what else the machine does falls on all."""
    times = [[seconds(work) for work in works] for _ in range(repeats)]
    return [median(column) for column in zip(*times, strict=True)]


class Ours:
    """The engine."""

    def __init__(self, texts: list[str], queries: list[str]) -> None:
        self.frame = pl.DataFrame({"id": [f"{n:07d}" for n in range(len(texts))], "body": texts})
        self.queries = [Query(str(n), text) for n, text in enumerate(queries)]

    def index(self) -> None:
        """Index all texts."""
        self.built = build_index(self.frame, ENGLISH)

    def prepare(self) -> None:
        """Weigh the postings and compile."""
        self.scorer = LexicalScorer(self.built, "bm25")
        self.search(10, 8)
        self.search(1000, 8)

    def search(self, k: int, n: int | None = None) -> pl.DataFrame:
        """Search for the first `n` queries."""
        return rank.rank(self.scorer, self.queries[:n], self.frame, k=k)

    def tune(self, relevant: list[int]) -> None:
        """Try 25 settings, from text."""
        collection = self.frame.rename({"body": "text"})
        qrels = pl.DataFrame(
            {
                "query_id": [q.id for q in self.queries],
                "doc_id": [f"{n:07d}" for n in relevant],
                "relevance": [1] * len(relevant),
            }
        )
        none = pl.DataFrame()
        bench = Benchmark("imported", "en", {"chunks": collection}, tuple(self.queries), {"chunk": qrels}, none, none)
        tuned = tune.tune(bench, "bm25", split=None)
        assert len(tuned.trials) == 25


class Bm25s:
    """bm25s with numba."""

    def __init__(self, texts: list[str], queries: list[str]) -> None:
        import bm25s
        import Stemmer

        logging.disable(logging.CRITICAL)
        self.package, self.texts, self.queries = bm25s, texts, queries
        self.stemmer = Stemmer.Stemmer("english")

    def read(self, texts: list[str]) -> Any:
        """Return tokens."""
        return self.package.tokenize(
            texts, stemmer=self.stemmer, stopwords=None, token_pattern=PATTERN, show_progress=False
        )

    def index(self) -> None:
        """Index all texts."""
        self.tokens = self.read(self.texts)
        self.weigh(1.2, 0.75)

    def weigh(self, k1: float, b: float) -> None:
        """Index the tokens for one setting."""
        self.engine = self.package.BM25(method="lucene", k1=k1, b=b, backend="numba")
        self.engine.index(self.tokens, show_progress=False)

    def prepare(self) -> None:
        """Compile."""
        self.search(10, 8)
        self.search(1000, 8)

    def search(self, k: int, n: int | None = None) -> Any:
        """Search for the first `n` queries."""
        tokens = self.read(self.queries[:n])
        return self.engine.retrieve(tokens, k=k, n_threads=count_cores(), show_progress=False)

    def try_setting(self, k1: float, b: float) -> None:
        """Index and search with one setting."""
        self.weigh(k1, b)
        self.search(10)


class Tantivy:
    """Tantivy: its English stemmer; it searches on one thread."""

    def __init__(self, texts: list[str], queries: list[str]) -> None:
        import tantivy

        self.package, self.texts, self.queries = tantivy, texts, queries

    def index(self) -> None:
        """Index all texts."""
        builder = self.package.SchemaBuilder()
        builder.add_text_field("body", stored=False, tokenizer_name="en_stem")
        builder.add_integer_field("row", stored=True)
        self.schema = builder.build()
        self.engine = self.package.Index(self.schema)
        writer = self.engine.writer(heap_size=512 << 20, num_threads=count_cores())
        for row, text in enumerate(self.texts):
            document = self.package.Document()
            document.add_text("body", text)
            document.add_integer("row", row)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        self.engine.reload()

    def search(self, k: int, n: int | None = None) -> list[list[int]]:
        """Search for the first `n` queries."""
        searcher = self.engine.searcher()
        found = []
        for text in self.queries[:n]:
            words = " ".join("".join(char if char.isalnum() else " " for char in text).lower().split())
            query = self.engine.parse_query(words, ["body"])
            hits = searcher.search(query, k).hits
            found.append([searcher.doc(address)["row"][0] for _, address in hits])
        return found


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Return all times, ratios and comparisons."""
    texts = read_paragraphs(options.data, options.docs)
    chosen = random.Random(0).sample(
        [n for n, text in enumerate(texts[:-1]) if len(text.split()) >= 30], options.queries
    )
    queries = [texts[n] for n in chosen]
    ours, peer = Ours(texts, queries), Bm25s(texts, queries)
    build_index(ours.frame[:50], ENGLISH)  # compiles
    result: dict[str, Any] = {"docs": len(texts), "queries": len(queries), "repeats": options.repeats}
    seen: dict[str, tuple[float, float]] = {}

    a, b = side_by_side(options.repeats, ours.index, peer.index)
    seen["index"] = a, b
    ours.prepare()
    peer.prepare()
    for k in (1000, 10):
        a, b = side_by_side(options.repeats, lambda k=k: ours.search(k), lambda k=k: peer.search(k))
        seen[f"search_{k}"] = a, b
    mine, (rows, scores) = ours.search(10), peer.search(10)
    result["agreement_with_bm25s"] = agreement(mine, rows, len(queries))  # the rest are ties: see the scores
    result["score_difference"] = score_difference(mine, scores, len(queries))
    measured = [(bm25.grid["k1"][i], bm25.grid["b"][i]) for i in (0, 2, 4)]
    a = seconds(lambda: ours.tune([n + 1 for n in chosen]))
    b = 25 * median(seconds(lambda s=s: peer.try_setting(*s)) for s in measured)
    seen["grid_25"] = a, b
    result["seconds"] = {name: {"renvoi": round(a, 3), "bm25s": round(b, 3)} for name, (a, b) in seen.items()}
    result["ratios"] = {name: round(b / a, 2) for name, (a, b) in seen.items()}
    if options.full:
        result |= full(options, ours, texts, queries)
    return result


def full(options: argparse.Namespace, ours: Ours, texts: list[str], queries: list[str]) -> dict[str, Any]:
    """Return what takes longer: memory, opening, pruning against adding everything up, tantivy."""
    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        call = [
            sys.executable,
            __file__,
            "--data",
            str(options.data),
            "--docs",
            str(options.docs),
            "--memory",
            str(path),
        ]
        result["memory_mb"] = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
        result["open_s"] = round(seconds(lambda: open_index(path)), 4)
        result["index_mb"] = round(sum(f.stat().st_size for f in path.iterdir()) / 1e6)
    times = {}
    for pruning in (True, False):
        ours.scorer.pruning = pruning
        for k in (10, 100, 1000):
            ours.search(k, 8)
            times[f"{'pruned' if pruning else 'all'}_{k}"] = round(seconds(lambda k=k: ours.search(k)), 3)
    result["renvoi_search_s"] = times
    try:
        peer = Tantivy(texts, queries)
    except ModuleNotFoundError:
        return result
    result["tantivy_s"] = {"index": round(seconds(peer.index), 3)}
    some = min(len(queries), 300)
    for k in (10, 1000):
        result["tantivy_s"][f"search_{k}"] = round(seconds(lambda k=k: peer.search(k, some)) * len(queries) / some, 3)
    found = [line + [-1] * (10 - len(line)) for line in peer.search(10, some)]
    result["agreement_with_tantivy"] = agreement(ours.search(10, some), np.array(found), some)
    return result


def agreement(run: pl.DataFrame, rows: Any, n_queries: int) -> float:
    """Return the mean share of the first ten that both have."""
    mine = {query: set(part["doc_id"]) for (query,), part in run.group_by("query_id")}
    theirs = [{f"{row:07d}" for row in line.tolist()} for line in np.asarray(rows)]
    shares = [len(mine.get(str(n), set()) & theirs[n]) / 10 for n in range(n_queries)]
    return round(float(np.mean(shares)), 4)


def score_difference(run: pl.DataFrame, scores: Any, n_queries: int) -> float:
    """Return the largest difference of the first ten scores, as a share of the query's best."""
    mine = {query: part["score"].to_numpy() for (query,), part in run.group_by("query_id", maintain_order=True)}
    pairs = [(mine[str(n)], np.asarray(scores[n])) for n in range(n_queries)]
    return max(float(np.abs(a - b[: len(a)]).max() / b.max()) for a, b in pairs)


def memory(options: argparse.Namespace) -> None:
    """Index in a process of its own; print what the texts took and the peak."""
    texts = read_paragraphs(options.data, options.docs)
    frame = pl.DataFrame({"id": [f"{n:07d}" for n in range(len(texts))], "body": texts})
    del texts
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    build_index(frame, ENGLISH, options.memory)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"before": before // 1024, "peak": peak // 1024}))


def machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    versions = {}
    for package in ("numba", "numpy", "bm25s", "tantivy", "PyStemmer"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cores": count_cores(),
        "load": round(os.getloadavg()[0], 1),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "versions": versions,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--docs", type=int, default=0, help="paragraphs; all for 0")
    parser.add_argument("--queries", type=int, default=3000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="last line: the ratios")
    parser.add_argument(
        "--full", action="store_true", help="also memory, opening, pruning and tantivy; keeps the result"
    )
    parser.add_argument("--memory", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    progress.quiet = True
    if options.memory:
        memory(options)
        return
    result = {**measure(options), **machine()}
    print(json.dumps(result, indent=1))
    if options.full:
        file = Path(__file__).parent / "results" / f"lexical-{result['docs']}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if options.json:
        print(json.dumps(result["ratios"]))


if __name__ == "__main__":
    main()
