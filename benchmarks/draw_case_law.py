"""Draw what the recipe is worth on judgments beside the tuned baselines: a panel a level, a line a system.

    python benchmarks/draw_case_law.py BENCH RUNS... [--svg docs/figures/case-law.svg] [--measure nDCG@10]

RUNS are folders of `renvoi run BENCH renvoi BASELINES... --level LEVEL --split test`; of each the runs of one level.
Points are means, lines 95 % intervals over clusters of judgments; the blue one is `renvoi`. Above stands how far it is
from the best other, with the interval of the paired difference and the p of the paired test. Prints all this, too.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from renvoi import evaluate, store
from renvoi.evaluate import tables

OURS = "renvoi"
NAMES = {"bm25": "BM25", "tf_idf": "TF-IDF", "dirichlet_lm": "LMIR", "dph": "DPH", OURS: "renvoi"}
TITLES = {
    "par_par": "paragraphs > paragraphs",
    "par_case": "paragraphs > judgments",
    "case_case": "judgments > judgments",
}


@dataclass(frozen=True, slots=True)
class Panel:
    """What one level is worth."""

    level: str
    n_queries: int
    rows: tuple[tuple[str, float, float, float], ...]  # system, mean and interval, the best first, ours before all
    difference: tuple[float, float, float, float]  # of ours and the best other: mean, interval, p


def read_panel(bench: Path, runs: Path, measure: str) -> Panel:
    """Return what the runs of a folder are worth."""
    made = store.read_run_settings([runs])
    frames = {system: store.read_run(file) for system, file in store.find_runs([runs]).items()}
    read = store.read_benchmark(bench)
    found = evaluate.evaluate(read, frames, [measure], level=made.get("level"), split=made.get("split"))
    means = {system: float(np.mean(scores.values[:, 0])) for system, scores in found.systems.items()}
    best = max((system for system in means if system != OURS), key=lambda system: means[system])
    told = tables.as_json(tables.tabulate(found, read, pairs=[(OURS, best)]), found)
    [pair] = told["comparisons"]
    order = [OURS, *sorted((system for system in means if system != OURS), key=lambda system: -means[system])]
    rows = tuple(
        (name_system(system, order), told["systems"][system][measure], *told["intervals"][system][measure])
        for system in order
    )
    return Panel(told["level"], told["queries"], rows, (pair["difference"], pair["low"], pair["high"], pair["p"]))


def name_system(system: str, others: Sequence[str]) -> str:
    """Return a system as a reader knows it, with its further fields; with k1 or mu where two would be called alike."""
    called = [_call(other) for other in others]
    first = system.partition("-")[2].partition(",")[0]
    return _call(system) + (f" ({first})" if called.count(_call(system)) > 1 else "")


def _call(system: str) -> str:
    base, _, options = system.partition("-")
    fields = [option[2:].partition("=")[0] for option in options.split(",") if option.startswith("w.")]
    return " + ".join([NAMES.get(base, base), *(field for field in fields if field != "body")])


def draw(panels: Sequence[Panel], measure: str, path: Path) -> None:
    """Write the drawing."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "renvoi", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot as plt

    most = max(len(panel.rows) for panel in panels)
    figure, axes = plt.subplots(1, len(panels), figsize=(3.5 * len(panels), 1.3 + 0.4 * most), squeeze=False)
    for axis, panel in zip(axes[0], panels, strict=True):
        draw_panel(axis, panel, measure, most)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def draw_panel(axis: Any, panel: Panel, measure: str, most: int) -> None:
    """Draw one level."""
    names = [row[0] for row in panel.rows]
    middle, low, high = np.array([row[1:] for row in panel.rows]).T
    y = -np.arange(len(names), dtype=float)
    colours = ["#2f6f9f" if name == OURS else "#8a94a0" for name in names]
    axis.hlines(y, low, high, colors=colours, linewidth=1.5)
    axis.scatter(middle, y, c=colours, s=28, zorder=3)
    for at, value in zip(y, middle, strict=True):
        axis.annotate(f"{value:.3f}", (value, at), (0, 5), textcoords="offset points", ha="center", fontsize=8)
    by, least, greatest, p = panel.difference
    note = f"{by:+.3f} ({least:+.3f} to {greatest:+.3f}), {'p < .001' if p < 0.001 else f'p = {p:.3f}'}"
    axis.set_yticks(y, names)
    axis.set_ylim(-most + 0.5, 0.6)
    span = high.max() - low.min()
    axis.set_xlim(low.min() - 0.15 * span, high.max() + 0.25 * span)
    axis.set_title(f"{TITLES.get(panel.level, panel.level)}, {panel.n_queries} queries\n{note}", fontsize=8)
    axis.set_xlabel(f"{measure}, 95 %")
    axis.spines[["top", "right"]].set_visible(False)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the rows and write the drawing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--svg", type=Path, default=Path("docs/figures/case-law.svg"))
    parser.add_argument("--measure", default="nDCG@10")
    given = parser.parse_args(arguments)
    panels = [read_panel(given.bench, runs, given.measure) for runs in given.runs]
    for panel in panels:
        for name, value, low, high in panel.rows:
            print(f"| {panel.level} | {panel.n_queries} | {name} | {value:.3f} ({low:.3f} to {high:.3f}) |")
        by, low, high, p = panel.difference
        print(f"| {panel.level} | | renvoi less the best other | {by:+.3f} ({low:+.3f} to {high:+.3f}), p = {p:.4f} |")
    draw(panels, given.measure, given.svg)


if __name__ == "__main__":
    main()
