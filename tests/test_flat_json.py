from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renvoi import ids, ingest
from renvoi.errors import BadInput
from renvoi.sources import Raw, _inline
from renvoi.sources.flat_json import flat_json
from renvoi.types import Document


def read(id: str, *provisions: tuple[str, str] | tuple[str, str, str], **more: Any) -> Document:
    rows = []
    for section, content, *chapter in provisions:
        rows.append({"provision_ref": section, "section": section, "content": content})
        if chapter:
            rows[-1]["chapter"] = chapter[0]
    act = {"id": id, "type": "statute", "title": "T", "issued_date": "2020-05-04", "provisions": rows, **more}
    data = json.dumps(act).encode()
    assert flat_json.recognises(data)
    (document,) = flat_json.read(Raw(Path("act.json"), data, "0"))
    return document


def paths(document: Document) -> list[str]:
    return [ids.format_path(p.path) for p in document.provisions]


def labels(piece: _inline.Piece) -> list[str]:
    return [text for child in piece.children for text in (child.label, *labels(child))]


def squeeze(text: str) -> str:
    return re.sub("[\\s\u00ad\u200b\u200c\u200d\u2060\ufeff]", "", text)


def joined(piece: _inline.Piece) -> str:
    return f"{piece.label} {piece.text} {' '.join(map(joined, piece.children))} {piece.tail}"


@pytest.mark.parametrize(
    "text, opened",
    [
        ("Vagten lyser. Stk. 2. Han blinker.", ["Stk. 2."]),
        ("Vagten lyser, jf. stk. 2. Han blinker.", []),
        ("Vagten lyser efter Stk. 2 i loven.", []),
        ("Vagten lyser. Stk. 3. Han blinker.", []),  # no stk. 2 before it
        ("Vagten skal: 1) Lyse. 2) Blinke. Stk. 2. Hornet lyder.", ["1)", "2)", "Stk. 2."]),
        ("Vagten skal: 1) lyse: a) nat, b) dag, 2) blinke.", ["1)", "a)", "b)", "2)"]),
        ("Fyret lyser.1) Det blinker.", []),
        ("Fyret lyser. 7) § 1 i lov nr. 9 er ophævet. Stk. 2-4. (Udelades)", ["Stk. 2-4."]),
        ("Efter fyrlovens »1) lygte, 2) lampe« lyses.", []),
    ],
)
def test_only_a_label_that_continues_its_numbering_opens_a_danish_provision(text: str, opened: list[str]) -> None:
    assert labels(_inline.split(text, _inline.DANISH)) == opened


@pytest.mark.parametrize(
    "text, opened",
    [
        ("1. Latarnik świeci. 2. Latarnik gasi.", ["1.", "2."]),
        ("1. Latarnik świeci, o czym mowa w ust. 2. Nie gasi. 2. Latarnik śpi.", ["1.", "2."]),
        ("1. Latarnik świeci. 1a. Latarnik gasi. 2. Latarnik śpi.", ["1.", "1a.", "2."]),
        ("Latarnik: 1) świeci; 2) gasi: a) w dzień, b) w nocy; 3) śpi.", ["1)", "2)", "a)", "b)", "3)"]),
        ("Zgodnie z ustawą 1) latarnik świeci; 2) gasi.", []),  # a note mark
        ("W ustawie art. 3 otrzymuje brzmienie: „1. Latarnik: 1) gasi; 2) śpi.”.", []),
        ("Latarnik: 1) lampy: – małe, – duże; 2) śpi.", ["1)", "–", "–", "2)"]),
        ("Latarnik z poz. 1. 2. Ustawa wchodzi w życie.", []),
    ],
)
def test_only_a_label_that_continues_its_numbering_opens_a_polish_provision(text: str, opened: list[str]) -> None:
    assert labels(_inline.split(text, _inline.POLISH)) == opened


PARTS = st.sampled_from(
    ["1) ", "2) ", "3) ", "a) ", "b) ", "1. ", "2. ", "Stk. 2. ", "Stk. 3. ", "lyser", "Vagten ", ": ", ", ", ". ", 
     "– ", "„", "”", "»", "«", "stk. 2. ", "ust. 2. ", "§ 4 ", "r. "]
)  # fmt: skip


@pytest.mark.parametrize("style", [_inline.DANISH, _inline.POLISH], ids=["da", "pl"])
@given(parts=st.lists(PARTS, max_size=40))
def test_splitting_loses_and_moves_nothing(style: _inline.Style, parts: list[str]) -> None:
    text = "".join(parts)

    assert re.sub(r"\s", "", joined(_inline.split(text, style))) == re.sub(r"\s", "", text)


def test_a_tail_of_a_polish_list_is_given_back_to_its_lead_in() -> None:
    document = read("pl-du-2020-5", ("1", "Kto: 1) gasi latarnię, 2) niszczy lampę - podlega karze grzywny."))

    assert paths(document) == ["art_1", "art_1__point_1", "art_1__point_2", "art_1__tail_1"]


def test_quoted_polish_provisions_are_quotations() -> None:
    amended = "1) art. 2 otrzymuje brzmienie: „Art. 2. 1. Latarnik gasi. 2. Śpi.”; 2) uchyla się art. 3."

    document = read("pl-du-2020-5", ("1", f"W ustawie o latarniach: {amended}"))

    assert paths(document) == ["art_1", "art_1__point_1", "art_1__point_1__quote_1", "art_1__point_2"]
    assert document.provisions[2].state == "quoted"


def test_a_heading_at_the_end_of_an_article_opens_the_next_chapter() -> None:
    document = read("pl-du-2020-5", ("1", "Latarnik świeci. Rozdział 2 Lampy"), ("2", "Latarnik gasi."))

    assert paths(document) == ["art_1", "chap_2", "art_2"]
    assert document.provisions[1].heading == "Lampy"


def test_an_article_cut_at_the_publishers_limit_is_reported_with_its_place() -> None:
    content = ("Latarnik świeci. " * 800)[:12_000]

    document = read("pl-du-2020-5", ("1", content), ("2", "X."))

    assert [(f.where, f.kind) for f in document.findings] == [("pl/du/2020/5~art_1", "text_cut")]


def test_page_furniture_is_left_out_and_counted() -> None:
    document = read("pl-du-2020-5", ("1", "Latarnik świeci. Pokaż całość var tree = [ {}"))

    assert document.provisions[0].text == "Latarnik świeci."
    assert [f.kind for f in document.findings] == ["skipped_element"]


def test_danish_commencement_sections_after_the_last_chapter_stand_in_scopes() -> None:
    document = read(
        "2024:11", ("1", "§ 1. Fyret lyser.", "1"), ("9", "§ 9. Straks."), ("4", "§ 4. Til jul."),
        short_name="LBK H#LOKDOK03",
    )  # fmt: skip

    assert document.id == "dk/lbk/2024/11"
    assert paths(document) == ["chap_1", "sec_1", "trans_1", "trans_1__sec_9", "trans_2", "trans_2__sec_4"]


def test_danish_repealed_ranges_are_there_number_by_number() -> None:
    document = read("2024:11", ("1", "§ 1. Fyret lyser."), ("2-4", "§§ 2-4. (Ophævet)"), short_name="LBK H")

    assert paths(document) == ["sec_1", "sec_2", "sec_3", "sec_4"]
    assert [p.state for p in document.provisions] == ["in_force", "repealed", "repealed", "repealed"]


@pytest.mark.parametrize(
    "data, said",
    [
        (b'{"id": "2024:11", "provisions": [{"provision_ref"', "line 1"),
        ('{"id": "2024:11", "provisions": [{"provision_ref": "æ"}]}'.encode("cp1252"), "is not UTF-8"),
        (b'{"id": "2024:11", "provisions": [{"provision_ref": "1"}]}', "no list `provisions`"),
        (b'{"id": "x", "provisions": [{"provision_ref": "1", "content": "A."}]}', "neither Danish"),
        (b'{"id": "2024:11", "provisions": [{"provision_ref": "1", "section": "1", "content": "A."}]}', "its number"),
    ],
)
def test_a_damaged_file_is_refused_with_its_place(data: bytes, said: str) -> None:
    with pytest.raises(BadInput, match=said) as error:
        flat_json.read(Raw(Path("act.json"), data, "0"))

    assert "act.json" in str(error.value)


def test_real_acts_are_read_without_losing_a_word(data: Path) -> None:
    files = sorted((data / "statutes").glob("*/flat_json/*.json"))
    assert len(files) == 9

    for file in files:
        (document,) = ingest.read_file(file)
        contents = [p["content"] for p in json.loads(file.read_text())["provisions"]]
        contents[-1] = contents[-1].split(" Pokaż całość var tree")[0]
        # Not in the running text: Danish chapters, Polish article labels, the first chapter's title (from the page).
        provisions = list(document.provisions)
        while document.language == "pl" and provisions[0].kind == "division":
            provisions.pop(0)
        ours = "".join(
            ("" if p.path[-1].level == "art" else p.label) + p.heading + p.text
            for p in provisions
            if not (document.language == "da" and p.kind == "division")
        )

        assert squeeze(ours) == squeeze("".join(contents)), file.name
