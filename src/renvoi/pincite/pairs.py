"""Pairs: every paragraph of a judgment that a paragraph of another names, from the text and from EUR-Lex's lists.

A pair is (source_id, target_id): the citing and the cited paragraph. It comes from the text (`text`), from the lists
of "instruments cited" (`eurlex`), or from both.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from renvoi import ids
from renvoi.errors import BadInput
from renvoi.pincite.instruments import parse_instruments_cited as parse_instruments_cited
from renvoi.types import Corpus, Step

KINDS = ("precedent",)  # what a judgment rests on; its own procedural history and its own paragraphs are none
_KEYS = ("source_id", "citation", "ref_start", "ref_end")


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pincites of a corpus.

    pairs   source_id, target_id, source_document, target_document, source ("text", "eurlex+text" …); distinct, in
            document order of the citing paragraph
    named   source_id, target_id of every pincite that names a decision, held in the corpus or not
    counts  how many pincites there were and why some are no pair, in the order of the steps
    """

    pairs: pl.DataFrame
    named: pl.DataFrame
    counts: tuple[Mapping[str, Any], ...]


def find_pairs(corpus: Corpus, *, kinds: tuple[str, ...] = KINDS) -> Pairs:
    """Return the pincites that the text of the corpus makes.

    Args:
        corpus: with the citations of its judgments.
        kinds: of citations to keep.

    Raises:
        BadInput: the corpus has no judgment, or none of its judgments cites another.
    """
    judgments = corpus.documents.filter(pl.col("jurisdiction") == "cjeu")["id"]
    if judgments.is_empty():
        raise BadInput("the corpus", "holds no judgment", "ingest judgments: renvoi ingest FILES... -o CORPUS")
    order = corpus.provisions.select(pl.col("id").alias("source_id"), pl.col("document_id").alias("source_document"))
    ends = corpus.links.join(
        corpus.citations.select(*_KEYS, "kind").unique(_KEYS, maintain_order=True), on=_KEYS, how="left"
    ).join(order, on="source_id", how="left", maintain_order="left")
    ends = ends.filter(pl.col("source_document").is_in(judgments.implode()))
    counts: list[Mapping[str, Any]] = [{"stage": "pairs", "step": "references to decisions", "kept": ends.height}]
    if ends.is_empty():
        raise BadInput("the corpus", "has judgments that cite nothing", "check that they were read with --jurisdiction")

    def keep(frame: pl.DataFrame, condition: pl.Expr, step: str) -> pl.DataFrame:
        kept = frame.filter(condition)
        counts.append({"stage": "pairs", "step": step, "kept": kept.height, "dropped": frame.height - kept.height})
        return kept

    ends = keep(ends, pl.col("kind").is_in(kinds), f"kind is {', '.join(kinds)}")
    ends = keep(ends, pl.col("cited").str.contains("para_"), "a paragraph is named")
    named = ends.select(
        "source_id", pl.coalesce("target_id", pl.concat_str("act", pl.lit("~"), "cited")).alias("target_id")
    ).unique(maintain_order=True)
    ends = keep(ends, pl.col("reason").is_null() | (pl.col("reason") != "act_not_in_corpus"), "the decision is held")
    ends = keep(ends, pl.col("target_id").is_not_null(), "the paragraph exists")
    ends = ends.with_columns(pl.col("target_id").str.split("~").list.first().alias("target_document"))
    ends = keep(ends, pl.col("target_document") != pl.col("source_document"), "another decision")
    distinct = ends.select("source_id", "target_id", "source_document", "target_document").unique(maintain_order=True)
    counts.append(
        {"stage": "pairs", "step": "named once", "kept": distinct.height, "dropped": ends.height - distinct.height}
    )
    return Pairs(distinct.with_columns(pl.lit("text").alias("source")), named, tuple(counts))


def read_listed(path: Path) -> pl.DataFrame:
    """Return listed pairs (source_id, target_id).

    Args:
        path: a CSV with CELEX_FROM, NUMBER_FROM, CELEX_TO, NUMBER_TO; or a folder of files named as the citing decision
            (`62022CJ0026.txt`), each with the lines of its "instruments cited".

    Raises:
        BadInput: a column is missing, a number is none, or a line cannot be read.
    """
    rows = list(_listed_lines(path) if path.is_dir() else _listed_table(path))
    schema = {"source_id": pl.String, "target_id": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row").unique(maintain_order=True)


def _listed_table(path: Path) -> Iterator[tuple[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        wanted = {"CELEX_FROM", "NUMBER_FROM", "CELEX_TO", "NUMBER_TO"}
        missing = sorted(wanted - set(reader.fieldnames or ()))
        if missing:
            raise BadInput(path, f"has no column {', '.join(missing)}", "give the published layout of pairs")
        for row in reader:
            try:
                source = paragraph_id(row["CELEX_FROM"], int(row["NUMBER_FROM"]))
                target = paragraph_id(row["CELEX_TO"], int(row["NUMBER_TO"]))
            except ValueError:
                raise BadInput(f"{path} line {reader.line_num}", "a paragraph number is none", "write digits") from None
            yield source, target


def _listed_lines(folder: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.glob("6*.txt")):
        for number, line in enumerate(file.read_text(encoding="utf-8-sig").splitlines(), 1):
            if not line.strip():
                continue
            try:
                item = parse_instruments_cited(line)
            except BadInput as error:
                raise BadInput(f"{file} line {number}", error.what, error.advice) from None
            if item.paragraph is not None and item.cited.startswith("6"):
                for citing in item.citing:
                    yield paragraph_id(file.stem, citing), paragraph_id(item.cited, item.paragraph)


def add_pairs(found: Pairs, others: pl.DataFrame, source: str, corpus: Corpus) -> Pairs:
    """Return the pairs found so far and others together; `source` then names every origin: "eurlex+text".

    Args:
        found: so far.
        others: source_id, target_id.
        source: "eurlex" for the lists, "human" for pairs that lawyers validated.
        corpus: pairs whose paragraphs it does not hold are counted and left out.
    """
    known = corpus.provisions["id"]
    held = others.filter(
        pl.col("source_id").is_in(known.implode()) & pl.col("target_id").is_in(known.implode())
    ).select(
        "source_id",
        "target_id",
        pl.col("source_id").str.split("~").list.first().alias("source_document"),
        pl.col("target_id").str.split("~").list.first().alias("target_document"),
        pl.lit(source).alias("source"),
    )
    merged = (
        pl.concat([found.pairs, held])
        .group_by("source_id", "target_id", "source_document", "target_document", maintain_order=True)
        .agg(pl.col("source").unique().sort().str.join("+"))
    )
    step = {
        "stage": "pairs", "step": f"{source} pairs added", "kept": merged.height,
        "dropped": others.height - held.height, "added": merged.height - found.pairs.height,
    }  # fmt: skip
    return Pairs(merged, found.named, (*found.counts, step))


def agreement(named: pl.DataFrame, listed: pl.DataFrame) -> dict[str, Any]:
    """Return how text-mined and listed pairs agree, over the citing documents that have listed pairs.

    Args:
        named: source_id, target_id of every pincite in the text, also into decisions that are not held.
        listed: source_id, target_id.

    Returns:
        "documents"; "levels": for each level the counts "both", "text_only", "listed_only", and the shares "of_listed"
        and "of_text" that the other has too; "disagreements": the first 200 pairs of paragraphs that only one has.
    """
    documents = set(listed["source_id"].str.split("~").list.first())
    text = {row for row in named.select("source_id", "target_id").iter_rows() if _document(row[0]) in documents}
    lists = set(listed.select("source_id", "target_id").iter_rows())
    levels: dict[str, Callable[[tuple[str, str]], tuple[str, str]]] = {
        "par_par": lambda pair: pair,
        "par_case": lambda pair: (pair[0], _document(pair[1])),
        "case_case": lambda pair: (_document(pair[0]), _document(pair[1])),
    }
    return {
        "documents": len(documents),
        "levels": {name: _compare({read(p) for p in text}, {read(p) for p in lists}) for name, read in levels.items()},
        "disagreements": [
            *({"source": "text", "pair": list(pair)} for pair in sorted(text - lists)),
            *({"source": "eurlex", "pair": list(pair)} for pair in sorted(lists - text)),
        ][:200],
    }


def _compare(text: set[tuple[str, str]], lists: set[tuple[str, str]]) -> dict[str, Any]:
    both = len(text & lists)
    return {
        "both": both,
        "text_only": len(text - lists),
        "listed_only": len(lists - text),
        "of_listed": both / len(lists) if lists else None,
        "of_text": both / len(text) if text else None,
    }


def _document(id: str) -> str:
    return id.partition("~")[0]


def paragraph_id(celex: str, number: int) -> str:
    """Return the id of a numbered paragraph.

    >>> paragraph_id("62018CJ0529", 21)
    '62018CJ0529~para_21'
    """
    return ids.format_id(celex, (Step("para", str(number)),))
