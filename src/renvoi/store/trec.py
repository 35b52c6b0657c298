"""Runs and qrels <-> TREC files.

The readers take what people really have: a byte-order mark, CRLF, tabs or blanks, a header (BEIR), grades like
`1.0`. They refuse what would silently change a score: NaN, a pair twice, a missing column, a decimal comma.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from renvoi.errors import BadInput
from renvoi.store.atomic import write_text

# What the columns are called in headers we know: TREC has none, BEIR and our own TSV have one.
_HEADERS = {
    "query-id": "query_id", "query_id": "query_id", "qid": "query_id", "query": "query_id", "topic": "query_id",
    "corpus-id": "doc_id", "doc_id": "doc_id", "docno": "doc_id", "doc-id": "doc_id", "docid": "doc_id",
    "score": "value", "relevance": "value", "label": "value", "rel": "value", "grade": "value", "sim": "value",
    "q0": "skip", "iter": "skip", "iteration": "skip", "rank": "skip", "system": "skip", "tag": "skip", "run": "skip",
    "run_id": "skip", "source": "skip",
}  # fmt: skip
RUN_ENDINGS = (".run", ".trec", ".res", ".txt", ".tsv")
_RUN = ("query_id", "skip", "doc_id", "skip", "value", "skip")
_QRELS = ("query_id", "skip", "doc_id", "value")
_TRIPLE = ("query_id", "doc_id", "value")


def write_run(path: Path, run: pl.DataFrame, system: str) -> None:
    """Write a run (query_id, doc_id, score; best first within a query) as a TREC run file.

    Scores keep nine digits, enough for any 32-bit score to come back as it was. The columns are parted by blanks,
    or by tabs where an id holds a blank.
    """
    gap = _gap(run)
    lines = []
    rank, last = 0, None
    for query_id, doc_id, score in run.select("query_id", "doc_id", "score").iter_rows():
        rank = rank + 1 if query_id == last else 1
        last = query_id
        lines.append(gap.join((query_id, "Q0", doc_id, str(rank), f"{score:.9g}", system)) + "\n")
    write_text(path, "".join(lines))


def read_run(path: Path) -> pl.DataFrame:
    """Read a run file: query_id, doc_id, score, in the order of the file.

    Ranks in the file are ignored, as trec_eval ignores them: the score decides, and equal scores are ordered by
    document id, descending.

    Raises:
        BadInput: with the line that is at fault.
    """
    return _read(path, "run", {6: _RUN, 3: _TRIPLE}, "query Q0 document rank score system").select(
        "query_id", "doc_id", pl.col("value").alias("score")
    )


def write_qrels(path: Path, qrels: pl.DataFrame) -> None:
    """Write qrels (query_id, doc_id, relevance) as a TREC qrels file."""
    gap = _gap(qrels)
    rows = qrels.select("query_id", "doc_id", "relevance").iter_rows()
    write_text(path, "".join(gap.join((query, "0", doc, str(grade))) + "\n" for query, doc, grade in rows))


def read_qrels(path: Path) -> pl.DataFrame:
    """Read a qrels file: query_id, doc_id, relevance, in the order of the file.

    Raises:
        BadInput: with the line that is at fault.
    """
    frame = _read(path, "qrels", {4: _QRELS, 3: _TRIPLE}, "query 0 document grade")
    broken = frame.filter(pl.col("value") != pl.col("value").round(0))
    if broken.height:
        line, grade = broken.row(0, named=True)["line"], broken["value"][0]
        raise BadInput(f"{path}:{line}", f"the grade {grade:g} is no whole number", "grades are 0, 1, 2 …")
    return frame.select("query_id", "doc_id", pl.col("value").cast(pl.Int64).alias("relevance"))


def find_runs(paths: Iterable[Path]) -> dict[str, Path]:
    """Return run files by system, in the order given.

    A system is named as its file without the ending; where two files have the same name, as `folder/name`.

    Args:
        paths: files, or folders of which the files that end like a run are taken, sorted by name.

    Raises:
        BadInput: a path is not there, a folder holds no run, or two files share the names of file and folder.
    """
    files: list[Path] = []
    for path in paths:
        if not path.exists():
            raise BadInput(path, "is not there")
        held = sorted(file for file in path.iterdir() if file.suffix in RUN_ENDINGS) if path.is_dir() else [path]
        if not held:
            raise BadInput(path, f"holds no run; runs end in {', '.join(RUN_ENDINGS)}")
        files += held
    stems = Counter(file.stem for file in files)
    found: dict[str, Path] = {}
    for file in files:
        name = file.stem if stems[file.stem] == 1 else f"{file.resolve().parent.name}/{file.stem}"
        if name in found:
            raise BadInput(file, f"has the same system name as {found[name]}", "rename one of them")
        found[name] = file
    return found


def read_run_settings(paths: Iterable[Path]) -> dict[str, Any]:
    """Return the settings that all folders among `paths` were made with and agree on: level, split, k …"""
    found = [
        json.loads((path / "manifest.json").read_text(encoding="utf-8")).get("settings") or {}
        for path in paths
        if path.is_dir() and (path / "manifest.json").exists()
    ]
    first = found[0] if found else {}
    return {key: value for key, value in first.items() if all(other.get(key) == value for other in found)}


def read_timings(paths: Iterable[Path]) -> dict[str, dict[str, Any]]:
    """Return what runs cost, by system as in `find_runs`; systems of folders without `timings.json` are not in it.

    model         the MODEL string
    indexing_s    seconds of the wall until the first question: text to postings, vectors, compiled code
    searching_s   for all questions, with fusion and steps such as rerank
    queries       questions asked; queries_per_s = queries / searching_s, on all cores
    indexing_read, searching_read   vectors and scores that the cache held already: if there are any, that phase would
                  take longer without it, and its seconds are not to be compared
    """
    found: dict[str, dict[str, Any]] = {}
    for name, file in find_runs(paths).items():
        timings = file.parent / "timings.json"
        if timings.exists():
            runs = json.loads(timings.read_text(encoding="utf-8"))["runs"]
            found |= {name: runs[file.stem]} if file.stem in runs else {}
    return found


def _gap(frame: pl.DataFrame) -> str:
    blank = any(frame[name].str.contains(r"\s").any() for name in ("query_id", "doc_id"))
    return "\t" if blank else " "


def _read(path: Path, what: str, layouts: dict[int, tuple[str, ...]], expected: str) -> pl.DataFrame:
    """Return line, query_id, doc_id and value (finite) of every row."""
    rows = pl.DataFrame({"text": _text(path, what).split("\n")}).with_row_index("line", offset=1)
    rows = rows.with_columns(pl.col("text").str.strip_chars(" \r\n")).filter(
        pl.col("text").str.strip_chars(" \t") != ""
    )
    if rows.is_empty():
        raise BadInput(path, f"is empty; a {what} file has lines like: {expected}")
    first = rows["text"][0]
    fields = _fields(first)
    header = [_HEADERS.get(field.strip().lower()) for field in fields]
    columns: tuple[str, ...] | None
    if None not in header and {"query_id", "doc_id", "value"} <= set(header):
        columns = tuple(name for name in header if name)
        rows = rows.slice(1)
    else:
        columns = layouts.get(len(fields)) or layouts.get(len(first.split()))
    if columns is None:
        raise _wrong_columns(path, rows["line"][0], what, len(first.split()), expected)
    return _checked(path, what, _split(path, what, rows, columns, expected))


def _text(path: Path, what: str) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise BadInput(path, "is not there") from None
    except IsADirectoryError:
        raise BadInput(path, f"is a folder, not a {what} file") from None
    except UnicodeDecodeError as error:
        raise BadInput(path, f"is not UTF-8 at byte {error.start}", "save it as UTF-8") from None


def _fields(line: str) -> list[str]:
    return line.split("\t") if "\t" in line else line.split()


def _split(path: Path, what: str, rows: pl.DataFrame, columns: tuple[str, ...], expected: str) -> pl.DataFrame:
    # Tabs win where they give the right number of columns, because then ids may hold blanks.
    n = len(columns)
    text = pl.col("text")
    rows = rows.with_columns(
        pl.when(text.str.count_matches("\t") == n - 1)
        .then(text)
        .otherwise(text.str.strip_chars(" \t").str.replace_all(r"[ \t]+", "\t"))
    )
    wrong = rows.filter(text.str.count_matches("\t") != n - 1)
    if wrong.height:
        raise _wrong_columns(path, wrong["line"][0], what, len(_fields(wrong["text"][0])), expected)
    names = [name if name != "skip" else f"skip_{i}" for i, name in enumerate(columns)]
    parts = rows["text"].str.split_exact("\t", n - 1).struct.rename_fields(names).struct.unnest()
    return pl.concat([rows.select("line"), parts], how="horizontal").select("line", "query_id", "doc_id", "value")


def _checked(path: Path, what: str, rows: pl.DataFrame) -> pl.DataFrame:
    word = "score" if what == "run" else "grade"
    rows = rows.with_columns(
        pl.col("query_id", "doc_id").str.strip_chars(),
        pl.col("value").str.strip_chars().cast(pl.Float64, strict=False).alias("number"),
    )
    bad = rows.filter(pl.col("number").is_null() | ~pl.col("number").is_finite())
    if bad.height:
        value = bad["value"][0]
        comma = value.replace(",", ".", 1).lstrip("-").replace(".", "", 1).isdigit() and "," in value
        advice = "write decimals with a point" if comma else f"give every row a finite {word}"
        raise BadInput(f"{path}:{bad['line'][0]}", f"the {word} {value!r} is no number", advice)
    empty = rows.filter((pl.col("query_id") == "") | (pl.col("doc_id") == ""))
    if empty.height:
        raise BadInput(f"{path}:{empty['line'][0]}", "an id is empty")
    again = rows.filter(~pl.struct("query_id", "doc_id").is_first_distinct())
    if again.height:
        line, query, doc = again.select("line", "query_id", "doc_id").row(0)
        raise BadInput(f"{path}:{line}", f"document {doc!r} stands twice for query {query!r}", "keep one row of a pair")
    return rows.select("line", "query_id", "doc_id", pl.col("number").alias("value"))


def _wrong_columns(path: Path, line: int, what: str, n: int, expected: str) -> BadInput:
    return BadInput(f"{path}:{line}", f"{n} columns; a {what} line has: {expected}")
