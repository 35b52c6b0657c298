"""What a search shows: the text of a hit, its address, the question's words in it, and why it was found."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import renvoi
from renvoi import store
from renvoi.analysis import Analysis
from renvoi.cli import retrieve as _commands  # noqa: F401  (registers the commands)
from renvoi.cli._app import app
from renvoi.cli._hits import print_hits
from renvoi.collection import label_of
from renvoi.ingest import ingest
from renvoi.sample import sample_files
from renvoi.search import open_search
from renvoi.snippet import cut_snippet, find_marks

QUESTION = "Hvornår skal bestyrelsen indkalde til beboermøde?"


def _call(*words: str, env: dict[str, str] | None = None) -> str:
    result = CliRunner().invoke(app, ["--quiet", *words], catch_exceptions=False, env=env)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search") / "corpus"
    store.write_corpus(folder, ingest(sample_files("da")).corpus)
    return folder


@pytest.fixture(scope="module")
def index(corpus: Path) -> Path:
    out = corpus.parent / "index"
    _call("index", str(corpus), "-o", str(out))
    return out


def _texts(corpus: Path) -> dict[str, str]:
    return dict(store.read_corpus(corpus).provisions.select("id", "text").iter_rows())


def test_a_hit_is_a_chunk_with_its_text_its_address_and_its_act(index: Path, corpus: Path) -> None:
    hits = renvoi.search(index, QUESTION, k=3).to_dicts()

    assert [hit["rank"] for hit in hits] == [1, 2, 3]
    for hit in hits:
        assert _texts(corpus)[hit["doc_id"]] in hit["text"]
        assert hit["label"].startswith("§ ") and hit["title"] and hit["document_id"] == hit["doc_id"].split("~")[0]


def test_the_marks_are_the_question_s_words_in_the_snippet(index: Path) -> None:
    hits = renvoi.search(index, QUESTION, k=5, model="bm25").to_dicts()

    marked = {hit["snippet"][start:end].lower() for hit in hits for start, end in hit["marks"]}
    assert marked
    assert all(any(word[:5] in marked_word for word in QUESTION.lower().rstrip("?").split()) for marked_word in marked)
    assert all(hit["snippet"] in hit["text"] for hit in hits)


def test_the_command_says_in_json_what_the_verb_returns(index: Path) -> None:
    printed = json.loads(_call("search", str(index), QUESTION, "-k", "4", "--json"))

    assert printed == renvoi.search(index, QUESTION, k=4).to_dicts()


def test_in_a_pipe_the_words_stand_between_asterisks_and_no_escape_is_written(index: Path) -> None:
    printed = _call("search", str(index), QUESTION, "-k", "2")

    assert "\x1b" not in printed
    assert "*bestyrelsen*" in printed.lower()
    assert printed.splitlines()[0].lstrip().startswith("1 ")
    assert "has: " in printed or "cites " in printed


def test_on_a_narrow_terminal_lines_wrap_and_no_word_is_lost(
    index: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hits = renvoi.search(index, QUESTION, k=3).to_dicts()
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.delenv("NO_COLOR", raising=False)

    print_hits(hits, {})

    printed = capsys.readouterr().out
    assert "\x1b[1;33m" in printed and "*" not in printed
    plain = re.sub(r"\x1b\[[\d;]*m", "", printed).split()
    assert all(word in plain for hit in hits for word in hit["snippet"].split())


def test_which_field_holds_which_word_is_said_where_there_are_several(corpus: Path, tmp_path: Path) -> None:
    _call("index", str(corpus), "-o", str(tmp_path / "two"), "--fields", "body,path")

    hit: dict[str, Any] = renvoi.search(tmp_path / "two", "bestyrelsen", model="bm25f:w.body=1,w.path=0.5").row(
        0, named=True
    )

    assert {one["field"] for one in hit["fields"]} <= {"body", "path"}
    assert all("bestyr" in term for one in hit["fields"] for term in one["terms"])


def test_an_index_without_texts_is_smaller_and_gives_ids(corpus: Path, index: Path, tmp_path: Path) -> None:
    made = json.loads(_call("index", str(corpus), "-o", str(tmp_path / "bare"), "--no-text", "--json"))
    found = renvoi.search(tmp_path / "bare", QUESTION, k=3)

    assert made["texts"] is False and made["documents"] > 0
    assert "text" not in found.columns
    assert found["doc_id"].to_list() == renvoi.search(index, QUESTION, k=3)["doc_id"].to_list()
    assert found["doc_id"][0] in _call("search", str(tmp_path / "bare"), QUESTION, "-k", "1")
    assert _size(tmp_path / "bare") < _size(index)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def test_the_index_is_the_same_twice_and_its_manifest_knows_every_file(
    corpus: Path, index: Path, tmp_path: Path
) -> None:
    _call("index", str(corpus), "-o", str(tmp_path / "again"))

    files = {file.relative_to(index): file.read_bytes() for file in index.rglob("*") if file.is_file()}
    again = {path: (tmp_path / "again" / path).read_bytes() for path in files}
    assert files == again
    manifest = json.loads((index / "manifest.json").read_text(encoding="utf-8"))
    assert {"texts.parquet", "links.parquet", "corpus/provisions.parquet"} <= set(manifest["files"])


def test_texts_are_read_for_the_asked_ids_only_and_in_any_order(index: Path, corpus: Path) -> None:
    opened = open_search(index)
    ids = [row["doc_id"] for row in opened.search(QUESTION, k=4).to_dicts()][::-1]

    said = opened.texts([*ids, "nowhere~sec_1"])

    assert set(said) == set(ids)


def test_a_snippet_holds_the_most_different_words_and_ends_between_words() -> None:
    text = "filler " * 100 + "the tenant pays the rent and the deposit " + "filler " * 100
    marks = find_marks(text, {"tenant", "rent", "deposit"}, Analysis("en"))

    start, end = cut_snippet(text, marks, width=120)

    assert all(word in text[start:end] for word in ("tenant", "rent", "deposit"))
    assert text[start - 1] == " " and text[end] == " "


def test_both_words_of_a_pair_are_marked_where_they_stand_side_by_side() -> None:
    text = "Fair trial, or a trial that is fair."

    marks = find_marks(text, {"fair trial"}, Analysis("en"))

    assert [text[mark.start : mark.end] for mark in marks] == ["Fair", "trial"]


@pytest.mark.parametrize(
    ("id", "label"),
    [("act~sec_12a__subsec_2", "§ 12 a, stk. 2"), ("act~§ 5/stk. 1", "§ 5, stk. 1"), ("62018CJ0529", "62018CJ0529"),
     ("act~odd_7", "odd_7")],
)  # fmt: skip
def test_a_chunk_s_address_is_written_as_people_do(id: str, label: str) -> None:
    assert label_of(id, {"sec": "§ {spaced}", "subsec": "stk. {}"}) == label
