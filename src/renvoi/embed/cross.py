"""A cross-encoder: query and document are read together, and a head says how relevant the one is to the other.

R. Nogueira, K. Cho: Passage re-ranking with BERT (arXiv 1901.04085).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from renvoi.embed import Counts, Vectors
from renvoi.embed.batches import group, spread
from renvoi.embed.folders import find_model, fingerprint, read_config
from renvoi.embed.settings import Settings
from renvoi.embed.transformer import Transformer, load_transformer
from renvoi.errors import BadInput


class CrossEncoder:
    """Scores pairs. Weights are loaded with the first pair."""

    block = 512

    def __init__(self, settings: Settings) -> None:
        """Find the model.

        Raises:
            MissingModel: it is not on this machine.
            BadInput: it does not give one value a pair.
        """
        self.name = settings.name
        self._settings = settings
        self._folder = find_model(settings.name, "reranking")
        config = read_config(self._folder, "config.json")
        labels = config.get("num_labels") or len(config.get("id2label") or (0, 1))  # two where a model does not say
        if labels != 1:
            raise BadInput(self.name, f"gives {labels} values a pair", "a reranker gives one")
        self.identity = json.dumps(
            {
                "files": fingerprint(self._folder), "cross": 1, "max_length": settings.max_length,
                "dtype": settings.dtype,
            }
        )  # fmt: skip

    @cached_property
    def _loaded(self) -> Transformer:
        settings = self._settings
        return load_transformer(
            self._folder, name=self.name, purpose="reranking", head="AutoModelForSequenceClassification",
            device=settings.device, dtype=settings.dtype, max_length=settings.max_length,
        )  # fmt: skip

    def score(self, pairs: Sequence[tuple[str, str]]) -> tuple[Vectors, Counts]:
        """Return (n, 1) scores of (query, document), any numbers, and how many tokens of each pair were not read.

        Where a pair is too long, tokens go from the end of the longer text.
        """
        torch, tokenizer, model, limit = self._loaded
        queries, texts = [query for query, _ in pairs], [text for _, text in pairs]
        read = tokenizer(queries, texts, truncation=False, verbose=False, return_attention_mask=False)
        lengths = np.array([len(ids) for ids in read["input_ids"]], np.int64)
        scores = np.empty((len(pairs), 1), np.float32)
        device = model.device.type
        groups = group(np.minimum(lengths, limit), device, self._settings.batch)
        batches = (
            tokenizer(
                [queries[i] for i in some], [texts[i] for i in some], truncation="longest_first", max_length=limit,
                padding=True, return_tensors="pt", verbose=False,
            )
            for some in groups
        )  # fmt: skip
        made = spread(
            torch, device, len(groups), batches,
            lambda batch: model(**batch.to(model.device)).logits.float().cpu().numpy(),
        )  # fmt: skip
        for some, part in zip(groups, made, strict=True):
            scores[some] = part
        return scores, np.maximum(0, lengths - limit)
