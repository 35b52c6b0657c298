"""Token vectors made with more text in view than the text that is pooled.

M. Günther, I. Mohr, D. Williams, B. Wang, H. Xiao: Late chunking: contextual chunk embeddings using long-context
embedding models (arXiv 2409.04701).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from renvoi.embed import Counts, Vectors
from renvoi.embed.batches import group, spread
from renvoi.embed.folders import find_model, fingerprint, read_config, shorter
from renvoi.embed.sentence import choose_prefixes
from renvoi.embed.settings import Settings
from renvoi.embed.transformer import Transformer, load_transformer
from renvoi.errors import BadInput


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens that are read together, and for some of them which text they count for."""

    ids: tuple[int, ...]
    pooled: tuple[int, ...]  # as long as `ids`: number of a text, -1 for tokens that only give context


def slide(texts: Sequence[Sequence[int]], room: int, overlap: int) -> list[Window]:
    """Return windows over texts that follow each other; each token is pooled once, in the first window that has it.

    So no token is lost, whatever the lengths.

    Args:
        texts: tokens of each text.
        room: tokens of a window.
        overlap: tokens before those pooled that a window reads again, fewer than `room`.
    """
    stream = [(token, number) for number, text in enumerate(texts) for token in text]
    windows = []
    done = 0
    while done < len(stream):
        start = max(0, done - overlap) if done else 0
        some = stream[start : start + room]
        pooled = tuple(number if start + i >= done else -1 for i, (_, number) in enumerate(some))
        windows.append(Window(tuple(token for token, _ in some), pooled))
        done = start + len(some)
    return windows


def gather_around(target: Sequence[int], cited: Sequence[Sequence[int]], room: int) -> Window:
    """Return one window: the target's tokens, pooled, then those of what it cites, as far as there is room.

    What is left beside the target is shared: each cited text gets an equal part of it, and what a short one leaves
    goes to those after it.
    """
    own = list(target[:room])
    left = room - len(own)
    around: list[int] = []
    for number, text in enumerate(cited):
        share = min(len(text), left // (len(cited) - number))
        around += text[:share]
        left -= share
    return Window((*own, *around), (*([0] * len(own)), *([-1] * len(around))))


class LateEncoder:
    """Reads windows by a plain transformer and pools by mean. Weights are loaded with the first window."""

    block = 256

    def __init__(self, settings: Settings) -> None:
        """Find the model.

        Raises:
            MissingModel: it is not on this machine.
            BadInput: it is not pooled by the mean of its tokens.
        """
        self.name = settings.name
        self._settings = settings
        folder = find_model(settings.name, "late chunking")
        if settings.pooling == "cls" or read_config(folder, "1_Pooling/config.json").get("pooling_mode_cls_token"):
            raise BadInput(
                settings.name, "is pooled by [CLS]", "late chunking needs a model that is pooled by the mean"
            )
        self.prefixes = choose_prefixes(settings, folder)
        modules: Any = read_config(folder, "modules.json") or [{"path": ""}]
        self._folder = folder / modules[0]["path"]
        self.identity = json.dumps(
            {
                "files": fingerprint(folder), "late": 1, "max_length": shorter(folder, settings.max_length),
                "normalise": settings.normalise, "prefixes": self.prefixes, "dtype": settings.dtype,
            }
        )  # fmt: skip

    @cached_property
    def _loaded(self) -> Transformer:
        settings = self._settings
        return load_transformer(
            self._folder, name=self.name, purpose="late chunking", device=settings.device, dtype=settings.dtype,
            max_length=settings.max_length,
        )  # fmt: skip

    @cached_property
    def _frame(self) -> tuple[list[int], list[int], int]:
        """What stands before and after the tokens of a passage window, and the room between."""
        _, tokenizer, _, room = self._loaded
        before = [tokenizer.cls_token_id] if tokenizer.cls_token_id is not None else []
        after = [tokenizer.sep_token_id] if tokenizer.sep_token_id is not None else []
        before += self._ids(self.prefixes["passage"])
        left = room - len(before) - len(after)
        if left < 1:
            raise BadInput(self.name, f"max_length={room} leaves no room for text")
        return before, after, left

    @property
    def room(self) -> int:
        """Tokens of text in a window."""
        return self._frame[2]

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the tokens of each text, without special ones."""
        return [self._ids(text) for text in texts]

    def _ids(self, text: str) -> list[int]:
        if not text:
            return []
        tokenizer = self._loaded.tokenizer
        return list(tokenizer(text, add_special_tokens=False, truncation=False, verbose=False)["input_ids"])

    def pool(self, windows: Sequence[Window], n_texts: int) -> Vectors:
        """Return (n_texts, dimensions): for each text the mean of its tokens' vectors over all windows.

        A text without a token gets zeros.
        """
        before, after, _ = self._frame
        framed = [
            Window((*before, *w.ids, *after), (*([-1] * len(before)), *w.pooled, *([-1] * len(after)))) for w in windows
        ]
        return self._mean(framed, n_texts)

    def load(self) -> None:
        """Load the weights."""
        assert self._loaded

    def encode(self, texts: Sequence[str], *, query: bool) -> tuple[Vectors, Counts]:
        """Return a vector for each text read alone, and the tokens lost. All tokens count, special ones too."""
        before, after, room = self._frame
        prefix = self._ids(self.prefixes["query" if query else "passage"])
        before = [token for token in before[:1] if after]  # [CLS] stands where [SEP] does
        windows, lost = [], []
        for number, ids in enumerate(self.tokens(texts)):
            lost.append(max(0, len(ids) - room))
            whole = (*before, *prefix, *ids[:room], *after)
            windows.append(Window(whole, (number,) * len(whole)))
        return self._mean(windows, len(texts)), np.array(lost, np.int64)

    def _mean(self, windows: Sequence[Window], n_texts: int) -> Vectors:
        torch, tokenizer, model, _ = self._loaded
        lengths = np.array([len(window.ids) for window in windows], np.int64)
        device = model.device.type
        groups = group(lengths, device, self._settings.batch)

        def read(some: NDArray[np.int64]) -> tuple[NDArray[np.int64], Any]:
            width = int(lengths[some].max())
            ids = torch.full((len(some), width), tokenizer.pad_token_id or 0)
            mask = torch.zeros((len(some), width), dtype=torch.long)
            for row, i in enumerate(some):
                ids[row, : lengths[i]] = torch.tensor(windows[i].ids)
                mask[row, : lengths[i]] = 1
            hidden = model(input_ids=ids.to(model.device), attention_mask=mask.to(model.device)).last_hidden_state
            return some, hidden.float().cpu().numpy()

        sums = np.zeros((n_texts, model.config.hidden_size), np.float64)
        counts = np.zeros(n_texts, np.int64)
        for some, values in spread(torch, device, len(groups), groups, read):
            for row, i in enumerate(some):
                owner = np.array(windows[i].pooled)
                kept = np.nonzero(owner >= 0)[0]
                np.add.at(sums, owner[kept], values[row, kept])
                np.add.at(counts, owner[kept], 1)
        vectors = sums / np.maximum(counts, 1)[:, None]
        if self._settings.normalise:
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return np.asarray(vectors, np.float32)
