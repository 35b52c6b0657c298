"""The tour on the bundled sample."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from renvoi.cli._app import app
from renvoi.demo import MEASURES, Part, _render, _tour


def test_the_tour_of_the_danish_acts_ends_in_scores_for_hard_questions_and_controls(tmp_path: Path) -> None:
    part = Part("da", "Danish acts")

    _tour("da", part, tmp_path)

    assert part.questions["hard"] >= 10
    assert {row["set"] for row in part.scores} == {"hard", "control"}
    bare, *_, cited = [row["values"] for row in part.scores if row["set"] == "hard"]
    assert bare["R@1"] == 0.0  # by construction
    assert cited["RR@1000"] > bare["RR@1000"]  # reading what is cited helps
    assert (tmp_path / "bench-da" / "README.md").exists()


def test_the_page_stands_alone_and_escapes_what_it_shows() -> None:
    part = Part("da", "Danish <acts>", acts=[{"id": "a", "title": "Lov & ret", "provisions": 3}])

    page = _render([part], 1.0)

    assert "Danish &lt;acts&gt;" in page and "Lov &amp; ret" in page
    assert "http://" not in page and "https://" not in page
    assert len(MEASURES) == 4


@pytest.mark.slow
def test_the_demo_command_takes_the_whole_tour(tmp_path: Path) -> None:
    import_module("renvoi.cli.demo")

    result = CliRunner().invoke(app, ["--quiet", "demo", "-o", str(tmp_path / "demo"), "--json"])

    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    assert [part["name"] for part in printed["parts"]] == ["da", "pl", "eu", "cjeu"]
    assert (tmp_path / "demo" / "index.html").exists()
