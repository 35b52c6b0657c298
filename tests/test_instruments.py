"""The list "instruments cited" of EUR-Lex."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renvoi.errors import BadInput
from renvoi.pincite.instruments import expand_numbers, parse_instruments_cited


def test_every_gold_line_is_read(data: Path) -> None:
    rows = [json.loads(line) for line in (data / "gold" / "instruments_cited.jsonl").read_text("utf-8").splitlines()]

    read = [parse_instruments_cited(row["line"]) for row in rows]

    assert [(r.cited, r.paragraph, list(r.citing), r.sub) for r in read] == [
        (row["cited"], row["paragraph"], row["citing"], row.get("sub")) for row in rows
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P 60 - 70, 75 and 81-83", (*range(60, 71), 75, 81, 82, 83)),
        ("N 1\u20133 5", (1, 2, 3, 5)),
        ("N 12A 13", (12, 13)),
        ("N 70 - 60", (70, 60)),
        ("N 4 4 - 5", (4, 5)),
        ("", ()),
    ],
)
def test_every_form_of_list_is_expanded(text: str, expected: tuple[int, ...]) -> None:
    assert expand_numbers(text) == expected


def test_a_suffix_in_brackets_belongs_to_the_number() -> None:
    read = parse_instruments_cited("62031CO0204(01)-N7: N 55")

    assert (read.cited, read.paragraph, read.citing) == ("62031CO0204(01)", 7, (55,))


def test_a_line_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match="instruments cited"):
        parse_instruments_cited("see above")


@given(
    st.lists(st.tuples(st.integers(1, 900), st.integers(0, 20)), min_size=1, max_size=8),
    st.sampled_from([" ", ", ", " and "]),
    st.sampled_from([" - ", "-", "\u2013"]),
)
def test_a_list_is_read_as_it_was_written(ranges: list[tuple[int, int]], comma: str, hyphen: str) -> None:
    listed = comma.join(f"{first}{hyphen}{first + more}" if more else str(first) for first, more in ranges)

    read = parse_instruments_cited(f"62030CJ0001-N9: N {listed}")

    assert read.citing == tuple(dict.fromkeys(n for first, more in ranges for n in range(first, first + more + 1)))
