"""A model's name > the folder that holds it. The network is never asked.

A name is a folder, a name of `KNOWN`, or a model of the Hugging Face hub that was downloaded before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from renvoi.errors import BadInput, MissingDependency, MissingModel


@dataclass(frozen=True, slots=True)
class Setup:
    """How a model that does not say it itself is to be read."""

    name: str  # on the hub
    pooling: str = "mean"  # "mean" or "cls"
    cross: bool = False  # reads query and document together


# By the last part of the name on the hub, in lower case, and by a short name.
_HUB = (
    Setup("nlpaueb/legal-bert-base-uncased"),
    Setup("CSHaitao/SAILER_en_finetune", pooling="cls"),
    Setup("BAAI/bge-reranker-v2-m3", cross=True),
    Setup("BAAI/bge-m3", pooling="cls"),
    Setup("intfloat/multilingual-e5-small"),
)
_SHORT = {"legalbert": 0, "sailer": 1, "bge-reranker": 2, "e5-small": 4}
KNOWN: Mapping[str, Setup] = {
    **{setup.name.rpartition("/")[2].lower(): setup for setup in _HUB},
    **{short: _HUB[number] for short, number in _SHORT.items()},
}

_SAMPLES, _SAMPLE_BYTES = 16, 1 << 16
_PARTS = (".json", ".txt", ".model", ".safetensors", ".bin")


def find_setup(name: str) -> Setup | None:
    """Return what is known about a model, by its short name, its name on the hub, or the name of its folder."""
    return KNOWN.get(name.rstrip("/").rpartition("/")[2].lower())


def find_model(name: str, needed_by: str) -> Path:
    """Return the folder of a model on this machine.

    Args:
        name: a folder, a short name of `KNOWN`, or a name on the hub.
        needed_by: said if a package is missing.

    Raises:
        MissingModel: it is not here.
        MissingDependency: the package that knows where downloads lie is not installed.
        BadInput: the folder holds no model.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        if not any((folder / file).exists() for file in ("config.json", "modules.json")):
            raise BadInput(folder, "holds no model", "it needs config.json, the weights and the tokenizer")
        if not _has_weights(folder):
            raise BadInput(folder, "holds no weights", "it needs model.safetensors or pytorch_model.bin")
        return folder
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
    except ImportError as error:
        raise MissingDependency(needed_by, "sentence-transformers", "dense") from error
    setup = KNOWN.get(name.lower())
    for candidate in (setup.name,) if setup else (name, f"sentence-transformers/{name}"):
        try:
            found = Path(snapshot_download(candidate, local_files_only=True))
        except (LocalEntryNotFoundError, HFValidationError, OSError):
            continue
        if _has_weights(found):  # a download may have been broken off
            return found
    wanted = setup.name if setup else name
    raise MissingModel(wanted, f"hf download {wanted}")


def fingerprint(folder: Path) -> str:
    """Return a hash of a model's files: small ones whole, of large ones the size and samples from end to end."""
    digest = hashlib.sha256()
    for file in sorted(file for file in folder.rglob("*") if file.suffix in _PARTS and _is_read(file, folder)):
        size = file.stat().st_size
        digest.update(f"{file.relative_to(folder).as_posix()} {size}\n".encode())
        with file.open("rb") as opened:
            if size <= _SAMPLES * _SAMPLE_BYTES:
                digest.update(opened.read())
                continue
            for n in range(_SAMPLES):
                opened.seek(n * (size - _SAMPLE_BYTES) // (_SAMPLES - 1))
                digest.update(opened.read(_SAMPLE_BYTES))
    return digest.hexdigest()


def read_config(folder: Path, name: str) -> dict[str, Any]:
    """Return one of a model's JSON files, {} where it has none."""
    try:
        found: dict[str, Any] = json.loads((folder / name).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise BadInput(folder / name, f"is no JSON ({error})", "download the model again") from None
    return found


def shorter(folder: Path, asked: int | None) -> int | None:
    """Return the length asked for, None where the model reads no more by itself: its vectors are then the same."""
    own = [
        read_config(folder, file).get(key)
        for file, key in (
            ("sentence_bert_config.json", "max_seq_length"),
            ("tokenizer_config.json", "model_max_length"),
        )
    ]
    known = [length for length in own if isinstance(length, int)]
    return None if asked is None or (known and min(known) <= asked) else asked


def _has_weights(folder: Path) -> bool:
    return any(file.suffix in (".safetensors", ".bin") and _is_read(file, folder) for file in folder.rglob("*"))


def _is_read(file: Path, folder: Path) -> bool:
    """Say whether a file can change a vector: not the copies of the weights for other engines."""
    return not {"onnx", "openvino", ".git", ".cache"} & set(file.relative_to(folder).parts)
