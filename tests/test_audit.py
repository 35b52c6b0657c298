"""The audit finds what masked queries still say of the decisions they cite."""

from __future__ import annotations

from datetime import date
from typing import Any

import polars as pl
import pytest

from renvoi.audit import audit
from renvoi.errors import BadInput
from renvoi.masks import hide
from renvoi.types import Benchmark, Query

CITING = (
    "It is settled that wood is a good (judgment of 3 March 2031, Alder v Commission, C‑9/29, EU:C:2031:1, "
    "paragraph 40), "
    "and Alder may sell it in the internal market."
)


def make_bench(masked: str, spans: list[list[object]] | None = None) -> Benchmark:
    extra = {"unmasked": CITING, "spans": spans or []}
    query = Query("62032CJ0005-7", masked, "test", "par", "62032CJ0005~para_7", "62032CJ0005", extra=extra)
    chunks = pl.DataFrame(
        {
            "id": ["62029CJ0009~para_40"],
            "text": ["Wood is a good."],
            "lead_ins": [[]],
            "labels": [[]],
            "document_id": ["62029CJ0009"],
            "date": [date(2031, 3, 3)],
            "order": [0],
        },
        schema_overrides={"lead_ins": pl.List(pl.String), "labels": pl.List(pl.String)},
    )
    qrels = pl.DataFrame({"query_id": [query.id], "doc_id": ["62029CJ0009~para_40"], "relevance": [1]})
    empty = pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String})
    return Benchmark("pincite", "en", {"chunks": chunks}, (query,), {"par_par": qrels}, empty, empty)


def test_an_unmasked_query_leaks_everything() -> None:
    found = audit(make_bench(CITING))

    assert found["leaks"] == {"case_number": 1, "ecli": 1, "date": 1, "pinpoint": 1, "name": 1}
    assert found["identifier_rate"] == 1.0


@pytest.mark.parametrize("how", ["placeholder", "remove"])
def test_a_masked_query_leaks_nothing(how: str) -> None:
    masked = hide(CITING, how=how)  # type: ignore[arg-type]

    found = audit(make_bench(masked.text, [[s.start, s.end, s.kind] for s in masked.spans]))

    assert set(found["leaks"].values()) == {0}
    assert found["found"] == []
    assert 0 < found["removed"]["mean"] < 0.6
    assert found["spans"]["short_name"] == 1


@pytest.mark.parametrize(
    ("left", "kind"),
    [
        ("as in Case C\u20119/29 P and others, a long enough text", "case_number"),
        ("see EU:C:2031:1 for a long enough text", "ecli"),
        ("on 3 March 2031 a long enough text", "date"),
        ("at paragraphs 38 to 42 a long enough text", "pinpoint"),
        ("as Alder said in a long enough text", "name"),
    ],
)
def test_each_kind_of_leak_is_found_with_its_place(left: str, kind: str) -> None:
    found = audit(make_bench(left))

    assert [leak["kind"] for leak in found["found"]] == [kind]
    assert found["found"][0]["start"] >= 0


def test_numbers_of_legislation_and_other_cases_are_no_leak() -> None:
    found = audit(
        make_bench("paragraph 40 of Article 3, Case C-19/29 and Case C-9/291 and Directive 9/29/EC in Alderney")
    )

    assert found["found"] == []


@pytest.mark.parametrize(("kind", "said"), [("crossref", "made from statutes"), ("imported", "made elsewhere")])
def test_a_benchmark_that_hides_nothing_is_refused_and_told_why(kind: Any, said: str) -> None:
    bench = make_bench("x")
    bare = Benchmark(
        kind, "en", bench.collections, (Query("q", "x", unit="par"),), bench.qrels, bench.contexts, bench.links
    )

    with pytest.raises(BadInput, match=said):
        audit(bare)
