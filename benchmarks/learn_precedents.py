"""Learn the weights of `precedents` on earlier queries, and tell what they are worth on the development queries.

    python benchmarks/learn_precedents.py BENCH [--from 2014] [--also-dev]

Training queries (decided from that year on) are asked as of the first day of their year, as the queries of the other
splits are. The loss is that of a softmax over the candidates of a query (ListNet: Cao et al., ICML 2007), with a small
L2 penalty on standardised features; it is convex, so the result depends on nothing but the data. Prints the
table of weights of `recipes.toml`. With --also-dev these are those of training and development queries together.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from renvoi import rank, store
from renvoi.retrievers.precedents import FEATURES, PrecedentScorer, precedents
from renvoi.types import Benchmark

PENALTY = 1e-3
DISCOUNT = 1 / np.log2(np.arange(2, 12))


@dataclass(frozen=True, slots=True)
class Examples:
    """Candidates of queries: (n_queries, n_candidates)."""

    docs: NDArray[np.int32]  # -1 for none
    features: NDArray[np.float32]  # (n_queries, n_candidates, n_features)
    relevant: NDArray[np.bool_]
    n_relevant: NDArray[np.int64]  # (n_queries,) among all that may be found, candidates or not


def read_examples(bench: Benchmark, scorer: PrecedentScorer, split: str, since: int) -> Examples:
    """Return the candidates of the queries of a split that were decided in a year or later."""
    chunks = bench.collections["chunks"]
    place = {id: row for row, id in enumerate(chunks["id"])}
    days = chunks["date"].to_list()
    relevant: dict[str, list[int]] = {}
    for query_id, doc_id in bench.qrels["par_par"].select("query_id", "doc_id").iter_rows():
        relevant.setdefault(query_id, []).append(place[doc_id])
    queries = []
    for query in bench.queries:
        year = int(str(query.extra.get("decided", "0"))[:4])
        if query.split == split and query.unit == "par" and query.id in relevant and year >= since:
            queries.append(replace(query, date=date(year, 1, 1)) if split == "train" else query)
    counts = [sum(query.date is None or days[row] < query.date for row in relevant[query.id]) for query in queries]
    queries = [query for query, n in zip(queries, counts, strict=True) if n]
    found = scorer.read(queries, rank.allow(queries, chunks))
    hits = np.stack([np.isin(docs, relevant[query.id]) for docs, query in zip(found.docs, queries, strict=True)])
    return Examples(found.docs, found.features, hits & (found.docs >= 0), np.array([n for n in counts if n]))


def fit(examples: Examples, penalty: float = PENALTY) -> NDArray[np.float64]:
    """Return the weight of each feature."""
    kept = examples.relevant.any(axis=1)
    docs, relevant = examples.docs[kept], examples.relevant[kept].astype(np.float32)
    known = docs >= 0
    spread = examples.features[examples.docs >= 0].std(axis=0) + 1e-6
    x = (examples.features[kept] / spread).astype(np.float32)
    x -= x[known].mean(axis=0)
    x[~known] = 0
    share = relevant / relevant.sum(axis=1, keepdims=True)
    flat, wanted = x.reshape(-1, x.shape[2]), np.einsum("qcf,qc->f", x, share)
    out = np.where(known, 0, -1e9).astype(np.float32)

    def loss(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        s = (flat @ w.astype(np.float32)).reshape(out.shape) + out
        top = s.max(axis=1, keepdims=True)
        e = np.exp(s - top)
        total = e.sum(axis=1, keepdims=True)
        value = (np.where(known, s * share, 0).sum(axis=1) - top[:, 0] - np.log(total[:, 0])).sum()
        slope = wanted - flat.T @ (e / total).reshape(-1)
        return -value / len(s) + penalty * w @ w, -slope.astype(np.float64) / len(s) + 2 * penalty * w

    found = minimize(loss, np.zeros(x.shape[2]), jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return np.asarray(found.x / spread, np.float64)


def ndcg(examples: Examples, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return nDCG@10 of each query."""
    scores = np.where(examples.docs >= 0, examples.features @ weights, -np.inf)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :10]
    ideal = np.cumsum(DISCOUNT)[np.minimum(examples.n_relevant, 10) - 1]
    return np.take_along_axis(examples.relevant, order, 1) @ DISCOUNT / ideal


def main() -> None:
    """Learn, tell, print."""
    words = sys.argv[1:]
    since = int(words[words.index("--from") + 1]) if "--from" in words else 2014
    bench = store.read_benchmark(Path(words[0]))
    scorer = precedents(bench.collections["chunks"], {"k1": "0.75", "b": "0.75"}, bench)
    train, dev = read_examples(bench, scorer, "train", since), read_examples(bench, scorer, "dev", 0)
    weights = fit(train)
    alone = np.eye(len(FEATURES))[0]
    print(f"# nDCG@10 on {len(dev.docs)} development queries: {ndcg(dev, weights).mean():.4f}; words alone "
          f"{ndcg(dev, alone).mean():.4f}; the ceiling of the candidates {ceiling(dev):.4f}")  # fmt: skip
    if "--also-dev" in words:
        weights = fit(join(train, dev))
    for name, weight in zip(FEATURES, weights, strict=True):
        print(f"{name} = {weight:.4g}")


def ceiling(examples: Examples) -> float:
    """Return nDCG@10 if all relevant candidates came first."""
    found = np.cumsum(DISCOUNT)[np.minimum(examples.relevant.sum(axis=1), 10) - 1]
    ideal = np.cumsum(DISCOUNT)[np.minimum(examples.n_relevant, 10) - 1]
    return float((np.where(examples.relevant.any(axis=1), found, 0) / ideal).mean())


def join(one: Examples, other: Examples) -> Examples:
    """Return the queries of both."""
    return Examples(
        *(np.concatenate([getattr(part, name) for part in (one, other)]) for name in Examples.__dataclass_fields__)
    )


if __name__ == "__main__":
    main()
