from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from renvoi.evaluate import compare


def test_the_bootstrap_interval_agrees_with_theory_for_independent_queries() -> None:
    values = np.random.default_rng(1).normal(0.5, 0.1, size=(400, 1))

    low, high = compare.bootstrap(values, [str(i) for i in range(400)])

    half = stats.t.ppf(0.975, 399) * values.std(ddof=1) / 20
    assert (low[0], high[0]) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.001)


def test_queries_that_share_a_cluster_widen_the_interval() -> None:
    values = np.repeat(np.random.default_rng(1).random(20), 10)[:, None]
    alone, together = [str(i) for i in range(200)], [str(i // 10) for i in range(200)]

    narrow, wide = (np.ptp(compare.bootstrap(values, clusters)) for clusters in (alone, together))

    assert wide > 2.5 * narrow


def test_the_interval_holds_the_truth_nineteen_times_in_twenty_even_with_eight_clusters() -> None:
    rng = np.random.default_rng(7)
    clusters = np.repeat(np.arange(8), 12).astype(str).tolist()
    held = 0
    for _ in range(400):
        values = np.repeat(rng.normal(0, 1, 8), 12)[:, None] + rng.normal(0, 1, (96, 1))
        low, high = compare.bootstrap(values, clusters, n_samples=2000)
        held += bool(low[0] <= 0 <= high[0])

    assert 0.92 <= held / 400 <= 0.99


def test_the_same_seed_gives_the_same_interval() -> None:
    values = np.arange(30.0)[:, None]

    assert compare.bootstrap(values, list("ab" * 15)) == compare.bootstrap(values, list("ab" * 15))


@pytest.mark.parametrize(("successes", "n"), [(0, 28), (28, 28), (22, 28), (1, 3)])
def test_the_exact_interval_equals_scipys(successes: int, n: int) -> None:
    expected = stats.binomtest(successes, n).proportion_ci(method="exact")

    assert compare.exact(successes, n) == pytest.approx((expected.low, expected.high))


def test_a_proportion_of_none_still_has_an_interval() -> None:
    (ends,) = compare.intervals(np.zeros((20, 1)), ["a"] * 20)

    assert ends == (0.0, compare.exact(0, 20)[1])


def test_few_differences_are_tested_by_enumeration() -> None:
    differences = np.array([0.3, 0.1, -0.2, 0.5, 0.0, 0.4])

    sums = [abs(np.dot(signs, differences)) for signs in product((1, -1), repeat=6)]
    expected = np.mean([s >= abs(differences.sum()) - 1e-9 for s in sums])

    assert compare.randomisation_p(differences) == pytest.approx(expected)


def test_drawn_signs_agree_with_the_normal_approximation() -> None:
    differences = np.random.default_rng(3).normal(0.15, 1, 200)

    z = differences.sum() / np.sqrt((differences**2).sum())

    assert compare.randomisation_p(differences) == pytest.approx(2 * stats.norm.sf(abs(z)), abs=0.005)


def test_equal_systems_are_not_told_apart() -> None:
    values = np.random.default_rng(0).random((30, 1))

    (found,) = compare.compare(("a", values), ("b", values), ["R@10"], [str(i) for i in range(30)])

    assert (found.p, found.effect, found.ties) == (1.0, 0.0, 30)


def test_many_clusters_are_flipped_whole() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random((60, 1)), rng.random((60, 1))

    (found,) = compare.compare(("a", a), ("b", b), ["R@10"], [f"{i // 2:02}" for i in range(60)])

    assert found.flipped == "clusters"
    assert found.p == compare.randomisation_p((a - b)[:, 0].reshape(30, 2).sum(axis=1))


def test_holm_corrects_the_pairs_of_one_measure_together() -> None:
    rng = np.random.default_rng(0)
    names = [str(i) for i in range(30)]
    made = []
    for shift in (0.1, 0.2, 0.3):
        a, b = rng.random((30, 2)) + shift, rng.random((30, 2))
        made += compare.compare(("a", a), ("b", b), ["R@10", "AP"], names)

    corrected = compare.corrected(made)

    for measure in ("R@10", "AP"):
        family = [c for c in corrected if c.measure == measure]
        assert [c.p_holm for c in family] == compare.holm([c.p for c in family])
