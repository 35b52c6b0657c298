"""With `--json` a command that writes says in one document what it wrote, and how much."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from renvoi.cli import exchange as _exchange  # noqa: F401  (registers the commands)
from renvoi.cli import report as _report  # noqa: F401
from renvoi.cli import retrieve as _retrieve  # noqa: F401
from renvoi.cli._app import app

DOCUMENTS = {"d1": "the tenant pays the rent", "d2": "the lessor repairs the roof", "d3": "the deposit is repaid"}
QUERIES = {"q1": "who pays the rent", "q2": "who repairs the roof"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a small benchmark in BEIR's layout."""
    made = tmp_path_factory.mktemp("written")
    beir = made / "beir"
    (beir / "qrels").mkdir(parents=True)
    (beir / "corpus.jsonl").write_text(_lines(DOCUMENTS, title=""), encoding="utf-8")
    (beir / "queries.jsonl").write_text(_lines(QUERIES), encoding="utf-8")
    (beir / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n", encoding="utf-8")
    return made


def _lines(texts: dict[str, str], **more: str) -> str:
    return "".join(json.dumps({"_id": id, "text": text, **more}) + "\n" for id, text in texts.items())


def _call(*words: object) -> dict[str, Any]:
    result = CliRunner().invoke(app, ["--quiet", *map(str, words), "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    told: dict[str, Any] = json.loads(result.stdout)
    return told


def test_what_was_written_is_told_in_one_document(folder: Path) -> None:
    bench, runs = folder / "bench", folder / "runs"

    imported = _call("import", "beir", folder / "beir", "-o", bench)
    indexed = _call("index", bench, "-o", folder / "index")
    ran = _call("run", bench, "bm25", "dph", "-o", runs)
    tuned = _call("tune", bench, "bm25", "-o", folder / "p.toml", "--split", "test")
    exported = _call("export", bench, "--to", "trec", "-o", folder / "trec")
    reported = _call("report", bench, "--runs", runs, "--no-distractors", "-o", folder / "report.html")

    assert (imported["benchmark"], imported["queries"], imported["documents"]) == (str(bench), 2, 3)
    assert (indexed["index"], indexed["documents"]) == (str(folder / "index"), 3)
    assert (ran["runs"], list(ran["systems"]), ran["queries"]) == (str(runs), ["bm25", "dph"], 2)
    assert (tuned["params"], tuned["tuned"][0]["model"]) == (str(folder / "p.toml"), "bm25")
    assert exported["files"] == sum(1 for file in (folder / "trec").rglob("*") if file.is_file())
    assert (reported["report"], reported["runs"]) == (str(folder / "report.html"), 2)
    for told in (indexed["index"], ran["runs"], tuned["params"], exported["export"], reported["report"]):
        assert Path(told).exists()
