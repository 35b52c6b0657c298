"""Values of queries > intervals and tests. All draws come from a seed: the same values give the same figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

N_SAMPLES = 10_000
LEVEL = 0.95
# Flipping the sign of fewer clusters than this cannot give a small p, so queries are flipped instead.
MIN_CLUSTERS_TO_FLIP = 20
_EXACT_UP_TO = 14  # 2^14 sign patterns are enumerated rather than drawn
_CHUNK = 4_000_000  # cells drawn at a time


@dataclass(frozen=True, slots=True)
class Comparison:
    """System `a` against system `b` on the same queries, by one measure."""

    a: str
    b: str
    measure: str
    difference: float  # mean of a - mean of b
    low: float  # 95 % cluster bootstrap interval of the difference
    high: float
    p: float  # paired randomisation, two-sided
    p_holm: float  # corrected for all pairs compared by this measure
    effect: float  # Cohen's d of the paired differences: mean / standard deviation
    wins: int  # queries on which a is better
    ties: int
    losses: int
    flipped: str  # what the test flips: "queries" or "clusters"


def bootstrap(
    values: Floats, clusters: Sequence[str], *, n_samples: int = N_SAMPLES, seed: int = 0
) -> tuple[Floats, Floats]:
    """Return the 95 % bootstrap interval of each column's mean, drawing whole clusters.

    The percentiles are widened for few clusters by Hesterberg's expanded interval ("What teachers should know about
    the bootstrap", 2015, section 3.2): with 8 acts the plain one would be a fifth too narrow.
    One cluster only: queries are drawn instead.

    Args:
        values: (n_queries, n_columns).
        clusters: the cluster of each query.
        n_samples: bootstrap samples.
        seed: of the draws.

    Returns:
        low and high, each (n_columns,).
    """
    codes = _codes(clusters)
    n = int(codes.max()) + 1
    if n == 1:
        codes, n = np.arange(len(values)), len(values)
    if n == 1:
        return values.mean(axis=0), values.mean(axis=0)
    sums = np.zeros((n, values.shape[1]))
    np.add.at(sums, codes, values)
    sizes = np.bincount(codes, minlength=n).astype(np.float64)
    # Equal draws for equal (n, seed): columns and systems are resampled together.
    means = np.concatenate([(drawn @ sums) / (drawn @ sizes)[:, None] for drawn in _draws(n, n_samples, seed)])
    tail = _expanded_tail(n)
    low, high = np.quantile(means, [tail, 1 - tail], axis=0)
    return low, high


def exact(successes: int, n: int) -> tuple[float, float]:
    """Return the exact 95 % interval of a proportion (Clopper and Pearson 1934).

    >>> tuple(round(end, 4) for end in exact(97, 110))
    (0.8064, 0.9355)
    """
    from scipy.stats import beta

    tail = (1 - LEVEL) / 2
    low = 0.0 if successes == 0 else float(beta.ppf(tail, successes, n - successes + 1))
    high = 1.0 if successes == n else float(beta.ppf(1 - tail, successes + 1, n - successes))
    return low, high


def intervals(values: Floats, clusters: Sequence[str], *, seed: int = 0) -> list[tuple[float, float]]:
    """Return the 95 % interval of each column's mean.

    Bootstrapped by cluster; where all values are 0 or 1 (a proportion), the hull of that and the exact interval,
    because the first ignores that the true value may lie beyond all that was seen, and the second the clusters.
    """
    low, high = bootstrap(values, clusters, seed=seed)
    ends = []
    for j in range(values.shape[1]):
        column = values[:, j]
        pair = (float(low[j]), float(high[j]))
        if np.isin(column, (0.0, 1.0)).all():
            sure = exact(int(column.sum()), len(column))
            pair = (min(pair[0], sure[0]), max(pair[1], sure[1]))
        ends.append(pair)
    return ends


def randomisation_p(differences: Floats, *, n_samples: int = 100_000, seed: int = 0) -> float:
    """Return the two-sided p of a paired randomisation test (Fisher; Smucker, Allan and Carterette 2007).

    Args:
        differences: one a query or cluster; under the null each could as well have the other sign.
        n_samples: patterns drawn where there are too many to enumerate.
        seed: of the draws.
    """
    moved = differences[differences != 0]
    n = len(moved)
    if n == 0:
        return 1.0
    seen = abs(moved.sum()) * (1 - 1e-12)  # equal sums must count as equal whatever the order of addition
    if n <= _EXACT_UP_TO:
        signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        return float((np.abs(signs @ moved) >= seen).mean())
    rng = np.random.default_rng(seed)
    extreme, step = 0, max(1, _CHUNK // n)
    for start in range(0, n_samples, step):
        flips = rng.integers(0, 2, size=(min(step, n_samples - start), n), dtype=np.int8)
        extreme += int((np.abs((1 - 2 * flips) @ moved) >= seen).sum())
    return (extreme + 1) / (n_samples + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p values corrected for their number (Holm 1979), in the same order.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    corrected = [0.0] * len(p_values)
    worst = 0.0
    for place, i in enumerate(order):
        worst = max(worst, min(1.0, p_values[i] * (len(p_values) - place)))
        corrected[i] = worst
    return corrected


def compare(
    a: tuple[str, Floats], b: tuple[str, Floats], measures: Sequence[str], clusters: Sequence[str], *, seed: int = 0
) -> list[Comparison]:
    """Return one comparison a measure, not yet corrected: see `corrected`.

    Args:
        a: name and values (n_queries, n_measures) of a system.
        b: the other system, on the same queries.
        measures: names of the columns.
        clusters: the cluster of each query.
        seed: of the draws.
    """
    differences = a[1] - b[1]
    low, high = bootstrap(differences, clusters, seed=seed)
    codes = _codes(clusters)
    by_cluster = MIN_CLUSTERS_TO_FLIP <= int(codes.max()) + 1 < len(codes)
    made = []
    for j, name in enumerate(measures):
        column = differences[:, j]
        spread = float(column.std(ddof=1)) if len(column) > 1 else 0.0
        units = np.bincount(codes, weights=column).astype(np.float64) if by_cluster else column
        p = randomisation_p(units, seed=seed)
        made.append(
            Comparison(
                a=a[0],
                b=b[0],
                measure=name,
                difference=float(column.mean()),
                low=float(low[j]),
                high=float(high[j]),
                p=p,
                p_holm=p,
                effect=float(column.mean()) / spread if spread else 0.0,
                wins=int((column > 0).sum()),
                ties=int((column == 0).sum()),
                losses=int((column < 0).sum()),
                flipped="clusters" if by_cluster else "queries",
            )
        )
    return made


def corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons with `p_holm`, each measure a family of its own: measures are views of one question."""
    families: dict[str, list[int]] = {}
    for i, comparison in enumerate(comparisons):
        families.setdefault(comparison.measure, []).append(i)
    p_holm = [0.0] * len(comparisons)
    for members in families.values():
        for i, p in zip(members, holm([comparisons[i].p for i in members]), strict=True):
            p_holm[i] = p
    return [replace(c, p_holm=p) for c, p in zip(comparisons, p_holm, strict=True)]


def smallest_finding(ends: Sequence[tuple[float, float]]) -> float:
    """Return the difference below which nothing is found: half the widest of these intervals."""
    return max((high - low) / 2 for low, high in ends)


def _codes(clusters: Sequence[str]) -> npt.NDArray[np.int64]:
    return np.unique(np.asarray(clusters, dtype=np.str_), return_inverse=True)[1].astype(np.int64)


def _draws(n: int, n_samples: int, seed: int) -> Iterator[Floats]:
    """Yield how often each of `n` clusters is drawn, (some samples, n)."""
    rng = np.random.default_rng(seed)
    step = max(1, _CHUNK // n)
    for start in range(0, n_samples, step):
        size = min(step, n_samples - start)
        picks = rng.integers(0, n, size=(size, n)) + np.arange(size)[:, None] * n
        yield np.bincount(picks.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)


def _expanded_tail(n: int) -> float:
    from scipy.stats import norm, t

    widened = np.sqrt(n / (n - 1)) * t.ppf(1 - (1 - LEVEL) / 2, n - 1)
    return float(norm.cdf(-widened))
