"""`renvoi audit`: what masked queries still give away."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from renvoi.cli._app import AsJson, app, print_json


@app.command("audit")
def audit(
    bench: Annotated[Path, typer.Argument(help="A benchmark of case law.")],
    level: Annotated[str | None, typer.Option(help="par_par, par_case or case_case [par_par].")] = None,
    sample: Annotated[int, typer.Option(help="Masked queries to print for reading.")] = 10,
    seed: Annotated[int, typer.Option(help="Of the sample.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Measure what leaks from masked queries, and what was hidden without need.

    Example: `renvoi audit bench --level par_par --sample 5`
    """
    from renvoi.audit import audit as run_audit
    from renvoi.evaluate import compare
    from renvoi.store.benchmark import read_benchmark

    found = run_audit(read_benchmark(bench), level=level, sample=sample, seed=seed)
    if as_json:
        print_json(found)
        return
    out = sys.stdout.write
    out(f"{found['queries']} queries of {found['level']}\n")
    out(f"with a case number or ECLI of a relevant decision left: {found['identifier_rate']:.2%}\n")
    for kind, rate in found["rates"].items():
        low, high = compare.exact(found["leaks"][kind], found["queries"])
        out(f"  {kind:12} {found['leaks'][kind]:6}  {rate:.2%}  (95 % interval {low:.2%} to {high:.2%})\n")
    removed = found["removed"]
    out(f"hidden characters: mean {removed['mean']:.1%}, median {removed['median']:.1%}, 95th {removed['p95']:.1%}\n")
    out(f"left with fewer than 8 words: {found['emptied']}; more than 60 % hidden: {found['hollow']}\n")
    out("names hidden most: " + ", ".join(f"{name} ({n})" for name, n in found["often_hidden"][:15]) + "\n")
    for leak in found["found"][:10]:
        out(f"leak {leak['kind']} {leak['text']!r} of {leak['doc_id']} in {leak['query_id']}\n")
    for query in found["sample"]:
        out(f"\n{query['id']}\n{query['masked']}\n")
        out("  hidden: " + "; ".join(f"{h['kind']} {h['text']!r}" for h in query["hidden"]) + "\n")
