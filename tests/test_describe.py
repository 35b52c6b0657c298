from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from renvoi import describe, figures, store
from renvoi.cli import describe as _command  # noqa: F401  (registers the command)
from renvoi.cli._app import app
from renvoi.describe import level_facts
from renvoi.figures import Sheet
from renvoi.interchange._layout import Entry, collection_from, imported, qrels_from
from renvoi.types import Benchmark, Query

TEXTS = {
    "lamp-1": "a lamp must be lit at night",
    "lamp-2": "whoever lights a lamp must put it out",
    "oil-1": "oil for a lamp must be clean",
    "tax-1": "the tax on salt is paid in spring",
}


def _bench(folder: Path) -> Benchmark:
    (folder / "source").write_text("x")
    entries = [Entry(doc, text, doc.split("-")[0], date=date(2001, 1, 1)) for doc, text in TEXTS.items()]
    queries = [
        Query("q1", "must a lamp be lit?", source_id="lamp-1"),
        Query("q2", "is the tax paid", source_id="tax-1"),
    ]
    return imported(
        "made", [folder / "source"], "en",
        collections={"chunks": collection_from(entries, folder)},
        queries=queries,
        qrels={"chunk": qrels_from([("q1", "lamp-1", 1), ("q2", "tax-1", 1)])},
        contexts=[("q1", "lamp-2")],
        funnel=[{"stage": "import", "queries": 2}],
    )  # fmt: skip


def _sheets(folder: Path) -> dict[str, Sheet]:
    return {sheet.name: sheet for sheet in describe.describe(_bench(folder))}


def test_sizes_lengths_and_distances_are_counted_in_words(tmp_path: Path) -> None:
    sheets = _sheets(tmp_path)

    assert sheets["facts"].rows == (("chunk", "all", 2, 4, 2, 2, 1.0, 1),)
    assert sheets["lengths"].rows[0][:4] == ("words of a query (chunk)", 2, 4.5, 4.5)
    assert sheets["token_distances"].rows == (("after the target", 1, 7.0, 7.0, 7.0, 7, 1.0),)


def test_acts_that_speak_of_the_same_things_are_most_alike(tmp_path: Path) -> None:
    alike = {row[0]: row[1] for row in _sheets(tmp_path)["similarity"].rows}

    assert (alike["lamp"], alike["oil"]) == ("oil", "lamp")


def test_a_strong_distractor_is_one_more_like_the_query_than_what_is_relevant(tmp_path: Path) -> None:
    bench = _bench(tmp_path)
    texts = bench.collections["chunks"].with_columns(
        text=pl.when(pl.col("id") == "oil-1").then(pl.lit("must a lamp be lit")).otherwise("text")
    )
    changed = Benchmark(bench.kind, "en", {"chunks": texts}, bench.queries, bench.qrels, bench.contexts, bench.links)

    (sheet,) = level_facts.distractor_sheets(changed, "chunk")

    assert sheet.rows == (("all", 2, 1, 0.5, "0.013 to 0.987", 8),)


def _split_bench(folder: Path) -> Benchmark:
    bench = _bench(folder)
    queries = (
        Query("q1", "must a lamp be lit?", "test", source_id="lamp-1", date=date(2002, 1, 1)),
        Query("q2", "is the tax paid", "train", source_id="tax-1", date=date(2001, 6, 1)),
    )
    qrels = bench.qrels["chunk"].with_columns(pl.Series("source", ["human+text", "text"]))
    late = pl.when(pl.col("id") == "oil-1").then(pl.lit(date(2001, 12, 1))).otherwise("date")
    chunks = bench.collections["chunks"].with_columns(late.alias("date"))
    counts = {"agreement_text_listed": {"levels": {"chunk": dict.fromkeys(("both", "text_only", "listed_only"), 1)}}}
    counts["agreement_text_listed"]["levels"]["chunk"] |= {"of_listed": 0.5, "of_text": 0.5}
    return replace(
        bench, queries=queries, qrels={"chunk": qrels}, collections={"chunks": chunks}, manifest={"counts": counts}
    )


def test_a_level_is_told_split_by_split_train_first(tmp_path: Path) -> None:
    sheets = {sheet.name: sheet for sheet in describe.describe(_split_bench(tmp_path))}

    assert [row[:4] for row in sheets["facts"].rows] == [("chunk", "train", 1, 3), ("chunk", "test", 1, 4)]
    assert sheets["days"].rows[0] == (
        "train",
        "2001-06-01 to 2001-06-01",
        "2001-01-01 to 2001-01-01",
        "2001-01-01 to 2001-01-01",
    )
    assert sheets["days"].rows[1][3] == "2001-01-01 to 2001-12-01"
    assert [row[:3] for row in sheets["candidates"].rows] == [("train", "chunks", 3), ("test", "chunks", 4)]
    assert [row[:2] for row in sheets["query_lengths"].rows] == [("chunk train", 1), ("chunk test", 1)]
    assert [row[1:4] for row in sheets["sources"].rows] == [("train", "text", 1), ("test", "human+text", 1)]
    assert sheets["overlap"].rows[1][:3] == ("chunk test", 1, 5 / 7)
    assert sheets["agreement"].rows == (("chunk", 1, 1, 1, 0.5, 0.5),)
    assert [row[:2] for row in sheets["distractors_chunk_test"].rows] == [("all", 1), ("validated by people", 1)]


def test_many_points_become_dots_on_a_grid() -> None:
    x = [i / 2000 for i in range(2000)]

    few, many = figures.scatter(x[:400], x[:400], x_label="", y_label=""), figures.scatter(x, x, x_label="", y_label="")

    assert len(many) < len(few)


def test_every_drawing_is_well_formed_and_the_same_each_time(tmp_path: Path) -> None:
    first, second = _sheets(tmp_path), _sheets(tmp_path)

    drawn = [sheet for sheet in first.values() if sheet.svg]
    assert len(drawn) >= 4
    for sheet in drawn:
        assert ET.fromstring(sheet.svg).tag.endswith("svg")
        assert sheet.svg == second[sheet.name].svg
        assert len(sheet.svg) < 60_000


@pytest.mark.parametrize(
    ("value", "printed"), [(None, ""), (3, "3"), (0.12345, "0.123"), (45.26, "45.3"), (5859.4, "5859"), ("x", "x")]
)
def test_numbers_are_printed_as_a_reader_can_use_them(value: str | int | float | None, printed: str) -> None:
    assert figures.cell(value) == printed


def test_a_sheet_becomes_csv_and_latex() -> None:
    sheet = Sheet("a", "Title", ("act", "share"), (("§ 1 & 2", 0.5),), "Note.")

    assert figures.as_csv(sheet) == "# Note.\nact,share\n§ 1 & 2,0.5\n"
    assert r"\S{} 1 \& 2 & 0.500 \\" in figures.as_latex(sheet)


def test_the_command_writes_each_table_and_figure(tmp_path: Path) -> None:
    store.write_benchmark(tmp_path / "bench", _bench(tmp_path), card="")

    arguments = ["--quiet", "describe", str(tmp_path / "bench"), "-o", str(tmp_path / "facts")]
    done = CliRunner().invoke(app, [*arguments, "--json"])

    assert done.exit_code == 0
    names = set(json.loads(done.stdout))
    assert {path.stem for path in (tmp_path / "facts").glob("*.csv")} == names
    assert (tmp_path / "facts" / "similarity.svg").exists()
