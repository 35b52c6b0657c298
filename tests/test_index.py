from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renvoi.analysis import Analysis
from renvoi.errors import BadInput, Mismatch, OutputExists
from renvoi.index import Index, analyse_queries, build_index, field_texts, open_index

PLAIN = Analysis("da", stemmer="none")
DOCUMENTS = pl.DataFrame(
    {
        "id": ["a", "c", "b"],
        "body": ["lejer betaler leje", "udlejer varsler lejer", ""],
        "path": ["Kapitel 1", "Kapitel 2", None],
        "pairs": ["lejer betaler leje", "udlejer varsler lejer", ""],
    }
)


def arrays(index: Index) -> dict[str, list[int]]:
    return {
        f"{field}.{part}": getattr(postings, part).tolist()
        for field, postings in index.fields.items()
        for part in postings.__slots__
    }


def test_postings_count_words_by_term_and_by_document() -> None:
    index = build_index(DOCUMENTS, PLAIN)

    body = index.fields["body"]
    [lejer] = index.vocabulary.find(["lejer"])
    docs = body.docs[body.starts[lejer] : body.starts[lejer + 1]]
    assert index.documents["id"].to_list() == ["c", "b", "a"]  # descending
    assert index.documents["id"].gather(docs).to_list() == ["c", "a"]
    assert body.lengths.tolist() == [3, 0, 3]
    assert index.vocabulary.find(["kapitel", "ukendt", ""]).tolist()[1:] == [-1, -1]


def test_an_opened_index_is_the_one_in_memory(tmp_path: Path) -> None:
    built = build_index(DOCUMENTS, PLAIN)

    opened = build_index(DOCUMENTS, PLAIN, tmp_path / "index")

    assert arrays(opened) == arrays(built)
    assert opened.documents.equals(built.documents)
    assert [opened.vocabulary[t] for t in range(len(opened.vocabulary))] == sorted(
        "1 2 betaler kapitel leje lejer udlejer varsler".split()
    )


@settings(max_examples=25)
@given(
    st.lists(st.text(alphabet="ab §é1 ", max_size=12), min_size=1, max_size=12),
    st.integers(1, 4),
    st.sampled_from([0, 1024]),
)
def test_threads_and_memory_do_not_change_the_index(texts: list[str], threads: int, memory_mb: int) -> None:
    documents = pl.DataFrame({"id": [str(n) for n in range(len(texts))], "body": texts})

    serial = build_index(documents, PLAIN, threads=1)
    other = build_index(documents.reverse(), PLAIN, threads=threads, memory_mb=memory_mb)

    assert arrays(other) == arrays(serial)
    assert other.manifest == serial.manifest


def test_the_files_are_the_same_twice(tmp_path: Path) -> None:
    for name in ("one", "two"):
        build_index(DOCUMENTS, PLAIN, tmp_path / name)

    one, two = ({f.name: f.read_bytes() for f in (tmp_path / name).iterdir()} for name in ("one", "two"))
    assert one == two


def test_an_index_that_exists_is_kept(tmp_path: Path) -> None:
    build_index(DOCUMENTS, PLAIN, tmp_path / "index")

    with pytest.raises(OutputExists):
        build_index(DOCUMENTS, PLAIN, tmp_path / "index")


@pytest.mark.parametrize(
    ("documents", "words"),
    [
        (pl.DataFrame({"id": ["a", "a"], "body": ["x", "y"]}), "'a' stands there twice"),
        (pl.DataFrame({"id": ["a", None], "body": ["x", "y"]}), "1 have no id"),
        (pl.DataFrame({"id": ["a"]}), "give id and a column for each field"),
    ],
)
def test_documents_that_cannot_be_told_apart_are_refused(documents: pl.DataFrame, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        build_index(documents, PLAIN)


def test_a_damaged_index_says_what_is_wrong(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    build_index(DOCUMENTS, PLAIN, folder)
    file = folder / "body.docs.bin"
    whole = file.read_bytes()

    file.write_bytes(whole[:-4])
    with pytest.raises(BadInput, match=r"body\.docs\.bin: the file of the index has 20 bytes, not 24"):
        open_index(folder)

    file.write_bytes(whole[:-4] + b"\1\0\0\0")
    open_index(folder)
    with pytest.raises(BadInput, match="has changed since the index was made"):
        open_index(folder, verify=True)

    file.unlink()
    with pytest.raises(BadInput, match="is missing"):
        open_index(folder)


def test_an_index_made_otherwise_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    build_index(DOCUMENTS, PLAIN, folder)

    with pytest.raises(Mismatch, match="was made with"):
        open_index(folder, analysis=Analysis("da"))

    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "format": 0}))
    with pytest.raises(Mismatch, match="format 0"):
        open_index(folder)

    (folder / "manifest.json").write_text("{")
    with pytest.raises(BadInput, match="not the manifest of an index"):
        open_index(folder)
    with pytest.raises(BadInput, match="is no index"):
        open_index(tmp_path)


def test_queries_are_read_as_the_index_was() -> None:
    index = build_index(DOCUMENTS, PLAIN)

    found = analyse_queries(["Lejer LEJER ukendt", "", 'q:"{udlejer}" – (leje)/4?'], index)

    words = [[index.vocabulary[t] for t in part] for part in np.split(found.terms, found.starts[1:-1])]
    assert words == [["lejer"], [], ["leje", "udlejer"]]
    assert found.tfs.tolist() == [2, 1, 1]
    assert found.lengths.tolist() == [2, 0, 2]


def test_fields_come_from_the_columns_of_a_collection() -> None:
    collection = pl.DataFrame(
        {
            "id": ["a"],
            "text": ["own"],
            "labels": [["Chapter 1"]],
            "lead_ins": [["The lessor shall:"]],
            "cited": ["other"],
            "path": ["§ 1/stk. 2"],
        }
    )

    texts = field_texts(collection, ["body", "path", "cited"])

    assert texts.rows() == [("a", "own", "Chapter 1 The lessor shall:", "other")]
    with pytest.raises(BadInput, match="no column for the field 'citing'"):
        field_texts(collection, ["citing"])


def test_terms_are_found_alike_by_halving_and_by_dictionary() -> None:
    words = [f"ord{n}" for n in range(100)]
    vocabulary = build_index(pl.DataFrame({"id": ["a"], "body": [" ".join(words)]}), PLAIN).vocabulary
    asked = ["ord7", "", "ukendt", "ord99"]

    halving = [vocabulary.find([word])[0] for word in asked[:3]]
    both = vocabulary.find(asked)

    assert both[:3].tolist() == halving
    assert [vocabulary[n] for n in both if n >= 0] == ["ord7", "ord99"]
