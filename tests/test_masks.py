"""Masks: what a query must not say, and what it must keep."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renvoi import registry
from renvoi.cite_cases import Memory, read_mentions
from renvoi.errors import MissingModel, UnknownName
from renvoi.masks import DEFAULT, PLACEHOLDERS, How, hide, names_by_case

HOWS: list[How] = ["placeholder", "remove"]


@pytest.mark.parametrize("how", HOWS)
def test_everything_that_must_go_goes_and_the_rest_stays(data: Path, how: How) -> None:
    rows = [json.loads(line) for line in (data / "gold" / "masks.jsonl").read_text("utf-8").splitlines()]

    for row in rows:
        text = hide(row["text"], known=row.get("known", ()), how=how).text

        assert [gone for gone in row["gone"] if gone in text] == []
        assert [stay for stay in row["stay"] if stay not in text] == []


def test_both_occurrences_of_a_party_and_the_own_number_are_hidden() -> None:
    text = (
        "21  It follows from the judgment of 3 March 2031, Alder, C-900/29, paragraph 40, that Alder may rely on "
        "Article 3."
    )

    masked = hide(text)

    assert masked.text == (
        "It follows from the judgment of [date], [name], [number], [paragraph], that [name] may rely on Article 3."
    )
    assert [(text[s.start : s.end], s.kind) for s in masked.spans] == [
        ("21  ", "own_number"),
        ("3 March 2031", "judgment_date"),
        ("Alder", "case_name"),
        ("C-900/29", "case_number"),
        ("paragraph 40", "pinpoint"),
        ("Alder", "short_name"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "It follows from the judgment of 3 March 2031, Alder (C-9/29, EU:C:2031:1, paragraph 4), that this is so.",
            "It follows from the judgment, that this is so.",
        ),
        (
            "That is settled (see, to that effect, judgments of 3 March 2031, Alder, C-9/29, paragraph 4, and of 4 "
            "March 2031, "
            "Elm, C-8/29, EU:C:2031:2, paragraphs 5 to 7 and the case-law cited).",
            "That is settled.",
        ),
        ("He relies on paragraphs 3 and 4 of the judgment under appeal.", "He relies on the judgment under appeal."),
        ("55 As such, it stands.", "As such, it stands."),
        (
            "They err as to the judgment of 19 May 2027, Elm (C‑5/25, ‘the judgment in Elm’, EU:C:2027:6 ) , and more.",
            "They err as to the judgment, and more.",
        ),
        ("The Court found, in paragraphs 4 and 6 of that judgment, so.", "The Court found, in that judgment, so."),
        (
            "It held, in paragraph 7 of its judgment of 19 May 2027, Elm (C‑552/25, EU:C:2027:698), that it is so.",
            "It held, in its judgment, that it is so.",
        ),
        (
            "The goods (wood and paper; see Case 9/74 Elm [1975] ECR 1, paragraph 2) are free.",
            "The goods (wood and paper; see Case) are free.",
        ),
    ],
)
def test_what_is_left_after_removal_reads_as_text(text: str, expected: str) -> None:
    assert hide(text, how="remove").text == expected


@pytest.mark.parametrize(
    "text",
    [
        "That article can be relied on in the order under appeal, since the Commission can adopt such a measure.",
        "Article 5(1)(a) of Regulation No 44/2001 and Directive 95/46/EC,\u00a0as amended  on 3 May 2031 .",
        "15 Member States signed it on 12 March 2031; paragraph 2 of Article 7 applies.",
        "",
        "  \n",
    ],
)
@pytest.mark.parametrize("how", HOWS)
def test_a_text_that_cites_nothing_comes_back_byte_for_byte(text: str, how: How) -> None:
    masked = hide(text, how=how)

    assert masked.text == text
    assert masked.spans == ()


def test_known_names_are_hidden_with_their_parties_but_never_inside_words() -> None:
    masked = hide("In Elm, Elmwood and the Commission met Elm’s heirs.", known=["Elm GmbH v Commission"])

    assert masked.text == "In [name], Elmwood and the Commission met [name]’s heirs."


def test_the_date_before_a_known_name_or_a_pinpoint_goes_too() -> None:
    text = (
        "(judgment of 12 March 2031, Elm, and of 3 May 2032, paragraph 8). By judgment of 5 May 2031, the court "
        "of Hamlet ruled."
    )

    masked = hide(text, known=["Elm"])

    assert masked.text == (
        "(judgment of [date], [name], and of [date], [paragraph]). By judgment of 5 May 2031, the court of Hamlet "
        "ruled."
    )


def test_names_in_capital_letters_are_found_in_pages_of_capital_letters() -> None:
    masked = hide("AS THE COURT HELD IN THE GRIMME JUDGMENT, DISCRIMINATION IS PROHIBITED.", known=["Grimme"])

    assert "GRIMME" not in masked.text


def test_a_short_name_from_an_earlier_paragraph_is_known_by_the_memory_of_the_judgment() -> None:
    memory = Memory(own="62030CJ0001")
    read_mentions("see judgment of 3 May 2027, Alder and Others, C‑5/25, EU:C:2027:1", memory)

    masked = hide("As in Alder, cited above, paragraph 93, the claim fails.", memory=memory)

    assert masked.text == "As in [name], [above], [paragraph], the claim fails."


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        (
            "Spain, backed by the Council, claims that Spain v Council, cited above, is decisive.",
            ["Spain v Council"],
            "Spain, backed by the Council, claims that [name], [above], is decisive.",
        ),
        (
            "see the judgment in Commission v Poland (Independence), paragraph 71.",
            ["Commission v Poland (Independence)"],
            "see the judgment in [name], [paragraph].",
        ),
        (
            "The conditions laid down in Altfeld are met; the second Altfeld condition is not. Altfeld is a town.",
            ["Altfeld Trans and Bezirk Nord"],
            "The conditions laid down in [name] are met; the second [name] condition is not. [name] is a town.",
        ),
        ("Clean air is an aim; air travel is not.", ["Air Baltic"], "Clean air is an aim; air travel is not."),
        ("Air quality matters.", ["Air Baltic"], "Air quality matters."),
        (
            "In its judgments of 14 November 2033 and 11 December 2034, Nolte v Council (T-1/33), it annulled acts of "
            "2 May 2032.",
            [],
            "In its judgments of [date] and [date], [name] ([number]), it annulled acts of 2 May 2032.",
        ),
        (
            "Opinion 2/94 of 28 March 1996, EU:C:1996:140, paragraph 30, concerns accession.",
            [],
            "[number] of [date], [ecli], [paragraph], concerns accession.",
        ),
        ("heading 84/71 of the tariff and case 22/B of the form", [], None),
        ("It relies on Elm v ECB (T‑122/25 P, § 12).", [], "It relies on [name] ([number], [paragraph])."),
        (
            "Case T‑7/30, Lux v EUIPO — Bright (LUX BRIGHT), not published, paragraph 44, is of no help.",
            [],
            "Case [number], [name], not published, [paragraph], is of no help.",
        ),
        (
            "Case F-1/05 Elm v ETF [2006] ECR-SC I-A-1-123 and II-A-1-459, paragraph 70, is cited.",
            [],
            "Case [number] [name] [report], [paragraph], is cited.",
        ),
    ],
)
def test_names_that_only_a_decision_bears_are_hidden_and_common_words_stay(
    text: str, known: list[str], expected: str | None
) -> None:
    assert hide(text, known=known).text == (text if expected is None else expected)


def test_the_names_of_a_whole_judgment_go_by_the_case_they_belong_to() -> None:
    names = names_by_case(
        [
            "judgment of 25 October 2031, eTag Advertising and Others (C‑509/29, ‘eTag’, EU:C:2031:685, paragraph 4)",
            "As in eTag, cited above, and in paragraph 4 of this judgment, the claim fails.",
        ],
        own="62037CJ0192",
    )

    assert list(names) == ["C20290509"]
    assert {"eTag", "eTag Advertising and Others"} <= set(names["C20290509"])
    assert hide("The centre of interests, as eTag shows, counts.", known=names["C20290509"]).text == (
        "The centre of interests, as [name] shows, counts."
    )


def test_only_the_masks_asked_for_are_used() -> None:
    masked = hide("see Case C-9/29 Elm, paragraph 3", ["pinpoint"])

    assert masked.text == "see Case C-9/29 Elm, [paragraph]"


def test_an_unknown_mask_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownName, match="pinpoint"):
        hide("x", ["pinpont"])


def test_every_mask_of_the_shelf_has_a_placeholder() -> None:
    assert set(registry.names("masks")) == set(PLACEHOLDERS)
    assert set(DEFAULT) == set(PLACEHOLDERS) - {"ner"}


PIECES = [
    "paragraph 24",
    " of ",
    "the judgment",
    " C‑1/20 P",
    ", ",
    " EU:C:2021:5",
    " 3 May 2021",
    " Alder v Commission",
]
PIECES += [
    " that judgment",
    " (",
    ")",
    " and ",
    " 12",
    "Case 26/62",
    " [1990] ECR I-3",
    " Alder",
    "rely",
    "\u00a0",
    "21 It",
]
PIECES += [". ", "; see", " cited above"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=20).map("".join) | st.text(max_size=60)


@settings(max_examples=200)
@given(TEXTS)
def test_spans_lie_inside_the_text_in_order_and_the_rest_is_unchanged(text: str) -> None:
    masked = hide(text, known=["Alder"])

    assert all(0 <= s.start < s.end <= len(text) for s in masked.spans)
    assert all(a.end <= b.start for a, b in pairwise(masked.spans))
    rebuilt, position = "", 0
    for s in masked.spans:
        rebuilt += text[position : s.start] + PLACEHOLDERS[s.kind]
        position = s.end
    assert masked.text == rebuilt + text[position:]


@settings(max_examples=200)
@given(TEXTS)
def test_what_is_masked_stays_as_it_is_when_masked_again(text: str) -> None:
    once = hide(text, known=["Alder"])

    assert hide(once.text, known=["Alder"]).text == once.text


@settings(max_examples=200)
@given(TEXTS)
def test_removal_leaves_no_letter_that_was_not_there_and_eats_none_inside_words(text: str) -> None:
    masked = hide(text, known=["Alder"], how="remove")

    for s in masked.spans:
        assert not (s.start and text[s.start - 1].isalpha() and text[s.start].isalpha())
        assert not (s.end < len(text) and text[s.end - 1].isalpha() and text[s.end].isalpha())
    assert set(masked.text) <= set(text) | set("… ()")


@pytest.fixture(scope="module")
def spacy_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the folder of a pipeline that finds what its rules say, saved as a trained one is."""
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed; pip install 'renvoi[ner]'")
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler")
    named = {"Jane Alder": "PERSON", "Birch Mills": "ORG", "Court": "ORG", "VAT Directive": "ORG", "Oslo": "GPE"}
    ruler.add_patterns([{"label": label, "pattern": name} for name, label in named.items()])
    folder = tmp_path_factory.mktemp("spacy") / "rules"
    pipeline.to_disk(folder)
    return str(folder)


@pytest.mark.filterwarnings("ignore")
def test_a_model_hides_persons_and_firms_and_leaves_courts_acts_and_places(spacy_model: str) -> None:
    text = "As Jane Alder told the Court in Oslo, the VAT Directive binds Birch Mills."

    hidden = hide(text, ["ner"], model=spacy_model)

    assert [(text[s.start : s.end], s.rule) for s in hidden.spans] == [("Jane Alder", "PERSON"), ("Birch Mills", "ORG")]


@pytest.mark.filterwarnings("ignore")
def test_a_spacy_model_that_is_not_here_is_one_line() -> None:
    pytest.importorskip("spacy", reason="spaCy is not installed; pip install 'renvoi[ner]'")

    with pytest.raises(MissingModel, match="'no_such_model' is not on this machine"):
        hide("Jane Alder.", ["ner"], model="no_such_model")
