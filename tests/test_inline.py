from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from renvoi import registry, systems
from renvoi.errors import BadInput
from renvoi.types import Benchmark, Query

ROWS = [
    ("a~1", "a", date(2001, 1, 1), "the collar of a dog has a bell"),
    ("b~1", "b", date(2002, 1, 1), "hunters may go without, see Case C-1/99 Grimme, paragraph 1"),
    ("c~1", "c", date(2003, 1, 1), "walkers may not"),
]
LINKS = [("b~1", "a~1", date(2002, 1, 1)), ("c~1", "a~1", date(2003, 1, 1)), ("c~1", "b~1", date(2003, 1, 1))]


def make_bench(day: date | None = None, text: str = "") -> Benchmark:
    return Benchmark(
        kind="pincite", language="en",
        collections={"chunks": pl.DataFrame(ROWS, schema=["id", "document_id", "date", "text"], orient="row")},
        queries=(Query("q", text, date=day),),
        qrels={"chunk": pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Int64})},
        contexts=pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String}),
        links=pl.DataFrame(LINKS, schema=["source_id", "target_id", "date"], orient="row"),
    )  # fmt: skip


def contexts(way: str, bench: Benchmark, **options: object) -> dict[str, str]:
    return dict(registry.load("contexts", way)(bench, options).select("id", "context").iter_rows())


def test_inlining_puts_the_words_of_the_cited_chunks_beside_a_chunk() -> None:
    found = contexts("inline", make_bench())

    assert found["a~1"] == ""
    assert found["b~1"] == "the collar of a dog has a bell"
    assert found["c~1"].startswith("the collar of a dog has a bell hunters may go")


def test_inlining_clips_each_cited_chunk() -> None:
    found = contexts("inline", make_bench(), words=2)

    assert found["c~1"] == "the collar hunters may"


def test_a_second_hop_is_shorter_and_a_chunk_is_never_its_own_context() -> None:
    bench = make_bench()
    chain = replace(bench, links=bench.links.filter(pl.col("source_id") != "c~1").vstack(
        pl.DataFrame([("c~1", "b~1", None), ("a~1", "c~1", None)], schema=bench.links.schema, orient="row")
    ))  # fmt: skip

    assert contexts("inline", chain, words=4)["c~1"] == "hunters may go without,"
    assert contexts("inline", chain, words=4, hops=2)["c~1"] == "hunters may go without, the collar"
    assert "walkers" not in contexts("inline", chain, words=4, hops=2)["c~1"]


def test_citing_text_is_masked_and_earlier_than_the_queries() -> None:
    found = contexts("citing", make_bench(date(2003, 1, 1)))

    assert found["a~1"].startswith("hunters may go without")
    assert "C-1/99" not in found["a~1"]
    assert "walkers" not in found["a~1"]
    assert found["b~1"] == ""


def test_citing_text_never_goes_beyond_a_query() -> None:
    with pytest.raises(BadInput, match="is later than a query"):
        contexts("citing", make_bench(date(2003, 1, 1)), before="2004-01-01")


@pytest.mark.parametrize(
    "model", ["bm25:w.body=1,w.cited=0.5", "bm25f:w.body=1,w.cited=0.5", "along:w.body=1,w.cited=1"]
)
def test_every_lexical_model_can_weigh_what_a_chunk_cites(model: str) -> None:
    bench = make_bench(text="bell")

    run = systems.run_system(systems.parse_system(model), bench, bench.task())

    assert set(run["doc_id"]) == {"a~1", "b~1", "c~1"}
