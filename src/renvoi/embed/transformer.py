"""A folder with a plain transformer > its tokenizer and weights, ready to read."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from renvoi.embed.quiet import choose_device, quiet_loading
from renvoi.errors import MissingDependency, MissingModel


class Transformer(NamedTuple):
    """A model that reads tokens. The libraries have no types."""

    torch: Any
    tokenizer: Any
    model: Any  # on its device, not to be trained
    room: int  # the most tokens that it reads at once, special ones too


def load_transformer(
    folder: Path,
    *,
    name: str,
    purpose: str,
    head: str = "AutoModel",
    device: str | None = None,
    dtype: str = "float32",
    max_length: int | None = None,
) -> Transformer:
    """Return what a folder holds; nothing is downloaded.

    Args:
        folder: of the weights.
        name: as the user gave it, for errors.
        purpose: what it is needed for, for errors.
        head: the class of transformers to load: what stands on the hidden layers.
        device: as torch names it; an accelerator where there is one if None.
        dtype: as torch names it.
        max_length: the most tokens to read, if fewer than the model can.

    Raises:
        BadInput: torch has no such device here.
        MissingDependency: a package is not installed.
        MissingModel: a part of the download is missing.
    """
    try:
        import torch
        import transformers
    except ImportError as error:
        raise MissingDependency(purpose, "sentence-transformers", "dense") from error
    place = choose_device(torch, device)
    try:
        with quiet_loading():
            tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
            model = getattr(transformers, head).from_pretrained(str(folder), local_files_only=True)
    except OSError as error:
        raise MissingModel(name, f"hf download {name}") from error
    limits = [max_length or 1 << 30, tokenizer.model_max_length]
    positions = getattr(model.config, "max_position_embeddings", None)
    if positions:
        # RoBERTa's positions start behind the padding's number.
        limits.append(positions - (model.config.pad_token_id + 1 if "roberta" in model.config.model_type else 0))
    return Transformer(torch, tokenizer, model.to(place, getattr(torch, dtype)).eval(), min(limits))
