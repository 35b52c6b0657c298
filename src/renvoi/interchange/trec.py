"""TREC's layout: documents and topics in its old markup, qrels of four columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path
from xml.sax.saxutils import escape

import polars as pl

from renvoi import store
from renvoi.errors import BadInput
from renvoi.interchange._layout import (
    Entry,
    Layout,
    by_split,
    collection_from,
    each_level,
    guess_language,
    imported,
    json_lines,
    qrels_from,
    title_of,
)
from renvoi.interchange._names import NAMES_FILE, safe_names, write_names
from renvoi.types import Benchmark, Query

_DOC = re.compile(r"<DOC>(.*?)</DOC>", re.S | re.I)
_TOPIC = re.compile(r"<top>(.*?)(?:</top>|(?=<top>)|\Z)", re.S | re.I)
_FIELD = r"<{0}>\s*(.*?)\s*(?=<|\Z)"


def _read(folder: Path, language: str | None = None) -> Benchmark:
    """Read documents (`documents*` or `docs*`), topics (`topics*`) and qrels (`qrels*`).

    Documents and topics may be TREC markup, TSV (id, text) or JSON lines (docno or id, text). The part of a qrels
    file's name after a dot is the split of its queries (`qrels.dev.txt`).
    """
    docs, topics, qrels = (
        _files(folder, *stems) for stems in (("documents", "docs"), ("topics", "queries"), ("qrels",))
    )
    names = dict(_pairs(folder / NAMES_FILE)) if (folder / NAMES_FILE).exists() else {}
    entries = [
        Entry(id=names.get(doc, doc), text=text, document_id=names.get(doc, doc), labels=[title] if title else ())
        for file in docs
        for doc, title, text in _documents(file)
    ]
    frames = {file: store.read_qrels(file) for file in qrels}
    split: dict[str, str] = {}
    rows: dict[tuple[str, str], int] = {}
    for file, frame in frames.items():
        part = file.name.split(".")[1] if file.name.count(".") > 1 else "all"
        for query, doc, grade in frame.iter_rows():
            query = names.get(query, query)
            split.setdefault(query, part)
            rows.setdefault((query, names.get(doc, doc)), grade)
    queries: dict[str, Query] = {}
    for file in topics:
        for topic, text in _topics(file):
            query = names.get(topic, topic)
            queries.setdefault(query, Query(query, text, split=split.get(query, "all")))
    collection = collection_from(entries, folder)
    return imported(
        "trec",
        [*docs, *topics, *qrels],
        language or guess_language(collection["text"]),
        collections={"chunks": collection},
        queries=tuple(queries.values()),
        qrels={"chunk": qrels_from((query, doc, grade) for (query, doc), grade in rows.items())},
        funnel=[{"stage": "import", "chunks": collection.height, "queries": len(queries)}],
    )


def _files(folder: Path, *stems: str) -> list[Path]:
    found = sorted(file for file in folder.glob("*") if file.name.split(".")[0] in stems and file.is_file())
    if not found:
        raise BadInput(folder, f"has no file named {stems[0]}.*", "TREC import needs documents.*, topics.* and qrels.*")
    return found


def _pairs(file: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(file.read_text(encoding="utf-8-sig").splitlines(), 1):
        if line.strip():
            head, tab, rest = line.partition("\t")
            if not tab:
                raise BadInput(f"{file}:{number}", "has no tab between id and text")
            yield head.strip(), rest.strip()


def _documents(file: Path) -> Iterator[tuple[str, str, str]]:
    if file.suffix == ".tsv":
        yield from ((doc, "", text) for doc, text in _pairs(file))
    elif file.suffix == ".jsonl":
        for number, row in json_lines(file):
            doc = row.get("docno") or row.get("id") or row.get("_id")
            if doc is None:
                raise BadInput(f"{file}:{number}", "has no 'docno'")
            yield str(doc), str(row.get("title") or ""), str(row.get("text") or row.get("contents") or "")
    else:
        for body in _DOC.findall(file.read_text(encoding="utf-8-sig")):
            text = re.search(r"<TEXT>\s*(.*?)\s*</TEXT>", body, re.S | re.I)
            title = re.search(r"<TITLE>\s*(.*?)\s*</TITLE>", body, re.S | re.I)
            number_ = re.search(r"<DOCNO>\s*(.*?)\s*</DOCNO>", body, re.S | re.I)
            if number_ is None:
                raise BadInput(file, "a <DOC> has no <DOCNO>")
            yield (
                unescape(number_[1]),
                unescape(title[1]) if title else "",
                unescape(re.sub(r"<[^>]+>", " ", text[1])) if text else "",
            )


def _topics(file: Path) -> Iterator[tuple[str, str]]:
    if file.suffix == ".tsv":
        yield from _pairs(file)
        return
    for body in _TOPIC.findall(file.read_text(encoding="utf-8-sig")):
        number, title = (re.search(_FIELD.format(name), body, re.S | re.I) for name in ("num", "title"))
        if number is None or title is None:
            raise BadInput(file, "a <top> has no <num> or no <title>")
        yield unescape(re.sub(r"^Number:\s*", "", number[1])), unescape(title[1])


def _write(bench: Benchmark, folder: Path) -> None:
    """Write `documents.trec`, and topics and qrels of every split; `ids.tsv` where an id held a blank."""
    for task, place in each_level(bench, folder):
        names = safe_names([*task.corpus["id"], *(q.id for q in task.queries)])
        store.write_text(place / "documents.trec", "".join(_doc(row, names) for row in _rows(task.corpus)))
        for split, (queries, qrels) in by_split(task).items():
            part = "" if split == "all" else f".{split}"
            topics = "".join(
                f"<top>\n<num>{escape(names[q.id])}</num>\n<title>{escape(q.text)}</title>\n</top>\n" for q in queries
            )
            store.write_text(place / f"topics{part}.trec", topics)
            renamed = qrels.with_columns(pl.col("query_id", "doc_id").replace(names))
            store.write_qrels(place / f"qrels{part}.txt", renamed)
        write_names(place, names)


def _rows(corpus: pl.DataFrame) -> Iterator[tuple[str, list[str], str]]:
    yield from corpus.select("id", "labels", "text").iter_rows()


def _doc(row: tuple[str, list[str], str], names: Mapping[str, str]) -> str:
    doc, labels, text = row
    title = f"<TITLE>{escape(title_of(labels))}</TITLE>\n" if labels else ""
    return f"<DOC>\n<DOCNO>{escape(names[doc])}</DOCNO>\n{title}<TEXT>\n{escape(text)}\n</TEXT>\n</DOC>\n"


trec = Layout(read=_read, write=_write)
