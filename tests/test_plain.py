from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renvoi import ids, ingest
from renvoi.errors import BadInput, DuplicateProvision, EmptyAct, RenvoiError, UnknownFormat
from renvoi.sources import Raw
from renvoi.sources.plain import plain
from renvoi.types import Document


def read(text: str, jurisdiction: str | None = None) -> Document:
    data = text.encode()
    assert plain.recognises(data)
    (document,) = plain.read(Raw(Path("Lamp act.txt"), data, "0", jurisdiction))
    return document


def paths(document: Document) -> list[str]:
    return [ids.format_path(p.path) for p in document.provisions]


def joined(document: Document) -> str:
    parts = [p.label + p.heading + p.text for p in document.provisions]
    return re.sub(r"\s", "", "".join(parts))


def test_a_reference_broken_by_the_layout_opens_nothing() -> None:  # BC-21
    document = read("Vilkårene fremgår af\n§ 14, stk. 2, i denne lov.\n§ 15. Næste bestemmelse.")

    assert paths(document) == ["preamble_1", "sec_15"]
    assert document.provisions[0].text == "Vilkårene fremgår af § 14, stk. 2, i denne lov."


def test_a_lower_number_or_an_unfinished_line_before_it_makes_a_reference() -> None:
    document = read("§ 5. Fyret lyser, jf.\n§ 6. Ikke om dagen, se\n§ 2. og andre.\n§ 6. Hornet lyder. [og af]")

    assert paths(document) == ["sec_5", "sec_6"]


def test_every_chunk_keeps_its_own_heading_line_and_joining_them_gives_the_input() -> None:  # BC-23
    text = "Art. 1\nA.\nArt. 2\nB.\n"

    document = read(text)

    assert [p.label for p in document.provisions] == ["Art. 1", "Art. 2"]
    assert joined(document) == re.sub(r"\s", "", text)


def test_list_items_in_tags_stay_in_their_paragraph() -> None:  # BC-19
    document = read("§ 3. (1) Erlaubt sind: <ol><li>Lesen</li><li>Kopieren</li></ol> (2) Mehr nicht.", "de")

    assert paths(document) == ["sec_3", "sec_3__para_1", "sec_3__para_2"]
    assert document.provisions[1].text == "Erlaubt sind: – Lesen – Kopieren"
    assert document.findings[0].count == 6


def test_english_articles_have_headings_paragraphs_and_points() -> None:
    text = """Regulation on lamps

    CHAPTER I
    General

    Article 1
    Subject matter
    1. This Regulation lays down: (a) rules; and (b) tests.
    2. It applies to lamps, see
    Article 9, point (a).
    Article 2
    A lamp is a lamp."""

    document = read(text)

    assert document.title == "Regulation on lamps"
    assert (document.jurisdiction, document.language, document.id) == ("eu", "en", "eu/lamp-act")
    assert paths(document) == [
        "chap_I", "art_1", "art_1__para_1", "art_1__para_1__point_a", "art_1__para_1__point_b", "art_1__para_2",
        "art_2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text, jurisdiction, language",
    [
        ("§ 1. Fyret lyser og blinker.\nStk. 2. Ikke om dagen.", "da", "da"),
        ("§ 1 Die Lampe ist hell und der Abs. 2 gilt.", "de", "de"),
        ("Art. 1. Latarnik świeci oraz gasi się w ust. 1.", "pl", "pl"),
        ("Article 1\nThe lamp shall be lit and of use.", "eu", "en"),
    ],
)
def test_the_manner_is_told_from_the_words(text: str, jurisdiction: str, language: str) -> None:
    document = read(text)

    assert (document.jurisdiction, document.language) == (jurisdiction, language)


def test_the_user_may_say_the_jurisdiction() -> None:
    assert read("§ 1. A B.", "de").id == "de/lamp-act"


def test_sections_that_restart_stand_in_a_scope_of_their_own() -> None:
    document = read("§ 1. Fyret lyser.\n§ 2. Til jul.\n§ 1. Loven træder i kraft straks.")

    assert paths(document) == ["sec_1", "sec_2", "trans_1", "trans_1__sec_1"]


def test_a_number_that_stands_twice_is_an_error() -> None:
    with pytest.raises(DuplicateProvision, match="§ 2. stands twice"):
        read("§ 1. Fyret lyser.\n§ 2. Til jul.\n§ 2. Til påske.")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_tells_the_encoding(encoding: str) -> None:
    data = "§ 1. Fyret på øen lyser.".encode(encoding)

    assert plain.recognises(data)
    assert plain.read(Raw(Path("a.txt"), data, "0"))[0].provisions[0].text == "Fyret på øen lyser."


def test_another_encoding_is_refused_with_line_and_byte() -> None:
    data = "§ 1. Fyret lyser.\nStk. 2. På øen.".encode("cp1252")

    assert plain.recognises(data)
    with pytest.raises(BadInput, match=r"a.txt: line 1: byte 0 is not UTF-8; save the file as UTF-8"):
        plain.read(Raw(Path("a.txt"), data, "0"))


@pytest.mark.parametrize("text", ["<html><p>§ 1. A</p></html>", "{}", "Hej verden.", "\0§ 1. A"])
def test_markup_data_and_prose_are_not_for_it(text: str) -> None:
    assert not plain.recognises(text.encode())


def test_a_not_found_page_is_refused(tmp_path: Path) -> None:  # BC-17
    page = tmp_path / "act.html"
    page.write_text("<!DOCTYPE html><html><head><title>Act</title></head><body><h1>Not found</h1></body></html>")

    with pytest.raises((UnknownFormat, EmptyAct), match="act.html"):
        ingest.read_file(page)


LINES = st.lists(
    st.sampled_from(
        ["§ 1. Fyret lyser.", "§ 2. Det blinker.", "Stk. 2. Og mere.", "jf.", "§ 1, stk. 2.", "1) lys", "2) mørke", "",
         "Kapitel 1", "Kapitel 2", "Om fyr", "# Fyrlov", "§ 9. Hornet:", "Bilag 1"]
    ),
    max_size=14,
)  # fmt: skip


@given(lines=LINES)
def test_no_word_is_lost_whatever_the_lines(lines: list[str]) -> None:
    text = "\n".join(["§ 1. Først.", *lines])

    try:
        document = read(text, "da")
    except RenvoiError:
        return  # loud is fine

    assert joined(document).replace("#", "") == re.sub(r"[\s#]", "", text)
