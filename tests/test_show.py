"""A provision as a reader wants it: with what it cites, why, and who cites it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import renvoi
from renvoi import ids, ingest, store
from renvoi.cli import refs as _refs  # noqa: F401  (hangs its commands on the app)
from renvoi.cli._app import app
from renvoi.coverage import label_styles
from renvoi.errors import BadInput
from renvoi.sample import sample_files
from renvoi.show import Reader, Shown
from renvoi.types import Corpus


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return ingest.ingest(sample_files("da")).corpus


@pytest.fixture(scope="module")
def reader(corpus: Corpus) -> Reader:
    return Reader(corpus)


def _all(reader: Reader) -> list[Shown]:
    return [one for id in reader.documents for one in reader.all_references(id)]


def test_every_end_of_the_corpus_is_shown_once(corpus: Corpus, reader: Reader) -> None:
    shown = sorted((one.source, one.start, end.target or "", end.cited) for one in _all(reader) for end in one.ends)

    links = corpus.links.select("source_id", "ref_start", "target_id", "cited").fill_null("").rows()
    assert shown == sorted(links)


def test_a_reference_shows_the_words_it_was_read_from_and_its_rule(corpus: Corpus, reader: Reader) -> None:
    texts = dict(corpus.provisions.select("id", "text").iter_rows())

    for one in _all(reader):
        assert one.text == texts[one.source][one.start : one.end]
        assert one.rule


def test_a_reference_that_reaches_nothing_says_why_in_a_sentence(reader: Reader) -> None:
    ends = [end for one in _all(reader) for end in one.ends]

    assert {bool(end.why) for end in ends if end.reason} == {True}
    assert {bool(end.why) for end in ends if not end.reason} == {False}
    assert any("the corpus does not hold" in end.why for end in ends)


def test_the_rule_says_whether_an_act_was_named(corpus: Corpus, reader: Reader) -> None:
    said = {row["kind"]: row for row in corpus.citations.iter_rows(named=True)}

    rules = {kind: _rule(reader, row["source_id"], row["ref_start"]) for kind, row in said.items()}

    assert rules["internal"].startswith("names no act")
    assert rules["relative"].startswith("counted from where it stands")
    assert rules["other_act"].startswith(f"names “{said['other_act']['act']}”")


def _rule(reader: Reader, source: str, start: int) -> str:
    return next(one.rule for one in reader.references(source) if one.start == start)


def test_who_cites_a_provision_counts_citations_of_what_is_inside_it(corpus: Corpus, reader: Reader) -> None:
    target, source = corpus.links.drop_nulls("target_id").select("target_id", "source_id").row(0)
    section = target.partition("__")[0]

    citing = {one.id: one for one in reader.cited_by(section)}

    assert source in citing and len(citing) == reader.view(section).n_cited_by
    assert all(one.text[one.start : one.end] for one in citing.values())


def test_a_view_holds_the_provision_and_all_inside_it_in_order(corpus: Corpus, reader: Reader) -> None:
    section = next(id for id in corpus.provisions["parent"].drop_nulls() if "~sec_" in id)

    view = reader.view(section)
    short = reader.view(section, most=1)

    inside = corpus.provisions.filter((corpus.provisions["id"] == section) | _starts(corpus, section + "__"))
    assert [part.id for part in view.parts] == inside["id"].to_list()
    assert (len(short.parts), short.left_out) == (1, len(view.parts) - 1)
    assert view.parts[0].depth == 0 and view.parts[1].depth == 1


def _starts(corpus: Corpus, stem: str) -> object:
    return corpus.provisions["id"].str.starts_with(stem)


def test_a_document_is_shown_by_its_id(corpus: Corpus, reader: Reader) -> None:
    id = corpus.documents["id"][0]

    view = reader.view(id)

    assert view.label == corpus.documents["title"][0]
    assert len(view.parts) + view.left_out == corpus.provisions.filter(corpus.provisions["document_id"] == id).height


def test_an_unknown_id_is_named_with_the_nearest_in_one_line(corpus: Corpus, reader: Reader) -> None:
    existing = next(id for id in corpus.provisions["id"] if id.endswith("__subsec_1"))
    section, document = existing.rpartition("__")[0], existing.partition("~")[0]

    with pytest.raises(
        BadInput, match=f"^'{section}__subsec_99': the corpus has no such provision; nearest: {section}"
    ):
        reader.view(f"{section}__subsec_99")
    with pytest.raises(BadInput, match=f"no such document; nearest: .*{document}"):
        reader.view(f"{document}9~sec_1")


@pytest.mark.parametrize(
    ("jurisdiction", "path", "label"),
    [("da", "sec_12a__subsec_2", "§ 12 a, stk. 2"), ("pl", "art_21-1__para_2__point_3", "art. 21¹ ust. 2 pkt 3"),
     ("eu", "art_17__para_2__point_a", "Article 17(2), point (a)"),
     ("de", "sec_5__para_2__point_1", "§ 5 Abs. 2 Nr. 1"),
     ("cjeu", "para_41", "paragraph 41"), ("uk", "sec_3__subsec_2", "s. 3(2)")],
)  # fmt: skip
def test_an_address_is_written_as_its_country_writes_it(jurisdiction: str, path: str, label: str) -> None:
    assert ids.format_label(ids.parse_path(path), label_styles(jurisdiction)) == label


def test_the_command_and_the_verb_say_the_same(corpus: Corpus, tmp_path: Path) -> None:
    store.write_corpus(tmp_path / "corpus", corpus)
    source = corpus.links["source_id"][0]

    result = CliRunner().invoke(app, ["show", str(tmp_path / "corpus"), source, "--json"], catch_exceptions=False)

    printed, returned = json.loads(result.stdout), json.loads(json.dumps(renvoi.show(corpus, source)))
    assert {key: printed[key] for key in returned} == returned
    assert printed["references"][0]["rule"]


def test_who_cites_a_paragraph_of_a_judgment_is_told_with_the_case(tmp_path: Path) -> None:
    store.write_corpus(tmp_path / "corpus", ingest.ingest(sample_files("cjeu")).corpus)

    shown = CliRunner().invoke(app, ["show", str(tmp_path / "corpus"), "62027CJ0901~para_13"], catch_exceptions=False)
    citing = CliRunner().invoke(app, ["show", str(tmp_path / "corpus"), "62028CJ0977~para_11"], catch_exceptions=False)

    assert "62028CJ0977~para_11  (paragraph 11, C-977/28)" in shown.stdout
    assert "→ 62027CJ0901~para_13  (paragraph 13, C-901/27; cited as case law)" in citing.stdout
