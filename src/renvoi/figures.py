"""Sheets: a table with a title and a remark, and where a picture says more, its drawing as SVG.

Drawings are deterministic (no date, ids from a fixed salt), have no background, and keep text as text.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

INK, QUIET, BLUE, RED = "#1f2933", "#8a94a0", "#2f6f9f", "#b5483a"
_MANY_POINTS = 500
_GRID = 40  # places on each axis where there are many points
_SERIES = (BLUE, RED, "#5a8f5a", "#c08a2d", "#6d5a9c", "#4b8f8f", "#8a94a0")
_STYLE: dict[str, Any] = {
    "svg.hashsalt": "renvoi", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9,
    "axes.edgecolor": QUIET, "axes.labelcolor": INK, "axes.spines.top": False, "axes.spines.right": False,
    "axes.titlesize": 9, "xtick.color": INK, "ytick.color": INK, "text.color": INK, "legend.frameon": False,
    "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none", "axes.unicode_minus": False,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table, and its drawing if it has one."""

    name: str  # of its files: "token_distances"
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...]
    note: str = ""
    svg: str = ""


def as_csv(sheet: Sheet) -> str:
    """Return the table as CSV, the remark as a comment line above."""
    out = io.StringIO()
    if sheet.note:
        out.write(f"# {sheet.note}\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(sheet.columns)
    writer.writerows(tuple(f"{v:.6g}" if isinstance(v, float) else v for v in row) for row in sheet.rows)
    return out.getvalue()


def as_latex(sheet: Sheet) -> str:
    """Return the table as LaTeX (booktabs), the remark as a comment."""
    kinds = ["l" if any(isinstance(row[j], str) for row in sheet.rows) else "r" for j in range(len(sheet.columns))]
    lines = [f"% {sheet.title}. {sheet.note}".rstrip(), f"\\begin{{tabular}}{{{''.join(kinds)}}}", "\\toprule"]
    lines += [" & ".join(map(tex, sheet.columns)) + " \\\\", "\\midrule"]
    lines += [" & ".join(tex(cell(value)) for value in row) + " \\\\" for row in sheet.rows]
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"]) + "\n"


def cell(value: str | int | float | None) -> str:
    """Return a value as it is printed: fractions with three digits, large numbers with what a reader can use."""
    if not isinstance(value, float):
        return "" if value is None else str(value)
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}" if abs(value) < 1000 else f"{value:.0f}"


def spread(name: str, values: Sequence[float]) -> tuple[str | int | float, ...]:
    """Return a row that says how values lie: name, number, mean, median, 95th percentile, greatest."""
    array = np.asarray(values, dtype=np.float64)
    middle, high = np.quantile(array, [0.5, 0.95])
    return name, len(values), float(array.mean()), float(middle), float(high), max(values)


def tex(text: str) -> str:
    """Return text safe in LaTeX."""
    marks = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "§": r"\S{}"}
    return "".join(marks.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in text)


def standalone(svg: str) -> str:
    """Return a drawing that can stand in a file of its own."""
    return '<?xml version="1.0" encoding="utf-8"?>\n' + svg


def bars(
    values: Mapping[str, float],
    *,
    x: str,
    ends: Mapping[str, tuple[float, float]] | None = None,
    limit: float = 0.0,
    log: bool = False,
) -> str:
    """Return one horizontal bar a name, best as given, with its interval where there is one."""

    def draw(axes: Any) -> None:
        names, lengths = list(values), list(values.values())
        axes.barh(names, lengths, color=BLUE, height=0.62)
        for i, name in enumerate(names):
            if ends and name in ends:
                axes.plot(ends[name], [i, i], color=INK, linewidth=1.2)
        axes.invert_yaxis()
        axes.set_xlabel(x)
        if limit:
            axes.set_xlim(0, limit)
        if log:
            axes.set_xscale("log")
            axes.set_xlim(left=0.7)

    return _svg(draw, width=5.0, height=0.6 + 0.24 * max(len(values), 1))


def spans(ends: Mapping[str, tuple[float, float]], *, x: str) -> str:
    """Return one horizontal bar a name, from one year to another."""

    def draw(axes: Any) -> None:
        for i, (first, last) in enumerate(ends.values()):
            axes.barh(i, max(last - first, 0.1), left=first, color=BLUE, height=0.5)
        axes.set_yticks(range(len(ends)), list(ends))
        axes.invert_yaxis()
        axes.set_xlabel(x)

    return _svg(draw, height=0.6 + 0.24 * max(len(ends), 1))


def histogram(values: Sequence[float], *, x: str, bins: Sequence[float] | int = 40, symlog: float = 0.0) -> str:
    """Return a histogram; `symlog` makes the axis logarithmic beyond that distance from 0, on both sides."""

    def draw(axes: Any) -> None:
        axes.hist(
            np.asarray(values), bins=_symmetric(values, symlog) if symlog else bins, color=BLUE, edgecolor="white"
        )
        if symlog:
            axes.set_xscale("symlog", linthresh=symlog)
            axes.axvline(0, color=INK, linewidth=0.8)
        axes.set_xlabel(x)
        axes.set_ylabel("number")

    return _svg(draw)


def boxes(values: Mapping[str, Sequence[float]], *, x: str, limit: float = 0.0) -> str:
    """Return one horizontal box a name: quartiles, whiskers from the 5th to the 95th percentile.

    The axis goes from 0 to `limit`, or as far as is needed; over values of very different size it is logarithmic.
    """
    middles = [float(np.median(v)) for v in values.values()]

    def draw(axes: Any) -> None:
        axes.boxplot(
            [np.asarray(v) for v in values.values()], orientation="horizontal", tick_labels=list(values),
            whis=(5, 95), showfliers=False, widths=0.6,
            medianprops={"color": RED}, boxprops={"color": BLUE}, whiskerprops={"color": QUIET},
            capprops={"color": QUIET},
        )  # fmt: skip
        axes.invert_yaxis()
        axes.set_xlabel(x)
        if limit:
            axes.set_xlim(0, limit)
        elif min(middles, default=0) > 0 and max(middles) > 10 * min(middles):
            axes.set_xscale("log")

    return _svg(draw, height=0.7 + 0.24 * max(len(values), 1))


def scatter(x: Sequence[float], y: Sequence[float], *, x_label: str, y_label: str) -> str:
    """Return points between 0 and 1 with the diagonal; those above it in red.

    Many points become dots on a grid of 0.025, larger where they stand for 2, 4, 8 … points.
    """
    above = np.asarray(y) > np.asarray(x)
    points = np.column_stack([np.asarray(x), np.asarray(y)]).reshape(-1, 2)
    if len(points) > _MANY_POINTS:
        points = np.round(points * _GRID) / _GRID

    def draw(axes: Any) -> None:
        axes.plot([0, 1], [0, 1], color=QUIET, linewidth=0.8)
        for chosen, colour in ((above, RED), (~above, BLUE)):
            places, counts = np.unique(points[chosen], axis=0, return_counts=True)
            doublings = np.log2(np.maximum(counts, 1)).astype(int)
            for n in np.unique(doublings):  # markers of one size are written once
                some = places[doublings == n]
                axes.plot(some[:, 0], some[:, 1], "o", ms=2.5 + n, color=colour, alpha=0.6, markeredgewidth=0)
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        axes.set_aspect("equal")
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)

    return _svg(draw, width=4.2, height=4.0)


def points(
    values: Mapping[str, tuple[float, float]], *, x: str, y: str, ends: Mapping[str, tuple[float, float]] | None = None
) -> str:
    """Return one named point a pair over a logarithmic x axis, with the interval of its y where there is one."""

    def draw(axes: Any) -> None:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda at, _: f"{at:g}")
        xs = [at for at, _ in values.values()]
        left, right = min(xs) / 2, max(xs) * 2
        axes.set_xlim(left, right)
        top = max((max(ends[name]) if ends else value) for name, (_, value) in values.items()) * 1.05 or 1.0
        # Where things stand, in shares of the axes: left, right, middle of the height.
        spots = {n: (float(np.log(at / left) / np.log(right / left)), v / top) for n, (at, v) in values.items()}
        boxes = [(along - 0.01, along + 0.01, height) for along, height in spots.values()]
        for name, (along, height) in sorted(spots.items(), key=lambda item: item[1]):
            at, value = values[name]
            if ends:
                axes.plot([at, at], ends[name], color=BLUE, linewidth=1.0, alpha=0.55)
            axes.scatter([at], [value], s=22, color=BLUE, zorder=3, linewidths=0)
            box, side = _free_place(along, height, 0.0125 * len(name), boxes)
            boxes.append(box)
            edge = box[0] if side == "left" else box[1]
            axes.annotate(name, (edge, box[2]), xycoords="axes fraction", va="center", ha=side, fontsize=8)
        axes.set_ylim(0, top)
        axes.set_xlabel(x)
        axes.set_ylabel(y)

    return _svg(draw, width=6.2, height=3.4)


def _free_place(
    along: float, height: float, width: float, boxes: Sequence[tuple[float, float, float]]
) -> tuple[tuple[float, float, float], str]:
    """Return where the name of a point can stand clear of `boxes`, beside it or a little above or below; and its side.

    All in shares of the axes: left, right, middle of the height.
    """
    places = []
    for lift in (0.0, 0.06, -0.06, 0.12, -0.12, 0.18):
        for side, start in (("left", along + 0.018), ("right", along - 0.018 - width)):
            box = (start, start + width, height + lift)
            if start >= 0 and start + width <= 1.0 and 0.03 <= height + lift <= 1.0:
                places.append((box, side))
    clear = (
        (box, side) for box, side in places
        if not any(box[0] < b[1] and b[0] < box[1] and abs(box[2] - b[2]) < 0.05 for b in boxes)
    )  # fmt: skip
    return next(clear, places[0] if places else ((along, along + width, height), "left"))


def heat_map(matrix: npt.NDArray[np.float64], names: Sequence[str]) -> str:
    """Return a square of similarities, one row and column a name."""

    def draw(axes: Any) -> None:
        image = axes.imshow(matrix, cmap="Blues", vmin=float(matrix.min()), vmax=1.0)
        axes.set_xticks(range(len(names)), names, rotation=90, fontsize=6)
        axes.set_yticks(range(len(names)), names, fontsize=6)
        for side in axes.spines.values():
            side.set_visible(False)
        axes.figure.colorbar(image, ax=axes, shrink=0.7)

    side = 2.2 + 0.16 * len(names)
    return _svg(draw, width=side + 0.6, height=side)


def lines(series: Mapping[str, Sequence[float]], ticks: Sequence[str], *, y: str) -> str:
    """Return one line a name over the same ticks."""

    def draw(axes: Any) -> None:
        for i, (name, values) in enumerate(series.items()):
            axes.plot(range(len(values)), values, marker="o", markersize=4, label=name, color=_SERIES[i % len(_SERIES)])
        axes.set_xticks(range(len(ticks)), ticks)
        axes.set_ylabel(y)
        axes.set_ylim(0, 1.2 * max((max(values) for values in series.values()), default=1.0) or 1.0)
        axes.legend(ncols=3)

    return _svg(draw)


def _symmetric(values: Sequence[float], start: float) -> npt.NDArray[np.float64]:
    top = max(float(np.abs(np.asarray(values)).max()), start * 10) if len(values) else start * 10
    side = np.concatenate([np.linspace(0, start, 5), np.geomspace(start, top, 16)[1:]])
    return np.concatenate([-side[::-1], side[1:]])


def _svg(draw: Callable[[Any], None], *, width: float = 6.2, height: float = 2.8) -> str:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(rc=_STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure.add_subplot())
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    # In a page the drawing follows the column, up to its own size.
    text = re.sub(r'width="[\d.]+pt" height="[\d.]+pt"', f'style="max-width: {6.4 * width:.1f}rem"', text, count=1)
    return re.sub(r"\n\s*", "\n", text)
