"""Leakage on a benchmark so small that the right order is plain."""

from datetime import date

import polars as pl
import pytest

from renvoi.ablate import SETTINGS, ablate_leakage, leak, leakage_sheet
from renvoi.errors import BadInput
from renvoi.types import Benchmark, Query

UNMASKED = "The mill may grind (judgment of 3 May 2012, Alder, C-9001/10, paragraph 7) the grain."
SPANS = [
    [UNMASKED.index("3 May 2012"), UNMASKED.index("3 May 2012") + 10, "judgment_date"],
    [UNMASKED.index("Alder"), UNMASKED.index("Alder") + 5, "case_name"],
    [UNMASKED.index("C-9001/10"), UNMASKED.index("C-9001/10") + 9, "case_number"],
    [UNMASKED.index("paragraph 7"), UNMASKED.index("paragraph 7") + 11, "pinpoint"],
]


def query(**extra: object) -> Query:
    given = {"unmasked": UNMASKED, "spans": SPANS, "cluster": "c", **extra}
    return Query(
        "62016CJ9004-31", "The mill may grind the grain.", "test", "par", "62016CJ9004~para_31", "62016CJ9004",
        date(2018, 1, 1), given,
    )  # fmt: skip


def bench(*queries: Query) -> Benchmark:
    texts = {
        "62010CJ9001~para_7": "A mill may grind grain.",
        "62010CJ9001~para_31": "Alder, paragraph 31, C-9001/10, judgment of 3 May 2012.",
    }
    frame = pl.DataFrame(
        {
            "id": list(texts), "text": list(texts.values()), "lead_ins": [[], []], "labels": [[], []],
            "document_id": ["62010CJ9001"] * 2, "date": [date(2012, 5, 3)] * 2, "order": [0, 1],
        },
        schema_overrides={"lead_ins": pl.List(pl.String), "labels": pl.List(pl.String), "order": pl.Int32},
    )  # fmt: skip
    qrels = pl.DataFrame({"query_id": ["62016CJ9004-31"], "doc_id": ["62010CJ9001~para_7"], "relevance": [1]})
    nothing = pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String})
    links = pl.DataFrame(schema={"source_id": pl.String, "target_id": pl.String, "date": pl.Date})
    return Benchmark("pincite", "en", {"chunks": frame}, queries, {"par_par": qrels}, nothing, links, (), {})


def test_each_setting_hides_more_than_the_one_before() -> None:
    texts = [leak(query(), setting, "31") for setting in SETTINGS]

    assert texts[0] == "31 " + UNMASKED
    assert texts[1] == UNMASKED
    assert "Alder" in texts[2]
    assert not any(word in texts[2] for word in ("9001", "2012", "paragraph"))
    assert texts[3] == "The mill may grind the grain."


def test_a_number_and_a_name_left_in_the_query_draw_it_to_the_wrong_paragraph() -> None:
    made = ablate_leakage(bench(query()), ["bm25"], measures="RR@10")

    values = {row["setting"]: row["RR@10"] for row in made.changes}
    assert list(values) == list(SETTINGS)
    assert values["w/o names"] == 1.0
    assert values["ori"] < 1.0
    assert {(c.a, c.b) for c in made.table.comparisons} == {
        (f"bm25 {setting}", "bm25 w/o names") for setting in SETTINGS[:-1]
    }


def test_the_curve_has_one_point_a_setting_with_its_interval() -> None:
    sheet = leakage_sheet(ablate_leakage(bench(query()), ["bm25"], measures="RR@10"))

    assert [row[1] for row in sheet.rows] == list(SETTINGS)
    assert all(low <= value <= high for _, _, value, low, high, _ in sheet.rows)
    assert sheet.svg.startswith("<svg")


def test_a_benchmark_without_unmasked_text_is_refused() -> None:
    plain = Query("q", "The mill.", "test", "par", "62016CJ9004~para_31")

    with pytest.raises(BadInput, match="unmasked"):
        ablate_leakage(bench(plain), ["bm25"])
