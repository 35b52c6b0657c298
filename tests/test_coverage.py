"""Coverage of a corpus, and the commands that show references."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from renvoi import coverage, ingest, store
from renvoi.cli import refs as _refs  # noqa: F401  (hangs its commands on the app)
from renvoi.cli._app import app
from renvoi.sample import sample_files
from renvoi.types import Corpus


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return ingest.ingest(sample_files("da")).corpus


def test_every_end_is_linked_or_has_a_reason(corpus: Corpus) -> None:
    rows = coverage.coverage(corpus)

    for row in rows:
        assert row["linked"] + sum(row["unresolved"].values()) == row["ends"]
    assert sum(row["references"] for row in rows) == corpus.citations.height


def test_refs_prints_one_json_document_with_the_totals(corpus: Corpus, tmp_path: Path) -> None:
    store.write_corpus(tmp_path / "corpus", corpus)

    result = CliRunner().invoke(app, ["refs", str(tmp_path / "corpus"), "--json"])

    assert result.exit_code == 0
    assert json.loads(result.stdout)["total"]["references"] == corpus.citations.height


def test_gold_lines_are_scored_and_a_miss_says_what_was_found_instead(tmp_path: Path) -> None:
    source = next(path for path in sample_files("da") if "andel" in path.name.lower() or path.suffix == ".xml")
    document = ingest.read_file(source)[0]
    provision = next(p for p in document.provisions if p.path[-1].level == "sec" and p.text)
    number = provision.path[-1].number
    text = f"jf. § {number} og § {number}, stk. 77."
    line = {
        "file": source.name, "provision": f"§ {number}", "text": text, "span": [0, len(text)], "ref": text,
        "targets": [f"§ {number}"], "sure": True, "note": "",
    }  # fmt: skip
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps(line, ensure_ascii=False) + "\n", encoding="utf-8")

    result = CliRunner().invoke(app, ["refs", "--gold", str(gold), "--data", str(source.parent), "--json"])

    report = json.loads(result.stdout)
    assert (report["citations"], report["exact"], report["target_recall"]) == (1, 0.0, 1.0)
    assert report["misses"][0]["found"] == [f"§ {number}, stk. 77"]


def test_an_unknown_document_is_named_with_the_nearest(corpus: Corpus, tmp_path: Path) -> None:
    store.write_corpus(tmp_path / "corpus", corpus)
    known = str(corpus.documents["id"][0])

    result = CliRunner().invoke(app, ["refs", str(tmp_path / "corpus"), "--id", known + "0"])

    assert str(result.exception).startswith(f"'{known}0': the corpus has no such document; nearest: ")
    assert known in str(result.exception).partition("nearest: ")[2].split(", ")
