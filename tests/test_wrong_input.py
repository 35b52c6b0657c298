"""What a user gets wrong is one line that says what, where and what to do."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from renvoi import store
from renvoi.cli import mask as _mask  # noqa: F401  (registers its command)
from renvoi.cli import retrieve as _commands  # noqa: F401
from renvoi.cli._app import app
from renvoi.errors import BadInput
from renvoi.types import Benchmark


def test_a_level_that_the_benchmark_does_not_have_is_named_with_those_it_has() -> None:
    empty = pl.DataFrame()
    bench = Benchmark("imported", "da", {"chunks": empty}, (), {"chunk": empty}, contexts=empty, links=empty)

    with pytest.raises(BadInput, match="no level 'par_par'; it has: chunk"):
        bench.task("par_par")


def test_another_kind_of_folder_is_no_corpus(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}", encoding="utf-8")

    with pytest.raises(BadInput, match=r"is no corpus \(it has no documents.parquet\); make one with"):
        store.read_corpus(tmp_path)


def test_an_empty_question_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["search", str(tmp_path), " "])

    assert isinstance(result.exception, BadInput)


@pytest.mark.parametrize("path", ["nosuch.txt", "./texts/one", "/no/such/file", "C:\\texts\\one", "judgment.v2.md"])
def test_a_word_that_looks_like_a_file_and_is_none_is_not_masked_as_a_text(path: str) -> None:
    result = CliRunner().invoke(app, ["mask", path])

    assert isinstance(result.exception, BadInput)
    assert str(result.exception).startswith(f"{path}: looks like a file and does not exist")


@pytest.mark.parametrize("text", ["C-415/93", "EU:C:2031:111", "Grimme.", "[1975]", "see ./texts/one or nosuch.txt"])
def test_a_short_text_is_a_text(text: str) -> None:
    assert CliRunner().invoke(app, ["mask", text]).exit_code == 0


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_bytes("Gr\u00f8n".encode("latin-1"))

    result = CliRunner().invoke(app, ["mask", str(tmp_path / "old.txt")])

    assert isinstance(result.exception, BadInput) and "is not UTF-8 at byte 2" in str(result.exception)
