"""An evaluation as a table: with its intervals, tests, rules and notes, as text, JSON, CSV or LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from renvoi import evaluate
from renvoi.errors import RenvoiError
from renvoi.evaluate import Evaluation, compare, query_groups
from renvoi.types import Benchmark


@dataclass(frozen=True, slots=True)
class Row:
    """One system's value by one measure."""

    system: str
    measure: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Table:
    """What is printed, and all of what must be said with it."""

    measures: tuple[str, ...]
    rows: tuple[Row, ...]
    comparisons: tuple[compare.Comparison, ...]
    by: Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]]  # key > group > system > measure
    sizes: Mapping[str, Mapping[str, int]]  # key > group > queries
    notes: tuple[str, ...]


class UnknownSystem(RenvoiError):
    """No run has this name."""


def tabulate(
    evaluation: Evaluation,
    bench: Benchmark,
    *,
    pairs: Sequence[tuple[str, str]] = (),
    by: Sequence[str] = (),
    seed: int = 0,
) -> Table:
    """Return the table of an evaluation.

    Args:
        evaluation: of `bench`.
        bench: names the groups of `by`.
        pairs: systems to compare; p values are corrected for their number, each measure by itself.
        by: fields of a query ("set", "act", "kind" …) to break the values down by.
        seed: of bootstrap and randomisation.

    Raises:
        UnknownSystem: a pair names a system that has no run.
    """
    rows, widths = [], dict.fromkeys(evaluation.measures, 0.0)
    for system, scores in evaluation.systems.items():
        ends = compare.intervals(scores.values, evaluation.clusters, seed=seed)
        for j, name in enumerate(evaluation.measures):
            rows.append(Row(system, name, float(scores.values[:, j].mean()), *ends[j]))
            widths[name] = max(widths[name], compare.smallest_finding([ends[j]]))
    comparisons = _compare(evaluation, pairs, seed)
    groups = {key: group_rows(evaluation, bench, key) for key in by}
    return Table(
        measures=evaluation.measures,
        rows=tuple(rows),
        comparisons=tuple(comparisons),
        by={
            key: {name: evaluate.mean_values(evaluation, members) for name, members in found.items()}
            for key, found in groups.items()
        },
        sizes={key: {name: len(members) for name, members in found.items()} for key, found in groups.items()},
        notes=(*evaluate.rules(evaluation), *_notes(evaluation, widths, comparisons)),
    )


def group_rows(evaluation: Evaluation, bench: Benchmark, key: str) -> dict[str, list[int]]:
    """Return the rows of an evaluation by what each query's field `key` says, groups in the order of their names.

    Raises:
        RenvoiError: no query has the field.
    """
    field = query_groups.field_values(bench, evaluation.level, key)
    groups: dict[str, list[int]] = {}
    for i, query_id in enumerate(evaluation.query_ids):
        groups.setdefault(field.get(query_id, "(none)"), []).append(i)
    return dict(sorted(groups.items()))


def as_json(table: Table, evaluation: Evaluation) -> dict[str, Any]:
    """Return `{"systems": {NAME: {MEASURE: value}}, "by": {KEY: {GROUP: {NAME: {…}}}}, …}`."""
    systems: dict[str, dict[str, float]] = {}
    ends: dict[str, dict[str, list[float]]] = {}
    for row in table.rows:
        systems.setdefault(row.system, {})[row.measure] = row.value
        ends.setdefault(row.system, {})[row.measure] = [row.low, row.high]
    return {
        "systems": systems,
        "by": table.by,
        "intervals": ends,
        "sizes": table.sizes,
        "comparisons": [asdict(c) for c in table.comparisons],
        "level": evaluation.level,
        "split": evaluation.split,
        "queries": len(evaluation.query_ids),
        "clusters": len(set(evaluation.clusters)),
        "excluded": {
            "no_relevant": len(evaluation.unjudged),
            "invalid": len(evaluation.invalid),
            "undecided": len(evaluation.undecided),
            "not_reviewed": len(evaluation.unreviewed),
        },  # fmt: skip
        "missing": {system: len(scores.missing) for system, scores in evaluation.systems.items()},
        "own_document_removed": {system: scores.removed for system, scores in evaluation.systems.items()},
        "copies": {system: [asdict(c) for c in scores.copies] for system, scores in evaluation.systems.items()},
        "notes": list(table.notes),
    }


def as_csv(table: Table) -> str:
    """Return one row a system, measure and group, the notes as comment lines above."""
    out = io.StringIO()
    out.writelines(f"# {note}\n" for note in table.notes)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["by", "group", "queries", "system", "measure", "value", "low", "high"])
    for row in table.rows:
        writer.writerow(["", "", "", row.system, row.measure, *(f"{x:.6f}" for x in (row.value, row.low, row.high))])
    for key, groups in table.by.items():
        for group, systems in groups.items():
            for system, values in systems.items():
                for name, value in values.items():
                    writer.writerow([key, group, table.sizes[key][group], system, name, f"{value:.6f}", "", ""])
    return out.getvalue()


def as_latex(table: Table) -> str:
    """Return a booktabs table, the best value of each measure in bold, the notes as comments."""
    lines = [f"% {note}" for note in table.notes]
    lines += [f"\\begin{{tabular}}{{l{'r' * len(table.measures)}}}", "\\toprule"]
    lines += [" & ".join(["System", *map(_tex, table.measures)]) + " \\\\", "\\midrule"]
    best = {name: max(r.value for r in table.rows if r.measure == name) for name in table.measures}
    for system in dict.fromkeys(row.system for row in table.rows):
        cells = [_tex(system)]
        for row in (r for r in table.rows if r.system == system):
            value = f"\\textbf{{{row.value:.3f}}}" if row.value == best[row.measure] else f"{row.value:.3f}"
            cells.append(f"{value} {{\\scriptsize [{row.low:.3f}, {row.high:.3f}]}}")
        lines.append(" & ".join(cells) + " \\\\")
    lines += ["\\bottomrule", "\\end{tabular}"]
    return "\n".join(lines) + "\n"


def _tex(text: str) -> str:
    for mark in "\\&%$#_{}~^":
        text = text.replace(mark, f"\\{mark}" if mark in "&%$#_{}" else {"\\": "/", "~": " ", "^": ""}[mark])
    return text


def _compare(evaluation: Evaluation, pairs: Sequence[tuple[str, str]], seed: int) -> list[compare.Comparison]:
    made: list[compare.Comparison] = []
    for a, b in pairs:
        for name in (a, b):
            if name not in evaluation.systems:
                raise UnknownSystem(f"no run is named {name!r}; there are: {', '.join(evaluation.systems)}")
        values = [(name, evaluation.systems[name].values) for name in (a, b)]
        made += compare.compare(values[0], values[1], evaluation.measures, evaluation.clusters, seed=seed)
    return compare.corrected(made)


def _notes(evaluation: Evaluation, widths: Mapping[str, float], comparisons: Sequence[compare.Comparison]) -> list[str]:
    n, n_clusters = len(evaluation.query_ids), len(set(evaluation.clusters))
    drawn = f"{n_clusters} clusters of queries" if 1 < n_clusters < n else f"{n} queries"
    lines = [
        f"Intervals: 95 %, bootstrap over {drawn}, widened for their number; for proportions never narrower than "
        "the exact (Clopper-Pearson) ones."
    ]
    if evaluation.systems:
        sizes = ", ".join(f"{100 * width:.1f} points of {name}" for name, width in widths.items())
        lines.append(
            f"With these queries a difference under about {sizes} is not a finding unless a paired test says so."
        )
    if comparisons:
        n_pairs = len({(c.a, c.b) for c in comparisons})
        lines.append(
            f"Tests: paired randomisation over {comparisons[0].flipped}, two-sided, Holm-corrected for {n_pairs} "
            "pairs of systems; the effect is Cohen's d of the paired differences."
        )
    return lines
