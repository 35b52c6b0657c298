"""What every layout offers, and the frames a foreign benchmark is read into."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from renvoi import store
from renvoi.errors import BadInput
from renvoi.store.manifest import hash_files
from renvoi.types import Benchmark, Query, Task

_COLLECTION: dict[str, Any] = {
    "id": pl.String, "text": pl.String, "lead_ins": pl.List(pl.String), "labels": pl.List(pl.String),
    "document_id": pl.String, "date": pl.Date, "order": pl.Int32,
}  # fmt: skip
_LINKS: dict[str, Any] = {"source_id": pl.String, "target_id": pl.String, "date": pl.Date}
_QRELS: dict[str, Any] = {"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Int64}


@dataclass(frozen=True, slots=True)
class Layout:
    """One published layout: how to read a folder of it, how to write a benchmark into a folder."""

    read: Callable[..., Benchmark] | None = None  # (folder, **options) > benchmark
    write: Callable[[Benchmark, Path], None] | None = None  # into an empty folder
    card: Callable[[Path, str], None] | None = None  # (written folder, the benchmark's own card): join them


@dataclass(frozen=True, slots=True)
class Entry:
    """One document of a collection, before it has its place in the order."""

    id: str
    text: str
    document_id: str
    lead_ins: Sequence[str] = ()
    labels: Sequence[str] = ()
    date: date | None = None


def collection_from(entries: Iterable[Entry], where: Path) -> pl.DataFrame:
    """Return entries as a collection in the given order.

    Raises:
        BadInput: an id stands twice.
    """
    rows = [(e.id, e.text, list(e.lead_ins), list(e.labels), e.document_id, e.date, i) for i, e in enumerate(entries)]
    frame = pl.DataFrame(rows, schema=_COLLECTION, orient="row")
    again = frame.filter(~pl.col("id").is_first_distinct())
    if again.height:
        raise BadInput(where, f"the id {again['id'][0]!r} stands twice ({again.height} such rows)")
    return frame


def qrels_from(rows: Iterable[tuple[str, str, int]]) -> pl.DataFrame:
    """Return (query, document, grade) rows as qrels."""
    return pl.DataFrame(list(rows), schema=_QRELS, orient="row")


def imported(
    layout: str,
    files: Sequence[Path],
    language: str,
    *,
    collections: Mapping[str, pl.DataFrame],
    queries: Sequence[Query],
    qrels: Mapping[str, pl.DataFrame],
    contexts: Iterable[tuple[str, str]] = (),
    links: pl.DataFrame | None = None,
    funnel: Sequence[Mapping[str, Any]] = (),
    exclude_self: bool = False,
) -> Benchmark:
    """Return a benchmark read from `files`, after checking that its ids agree.

    Raises:
        BadInput: a qrel or a context names a query or a document that is not there; a query id stands twice.
    """
    where = files[0].parent
    known = {q.id for q in queries}
    if len(known) != len(queries):
        raise BadInput(where, f"{len(queries) - len(known)} query ids stand twice")
    contexts_frame = pl.DataFrame(list(contexts), schema={"query_id": pl.String, "doc_id": pl.String}, orient="row")
    documents = pl.concat([frame["id"] for frame in collections.values()])
    for what, frame in [*qrels.items(), ("contexts", contexts_frame)]:
        for column, ids in (("query_id", pl.Series(sorted(known), dtype=pl.String)), ("doc_id", documents)):
            stray = frame.filter(~pl.col(column).is_in(ids.implode()))
            if stray.height:
                raise BadInput(
                    where,
                    f"{what}: {stray.height} rows have an unknown {column}, first {stray[column][0]!r}",
                    "give the queries and documents that belong to these files",
                )
    counts: dict[str, Any] = {name: frame.height for name, frame in collections.items()}
    counts |= {"queries": len(queries), "qrels": {level: frame.height for level, frame in qrels.items()}}
    inputs = {file.name: hash_files([file]) for file in files}
    settings = {"layout": layout, "exclude_self": exclude_self}
    return Benchmark(
        kind="imported",
        language=language,
        collections=collections,
        queries=tuple(queries),
        qrels=qrels,
        contexts=contexts_frame,
        links=pl.DataFrame(schema=_LINKS) if links is None else links,
        funnel=tuple(funnel),
        manifest=store.make_manifest("benchmark", settings, inputs, counts),
    )


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line number and the object of every non-empty line.

    Raises:
        BadInput: the file is not there, or a line is no JSON object.
    """
    if not path.exists():
        raise BadInput(path, "is not there")
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise BadInput(f"{path}:{number}", f"is no JSON ({error.msg})") from None
            if not isinstance(row, dict):
                raise BadInput(f"{path}:{number}", "is no JSON object")
            yield number, row


def need(row: Mapping[str, Any], key: str, where: str) -> Any:
    """Return `row[key]`.

    Raises:
        BadInput: it is not there.
    """
    if row.get(key) is None:
        raise BadInput(where, f"has no {key!r}", f"it has: {', '.join(row)}")
    return row[key]


def guess_language(texts: Iterable[str]) -> str:
    """Return the ISO 639-1 code of the language that most of the first fifty texts are in."""
    from collections import Counter
    from itertools import islice

    import py3langid

    votes = Counter(str(py3langid.classify(text)[0]) for text in islice(texts, 50))
    return votes.most_common(1)[0][0] if votes else "en"


def each_level(bench: Benchmark, folder: Path) -> Iterator[tuple[Task, Path]]:
    """Yield every level as a task and the folder it goes to: `folder` itself where there is one level only."""
    for level in bench.qrels:
        yield bench.task(level), folder if len(bench.qrels) == 1 else folder / level


def by_split(task: Task) -> dict[str, tuple[tuple[Query, ...], pl.DataFrame]]:
    """Return the queries and qrels of every split, in the order the splits first occur."""
    splits: dict[str, list[Query]] = {}
    for query in task.queries:
        splits.setdefault(query.split, []).append(query)
    return {
        split: (tuple(members), task.qrels.filter(pl.col("query_id").is_in([q.id for q in members])))
        for split, members in splits.items()
    }


def write_json_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object a line."""
    store.write_text(path, "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows))


def title_of(labels: Sequence[str]) -> str:
    """Return the labels around a document as one line."""
    return " › ".join(labels)


def documents(task: Task) -> Iterator[dict[str, Any]]:
    """Yield the documents of a task as BEIR's rows."""
    for row in task.corpus.iter_rows(named=True):
        around = {name: row[name] for name in ("lead_ins", "labels", "document_id", "date") if row[name]}
        yield {"_id": row["id"], "title": title_of(row["labels"]), "text": row["text"], "metadata": around}
