"""Citations of judgments: what a paragraph of a judgment names, at which paragraphs, and as what."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renvoi import cases, gold_cases
from renvoi.case_grammar import CaseExample
from renvoi.case_metadata import CaseRecord
from renvoi.cite_cases import Memory, find_case_citations, read_mentions
from renvoi.cite_cases.titles import TitleIndex
from renvoi.jurisdictions.cjeu import cjeu
from renvoi.types import Step

Found = list[tuple[str, list[int], str]]


def read(text: str, memory: Memory | None = None) -> Found:
    """Return what is cited: case number without suffix, paragraphs with ranges expanded, kind."""
    found: Found = []
    for m in read_mentions(text, memory):
        case = cases.without_suffix(m.case.numbers[0]) if m.case.numbers else m.case.identity
        found.append((case, [n for pin in m.pins for n in range(pin.first, pin.last + 1)], m.kind))
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "(see judgment of 6 September 2032, X v Commission (C‑422/31 P and C‑423/31 P, EU:C:2032:553, paragraph "
            "24 and "
            "the case-law cited))",
            [("C-422/31", [24], "precedent")],
        ),
        (
            "judgments of 4 May 2033, Linden Post, C\u2011300/31, EU:C:2033:370, paragraphs 92 to 96 and 101; of 20 "
            "June 2034, "
            "Ash and Oak, C-182/32 and C-189/32, paragraph 7, and of 1 July 2034, PS (Wrong address), C-590/32, "
            "paragraph 40",
            [
                ("C-300/31", [92, 93, 94, 95, 96, 101], "precedent"),
                ("C-182/32", [7], "precedent"),
                ("C-590/32", [40], "precedent"),
            ],
        ),
        ("Case 26/62 Birch en Loos [1963] ECR 1, p. 12", [("26/62", [], "precedent")]),
        (
            "Joined Cases C-90/03 to C-92/03 Quill and Ritter [2004] ECR I-8835, paragraphs 108 and 109",
            [("C-90/03", [108, 109], "precedent")],
        ),
        (
            "judgments of 21 May 1989, Hazel v Commission, 46/87 and 227/88, EU:C:1989:37, paragraph 19",
            [("46/87", [19], "precedent")],
        ),
        (
            "paragraph 39 of the judgment of 14 June in Beech College (C‑434/35, EU:C:2037:3)",
            [("C-434/35", [39], "precedent")],
        ),
        (
            "paragraph 148 of the judgments of 9 December 2034, Fir v Commission (T‑85/30, not published, "
            "EU:T:2034:10), and "
            "of 9 December 2034, Yew v Commission (T‑92/30, not published, EU:T:2034:12)",
            [("T-85/30", [148], "precedent"), ("T-92/30", [148], "precedent")],
        ),
        ("order of 7 May 1989, S. v Commission, 206/89 R, EU:C:1989:3, paragraph 8", [("206/89", [8], "precedent")]),
        (
            "judgment of 1 July 2030, Elm v Commission, F‑40/29, EU:F:2030:74, paragraph 88",
            [("F-40/29", [88], "precedent")],
        ),
        (
            "Opinion 1/28 (Agreements on the Sea) of 30 November 2029, EU:C:2029:739, paragraph 172",
            [("Opinion 1/28", [172], "precedent")],
        ),
        (
            "Opinion of Advocate General Wood in Maple and Vine, C‑569/27, EU:C:2029:594, point 71",
            [("C-569/27", [71], "opinion")],
        ),
        (
            "Opinion 1/29 (Agreement on a Court), of 8 March 2031, EU:C:2031:123, paragraph 68",
            [("Opinion 1/29", [68], "precedent")],
        ),
        ("judgment of today's date, G4 Secure, C‑157/35, paragraphs 30 and 34", [("C-157/35", [30, 34], "precedent")]),
        (
            "judgment of the ECtHR of 10 March 2035, Varna v. Ruritania (CE:ECHR:2035:0310JUD001, §§ 79 to 81)",
            [("Varna v. Ruritania", [79, 80, 81], "precedent")],
        ),
    ],
)
def test_every_form_of_citation_is_read(text: str, expected: Found) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "the second paragraph of Article 47 and paragraph 8 of that article, and Article 4, point (23)",
        "paragraphs 1 and 2 of Article 6 of the contested decision",
        "Directive 95/46/EC, Regulation No 44/2001 and State aid C 27/2010",
        "in that case, the conditions of Paragraph 6(2) of the MPG are met on 3 May 2031",
        "Article 17 of the GDPR provides, in paragraph 1 thereof, that it is so",
        "Joint opinion 5/2019 of 12 March 2019 of the Board",
        "",
    ],
)
def test_numbers_of_legislation_are_no_citations_of_judgments(text: str) -> None:
    assert read(text) == []


def test_a_judgment_remembers_the_names_it_introduced() -> None:
    memory = Memory(own="62030CJ0001")

    read("judgment of 3 May 2027, Alder and Others v Commission (C‑5/25, ‘the judgment in Alder’, EU:C:2027:1)", memory)

    assert read("see Alder, paragraph 93", memory) == [("C-5/25", [93], "precedent")]
    assert read("the judgment in Alder, cited above, paragraphs 3 and 4", memory) == [("C-5/25", [3, 4], "precedent")]
    assert read("in paragraph 7 of Alder and Others", memory) == [("C-5/25", [7], "precedent")]
    assert read("as Alder walked along paragraph 9 of the street", memory) == []


def test_words_that_many_names_share_recall_no_case() -> None:
    memory = Memory(own="62030CJ0001")
    read("judgment of 3 May 2027, Alder and Others v Commission, C‑5/25, EU:C:2027:1", memory)

    assert memory.recall("and Others") is None
    assert memory.recall("Commission") is None
    assert read("Crispin and Others, cited above, paragraph 52", memory) == [("Crispin and Others", [52], "precedent")]


def test_the_judgment_under_appeal_is_no_precedent() -> None:
    memory = Memory(own="62030CJ0001")
    read(
        "By its appeal, Birch asks the Court to set aside the judgment of the General Court of 1 May 2029, Birch v "
        "Commission (T‑11/26, not published, ‘the judgment under appeal’, EU:T:2029:1)",
        memory,
    )
    assert [(case.key, case.ecli) for case in memory.under_appeal] == [("T20260011", "EU:T:2029:1")]

    found = read("in paragraph 80 et seq., and in particular in paragraph 87, of the judgment under appeal", memory)

    assert found == [("T-11/26", [80, 87], "procedural_history")]
    assert read("paragraph 2 of the operative part of the judgment under appeal", memory) == [
        ("T-11/26", [], "procedural_history")
    ]


def test_pins_of_this_judgment_and_of_its_opinion_are_told_apart() -> None:
    memory = Memory(own="62030CJ0001")

    assert read("paragraph 36 and from paragraphs 41 to 43 above", memory) == [
        ("C-1/30", [36, 41, 42, 43], "this_judgment")
    ]
    assert read("paragraphs 3, 4 and 6 of the present judgment", memory) == [("C-1/30", [3, 4, 6], "this_judgment")]
    assert read("as noted in points 68 to 69 of his Opinion", memory) == [("C-1/30", [68, 69], "opinion")]


def test_that_judgment_is_the_one_named_last_and_those_are_the_last_group() -> None:
    text = (
        "In its judgments of 1 May 2029, Fir (C‑7/27, EU:C:2029:1), and of 2 May 2029, Yew (C‑8/27, EU:C:2029:2), "
        "the Court "
        "held so. In its judgment of 3 May 2030, Oak (C‑9/27, EU:C:2030:3), it saw that those judgments agree; see "
        "paragraph 5 "
        "of that judgment"
    )

    found = read(text)

    assert found[-3:] == [("C-7/27", [], "precedent"), ("C-8/27", [], "precedent"), ("C-9/27", [5], "precedent")]


def test_thereof_is_of_the_nearest_text_named() -> None:
    judgment = "in its judgment of 1 May 2029, Fir (C‑7/27, EU:C:2029:1), it held, in paragraph 9 thereof, so"
    article = (
        "see judgment of 1 May 2029, Fir, C‑7/27. Article 17 of the directive provides, in paragraph 1 thereof, so"
    )

    assert read(judgment) == [("C-7/27", [], "precedent"), ("C-7/27", [9], "precedent")]
    assert read(article) == [("C-7/27", [], "precedent")]


def test_that_judgment_is_not_taken_for_ours_where_another_court_is_nearer() -> None:
    text = (
        "see judgment of 1 May 2029, Fir, C‑7/27, paragraph 2. By judgment of 4 June 2030, the Oberlandesgericht "
        "dismissed the claim. That judgment"
    )

    assert read(text) == [("C-7/27", [2], "precedent")]


def test_references_have_their_own_places_and_ranges_keep_their_end() -> None:
    text = "judgment of 1 May 2029, Fir, C‑7/27, EU:C:2029:1, paragraphs 3, 12 to 15"

    (citation,) = find_case_citations(text, "62030CJ0001~para_4")

    assert text[citation.start : citation.end] == text
    assert [(text[r.start : r.end], r.path, r.until) for r in citation.references] == [
        ("3", (Step("para", "3"),), None),
        ("12 to 15", (Step("para", "12"),), (Step("para", "15"),)),
    ]
    assert {r.act for r in citation.references} == {"62027CJ0007"}


def test_paras_without_a_dot_are_paragraphs() -> None:
    assert read("see Case C-411/37 Bird, paras 118 to 120") == [("C-411/37", [118, 119, 120], "precedent")]


def test_a_bare_citation_has_one_reference_without_path() -> None:
    (citation,) = find_case_citations("See Case C-7/27 Fir [2029] ECR I-12.")

    assert [(r.act, r.path, r.kind) for r in citation.references] == [("62027CJ0007", (), "precedent")]


@pytest.mark.parametrize("example", cjeu.examples, ids=lambda e: e.text[:30])
def test_the_grammar_reads_its_own_examples(example: CaseExample) -> None:
    found = [
        (
            "" if m.kind == "this_judgment" else cases.without_suffix(m.case.numbers[0]),
            tuple(n for pin in m.pins for n in range(pin.first, pin.last + 1)),
            m.kind,
        )
        for m in read_mentions(example.text)
    ]

    assert found == list(example.found)


PIECES = [
    "paragraph 24",
    " of ",
    "the judgment",
    "C‑1/20 P",
    ", ",
    "EU:C:2021:5",
    "3 May 2021",
    "Alder v Commission",
    "that judgment",
    " (",
    ")",
    "and",
    " 12",
    "above",
    "Case 26/62",
    "[1990] ECR I-3",
    "ibid.",
    "‘",
    "’",
    "Joined Cases ",
    "under appeal",
    "\u00ad",
    "\u00a0",
    "to",
]


@settings(max_examples=200)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=80))
def test_any_text_can_be_read_and_every_place_lies_inside_it(text: str) -> None:
    for citation in find_case_citations(text, memory=Memory(own="62030CJ0001")):
        assert 0 <= citation.start < citation.end <= len(text)
        for reference in citation.references:
            assert citation.start <= reference.start < reference.end <= citation.end


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(1, 400), st.integers(0, 5)), min_size=1, max_size=6))
def test_a_list_of_paragraphs_is_read_as_it_was_written(ranges: list[tuple[int, int]]) -> None:
    parts = [f"{first} to {first + more}" if more else str(first) for first, more in ranges]
    listed = " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))

    found = read(f"judgment of 3 May 2027, Alder, C‑5/25, EU:C:2027:1, paragraphs {listed} and the case-law cited")

    assert found == [("C-5/25", [n for first, more in ranges for n in range(first, first + more + 1)], "precedent")]


def test_the_gold_score_counts_pincites_and_kinds(tmp_path: Path) -> None:
    fir = {"case_numbers": ["C-7/27"], "ecli": None, "celex": None, "name": "Fir", "kind": "precedent"}
    text = "judgment of 1 May 2029, Fir, C-7/27, paragraphs 3 and 5"
    row = {"file": None, "celex": "62030CJ0001", "number": 4, "text": text}
    row["citations"] = [fir | {"span": [0, len(text)], "paragraphs": [3, 4]}]
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps(row), encoding="utf-8")

    measures, misses = gold_cases.score_with_misses(gold, tmp_path)

    assert measures == {
        "citations": 1,
        "exact": 0.0,
        "target_precision": 1.0,
        "target_recall": 1.0,
        "kind_accuracy": 1.0,
        "pincite_precision": 0.5,
        "pincite_recall": 0.5,
        "unresolved": 0,
    }
    assert [(m.where, m.missing, m.extra) for m in misses] == [
        ("62030CJ0001~para_4", (("C20270007", 4, "precedent"),), (("C20270007", 5, "precedent"),))
    ]


def test_a_name_whose_first_citation_was_not_read_is_looked_up_in_the_titles() -> None:
    titles = TitleIndex(
        [
            CaseRecord(
                "61969CJ0052",
                name="J. R. Grimme AG v Commission of the European Communities",
                decided=date(1972, 7, 14),
            ),
            CaseRecord("61992CJ0188", name="Vest Textil GmbH v Bundesrepublik Deutschland", decided=date(1994, 3, 9)),
            CaseRecord(
                "61995CJ0355",
                name="Vest Textil GmbH v Commission of the European Communities",
                decided=date(1997, 5, 15),
            ),
            CaseRecord("61991CJ0001", name="Elm v Commission", decided=date(1992, 1, 1)),
            CaseRecord("61991CJ0002", name="Elm v Commission", decided=date(1992, 1, 2)),
        ]
    )

    def look_up(text: str) -> Found:
        return read(text, Memory(own="62000CJ0298", titles=titles, before=date(2004, 4, 29)))

    assert look_up("(see Grimme v Commission, cited above, paragraphs 20 and 21)") == [("52/69", [20, 21], "precedent")]
    assert look_up("(Vest Textil, cited above, paragraph 15)") == [("C-188/92", [15], "precedent")]
    assert look_up("(Elm v Commission, cited above, paragraph 2)") == [("Elm v Commission", [2], "precedent")]
    assert titles.find("Grimme", before=date(1972, 7, 14)) is None


def test_a_number_that_lost_its_year_is_restored_by_name_and_year_of_report() -> None:
    titles = TitleIndex(
        [
            CaseRecord("61995CJ0296", name="The Queen v Commissioners, ex parte Oak Wood", decided=date(1998, 4, 2)),
            CaseRecord("62000CJ0427", name="Commission of the Communities v Ireland", decided=date(2002, 1, 1)),
            CaseRecord("62007CJ0427", name="Commission of the Communities v Ireland", decided=date(2009, 1, 1)),
        ]
    )

    def restore(text: str) -> Found:
        return read(text, Memory(own="62010CJ0298", titles=titles, before=date(2012, 4, 29)))

    assert restore("Case C-296/Oak Wood and Others [1998] ECR I-1605, paragraph 22") == [
        ("C-296/95", [22], "precedent")
    ]
    assert restore("Case C-427/Commission v Ireland [2009] ECR I-6277, paragraph 55") == [
        ("C-427/07", [55], "precedent")
    ]
    assert restore("Case C-427/Commission v Ireland, paragraph 55")[0][0] == "Commission v Ireland (C-427/)"
    assert read("Joined Cases C-296/and C-300/Oak [1998] ECR I-1, paragraph 2") == [("Oak (C-296/)", [2], "precedent")]


# What follows was found on paragraphs drawn from real judgments and read by eye; the texts are made up.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (  # a short name counts for "that judgment" after it, though another decision was cited pages before
            "It relies on the judgment in Alder, where the Court, in paragraphs 13 and 14 of that judgment, held so.",
            [("C-5/25", [], "precedent"), ("C-5/25", [13, 14], "precedent")],
        ),
        ("Case C-9/30 P is an appeal against Part II.", []),  # the case that is read, and no decision in it
        (
            "paragraph 24 of the order in Case T-61/24 and of the order in Case T-62/24, that the letter was final",
            [("T-61/24", [24], "procedural_history"), ("T-62/24", [24], "procedural_history")],
        ),
        ("in paragraph 5 of that order, the General Court", [("T-62/24", [5], "procedural_history")]),
        ("Case 26/68 Fir v Fund [1969] ECR 33, at paragraph 7", [("26/68", [7], "precedent")]),
        (  # a Cyrillic letter in place of the Latin one
            "judgment of 7 September 2026, Vest, \u0421-180/24, EU:C:2026:518, paragraph 26",
            [("C-180/24", [26], "precedent")],
        ),
        (
            "in paragraphs 8 to 9 and 12 respectively of the order in Case T-61/24, it was held",
            [("T-61/24", [8, 9, 12], "procedural_history")],
        ),
        ("Any judgment must state reasons. That judgment is subject to appeal.", []),
        ("Ms Elm appealed against that judgment.", []),
        ("The judgments of other courts are enforced. Those judgments need no exequatur.", []),
        ("the Advocate General, and the reasoning which led to that Opinion", [("C-9/30", [], "opinion")]),
        (
            "in his Opinion of 12 May 2031 in this case, the Advocate General disagreed",
            [("C-9/30", [], "opinion")],
        ),
    ],
)
def test_a_paragraph_of_an_appeal_is_read_by_what_stood_before_it(text: str, expected: Found) -> None:
    memory = Memory(own="62030CJ0009")
    read(
        "By their appeals, Elm SE and Oak GmbH & Co. KG seek to have set aside the orders of the General Court of 16 "
        "May 2029, Elm v Commission (T‑61/24, not published, EU:T:2029:723) (‘the order in Case T‑61/24’), and of 16 "
        "May 2029, Oak v Commission (T‑62/24, EU:T:2029:714) (‘the order in Case T‑62/24’).",
        memory,
    )
    read("judgment of 3 May 2027, Alder and Others (C‑5/25, ‘the judgment in Alder’, EU:C:2027:1)", memory)
    read("judgment of 9 July 2029, Birch (C‑8/27, EU:C:2029:4, paragraph 1)", memory)

    assert read(text, memory) == expected


def test_a_decision_under_appeal_is_known_by_each_of_its_joined_numbers() -> None:
    memory = Memory(own="62030CJ0009")
    read("The appeal asks to set aside the judgment of 3 May 2029, Elm v Council (T‑61/24 and T‑62/24)", memory)

    assert read("the decision in Case T‑62/24, paragraph 8", memory) == [("T-62/24", [8], "procedural_history")]


def test_a_decision_named_by_day_and_name_alone_is_looked_up_and_its_opinion_too() -> None:
    titles = TitleIndex(
        [
            CaseRecord("62025CJ0365", name="Wort KG v Hauptzollamt Au", decided=date(2027, 1, 18)),
            CaseRecord("62025CJ0366", name="Another v Hauptzollamt Au", decided=date(2027, 1, 18)),
        ]
    )
    memory = Memory(own="62026CC0256", titles=titles, before=date(2027, 7, 20))

    first = read("This case resembles the judgment of 18 January 2027, Wort . ( 32 ) There, interest was due.", memory)
    second = read("In my Opinion in Wort , ( 33 ) I said so.", memory)

    assert first == [("C-365/25", [], "precedent")]
    assert second == [("C-365/25", [], "opinion")]


def test_a_number_of_1988_and_the_adjective_of_a_state_are_found_in_the_titles() -> None:
    titles = TitleIndex(
        [
            CaseRecord(
                "61988CJ0008",
                name="Federal Republic of Germany v Commission of the European Communities",
                case_numbers=("C-8/88",),
                decided=date(1990, 6, 12),
            ),
            CaseRecord("62010CJ0524", name="European Commission v Portuguese Republic", decided=date(2012, 3, 8)),
            CaseRecord("61975CJ0048", name="Jean Royal", decided=date(1976, 4, 8)),
        ]
    )

    def restore(text: str) -> Found:
        return read(text, Memory(own="62013CJ0298", titles=titles, before=date(2014, 4, 29)))

    assert restore("Case C-8/Germany v Commission [1990] ECR I-2321, paragraph 13") == [("8/88", [13], "precedent")]
    assert restore("Case C-524/Commission v Portugal [2012] ECR, paragraph 64") == [("C-524/10", [64], "precedent")]
    assert restore("Case 48/Royal [1976] ECR 497, paragraph 75") == [("48/75", [75], "precedent")]


@pytest.mark.slow
def test_real_gold_paragraphs_are_read_as_well_as_promised(data: Path) -> None:
    measures = gold_cases.score(data / "gold" / "cjeu.jsonl", data)

    assert measures["pincite_precision"] >= 0.95
    assert measures["pincite_recall"] >= 0.95
    assert measures["kind_accuracy"] >= 0.90


def test_one_of_several_judgments_under_appeal_is_told_by_its_ordinal() -> None:
    memory = Memory(own="62035CJ0588")
    read("By its appeal, Alder seeks to set aside the judgment of 9 September 2035, Alder v Commission (T-91/33, "
         "EU:T:2035:609) (\u2018the first judgment under appeal\u2019).", memory)  # fmt: skip
    read("By its appeal, Birch seeks to set aside the judgment of 9 September 2035, Birch v Commission (T-92/33, "
         "EU:T:2035:605) (\u2018the second judgment under appeal\u2019).", memory)  # fmt: skip

    found = read("in paragraph 9 of the first judgment under appeal and in, respectively, paragraphs 12 and 14 to 15 "
    "of the "
                 "second judgment under appeal. The second judgment under appeal", memory)  # fmt: skip

    assert found == [
        ("T-91/33", [9], "procedural_history"),
        ("T-92/33", [12, 14, 15], "procedural_history"),
        ("T-92/33", [], "procedural_history"),
    ]


def test_the_former_judgment_is_the_one_named_before_the_last() -> None:
    found = read(
        "in the judgments of 4 May 2033, Linden (C-300/31, EU:C:2033:370) and of 1 July 2034, Ash (C-590/32, "
        "EU:C:2034:1), as paragraph 87 of the former judgment says and the former case shows"
    )

    assert found == [
        ("C-300/31", [], "precedent"),
        ("C-590/32", [], "precedent"),
        ("C-300/31", [87], "precedent"),
    ]
