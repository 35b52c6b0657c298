"""Searching judgments: the recipe is the default, and says why a paragraph was found. All texts are fictional."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import renvoi
from renvoi import store
from renvoi.analysis import default_analysis
from renvoi.cli import retrieve as _commands  # noqa: F401  (registers the commands)
from renvoi.cli._app import app
from renvoi.cli._hits import explain
from renvoi.collection import Collection, index_collection
from renvoi.errors import BadInput, Mismatch
from renvoi.ingest import ingest
from renvoi.sample import sample_files
from renvoi.search import Searcher, search_in

PARAGRAPHS = {
    "62001CJ0001~para_1": ("A dog with a bell is a measure of equal effect.", date(2001, 3, 1)),
    "62001CJ0001~para_2": ("The costs of the trade are paid by the hunters.", date(2001, 3, 1)),
    "62002CJ0002~para_1": ("Lamps hinder the trade in boats, and a dog with a bell does so too.", date(2002, 3, 1)),
    "62003CJ0003~para_1": ("Oars are free.", date(2003, 3, 1)),
    "62004CJ0004~para_1": ("Boats without lamps hinder the trade of the hunters.", date(2004, 3, 1)),
}
LINKS = [
    ("62002CJ0002~para_1", "62001CJ0001~para_1"),
    ("62003CJ0003~para_1", "62001CJ0001~para_1"),
    ("62004CJ0004~para_1", "62003CJ0003~para_1"),
]
QUESTION = "Do lamps hinder the trade when a dog with a bell is in the boat?"


def collection(kind: Any = "judgments") -> Collection:
    chunks = pl.DataFrame(
        {
            "id": list(PARAGRAPHS),
            "text": [text for text, _ in PARAGRAPHS.values()],
            "document_id": [id.split("~")[0] for id in PARAGRAPHS],
            "date": [day for _, day in PARAGRAPHS.values()],
        }
    )
    links = pl.DataFrame(
        [(source, target, PARAGRAPHS[source][1]) for source, target in LINKS],
        schema=["source_id", "target_id", "date"],
        orient="row",
    )
    empty = pl.lit([], pl.List(pl.String))
    shown = chunks.drop("date").with_columns(
        title=pl.lit("A judgment"),
        label=pl.col("id").str.replace(".*para_", "paragraph "),
        labels=empty,
        lead_ins=empty,
    )
    return Collection(chunks, links, shown, "en", None, kind)


@pytest.fixture(scope="module")
def searcher() -> Searcher:
    found = collection()
    return search_in(found, index_collection(found, default_analysis("en")))


def hit(searcher: Searcher, id: str, **options: Any) -> dict[str, Any]:
    return searcher.search(QUESTION, k=9, **options).filter(pl.col("doc_id") == id).row(0, named=True)


def test_a_hit_tells_what_it_says_in_the_same_words_and_who_cites_it(searcher: Searcher) -> None:
    found = hit(searcher, "62001CJ0001~para_1")

    assert found["passages"] == ["a dog with a bell is"]
    assert (found["how"], found["through"]) == ("is cited by", "62002CJ0002~para_1")
    assert (found["through_label"], found["through_title"]) == ("paragraph 1", "C-2/02")
    assert {"lamp", "hinder", "boat"} <= set(found["added"])
    assert (found["cited"], found["cited_last"]) == (2, date(2003, 3, 1))


def test_what_was_not_there_yet_is_in_no_reason(searcher: Searcher) -> None:
    later = hit(searcher, "62001CJ0001~para_1", before=date(2003, 1, 1))
    first = hit(searcher, "62001CJ0001~para_1", before=date(2002, 3, 1))

    assert (later["cited"], later["cited_last"], later["through"]) == (1, date(2002, 3, 1), "62002CJ0002~para_1")
    assert (first["cited"], first["cited_last"], first["through"], first["added"]) == (0, None, None, [])


def test_a_paragraph_without_a_word_of_the_question_is_found_through_who_is_good_and_cites_it(
    searcher: Searcher,
) -> None:
    found = hit(searcher, "62003CJ0003~para_1")

    assert found["own"] == []
    assert found["through"] == "62004CJ0004~para_1"
    line = explain(found, {})
    assert "has none of the words" in line and "is cited by paragraph 1, C-4/04: " in line


def test_what_weighed_most_is_told_against_the_mean_of_the_candidates(searcher: Searcher) -> None:
    model = "precedents:f.words=2,f.cited=0.5,f.ever_cited=1"

    rows = searcher.search(QUESTION, k=9, model=model).to_dicts()

    told = {row["doc_id"]: {one["says"]: one["weight"] for one in row["weighed"]} for row in rows}
    best = told["62001CJ0001~para_1"]["how often and lately it is cited"]
    once = told["62003CJ0003~para_1"]["how often and lately it is cited"]
    # log(1 + 2) against log(1 + 1), both ever cited; the mean is the same for both
    assert best - once == pytest.approx(0.5 * 0.405465, abs=1e-5)
    assert all(weight > 0 for shares in told.values() for weight in shares.values())
    assert "how often and lately it is cited" not in told["62002CJ0002~para_1"]


def test_the_line_on_the_terminal_says_it_all(searcher: Searcher) -> None:
    line = explain(hit(searcher, "62001CJ0001~para_1"), searcher.words_of(QUESTION))

    assert line.startswith("says “a dog with a bell is”; has: ")
    assert "is cited by paragraph 1, C-2/02: " in line
    assert "cited 2 times, last 2003-03-01" in line
    assert "raised by " in line


def test_restated_tells_the_shared_passages(searcher: Searcher) -> None:
    found = searcher.search(QUESTION, model="restated:n=3").to_dicts()

    passages = {row["doc_id"]: row["passages"] for row in found}
    assert passages["62002CJ0002~para_1"] == ["a dog with a bell", "lamps hinder the trade"]
    assert passages["62001CJ0001~para_2"] == []
    assert all(row["cited"] is None and row["weighed"] == [] for row in found)


def test_without_a_day_citations_are_as_old_as_on_the_day_after_the_last_document(searcher: Searcher) -> None:
    asked = searcher.search(QUESTION, k=9)
    dated = searcher.search(QUESTION, k=9, before=date(2004, 3, 2))

    assert asked["score"].to_list() == dated["score"].to_list()


def test_questions_give_the_same_once_the_index_was_made_ready_for_many(searcher: Searcher) -> None:
    found = collection()
    ready = search_in(found, index_collection(found, default_analysis("en")))
    ready.get_ready()

    assert ready.search(QUESTION).to_dicts() == searcher.search(QUESTION).to_dicts()


def _call(*words: str) -> str:
    result = CliRunner().invoke(app, ["--quiet", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judgments")
    for name, sets in {"cjeu": ("cjeu",), "eu": ("eu",), "both": ("cjeu", "eu")}.items():
        store.write_corpus(folder / name, ingest([file for one in sets for file in sample_files(one)]).corpus)
    return folder


@pytest.mark.parametrize(("name", "kind"), [("cjeu", "judgments"), ("eu", "statutes"), ("both", "statutes")])
def test_an_index_records_what_it_holds_and_only_judgments_keep_the_order_of_words(
    corpora: Path, tmp_path: Path, name: str, kind: str
) -> None:
    made = json.loads(_call("index", str(corpora / name), "-o", str(tmp_path / "index"), "--json"))

    found = renvoi.search(tmp_path / "index", "the operator of a ferry", k=1).row(0, named=True)

    assert made["kind"] == kind
    assert (tmp_path / "index" / "order.bin").exists() == (kind == "judgments")
    assert bool(found["weighed"]) == (kind == "judgments")


def test_the_kind_can_be_given(corpora: Path, tmp_path: Path) -> None:
    _call("index", str(corpora / "both"), "-o", str(tmp_path / "index"), "--kind", "judgments")

    assert renvoi.search(tmp_path / "index", "the operator of a ferry", k=1)["weighed"][0].len()


def test_an_index_made_before_kinds_were_recorded_still_opens(corpora: Path, tmp_path: Path) -> None:
    _call("index", str(corpora / "cjeu"), "-o", str(tmp_path / "index"), "--kind", "statutes")
    file = tmp_path / "index" / "manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    del manifest["settings"]["kind"]
    file.write_text(json.dumps(manifest), encoding="utf-8")

    assert renvoi.search(tmp_path / "index", "the operator of a ferry", k=1).height == 1
    with pytest.raises(Mismatch, match="--kind judgments"):
        renvoi.search(tmp_path / "index", "the operator of a ferry", model="precedents")


def test_an_index_of_judgments_without_their_text_is_searched_by_words(corpora: Path, tmp_path: Path) -> None:
    _call("index", str(corpora / "cjeu"), "-o", str(tmp_path / "index"), "--fields", "path")

    found = renvoi.search(tmp_path / "index", "the dispute", model="bm25:w.path=1", k=1)

    assert found["fields"][0][0]["field"] == "path" and found["weighed"][0].len() == 0


def test_an_unknown_kind_is_told(corpora: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--kind"):
        CliRunner().invoke(
            app, ["index", str(corpora / "eu"), "-o", str(tmp_path / "i"), "--kind", "laws"], catch_exceptions=False
        )


def test_the_command_prints_in_json_what_the_verb_returns(corpora: Path, tmp_path: Path) -> None:
    _call("index", str(corpora / "cjeu"), "-o", str(tmp_path / "index"))

    printed = json.loads(_call("search", str(tmp_path / "index"), "the operator of a ferry", "--json"))

    same = renvoi.search(tmp_path / "index", "the operator of a ferry").to_dicts()
    assert printed == json.loads(json.dumps(same, default=str))
