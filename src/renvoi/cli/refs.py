"""Commands that show references: coverage, scores on gold, one provision with what it cites and who cites it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from renvoi.cli._app import AsJson, app, print_json

if TYPE_CHECKING:
    from renvoi.show import Part, Shown

_MOST = 1000  # provisions printed of one that holds more
_WIDTH = 150  # of tables that no terminal limits, in characters


@app.command()
def refs(
    corpus: Annotated[Path | None, typer.Argument(help="A corpus folder.", show_default=False)] = None,
    id: Annotated[str | None, typer.Option("--id", help="A document, or a provision, of the corpus.")] = None,
    gold: Annotated[Path | None, typer.Option(help="Score the resolver on this file of gold references.")] = None,
    data: Annotated[Path, typer.Option(help="The folder that the gold file's file names start from.")] = Path("."),
    as_json: AsJson = False,
) -> None:
    """Report how the references of a corpus were read, or score the resolver on gold references.

    Example: `renvoi refs corpus --id dk/lbk/2015/1089`
    """
    if gold is not None:
        _score(gold, data, as_json)
        return
    if corpus is None:
        raise typer.BadParameter("give a CORPUS, or --gold FILE", param_hint="CORPUS")
    from renvoi import store
    from renvoi.coverage import coverage, totals
    from renvoi.show import Reader

    read = store.read_corpus(corpus)
    reader = Reader(read)
    if id is not None and "~" not in id and id not in reader.documents:
        reader.row(id)  # an error that names the id and the nearest documents
    if id is not None and "~" in id:
        found = reader.all_references(id)
        if as_json:
            print_json(_rows(found))
        else:
            sys.stdout.write("".join(f"{line}\n" for one in found for line in _lines(one)))
        return
    rows = coverage(read, id)
    if as_json:
        print_json({"total": totals(rows), "documents": rows})
    else:
        _print_coverage(rows, totals(rows))


@app.command()
def show(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder.", show_default=False)],
    id: Annotated[str, typer.Argument(help="A provision's id.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Show a provision with its lead-ins, its references resolved, and who cites it.

    Example: `renvoi show corpus "dk/lbk/2015/1089~sec_5"`
    """
    from renvoi import store
    from renvoi.show import Reader

    reader = Reader(store.read_corpus(corpus))
    view, citing = reader.view(id, most=_MOST), reader.cited_by(id)
    cites = reader.all_references(id)
    if as_json:
        print_json({**asdict(view), "references": _rows(cites), "cited_by": [asdict(one) for one in citing]})
        return
    out = [f"{view.title} ({view.document_id}, {view.text_state.replace('_', ' ')})"]
    out += [f"  {_joined(part)}" for part in view.above]
    state = "" if not view.parts or view.parts[0].state == "in_force" else f"  [{view.parts[0].state}]"
    out += ["", f"{view.label}{state}"]
    for n, part in enumerate(view.parts):
        own = " ".join(filter(None, (part.heading, part.text))) if n == 0 and part.id == id else _joined(part)
        out.append("  " * part.depth + own)
    if view.left_out:
        out.append(f"  … and {view.left_out} more provisions")
    out += ["", f"cites {len(cites)}:", *(line for one in cites for line in _lines(one, below=id))]
    out += ["", f"cited by {len(citing)}:", *(f"  {one.id}  ({_address(one.label, one.id)})" for one in citing)]
    sys.stdout.write("\n".join(out) + "\n")


def _score(path: Path, data: Path, as_json: bool) -> None:
    from renvoi.errors import BadInput

    if not path.exists():
        raise BadInput(path, "does not exist")
    with path.open(encoding="utf-8-sig") as lines:
        first = json.loads(lines.readline() or "{}")
    report, misses = _score_cases(path, data) if "citations" in first else _score_acts(path, data)
    if as_json:
        print_json({**report, "misses": misses})
        return
    for miss in misses:
        sys.stdout.write(f"{miss['where']}: {miss['ref']}\n")
        sys.stdout.write(
            f"  missing: {'; '.join(miss['missing']) or '-'}\n  instead: {'; '.join(miss['found']) or '-'}\n"
        )
    for name, value in report.items():
        sys.stdout.write(f"{name}: {json.dumps(value)}\n")


def _score_acts(path: Path, data: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    from renvoi import gold, registry
    from renvoi.ingest import read_file

    scored = gold.score(path, lambda name: read_file(data / name)[0])
    misses = []
    for line in scored:
        if line.exact:
            continue
        styles = registry.load("jurisdictions", line.jurisdiction).styles
        misses.append({
            "where": f"{line.line['file']} {line.line['provision']}",
            "ref": line.line["ref"],
            "sure": line.line.get("sure", True),
            "missing": [gold.describe(target, styles) for target in line.missing],
            "found": [gold.describe(target, styles) for target in line.wrong],
        })  # fmt: skip
    return gold.summary(scored), misses


def _score_cases(path: Path, data: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    from renvoi.gold_cases import score_with_misses

    report, missed = score_with_misses(path, data)
    misses = [
        {
            "where": miss.where,
            "ref": miss.text,
            "missing": [str(pincite) for pincite in miss.missing],
            "found": [str(pincite) for pincite in miss.extra],
        }
        for miss in missed
    ]
    return dict(report), misses


def _rows(found: Iterable[Shown]) -> list[dict[str, Any]]:
    """Return one row an end."""
    return [
        {"source": one.source, "start": one.start, "end": one.end, "text": one.text, "rule": one.rule, **asdict(end)}
        for one in found
        for end in one.ends
    ]


def _address(label: str, id: str) -> str:
    """Return an address, of a judgment with its case number."""
    from renvoi import cases

    case = cases.name_case(id.partition("~")[0])
    return ", ".join(part for part in (label, case) if part)


def _lines(one: Shown, below: str = "") -> Iterator[str]:
    """Yield a line for each end of a reference: what it reaches and by which rule, or why it reaches nothing."""
    where = one.source.removeprefix(below).removeprefix("__") if below else ""
    where = f"  [{where}]" if where else ""
    for end in one.ends:
        if end.target is not None:
            yield f"  {one.text} → {end.target}  ({_address(end.label, end.target)}; {one.rule}){where}"
        else:
            yield f"  {one.text} → {end.reason}: {end.why} ({one.rule}){where}"


def _joined(part: Part) -> str:
    return " ".join(filter(None, (part.label, part.heading, part.text)))


def _print_coverage(rows: list[dict[str, Any]], total: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title="References by document")
    for name in ("document", "citations", "references", "linked", "internal missing", "unresolved", "suspicious"):
        table.add_column(name, justify="left" if name in ("document", "unresolved") else "right", overflow="fold")
    for row in rows:
        share = f" ({row['internal_missing'] / row['internal']:.1%})" if row["internal"] else ""
        reasons = ", ".join(f"{reason} {n}" for reason, n in row["unresolved"].items() if n)
        table.add_row(
            row["document"], str(row["citations"]), str(row["references"]), str(row["linked"]),
            f"{row['internal_missing']}{share}", reasons, str(sum(row["suspicious"].values())),
        )  # fmt: skip
    Console(width=None if sys.stdout.isatty() else _WIDTH).print(table)
    sys.stdout.write(
        f"{total['documents']} documents, {total['citations']} citations, {total['references']} references, "
        f"{total['ends']} ends, {total['linked']} linked; of {total['internal']} ends in the citing act "
        f"{total['internal_missing']} ({total['internal_missing_share']:.2%}) reach no provision\n"
    )
