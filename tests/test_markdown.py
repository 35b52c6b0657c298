from __future__ import annotations

import re
from pathlib import Path

import pytest

from renvoi import ids, ingest
from renvoi.errors import BadInput, DuplicateProvision
from renvoi.sources import Raw
from renvoi.sources.markdown import markdown
from renvoi.types import Document

HEAD = """---
Title: Lampengesetz
jurabk: LampG 2020
slug: lampg
---

# Lampengesetz (LampG)

Ausfertigungsdatum
:   2020-05-04

"""


def read(body: str, head: str = HEAD) -> Document:
    data = (head + body).encode()
    assert markdown.recognises(data)
    (document,) = markdown.read(Raw(Path("lampg.md"), data, "0"))
    return document


def paths(document: Document) -> list[str]:
    return [ids.format_path(p.path) for p in document.provisions]


def test_front_matter_gives_id_title_short_titles_and_date() -> None:
    document = read("## § 1 Zweck\n\nDie Lampe leuchtet.\n")

    assert (document.id, document.title, str(document.date)) == ("de/lampg", "Lampengesetz", "2020-05-04")
    assert document.short_titles == ("LampG", "LampG 2020")
    assert document.text_state == "consolidated"


def test_paragraphs_points_letters_and_tails_nest_by_indentation() -> None:
    document = read(
        """## Teil 1 - Licht

### § 1 Zweck

(1) Die Lampe ist

1.  hell,


2.  warm und

    a)  gelb oder


    b)  rot,



wenn sie brennt. Siehe § 9 Absatz 1 und
2\\. Teil.

(2) Sonst ist sie aus.
"""
    )

    assert paths(document) == [
        "part_1", "sec_1", "sec_1__para_1", "sec_1__para_1__point_1", "sec_1__para_1__point_2",
        "sec_1__para_1__point_2__letter_a", "sec_1__para_1__point_2__letter_b", "sec_1__para_1__tail_1",
        "sec_1__para_2",
    ]  # fmt: skip
    assert document.provisions[7].text == "wenn sie brennt. Siehe § 9 Absatz 1 und 2. Teil."


def test_a_number_at_the_beginning_of_a_wrapped_line_opens_nothing() -> None:
    document = read("## § 1\n\nDie Lampe leuchtet nach §\n147a.\nSie ist hell.\n")

    assert paths(document) == ["sec_1"]


def test_a_second_list_in_a_paragraph_has_a_level_of_its_own() -> None:
    document = read("## § 1\n\nHell:\n\n1.  A\n\n2.  B\n\nDunkel:\n\n1.  C\n\n2.  D\n")

    assert paths(document)[1:] == [
        "sec_1__point_1", "sec_1__point_2", "sec_1__tail_1", "sec_1__list_2", "sec_1__list_2__point_1",
        "sec_1__list_2__point_2",
    ]  # fmt: skip


def test_repealed_sections_and_ranges_are_kept_and_marked() -> None:
    document = read("## § 1\n\nA.\n\n## § 2 (weggefallen)\n\n## (XXXX) §§ 3 bis 5 (weggefallen)\n\n")

    assert [(p.path[-1].number, p.state) for p in document.provisions] == [
        ("1", "in_force"), ("2", "repealed"), ("3", "repealed"), ("4", "repealed"), ("5", "repealed"),
    ]  # fmt: skip


def test_sections_of_an_annex_do_not_collide_with_those_of_the_act() -> None:
    document = read("### § 1\n\nA.\n\n### Anlage 1 (Muster)\n\n## § 1\n\nB.\n")

    assert paths(document) == ["sec_1", "annex_1", "annex_1__sec_1"]


def test_footnotes_stand_apart() -> None:
    document = read("## § 1\n\nA.[^X1]\n\n[^X1]:     Hinweis, der\n    weitergeht.\n\nB.\n")

    assert [(p.kind, p.text) for p in document.provisions] == [
        ("leaf", "A. B."),
        ("footnote", "Hinweis, der weitergeht."),
    ]


def test_a_section_that_stands_twice_is_an_error() -> None:
    with pytest.raises(DuplicateProvision, match="lampg.md: § 1 stands twice"):
        read("## § 1\n\nA.\n\n## § 1\n\nB.\n")


def test_a_file_without_a_slug_is_refused() -> None:
    with pytest.raises(BadInput, match="lacks slug"):
        read("## § 1\n\nA.\n", HEAD.replace("slug: lampg\n", ""))


def test_real_acts_are_read_without_losing_a_word(data: Path) -> None:
    files = sorted((data / "statutes" / "de").glob("*.md"))
    assert len(files) == 7

    for file in files:
        (document,) = ingest.read_file(file)
        head, mark, body = re.split(r"(?m)^(#{2,6} )", file.read_text(encoding="utf-8"), maxsplit=1)
        above = head[head.index("[^") :] if "[^" in head else ""  # notes of the act itself
        parts = {True: "", False: ""}
        for p in document.provisions:
            parts[p.kind == "footnote"] += p.label + p.heading + p.text
        printed = re.sub(r"!\[[^\]]*\]\([^)]*\)|\[\^[\w.-]+\]:?|\W", "", body)

        if not parts[True]:
            assert re.sub(r"\W", "", parts[False]) == printed, file.name
        else:  # notes are moved to the end
            printed += re.sub(r"\[\^[\w.-]+\]:?|\W", "", above)
            assert sorted(re.sub(r"\W", "", parts[False] + parts[True])) == sorted(printed), file.name
