import polars as pl
import pytest

from renvoi.errors import BadInput
from renvoi.two_stage import weigh_cases
from renvoi.types import Benchmark, Task

CORPUS = pl.DataFrame({"id": ["a~1", "a~2", "b~1"], "document_id": ["a", "a", "b"]})
TASK = Task("par_par", (), CORPUS, pl.DataFrame())
BENCH = Benchmark("pincite", "en", {"chunks": CORPUS}, (), {}, pl.DataFrame(), pl.DataFrame())
RUN = pl.DataFrame({"query_id": ["q"] * 3, "doc_id": ["b~1", "a~1", "a~2"], "score": [4.0, 3.5, 3.0]})


def test_a_paragraph_of_a_case_with_several_good_ones_rises() -> None:
    found = weigh_cases(RUN, {"weight": "1", "top": "2"}, BENCH, TASK, 10)

    assert found.rows() == [("q", "a~1", 6.75), ("q", "a~2", 6.25), ("q", "b~1", 6.0)]


def test_without_weight_nothing_changes() -> None:
    assert weigh_cases(RUN, {"weight": "0"}, BENCH, TASK, 10).equals(RUN)


def test_a_wrong_option_is_told() -> None:
    with pytest.raises(BadInput, match="weight, top, depth"):
        weigh_cases(RUN, {"wait": "1"}, BENCH, TASK, 10)
