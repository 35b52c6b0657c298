import pytest
from hypothesis import given
from hypothesis import strategies as st

from renvoi import cases


def texts(text: str) -> list[str]:
    return [number.text for number in cases.parse_case_numbers(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Joined Cases C\u2011402/05 P and C-415/05 P", ["C-402/05 P", "C-415/05 P"]),
        ("Joined Cases 56 and 58/64 Alpha and Beta", ["56/64", "58/64"]),
        ("Cases C-46/93 and 48/93", ["C-46/93", "C-48/93"]),
        ("C\u2011478/11 P to C\u2011481/11 P", ["C-478/11 P", "C-479/11 P", "C-480/11 P", "C-481/11 P"]),
        ("T-202/10 RENV II", ["T-202/10 RENV II"]),
        ("Case 206/89 R Alpha v Commission", ["206/89 R"]),
        ("C-107/23 PPU, EU:C:2023:606", ["C-107/23 PPU"]),
        ("Case C-7/97, 12 May", ["C-7/97"]),
        ("Opinion 2/13 of the Court", ["Opinion 2/13"]),
    ],
)
def test_case_numbers_of_every_form_are_read(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize(
    "text", ["Directive 95/46/EC", "OJ 2016 C 345/1", "Regulation No 17/62", "in case 5 others", "on 12/05/93"]
)
def test_numbers_of_acts_and_dates_are_no_case_numbers(text: str) -> None:
    assert texts(text) == []


def test_the_place_of_a_number_is_its_own_characters() -> None:
    text = "see Joined Cases C-1/10 P and C-2/10 P"

    numbers = cases.parse_case_numbers(text)

    assert [text[n.start : n.end] for n in numbers] == ["C-1/10 P", "C-2/10 P"]


@given(
    court=st.sampled_from(["C", "T"]), serial=st.integers(1, 1999), year=st.integers(1989, 2040),
)  # fmt: skip
def test_celex_and_case_number_are_inverse(court: str, serial: int, year: int) -> None:
    number = f"{court}-{serial}/{year % 100:02d}"

    celex = cases.celex_from_case_number(number)

    assert cases.case_number_from_celex(celex) == number
    assert celex[1:5] == str(year)


def test_words_that_are_no_case_number_are_refused() -> None:
    with pytest.raises(ValueError, match="no case number"):
        cases.celex_from_case_number("Article 5")
