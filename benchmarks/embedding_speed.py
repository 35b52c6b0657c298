"""How fast texts become vectors: ours beside plain sentence-transformers in one run, then a whole collection twice.

    python benchmarks/embedding_speed.py MODEL TEXTS... [-n 8000] [--sample 400] [--threads 2]

MODEL is a model folder. TEXTS are JSON lines with "text", folders of `renvoi import` or `build` (chunks), or of `renvoi
ingest` (provisions); the first `n` texts in that order are the collection. The two read the same sample in turns, three
times each; the least time counts. Prints one JSON document: times in seconds, tokens a second, the ratio, the least
cosine between the two, and how near the processor's own limit it is (the same products of matrices, and nothing else).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from renvoi.embed.cache import embed
from renvoi.embed.sentence import SentenceEncoder, count_tokens
from renvoi.embed.settings import read_settings

ROUNDS = 3


def read_texts(path: Path) -> list[str]:
    """Return the texts of a file or folder, without empty ones."""
    if path.is_dir():
        name = "chunks" if (path / "chunks.parquet").exists() else "provisions"
        found = pl.read_parquet(path / f"{name}.parquet", columns=["text"])["text"].to_list()
    elif path.suffix == ".parquet":
        found = pl.read_parquet(path, columns=["text"])["text"].to_list()
    else:
        found = [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]
    return [text for text in found if text.strip()]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of the wall, and what came out."""
    started = time.perf_counter()
    made = work()
    return time.perf_counter() - started, made


def compare(model: str, texts: Sequence[str]) -> dict[str, float]:
    """Return the least times of both over a sample, and how alike their vectors are."""
    encoder = SentenceEncoder(read_settings({"": model}, "dense"))
    encoder.load()
    plain = encoder._model[1]
    whole = [encoder.prefixes["passage"] + text for text in texts]
    tokens = int(np.minimum(count_tokens(plain.tokenizer, whole), plain.max_seq_length).sum())
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(timed(lambda: encoder.encode(texts, query=False)[0]))
        theirs.append(timed(lambda: plain.encode(whole, normalize_embeddings=True, show_progress_bar=False)))
    least, most = min(seconds for seconds, _ in ours), min(seconds for seconds, _ in theirs)
    cosine = (ours[0][1] * theirs[0][1]).sum(axis=1).min()
    return {
        "texts": len(texts), "tokens": tokens, "ours_s": least, "sentence_transformers_s": most, "ratio": most / least,
        "ours_tokens_per_s": tokens / least, "least_cosine": float(cosine),
        "share_of_limit": tokens / least / limit(plain),
    }  # fmt: skip


def limit(model: Any) -> float:
    """Return the tokens a second of the model's linear layers alone, on all threads."""
    import torch

    layers = [module for module in model.modules() if isinstance(module, torch.nn.Linear)]
    rows = 1024
    inputs = {layer.in_features: torch.rand(rows, layer.in_features) for layer in layers}

    def work() -> None:
        with torch.inference_mode():
            for layer in layers:
                layer(inputs[layer.in_features])

    work()
    return rows / min(timed(work)[0] for _ in range(5))


def main() -> None:
    """Print the times."""
    import torch

    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("-n", type=int, default=8000)
    parser.add_argument("--sample", type=int, default=400)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    texts = [text for path in given.texts for text in read_texts(path)][: given.n]
    result: dict[str, Any] = {"threads": given.threads, "sample": {}, "collection": {"texts": len(texts)}}
    if given.sample:
        result["sample"] = compare(given.model, texts[:: max(1, len(texts) // given.sample)])
    with tempfile.TemporaryDirectory() as folder:
        for name in ("first_s", "again_s"):
            seconds, made = timed(
                lambda: embed(
                    SentenceEncoder(read_settings({"": given.model}, "dense")), texts, query=False, folder=Path(folder)
                )
            )
            result["collection"] |= {name: seconds, "vectors": len(made)}
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
