"""LegalPincite's published CSV layout.

`query_{split}_{par|case}.csv` (qid, query_unmasked, query), `doc_{split}_{par|case}.csv` (docno, text),
`qrel_{split}_{par|case}_{par|case}.csv` (qid, docno, label, source), `metadata.csv`. A paragraph's docno is
`62018CJ0529-21`. Benchmarks from statutes are written the same way with `chunk` in place of `par`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from renvoi import progress
from renvoi.errors import BadInput
from renvoi.interchange._layout import Entry, Layout, by_split, collection_from, guess_language, imported, need
from renvoi.types import LEVELS, Benchmark, Query, Task

_QREL_FILE = re.compile(r"qrel_(?P<split>.+)_(?P<q>par|case|chunk)_(?P<d>par|case|chunk)\.csv")
_LEVEL = {
    ("par", "par"): "par_par",
    ("par", "case"): "par_case",
    ("case", "case"): "case_case",
    ("chunk", "chunk"): "chunk",
}
_DATE_FIELDS = ("date_decision", "decision_date", "date_of_decision", "date", "date_document")
_CASE_FIELDS = ("celex", "CELEX", "docno", "case", "id")


def _read(folder: Path, language: str | None = None) -> Benchmark:
    """Read a published folder, all splits.

    The documents of the splits are read into one collection. With decision dates in `metadata.csv` each split again
    sees only what is earlier than its queries; without, the funnel says how many documents each split lists itself.
    """
    files = {path: match for path in sorted(folder.glob("qrel_*.csv")) if (match := _QREL_FILE.fullmatch(path.name))}
    if not files:
        raise BadInput(folder, "has no qrel_{split}_{par|case}_{par|case}.csv")
    dates = _dates(folder / "metadata.csv")
    used: list[Path] = list(files)
    entries: dict[str, dict[str, Entry]] = {}
    queries: dict[str, Query] = {}
    qrels: dict[str, list[dict[str, Any]]] = {}
    funnel: list[dict[str, Any]] = []
    for path, match in files.items():
        split, q, d = match["split"], match["q"], match["d"]
        query_file, doc_file = folder / f"query_{split}_{q}.csv", folder / f"doc_{split}_{d}.csv"
        if query_file not in used:
            queries |= {query.id: query for query in _queries(query_file, split, q, dates)}
        if doc_file not in used:
            held = {row["docno"]: _entry(row, dates) for row in _rows(doc_file, "docno", "text")}
            entries.setdefault("cases" if d == "case" else "chunks", {}).update(held)
            funnel.append({"stage": "import", "split": split, "unit": d, "documents": len(held)})
        used += [file for file in (query_file, doc_file) if file not in used]
        qrels.setdefault(_LEVEL[q, d], []).extend(_rows(path, "qid", "docno", "label"))
    collections = {name: collection_from(held.values(), folder) for name, held in entries.items()}
    return imported(
        "legalpincite",
        used + ([folder / "metadata.csv"] if dates else []),
        language or guess_language(next(iter(collections.values()))["text"]),
        collections=collections,
        queries=tuple(queries.values()),
        exclude_self=True,
        qrels={level: _qrels(qrels[level], level) for level in LEVELS if level in qrels},
        funnel=funnel,
    )


def _rows(path: Path, *columns: str) -> Iterator[dict[str, str]]:
    if not path.exists():
        raise BadInput(path, "is not there")
    csv.field_size_limit(1 << 30)  # a whole judgment is one field
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        missing = [name for name in columns if name not in (reader.fieldnames or ())]
        if missing:
            raise BadInput(path, f"has no column {missing[0]!r}", f"it has: {', '.join(reader.fieldnames or ())}")
        for row in reader:
            if any(row[name] is None for name in columns):
                raise BadInput(f"{path}:{reader.line_num}", "has too few columns")
            yield row


def _dates(path: Path) -> dict[str, date]:
    if not path.exists():
        return {}
    found: dict[str, date] = {}
    unread = 0
    for row in _rows(path):
        case = next((row[name] for name in _CASE_FIELDS if row.get(name)), None)
        day = next((row[name] for name in _DATE_FIELDS if row.get(name)), None)
        if case and day:
            try:
                found[case] = date.fromisoformat(day[:10])
            except ValueError:
                unread += 1
    if unread:
        progress.say(f"{path}: {unread} dates are not written YYYY-MM-DD and are left out")
    return found


def _case(docno: str) -> str:
    return docno.split("-")[0]


def _entry(row: Mapping[str, str], dates: Mapping[str, date]) -> Entry:
    case = _case(row["docno"])
    return Entry(row["docno"], row["text"], case, date=dates.get(case))


def _queries(path: Path, split: str, unit: str, dates: Mapping[str, date]) -> Iterator[Query]:
    for row in _rows(path, "qid", "query"):
        case = _case(row["qid"])
        extra = {"unmasked": row["query_unmasked"]} if row.get("query_unmasked") else {}
        yield Query(row["qid"], row["query"], split, unit, row["qid"], case, dates.get(case), extra)


def _qrels(rows: list[dict[str, Any]], level: str) -> pl.DataFrame:
    cells = []
    for row in rows:
        grade = float(need(row, "label", level))
        if grade != int(grade):
            raise BadInput(level, f"the label {row['label']!r} is no whole number")
        cells.append((row["qid"], row["docno"], int(grade), row.get("source") or ""))
    schema = {"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Int64, "source": pl.String}
    return pl.DataFrame(cells, schema=schema, orient="row").unique(["query_id", "doc_id"], maintain_order=True)


def _write(bench: Benchmark, folder: Path) -> None:
    """Write one file of queries a split and unit, of documents a split and collection, of qrels a split and level."""
    done: set[str] = set()
    for level in bench.qrels:
        task = bench.task(level)
        q, d = next(pair for pair, name in _LEVEL.items() if name == level)
        for split, (queries, qrels) in by_split(task).items():
            if f"query_{split}_{q}.csv" not in done:
                rows = [(docno(x.id), str(x.extra.get("unmasked") or x.text), x.text) for x in queries]
                _csv(folder / f"query_{split}_{q}.csv", ("qid", "query_unmasked", "query"), rows)
            if f"doc_{split}_{d}.csv" not in done:
                seen = _seen_by(task, queries, qrels)
                _csv(folder / f"doc_{split}_{d}.csv", ("docno", "text"), [(docno(i), t) for i, t in seen.iter_rows()])
            done |= {f"query_{split}_{q}.csv", f"doc_{split}_{d}.csv"}
            source = qrels["source"] if "source" in qrels.columns else pl.Series([""] * qrels.height)
            rows_ = zip(qrels["query_id"], qrels["doc_id"], qrels["relevance"], source, strict=True)
            _csv(
                folder / f"qrel_{split}_{q}_{d}.csv",
                ("qid", "docno", "label", "source"),
                [(docno(a), docno(b), str(c), s or "") for a, b, c, s in rows_],
            )
    _csv(folder / "metadata.csv", ("celex", "date"), _dated(bench))


def docno(renvoi_id: str) -> str:
    """Return the id of a numbered paragraph as LegalPincite writes it, any other id as it is.

    >>> docno("62018CJ0529~para_21")
    '62018CJ0529-21'
    """
    document, tilde, path = renvoi_id.partition("~")
    number = path.removeprefix("para_")
    return f"{document}-{number}" if tilde and path.startswith("para_") and "_" not in number else renvoi_id


def _seen_by(task: Task, queries: tuple[Query, ...], qrels: pl.DataFrame) -> pl.DataFrame:
    """Return id and text of the candidates of a split: those before its last query, and what is relevant."""
    days = [query.date for query in queries if query.date]
    if len(days) < len(queries):
        return task.corpus.select("id", "text")
    relevant = qrels.filter(pl.col("relevance") > 0)["doc_id"].unique()
    early = (pl.col("date") < max(days)) | pl.col("date").is_null()
    return task.corpus.filter(early | pl.col("id").is_in(relevant.implode())).select("id", "text")


def _dated(bench: Benchmark) -> list[tuple[str, ...]]:
    found: dict[str, date] = {}
    for frame in bench.collections.values():
        found |= dict(frame.filter(pl.col("date").is_not_null()).select("document_id", "date").unique().iter_rows())
    for query in bench.queries:
        decided = query.extra.get("decided")  # the day itself; `date` may be the first day of the query's split
        day = date.fromisoformat(decided) if decided else query.date
        if query.document_id and day:
            found[query.document_id] = day
    return [(case, day.isoformat()) for case, day in sorted(found.items())]


def _csv(path: Path, header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


legalpincite = Layout(read=_read, write=_write)
