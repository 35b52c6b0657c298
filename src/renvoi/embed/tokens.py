"""Text > one vector a token, as a transformer's hidden layer gives them in context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from renvoi.embed import Vectors
from renvoi.embed.folders import find_model, read_config
from renvoi.embed.transformer import Transformer, load_transformer
from renvoi.errors import BadInput

# The layer that agrees best with people, as Zhang et al. 2020 chose it for these; others are read at their last layer.
_LAYERS = {
    "distilbert-base-uncased": 5, "distilbert-base-multilingual-cased": 5, "bert-base-uncased": 9,
    "bert-large-uncased": 18, "bert-base-multilingual-cased": 9, "roberta-base": 10, "roberta-large": 17,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text, special ones such as [CLS] too."""

    vectors: Vectors  # (n_tokens, dimensions), of length 1
    counts: npt.NDArray[np.bool_]  # (n_tokens,): False for a special token


class TokenEncoder:
    """Reads texts by a plain transformer, up to `max_length` tokens. Weights are loaded with the first text."""

    def __init__(self, name: str, *, max_length: int = 512, device: str | None = None) -> None:
        """Find the model.

        Raises:
            BadInput: it is the packaged one, which gives no vectors of tokens, or no model of words at all.
            MissingModel: it is not on this machine.
        """
        if name == "embedded":
            raise BadInput(name, "gives no vectors of tokens", "name a folder with a transformer")
        folder = find_model(name, "BERTScore")
        modules: Any = read_config(folder, "modules.json") or [{"path": ""}]
        self.name = name
        self._folder = folder / modules[0]["path"]
        self.max_length = max_length
        self._device = device
        config = read_config(self._folder, "config.json")
        known = str(config.get("_name_or_path") or name).rstrip("/").rpartition("/")[2].lower()
        self.layer = _LAYERS.get(known, _LAYERS.get(folder.name.lower(), -1))

    @cached_property
    def _loaded(self) -> Transformer:
        return load_transformer(
            self._folder, name=self.name, purpose="BERTScore", device=self._device, max_length=self.max_length
        )

    def encode(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the tokens of each text, in the order of the texts; they are read together."""
        if not texts:
            return []
        torch, tokenizer, model, room = self._loaded
        read = tokenizer(
            list(texts), truncation=True, max_length=room, padding=True, return_tensors="pt",
            return_special_tokens_mask=True, verbose=False,
        )  # fmt: skip
        special = read.pop("special_tokens_mask").numpy().astype(bool)
        present = read["attention_mask"].numpy().astype(bool)
        with torch.inference_mode():
            states = model(**read.to(model.device), output_hidden_states=self.layer >= 0)
            hidden = states.last_hidden_state if self.layer < 0 else states.hidden_states[self.layer]
        values = torch.nn.functional.normalize(hidden.float(), dim=-1).cpu().numpy()
        return [Tokens(values[i][present[i]], ~special[i][present[i]]) for i in range(len(texts))]
