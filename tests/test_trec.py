from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renvoi import store
from renvoi.errors import BadInput


def _file(folder: Path, text: str | bytes) -> Path:
    path = folder / "some.run"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "q1 Q0 d1 1 2.5 x\nq1 Q0 d2 2 1 x\n",
        "\ufeffq1 Q0 d1 1 2.5 x\r\nq1 Q0 d2 2 1 x\r\n",
        "q1\tQ0\td1\t1\t2.5\tx\n\nq1\tQ0\td2\t2\t1\tx",
        "q1  Q0\td1 1 2.5 x\nq1 Q0 d2 2 1.0e0 x\n",
        "query-id\tcorpus-id\tscore\nq1\td1\t2.5\nq1\td2\t1\n",
    ],
    ids=["plain", "byte-order mark and CRLF", "tabs and an empty line", "mixed gaps", "BEIR header"],
)
def test_a_run_is_read_whatever_its_line_ends_gaps_and_header(tmp_path: Path, text: str) -> None:
    run = store.read_run(_file(tmp_path, text))

    assert run.rows() == [("q1", "d1", 2.5), ("q1", "d2", 1.0)]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffq1 0 d1 1\nq1 0 d2 2\n",
        "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t2\n",
        "q1 0 d1 1.0\r\nq1 0 d2 2.0\r\n",
        "query_id\tdoc_id\trelevance\tsource\nq1\td1\t1\ttext\nq1\td2\t2\teurlex\n",
    ],
    ids=["byte-order mark", "BEIR header", "grades with a point", "our own TSV"],
)
def test_qrels_are_read_whatever_their_layout(tmp_path: Path, text: str) -> None:
    qrels = store.read_qrels(_file(tmp_path, text))

    assert qrels.rows() == [("q1", "d1", 1), ("q1", "d2", 2)]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("q1 Q0 d1 1 nan x\nq1 Q0 d2 2 0.1 x\n", 1, "'nan' is no number"),
        ("q1 Q0 d2 1 0.1 x\nq1 Q0 d1 2 inf x\n", 2, "'inf' is no number"),
        ("q1 Q0 d1 1 2 x\n\nq1 Q0 d1 2 1 x\n", 3, "'d1' stands twice for query 'q1'"),
        ("q1 Q0 d1 1 2 x\nq1 Q0 d2 2 1\n", 2, "5 columns"),
        ("q1 Q0 d1 1\n", 1, "4 columns"),
        ("q1 Q0 d1 1 2,5 x\n", 1, "decimals with a point"),
        ("q1 Q0 d1 1 high x\n", 1, "'high' is no number"),
    ],
)
def test_a_run_that_would_change_a_score_silently_is_refused_with_its_line(
    tmp_path: Path, text: str, line: int, words: str
) -> None:
    path = _file(tmp_path, text)

    with pytest.raises(BadInput, match=words) as caught:
        store.read_run(path)

    assert caught.value.where == f"{path}:{line}"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("q1 0 d1 0.5\n", 1, "no whole number"),
        ("q1 0 d1 1,0\n", 1, "decimals with a point"),
        ("q1 0 d1 1\nq1 0 d1 0\n", 2, "stands twice"),
        ("q1 0 d1 1\nq1 d1 1\n", 2, "3 columns"),
        ("q1 0 d1 nan\n", 1, "no number"),
    ],
)
def test_broken_qrels_are_refused_with_their_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    path = _file(tmp_path, text)

    with pytest.raises(BadInput, match=words) as caught:
        store.read_qrels(path)

    assert caught.value.where == f"{path}:{line}"


@pytest.mark.parametrize("text", ["", "\n\n", b"\xff\xfeq1"])
def test_a_file_without_readable_rows_is_refused(tmp_path: Path, text: str | bytes) -> None:
    with pytest.raises(BadInput):
        store.read_run(_file(tmp_path, text))


@given(
    rows=st.dictionaries(
        st.tuples(st.sampled_from(["q1", "q 2"]), st.sampled_from(["d1", "d~§ 1", "ż", "d/4"])),
        st.floats(allow_nan=False, allow_infinity=False, width=32),
        min_size=1,
    )
)
def test_a_written_run_comes_back_with_ids_that_hold_blanks_and_every_32_bit_score(
    tmp_path_factory: pytest.TempPathFactory, rows: dict[tuple[str, str], float]
) -> None:
    path = tmp_path_factory.mktemp("runs") / "a.run"
    run = pl.DataFrame(
        [(q, d, s) for (q, d), s in sorted(rows.items())], orient="row", schema=["query_id", "doc_id", "score"]
    )

    store.write_run(path, run, "a")
    back = store.read_run(path)

    assert back.select("query_id", "doc_id").equals(run.select("query_id", "doc_id"))
    assert (back["score"].to_numpy().astype(np.float32) == run["score"].to_numpy().astype(np.float32)).all()


def test_written_qrels_come_back(tmp_path: Path) -> None:
    qrels = pl.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["d~§ 1", "d2"], "relevance": [1, 0]})

    store.write_qrels(tmp_path / "q", qrels)

    assert store.read_qrels(tmp_path / "q").equals(qrels)


def test_systems_of_two_folders_are_told_apart_by_the_folder(tmp_path: Path) -> None:
    for folder, names in (("bare", ["bm25", "dph"]), ("contexts", ["bm25"])):
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / f"{name}.run").write_text("q Q0 d 1 1.0 s\n", encoding="utf-8")
        timings = {"runs": {name: {"model": name, "searching_s": len(folder)} for name in names}}
        (tmp_path / folder / "timings.json").write_text(json.dumps(timings), encoding="utf-8")
    folders = [tmp_path / "bare", tmp_path / "contexts"]

    assert list(store.find_runs(folders)) == ["bare/bm25", "dph", "contexts/bm25"]
    assert {name: row["searching_s"] for name, row in store.read_timings(folders).items()} == {
        "bare/bm25": 4, "dph": 4, "contexts/bm25": 8,
    }  # fmt: skip
