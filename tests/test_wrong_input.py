"""What a user gets wrong is one line that says what, where and what to do."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from renvoi import store
from renvoi.cli import retrieve as _commands  # noqa: F401  (registers the commands)
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
