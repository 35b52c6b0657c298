"""What a run costs, by phase."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest
from test_embed import TEXTS, Letters
from test_systems import bench_of
from typer.testing import CliRunner

from renvoi import rank, store, systems, timing
from renvoi.cli import retrieve
from renvoi.cli._app import app
from renvoi.embed.cache import embed
from renvoi.retrievers.dense import DenseScorer
from renvoi.types import Query

assert retrieve  # registers its commands


def test_phases_add_up_and_nothing_is_measured_without_a_clock() -> None:
    with timing.measure() as clock:
        for _ in range(2):
            with timing.phase("indexing"):
                time.sleep(0.01)
        with timing.phase("searching"):
            timing.count_read(3)
    with timing.phase("searching"):
        timing.count_read(5)

    assert clock.seconds["indexing"] >= 0.02
    assert clock.seconds["searching"] < 0.01
    assert clock.read == {"searching": 3}


def test_what_is_made_once_is_made_before_the_first_question(tmp_path: Path) -> None:
    frame = bench_of().collections["chunks"].head(3).with_columns(text=np.array(TEXTS[:3]))
    queries = (Query("q", "ab"),)
    fresh, again, other = Letters(), Letters(), Letters()

    for encoder, some in ((fresh, queries), (again, queries), (other, (Query("r", "b"),))):
        scorer = DenseScorer(encoder, TEXTS[:3], tmp_path)
        rank.get_ready(scorer, some, frame)
        encoder.at_first = list(encoder.seen)  # type: ignore[attr-defined]
        rank.rank(scorer, some, frame)

    assert fresh.at_first == TEXTS[:3]  # type: ignore[attr-defined]
    assert again.seen == [] and not again.loaded  # nothing is to be made: no weights
    assert other.loaded and other.seen == ["b"]


def test_vectors_of_an_earlier_run_are_counted(tmp_path: Path) -> None:
    embed(Letters(), TEXTS, query=False, folder=tmp_path)

    with timing.measure() as clock, timing.phase("indexing"):
        embed(Letters(), [*TEXTS, "new"], query=False, folder=tmp_path)

    assert clock.read == {"indexing": len(set(TEXTS) - {""})}


@pytest.mark.parametrize("model", ["bm25", "along", "hybrid:bm25+dph", "bm25+propagate", "renvoi", "popularity"])
def test_every_kind_of_system_is_measured(model: str) -> None:
    bench = bench_of("crossref")

    with timing.measure() as clock:
        systems.run_system(systems.parse_system(model), bench, bench.task())

    assert clock.seconds["indexing"] > 0
    assert clock.seconds["searching"] > 0


def test_run_writes_times_beside_its_manifest(tmp_path: Path) -> None:
    store.write_benchmark(tmp_path / "bench", bench_of(), card="fictional")
    runs = tmp_path / "runs"

    made = CliRunner().invoke(app, ["run", str(tmp_path / "bench"), "bm25", "dph", "-o", str(runs)])

    assert made.exit_code == 0, made.output
    of_folder, of_file = store.read_timings([runs]), store.read_timings([runs / "dph.run"])
    assert list(of_folder) == list(store.find_runs([runs]))
    assert of_folder["bm25"]["queries"] == 2
    assert of_folder["bm25"]["queries_per_s"] == pytest.approx(2 / of_folder["bm25"]["searching_s"], rel=0.1)
    assert of_file == {"dph": of_folder["dph"]}
    assert "searching_s" not in (runs / "manifest.json").read_text()
    assert json.loads((runs / "timings.json").read_text())["cores"] >= 1
