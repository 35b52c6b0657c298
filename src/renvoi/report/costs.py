"""What a system reaches beside what it takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from renvoi import figures
from renvoi.evaluate.tables import Row
from renvoi.figures import Sheet


def score_against_time(rows: Mapping[str, Row], timings: Mapping[str, Mapping[str, Any]]) -> Sheet | None:
    """Return the table and picture of score against time; None where fewer than two systems were timed.

    Args:
        rows: the value of each system by one measure, with its interval.
        timings: of each system, see `store.read_timings`.
    """
    known = {name: timings[name] for name in rows if name in timings}
    if len(known) < 2:
        return None
    measure = next(iter(rows.values())).measure
    per_query = {name: 1000 * row["searching_s"] / max(row["queries"], 1) for name, row in known.items()}
    columns = ["system", measure, "ms a question", "seconds to index"]
    spent = {name: row["contexts"] for name, row in known.items() if row.get("contexts")}
    columns += ["tokens for contexts", "cost of contexts"] if spent else []
    told: list[tuple[str | int | float | None, ...]] = []
    for name in sorted(known, key=lambda one: (-rows[one].value, one)):
        row = known[name]
        cells = [name, rows[name].value, round(per_query[name], 3), round(row["indexing_s"], 2)]
        if spent:
            paid = spent.get(name, {"prompt_tokens": 0, "completion_tokens": 0, "cost": 0})
            cells += [paid["prompt_tokens"] + paid["completion_tokens"], paid["cost"]]
        read = [what for what in ("indexing", "searching") if row.get(f"{what}_read")]
        told.append((*cells, f"{' and '.join(read)} partly from the cache: takes longer without" if read else ""))
    columns.append("remark")
    if not any(row[-1] for row in told):
        columns, told = columns[:-1], [row[:-1] for row in told]
    drawn = {
        name: (max(per_query[name], 0.001), rows[name].value) for name in known if not known[name].get("searching_read")
    }
    drawing = figures.points(
        drawn, x="milliseconds a question", y=measure, ends={name: (rows[name].low, rows[name].high) for name in drawn}
    ) if len(drawn) > 1 else ""  # fmt: skip
    missing = sorted(set(rows) - set(known))
    note = "Wall time as measured while the runs were made, on all cores of that machine, questions in batches." + (
        f" Not timed: {', '.join(missing)}." if missing else ""
    )
    if spent:
        note += " Contexts are made once for all questions; their cost is by the prices given when they were made."
    return Sheet("score_against_time", "Score against time", tuple(columns), tuple(told), note, drawing)
