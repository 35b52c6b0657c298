"""Benchmark, results and settings > the page. Nothing in it needs the network, and equal inputs give equal bytes."""

from __future__ import annotations

import csv
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jinja2
import polars as pl
from markupsafe import Markup, escape

from renvoi import describe, evaluate, figures
from renvoi.errors import BadInput
from renvoi.evaluate import Evaluation, Verdict, diagnose, tables
from renvoi.evaluate.tables import Table
from renvoi.figures import Sheet
from renvoi.report.costs import score_against_time
from renvoi.report.worst import Miss, worst_queries
from renvoi.store.manifest import renvoi_version
from renvoi.types import Benchmark

_LEVEL_NAMES = {
    "chunk": "Questions to provisions",
    "par_par": "Paragraph to paragraph",
    "par_case": "Paragraph to case",
    "case_case": "Case to case",
}


_PLACES = {"before": " --prepend", "after": " --append"}


@dataclass(frozen=True, slots=True)
class Results:
    """What one level's runs reached."""

    title: str
    main: str  # the measure that orders systems and breakdowns
    best: str
    evaluation: Evaluation
    table: Table
    drawing: str  # bars with intervals, by `main`
    diagnosis: tuple[Sheet, ...]
    misses: tuple[Miss, ...]
    compared: tuple[str, ...]  # the systems whose rankings stand side by side
    time: Sheet | None = None


def evaluate_for_report(
    bench: Benchmark,
    runs: Mapping[str, pl.DataFrame],
    measures: str | Sequence[str],
    *,
    level: str | None = None,
    split: str | None = None,
    seed: int = 0,
    verdicts: Mapping[str, Verdict] | None = None,
    timings: Mapping[str, Mapping[str, Any]] | None = None,
) -> Results:
    """Return everything the page says about these runs. The best system is tested against every other.

    Args:
        bench: what was asked.
        runs: query_id, doc_id, score by system.
        measures: names as in `ir_measures`.
        level: of the runs.
        split: of the runs.
        seed: of every draw.
        verdicts: of a review; if given, only queries judged valid count.
        timings: of the runs, see `store.read_timings`.
    """
    found = evaluate.evaluate(bench, runs, measures, level=level, split=split, verdicts=verdicts)
    main = next((name for name in found.measures if name.startswith("nDCG")), found.measures[0])
    means = {system: values[main] for system, values in evaluate.mean_values(found).items()}
    order = sorted(means, key=lambda system: (-means[system], system))
    found = replace(found, systems={system: found.systems[system] for system in order})  # best first in every table
    runs = {system: runs[system] for system in order}
    by = [key for key in ("set",) if any(key in q.extra for q in bench.queries)]
    table = tables.tabulate(found, bench, pairs=[(order[0], other) for other in order[1:]], by=by, seed=seed)
    ends = {row.system: (row.low, row.high) for row in table.rows if row.measure == main}
    drawing = figures.bars({system: means[system] for system in order}, x=main, ends=ends)
    side = tuple(order[:2])
    return Results(
        title=_LEVEL_NAMES.get(found.level, found.level),
        main=main,
        best=order[0],
        evaluation=found,
        table=table,
        drawing=drawing,
        diagnosis=tuple(diagnose.diagnose(bench, runs, found, main, verdicts)),
        misses=tuple(worst_queries(bench, runs, found, side)),
        compared=side,
        time=score_against_time({row.system: row for row in table.rows if row.measure == main}, timings or {}),
    )


def render_report(
    bench: Benchmark,
    results: Sequence[Results],
    *,
    name: str,
    hashes: Mapping[str, str],
    run_settings: Sequence[Mapping[str, Any]] = (),
    extra: Sequence[Sheet] = (),
    with_distractors: bool = True,
    seed: int = 0,
) -> str:
    """Return the page.

    Args:
        bench: what it is about.
        results: of each level that has runs.
        name: the benchmark's, for the title.
        hashes: file > SHA-256, of the benchmark and the runs.
        run_settings: the manifests of the run folders.
        extra: sheets made elsewhere, such as a leakage curve.
        with_distractors: also search the strongest distractors, which takes longest.
        seed: of every draw.
    """
    facts = describe.describe(bench, with_distractors=with_distractors, seed=seed)
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {
        "cell": figures.cell,
        "trusted": _trusted,
        "p": _p,
        "data": _data_link,
        "wide": _is_number,
        "breaks": _breakable,
    }
    environment.globals |= {"sheet_csv": figures.as_csv, "sheet_latex": figures.as_latex}
    environment.globals |= {"table_csv": tables.as_csv, "table_latex": tables.as_latex}
    template = environment.from_string((Path(__file__).parent / "page.html.j2").read_text(encoding="utf-8"))
    return template.render(
        bench=bench,
        name=name,
        version=renvoi_version(),
        n_documents={key: frame.height for key, frame in bench.collections.items()},
        facts=facts,
        results=[_result(r) for r in results],
        extra=extra,
        hashes=hashes,
        manifest=bench.manifest,
        run_settings=run_settings,
        commands=_commands(bench, results, name, run_settings),
    )


def read_sheets(folder: Path) -> list[Sheet]:
    """Return the sheets in a folder: every CSV with its SVG, as `describe -o` and the ablations write them."""
    found = []
    for file in sorted(folder.glob("*.csv")):
        lines = file.read_text(encoding="utf-8-sig").splitlines()
        notes = [line.removeprefix("#").strip() for line in lines if line.startswith("#")]
        rows = list(csv.reader(line for line in lines if not line.startswith("#")))
        drawing = file.with_suffix(".svg")
        svg = drawing.read_text(encoding="utf-8") if drawing.exists() else ""
        if "<script" in svg.lower():
            raise BadInput(drawing, "holds a script", "give drawings only")
        title = file.stem.replace("_", " ").capitalize()
        body = tuple(tuple(_number(value) for value in row) for row in rows[1:])
        found.append(
            Sheet(
                file.stem, title, tuple(rows[0]) if rows else (), body, " ".join(notes), svg[max(svg.find("<svg"), 0) :]
            )
        )
    return found


def _result(results: Results) -> dict[str, Any]:
    table = results.table
    means = {row.system: row.value for row in table.rows if row.measure == results.main}
    systems = sorted(means, key=lambda system: (-means[system], system))
    cells = {(row.system, row.measure): row for row in table.rows}
    best = {name: max(cells[s, name].value for s in systems) for name in table.measures}
    top = cells[results.best, results.main]
    finding = [c for c in table.comparisons if c.measure == results.main and c.p_holm < 0.05]
    return {
        "r": results, "systems": systems, "cells": cells, "best": best, "top": top,
        "n_beaten": len(finding), "n_others": len(systems) - 1,
    }  # fmt: skip


def _commands(
    bench: Benchmark, results: Sequence[Results], name: str, run_settings: Sequence[Mapping[str, Any]]
) -> list[str]:
    lines = [f"pip install renvoi=={renvoi_version()}" if renvoi_version() != "dev" else "pip install renvoi"]
    lines += _made_by(bench, name)
    for number, made in enumerate(run_settings, 1):
        settings = made.get("settings") or {}
        models = " ".join(f"'{model}'" if set(model) & set(":+ ") else model for model in settings.get("models", ()))
        options = "".join(f" --{key} {settings[key]}" for key in ("level", "split", "k") if settings.get(key))
        if "contexts" in (made.get("inputs") or {}):
            options += " --contexts CONTEXTS" + _PLACES.get(str(settings.get("contexts")), "")
        lines.append(f"renvoi run {name} {models}{options} -o runs{number if len(run_settings) > 1 else ''}")
    if results:
        measures = " ".join(results[0].table.measures)
        folders = " ".join(
            f"--runs runs{n if len(run_settings) > 1 else ''}" for n in range(1, max(len(run_settings), 1) + 1)
        )
        lines.append(f'renvoi report {name} {folders} --measures "{measures}" -o report.html')
    else:
        lines.append(f"renvoi report {name} -o report.html")
    return lines


def _made_by(bench: Benchmark, name: str) -> list[str]:
    """Return the command that made the benchmark, as far as its manifest says."""
    settings = bench.manifest.get("settings") or {}
    if layout := settings.get("layout"):
        return [f"renvoi import {layout} FOLDER -o {name}   # of {', '.join(bench.manifest.get('inputs') or ())}"]
    if bench.kind == "crossref" and "writer" in settings:
        roles = settings.get("roles") or {}
        model = next((role["model"] for role in roles.values() if "model" in role), None)
        options = [f"--writer {settings['writer']} --judge {settings['judge']}"]
        options += [f"--model {model}"] if model else []
        options += [f"--filter {one}" for one in settings.get("filters", ())]
        options += [
            f"--{key.replace('_', '-')} {settings[key]}" for key in ("k", "token_limit", "limit") if settings.get(key)
        ]
        return [f"renvoi build crossref CORPUS -o {name} {' '.join(options)}"]
    return []


def _trusted(html: str) -> Markup:
    """Return markup that we made ourselves (drawings, texts already escaped) as it is."""
    return Markup(html)


def _breakable(name: object) -> Markup:
    """Return the name of a column or system, with places where a narrow table may break it."""
    return Markup(re.sub(r"([+:,_/])(?=\w)", r"\1<wbr>", str(escape(name))))


def _data_link(text: str, kind: str) -> str:
    return f"data:{kind};charset=utf-8;base64,{b64encode(text.encode()).decode()}"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _is_number(value: Any) -> bool:
    return value is None or isinstance(value, (int, float))


def _number(value: str) -> str | int | float:
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value
