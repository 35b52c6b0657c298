from __future__ import annotations

import re
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
from typer.testing import CliRunner

from renvoi import evaluate, report, store
from renvoi.cli import report as _command  # noqa: F401  (registers the command)
from renvoi.cli._app import app
from renvoi.evaluate.tables import Row
from renvoi.interchange._layout import Entry, collection_from, imported, qrels_from
from renvoi.report.costs import score_against_time
from renvoi.report.worst import worst_queries
from renvoi.types import Benchmark, Query

TEXTS = {
    "lov-1": "Lampen skal slukkes, jf. § 2, stk. 1.",
    "lov-2": "Den, der <tænder> en lampe & går, straffes.",
    "bek-1": "Olie til lamper skal være ren.",
}


def _bench(folder: Path) -> Benchmark:
    (folder / "source").write_text("x")
    entries = [Entry(doc, text, doc.split("-")[0]) for doc, text in TEXTS.items()]
    queries = [
        Query("q1", "Skal lampen slukkes?", source_id="lov-1", extra={"set": "hard"}),
        Query("q2", "Hvad er <ren> olie?", source_id="bek-1", extra={"set": "control"}),
    ]
    return imported(
        "made", [folder / "source"], "da",
        collections={"chunks": collection_from(entries, folder)},
        queries=queries,
        qrels={"chunk": qrels_from([("q1", "lov-1", 1), ("q2", "bek-1", 1)])},
        contexts=[("q1", "lov-2")],
        funnel=[{"stage": "import", "queries": 2}],
    )  # fmt: skip


def _run(**rankings: str) -> pl.DataFrame:
    rows = [(query, doc, -float(i)) for query, docs in rankings.items() for i, doc in enumerate(docs.split())]
    return pl.DataFrame(rows, schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}, orient="row")


RUNS = {"good": _run(q1="lov-2 lov-1", q2="bek-1"), "bad": _run(q1="bek-1", q2="lov-1 bek-1")}


def _folders(folder: Path) -> tuple[Path, Path]:
    store.write_benchmark(folder / "lamps", _bench(folder), card="")
    for system, run in RUNS.items():
        store.write_run(folder / "runs" / f"{system}.run", run, system)
    return folder / "lamps", folder / "runs"


def _page(folder: Path) -> str:
    bench = _bench(folder)
    results = [report.evaluate_for_report(bench, RUNS, "nDCG@10 R@1")]
    return report.render_report(bench, results, name="lamps", hashes={"queries.jsonl": "abc"})


class _Tags(HTMLParser):
    """Collects what stands open, and every address."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "xlink:href")]
        if tag not in ("meta", "br", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "xlink:href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_no_network(tmp_path: Path) -> None:
    page = _page(tmp_path)

    tags = _Tags()
    tags.feed(page)
    assert tags.open == []
    assert all(address.startswith(("#", "data:")) for address in tags.addresses)
    assert not re.search(r"url\((?!#)|@import|<link|<script src", page)
    for anchor in re.findall(r'<a href="#([\w-]+)"', page):
        assert f'id="{anchor}"' in page


def test_the_page_names_the_best_system_with_its_interval_and_says_when_it_may_be_chance(tmp_path: Path) -> None:
    page = _page(tmp_path)

    assert "<b>good</b> is first by nDCG@10: 0.815" in page
    assert "No paired test tells it from the other: the order may be chance." in page
    assert "is not a finding unless a paired test says so" in page


def test_texts_of_law_are_escaped_and_their_citations_marked(tmp_path: Path) -> None:
    page = _page(tmp_path)

    assert "Den, der &lt;tænder&gt; en lampe &amp; går" in page
    assert "<mark>§ 2, stk. 1</mark>" in page
    assert "<tænder>" not in page and "<ren>" not in page


def test_the_worst_query_comes_first_with_relevant_and_context_marked(tmp_path: Path) -> None:
    bench = _bench(tmp_path)
    found = evaluate.evaluate(bench, RUNS, "R@1")

    first, _ = worst_queries(bench, RUNS, found, ["good", "bad"])

    assert (first.query_id, first.group, first.relevant[0].rank) == ("q1", "hard", 2)
    assert [(hit.doc_id, hit.mark) for hit in first.rankings["good"]] == [("lov-2", "context"), ("lov-1", "relevant")]
    assert [(hit.doc_id, hit.mark) for hit in first.rankings["bad"]] == [("bek-1", "")]


def test_a_table_can_be_saved_from_the_page(tmp_path: Path) -> None:
    page = _page(tmp_path)

    saved = re.search(r'download="results_chunk\.csv" href="data:text/csv;charset=utf-8;base64,([^"]+)"', page)

    assert saved is not None
    assert ",,,good,R@1,0.500000" in b64decode(saved[1]).decode()


def test_the_command_writes_the_same_page_twice_and_the_tables(tmp_path: Path) -> None:
    bench, runs = _folders(tmp_path)
    arguments = ["--quiet", "report", str(bench), "--runs", str(runs)]

    for name in ("a", "b"):
        done = CliRunner().invoke(
            app, [*arguments, "-o", str(tmp_path / f"{name}.html"), "--tables", str(tmp_path / name)]
        )
        assert done.exit_code == 0, done.output

    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert (tmp_path / "a" / "results_chunk.tex").exists()
    assert "runs/good.run" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_a_benchmark_without_runs_has_a_page_too(tmp_path: Path) -> None:
    bench, _ = _folders(tmp_path)

    done = CliRunner().invoke(app, ["--quiet", "report", str(bench), "-o", str(tmp_path / "page.html")])

    assert done.exit_code == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Funnel" in page and 'id="worst"' not in page


def test_tables_made_elsewhere_are_added_with_their_figure(tmp_path: Path) -> None:
    bench, runs = _folders(tmp_path)
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "leakage.csv").write_text("# Masked step by step.\nmask,nDCG@10\nnone,0.5\nall,0.25\n")
    (tmp_path / "more" / "leakage.svg").write_text('<?xml version="1.0"?>\n<svg viewBox="0 0 1 1"></svg>')

    arguments = ["report", str(bench), "--runs", str(runs), "--add", str(tmp_path / "more")]
    done = CliRunner().invoke(app, ["--quiet", *arguments, "-o", str(tmp_path / "page.html")])

    assert done.exit_code == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert '<svg viewBox="0 0 1 1">' in page and "Masked step by step." in page


def _rows(**values: float) -> dict[str, Row]:
    return {name: Row(name, "R@10", value, value - 0.1, value + 0.1) for name, value in values.items()}


def test_score_stands_against_time_and_what_the_cache_held_is_not_drawn() -> None:
    timed = {"indexing_s": 2.0, "searching_s": 1.0, "queries": 100, "indexing_read": 0, "searching_read": 0}
    timings = {"bm25": timed, "dph": timed, "dense": {**timed, "searching_read": 50}}

    sheet = score_against_time(_rows(bm25=0.4, dph=0.5, dense=0.6, old=0.1), timings)

    assert sheet is not None
    assert [row[:4] for row in sheet.rows] == [
        ("dense", 0.6, 10.0, 2.0), ("dph", 0.5, 10.0, 2.0), ("bm25", 0.4, 10.0, 2.0)
    ]  # fmt: skip
    assert "cache" in str(sheet.rows[0][4]) and "Not timed: old" in sheet.note
    assert ">dph<" in sheet.svg and ">dense<" not in sheet.svg
    assert score_against_time(_rows(bm25=0.4, dph=0.5), {"bm25": timed}) is None


def test_what_contexts_cost_stands_beside_the_score() -> None:
    timed = {"indexing_s": 2.0, "searching_s": 1.0, "queries": 100}
    paid = {**timed, "contexts": {"prompt_tokens": 900, "cached_tokens": 0, "completion_tokens": 100, "cost": 0.25}}

    sheet = score_against_time(_rows(bare=0.4, told=0.5), {"bare": timed, "told": paid})

    assert sheet is not None
    assert sheet.columns[4:] == ("tokens for contexts", "cost of contexts")
    assert [row[4:] for row in sheet.rows] == [(1000, 0.25), (0, 0)]
