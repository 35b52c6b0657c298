"""A run > the same run with its best documents put in a new order by a neural model.

bm25+rerank:NAME                      a model folder, or a model of the hub that is on this machine
tf_idf+rerank:legalbert               bi-encoder, mean of the tokens     (nlpaueb/legal-bert-base-uncased)
tf_idf+rerank:sailer                  bi-encoder, [CLS]                  (CSHaitao/SAILER_en_finetune)
tf_idf+rerank:bge-reranker            cross-encoder                      (BAAI/bge-reranker-v2-m3)
bm25+rerank:NAME,kind=bi,pooling=cls,top=50,max_length=512
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from renvoi import rank
from renvoi.embed.cache import embed, fill, say_lost
from renvoi.embed.choose import open_encoder
from renvoi.embed.folders import find_model, find_setup, read_config
from renvoi.embed.settings import Settings, read_settings
from renvoi.errors import BadInput
from renvoi.types import Benchmark, Task

_TOP = 50
_MAX_LENGTH = 512


def rerank_run(run: pl.DataFrame, options: Mapping[str, str], bench: Benchmark, task: Task, k: int) -> pl.DataFrame:
    """Return a run whose best documents have the order of a model; those after them keep theirs, below.

    Args:
        run: of the first stage.
        options: "" the model; "kind" cross or bi (told from the model where not given); "top" how many of each query
            are scored (50); "max_length" in tokens (512: of query and document each by a bi-encoder, of both together
            by a cross-encoder); further ones as in `dense`.
        bench: not read.
        task: texts of queries and documents.
        k: documents kept for each query.

    Raises:
        MissingDependency: the package of the model is not installed.
        MissingModel: the model is not on this machine.
        BadInput: no such option.
    """
    settings, kind, top = _read(options)
    ordered = rank.order_run(run).with_columns(pl.int_range(pl.len()).over("query_id").alias("place"))
    best, rest = ordered.filter(pl.col("place") < top), ordered.filter(pl.col("place") >= top)
    queries = {query.id: query.text for query in task.queries}
    texts = dict(task.corpus.select("id", "text").join(best, left_on="id", right_on="doc_id", how="semi").iter_rows())
    asked, found = [queries[id] for id in best["query_id"]], [texts[id] for id in best["doc_id"]]
    scores = _cross_scores(settings, asked, found) if kind == "cross" else _bi_scores(settings, asked, found)
    scored = best.with_columns(pl.Series("score", scores, pl.Float64))
    lowest = scored.group_by("query_id").agg(pl.col("score").min().alias("lowest"))
    below = rest.join(lowest, on="query_id", maintain_order="left").with_columns(
        (pl.col("lowest") - 1 - pl.col("place") / 1000).alias("score")
    )
    return rank.order_run(pl.concat([frame.select("query_id", "doc_id", "score") for frame in (scored, below)]), k)


def check_options(options: Mapping[str, str]) -> None:
    """Find the model and read the options, before anything waits for them.

    Raises:
        RenvoiError: as in `rerank_run`.
    """
    settings, kind, _ = _read(options)
    if kind == "bi":
        open_encoder(settings)
        return
    from renvoi.embed.cross import CrossEncoder

    CrossEncoder(settings)


def _read(options: Mapping[str, str]) -> tuple[Settings, str, int]:
    settings = read_settings(options, "rerank", ("kind", "top"))
    kind = options.get("kind") or _kind_of(settings.name)
    if kind not in ("cross", "bi"):
        raise BadInput(f"rerank:kind={kind}", "there is no such value", "it is cross or bi")
    try:
        top = int(options.get("top", _TOP))
    except ValueError:
        raise BadInput(f"rerank:top={options['top']}", "the value is no whole number") from None
    if settings.name != "embedded" and settings.max_length is None:
        settings = replace(settings, max_length=_MAX_LENGTH)
    return settings, kind, top


def _kind_of(name: str) -> str:
    if name == "embedded":
        return "bi"
    setup = find_setup(name)
    if setup and setup.cross:
        return "cross"
    heads = read_config(find_model(name, "reranking"), "config.json").get("architectures") or []
    return "cross" if any(head.endswith("ForSequenceClassification") for head in heads) else "bi"


def _bi_scores(settings: Settings, queries: list[str], texts: list[str]) -> NDArray[np.float64]:
    """Return the cosine of each query and its text."""
    encoder = open_encoder(settings)
    once, row = np.unique(np.array(queries, object), return_inverse=True)
    asked = embed(encoder, once.tolist(), query=True, folder=settings.cache)
    once, place = np.unique(np.array(texts, object), return_inverse=True)
    found = embed(encoder, once.tolist(), query=False, folder=settings.cache)
    scores = [float(asked[i] @ found[j]) for i, j in zip(row, place, strict=True)]
    return np.array(scores, np.float64)


def _cross_scores(settings: Settings, queries: list[str], texts: list[str]) -> NDArray[np.float64]:
    from renvoi.embed.cross import CrossEncoder

    encoder = CrossEncoder(settings)
    pairs = list(zip(queries, texts, strict=True))
    scores, lost = fill(
        settings.cache, encoder, ["\x1f".join(pair) for pair in pairs],
        lambda some: encoder.score([pairs[i] for i in some]), what="reranking pairs",
    )  # fmt: skip
    say_lost(encoder.name, lost, "pairs")
    return np.asarray(scores.reshape(-1), np.float64)
