"""Strongest distractors by ROUGE-L recall: our exact search against the package rouge-score, pair by pair.

    python benchmarks/rouge.py --data ../shared/data --docs 409000 --queries 69 --json

rouge-score is timed on a sample of the same pairs, because all of them would take it days; its values on that sample
must equal ours. The last line is `{"pairs_per_second": {"ours": …, "rouge_score": …}, "ratio": …, …}`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import platform
import random
import time
from pathlib import Path

import polars as pl
from rouge_score.rouge_scorer import RougeScorer

from renvoi import progress
from renvoi.describe.distractors import find_distractors, rouge_l_recall, split_words_as_rouge
from renvoi.types import Query, Task

CORPUS = "cjeu/earlier_judgments_inferred_numbers.jsonl.gz"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--docs", type=int, default=409_000)
    parser.add_argument("--queries", type=int, default=69)
    parser.add_argument("--sample", type=int, default=2_000, help="pairs given to rouge-score")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print the last line only")
    options = parser.parse_args()
    progress.quiet = options.json
    rng = random.Random(options.seed)
    task = read_task(options.data / CORPUS, options.docs, options.queries, rng)
    find_distractors(task, split_words_as_rouge, [task.queries[0].id])  # compiles

    started = time.perf_counter()
    found = find_distractors(task, split_words_as_rouge)
    ours = time.perf_counter() - started

    texts = task.corpus["text"].to_list()
    sample = [(rng.choice(task.queries).text, rng.choice(texts)) for _ in range(options.sample)]
    scorer = RougeScorer(["rougeL"])
    started = time.perf_counter()
    theirs = [scorer.score(query, text)["rougeL"].recall for query, text in sample]
    peer = time.perf_counter() - started
    same = all(
        abs(rouge_l_recall(q, t, split_words_as_rouge) - value) < 1e-12
        for (q, t), value in zip(sample, theirs, strict=True)
    )

    rates = {"ours": found.pairs / ours, "rouge_score": len(sample) / peer}
    result = {
        "pairs_per_second": {name: round(rate) for name, rate in rates.items()},
        "ratio": round(rates["ours"] / rates["rouge_score"]),
        "same_values": same,
        "pairs": found.pairs,
        "compared": found.compared,
        "seconds": round(ours, 2),
        "strong": sum(row.strong for row in found.rows),
        "queries": len(found.rows),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
    }
    print(json.dumps(result))


def read_task(path: Path, n_docs: int, n_queries: int, rng: random.Random) -> Task:
    """Return `n_docs` paragraphs, and paragraphs of the newest judgments as queries; any one paragraph is relevant."""
    rows: list[tuple[str, str, str]] = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            judgment = json.loads(line)
            celex = judgment["celex"]
            paragraphs = enumerate(judgment["paragraphs"])
            rows += [(f"{celex}~para_{i}", p["text"], celex) for i, p in paragraphs if len(p["text"]) > 20]
    picked = rng.sample(rows, n_queries)
    queries = tuple(Query(doc, text, unit="par", document_id=celex) for doc, text, celex in picked)
    columns = {"id": pl.String, "text": pl.String, "document_id": pl.String}
    corpus = pl.DataFrame(rows[:n_docs], schema=columns, orient="row").unique("id", keep="first", maintain_order=True)
    corpus = corpus.with_columns(date=pl.lit(None, dtype=pl.Date))
    ids = corpus["id"].to_list()
    qrels = pl.DataFrame(
        [(query.id, rng.choice(ids), 1) for query in queries],
        schema={"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Int64},
        orient="row",
    )
    return Task("par_par", queries, corpus, qrels)


if __name__ == "__main__":
    main()
