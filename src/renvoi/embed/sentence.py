"""Any model of sentence-transformers, and any plain transformer with a pooling put on it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from renvoi.embed import Counts, Vectors
from renvoi.embed.batches import group, spread
from renvoi.embed.folders import find_model, find_setup, fingerprint, read_config, shorter
from renvoi.embed.quiet import choose_device, quiet_loading
from renvoi.embed.settings import Settings
from renvoi.errors import MissingDependency, MissingModel

_E5 = {"query": "query: ", "passage": "passage: "}
_QUERY_NAMES, _PASSAGE_NAMES = ("query", "web_search_query"), ("passage", "document", "corpus")


class SentenceEncoder:
    """Encodes by a model folder. Weights are loaded with the first text."""

    block = 512

    def __init__(self, settings: Settings) -> None:
        """Find the model.

        Raises:
            MissingModel: it is not on this machine.
            MissingDependency: it is a name, and what knows where downloads lie is not installed.
        """
        self.name = settings.name
        self._settings = settings
        self._folder = find_model(settings.name, "dense retrieval")
        setup = find_setup(settings.name)
        plain = not (self._folder / "modules.json").exists()
        # A folder without a pooling of its own is read as is known for its name, or by the mean, as is usual.
        self._pooling = settings.pooling or ((setup.pooling if setup else "mean") if plain else None)
        self.prefixes = choose_prefixes(settings, self._folder)
        length = shorter(self._folder, settings.max_length)
        self.identity = json.dumps(
            {
                "files": fingerprint(self._folder), "pooling": self._pooling, "max_length": length,
                "normalise": settings.normalise, "prefixes": self.prefixes, "dtype": settings.dtype,
            }
        )  # fmt: skip

    @cached_property
    def _model(self) -> tuple[Any, Any]:
        try:
            import torch
            from sentence_transformers import SentenceTransformer
            from sentence_transformers.models import Pooling, Transformer
        except ImportError as error:
            raise MissingDependency(f"the model {self.name!r}", "sentence-transformers", "dense") from error
        settings, folder = self._settings, str(self._folder)
        device = choose_device(torch, settings.device)
        try:
            with quiet_loading():
                if (self._folder / "modules.json").exists():
                    model = SentenceTransformer(folder, device=device, local_files_only=True)
                else:
                    reader = Transformer(folder, model_kwargs={"local_files_only": True})
                    model = SentenceTransformer(modules=[reader], device=device)
        except OSError as error:  # a part of the download is missing
            raise MissingModel(self.name, f"hf download {self.name}") from error
        if self._pooling:
            size = read_config(self._folder, "config.json")["hidden_size"]
            pools = [str(place) for place, module in enumerate(model) if isinstance(module, Pooling)]
            model._modules[pools[0] if pools else "1"] = Pooling(size, pooling_mode=self._pooling)
        if settings.max_length:
            model.max_seq_length = min(settings.max_length, model.max_seq_length or settings.max_length)
        return torch, model.to(getattr(torch, settings.dtype)).eval()

    def load(self) -> None:
        """Load the weights."""
        assert self._model

    def encode(self, texts: Sequence[str], *, query: bool) -> tuple[Vectors, Counts]:
        """Return (n, dimensions), and how many tokens of each text are beyond the model's length."""
        torch, model = self._model
        prefix = self.prefixes["query" if query else "passage"]
        whole = [prefix + text for text in texts]
        lengths = count_tokens(model.tokenizer, whole)
        limit = model.max_seq_length or int(lengths.max(initial=0))
        device = model.device.type
        groups = group(np.minimum(lengths, limit), device, self._settings.batch)
        tokenise = getattr(model, "preprocess", None) or model.tokenize  # the name until version 5
        read = (tokenise([whole[i] for i in some]) for some in groups)
        made = spread(torch, device, len(groups), read, lambda features: self._pool(torch, model, features))
        vectors = np.empty((len(texts), made[0].shape[1]), np.float32)
        for some, part in zip(groups, made, strict=True):
            vectors[some] = part
        return vectors, np.maximum(0, lengths - limit)

    def _pool(self, torch: Any, model: Any, features: Mapping[str, Any]) -> Vectors:
        """Return (n, dimensions): what the modules of the model make of one batch."""
        moved = {key: value.to(model.device) if hasattr(value, "to") else value for key, value in features.items()}
        found = model(moved)["sentence_embedding"].float()
        if getattr(model, "truncate_dim", None):
            found = found[:, : model.truncate_dim]
        if self._settings.normalise:
            found = torch.nn.functional.normalize(found, p=2, dim=1)
        return np.asarray(found.cpu().numpy(), np.float32)


def count_tokens(tokenizer: Any, texts: Sequence[str]) -> Counts:
    """Return how many tokens each text has, special ones too."""
    read = tokenizer(list(texts), truncation=False, padding=False, verbose=False, return_attention_mask=False)
    return np.array([len(ids) for ids in read["input_ids"]], np.int64)


def choose_prefixes(settings: Settings, folder: Path) -> Mapping[str, str]:
    """Return what is put before a query and a passage: as asked, as the model's files say, or E5's by its name."""
    if settings.prefixes:
        return _E5 if settings.prefixes == "e5" else {"query": "", "passage": ""}
    prompts = read_config(folder, "config_sentence_transformers.json").get("prompts") or {}
    if any(prompts.values()):
        return {
            "query": next((prompts[name] for name in _QUERY_NAMES if prompts.get(name)), ""),
            "passage": next((prompts[name] for name in _PASSAGE_NAMES if prompts.get(name)), ""),
        }
    last = settings.name.rstrip("/").rpartition("/")[2].lower()
    is_e5 = "e5" in last.replace("_", "-").split("-") and "instruct" not in last
    return _E5 if is_e5 else {"query": "", "passage": ""}
