"""Commands that show references: coverage, scores on gold, one provision with what it cites and who cites it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from renvoi.cli._app import AsJson, app, print_json

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
    from renvoi.coverage import coverage, references_of, totals

    read = store.read_corpus(corpus)
    if id is not None and "~" in id:
        _print_references(references_of(read, id), as_json)
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
    from renvoi import ids, store
    from renvoi.coverage import cited_by, label_styles, lead_ins_of, provision, references_of

    read = store.read_corpus(corpus)
    row = provision(read, id)
    document = read.documents.filter(read.documents["id"] == row["document_id"]).row(0, named=True)
    above, cites, citing = lead_ins_of(read, id), references_of(read, id), cited_by(read, id)
    if as_json:
        print_json({"document": document["title"], **row, "lead_ins": above, "references": cites, "cited_by": citing})
        return
    styles = label_styles(document["jurisdiction"])
    out = [f"{document['title']} ({document['id']}, {document['text_state'].replace('_', ' ')})"]
    out += [f"  {' '.join(part for part in (a['label'], a['heading'], a['text']) if part)}" for a in above]
    label = ids.format_label(ids.parse_path(row["path"]), styles)
    state = "" if row["state"] == "in_force" else f"  [{row['state']}]"
    out += ["", f"{label}{state}", " ".join(part for part in (row["heading"], row["text"]) if part)]
    inside = read.provisions.filter(read.provisions["id"].str.starts_with(id + "__"))
    out += [f"  {label} {text}".rstrip() for label, text in inside.select("label", "text").iter_rows()]
    out += ["", f"cites {len(cites)}:", *(_line(reference, below=id) for reference in cites)]
    out += ["", f"cited by {len(citing)}:", *(f"  {source}" for source in citing)]
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


def _print_references(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json(rows)
        return
    for row in rows:
        sys.stdout.write(_line(row) + "\n")


def _line(row: dict[str, Any], below: str = "") -> str:
    where = row["source"].removeprefix(below).removeprefix("__")
    where = f"  [{where}]" if where and below else ""
    if row["target"] is not None:
        return f"  {row['text']} → {row['target']}  ({row['label']}){where}"
    nearest = f", nearest {row['nearest']}" if row["nearest"] else ""
    return f"  {row['text']} → {row['reason']}: {row['act'] or 'no act named'}, {row['label']}{nearest}{where}"


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
