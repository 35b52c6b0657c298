"""The folder of an index: one plain file an array, little-endian, and a manifest that says what each is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import DTypeLike, NDArray

from renvoi.analysis import Analysis, read_analysis
from renvoi.errors import BadInput, Mismatch
from renvoi.index.layout import ORDER, Index, Postings, Vocabulary
from renvoi.store import write_json

FORMAT = 1  # raised when the layout changes
_ADVICE = "build it again with: renvoi index BENCH -o INDEX --force"


class ArrayStore:
    """Makes named arrays: in memory, or as files of a folder."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.arrays: dict[str, NDArray[Any]] = {}

    def make(self, name: str, dtype: DTypeLike, n: int) -> NDArray[Any]:
        """Return an array to write into."""
        if self.folder is None or n == 0:
            array = np.zeros(n, dtype)
            if self.folder is not None:
                (self.folder / f"{name}.bin").touch()
        else:
            array = np.memmap(self.folder / f"{name}.bin", np.dtype(dtype).newbyteorder("<"), "w+", shape=(n,))
        self.arrays[name] = array
        return array

    def put(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        """Store an array."""
        return self.put_parts(name, values.dtype, [values])

    def put_parts(self, name: str, dtype: DTypeLike, parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
        """Store the parts one after another as one array of type `dtype`."""
        if self.folder is None:
            made = [part.astype(dtype, copy=False) for part in parts]
            self.arrays[name] = np.concatenate(made) if made else np.empty(0, dtype)
            return self.arrays[name]
        file = self.folder / f"{name}.bin"
        n = 0
        with file.open("wb") as out:
            for part in parts:
                np.ascontiguousarray(part, np.dtype(dtype).newbyteorder("<")).tofile(out)
                n += len(part)
        self.arrays[name] = _map(file, np.dtype(dtype), n)
        return self.arrays[name]


def close_store(store: ArrayStore, documents: pl.DataFrame, manifest: Mapping[str, Any]) -> None:
    """Write what makes the folder an index: the documents, then the manifest with the hash of every file."""
    assert store.folder is not None
    documents.write_parquet(store.folder / "documents.parquet", statistics=False)
    arrays = {}
    for name, array in store.arrays.items():
        if isinstance(array, np.memmap) and array.mode == "w+":
            array.flush()
        arrays[name] = {"type": array.dtype.name, "n": len(array), "sha256": _hash(store.folder / f"{name}.bin")}
    others = sorted(file for file in store.folder.rglob("*") if file.is_file() and file.suffix != ".bin")
    files = {file.relative_to(store.folder).as_posix(): _hash(file) for file in others}
    write_json(store.folder / "manifest.json", {**manifest, "format": FORMAT, "arrays": arrays, "files": files})


def open_index(path: Path, *, analysis: Analysis | None = None, verify: bool = False) -> Index:
    """Open the folder of an index without reading its arrays.

    Args:
        path: the folder.
        analysis: what the caller reads its questions with, if it has a view of its own.
        verify: also compare every file with its hash, which reads them all.

    Raises:
        BadInput: the folder is no index, or a file of it is missing or damaged.
        Mismatch: it was made by another version, or with another analysis.
    """
    try:
        manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
        layout, settings = manifest["format"], manifest["settings"]["analysis"]
    except FileNotFoundError:
        raise BadInput(path, "is no index (it has no manifest.json)", "make one with: renvoi index") from None
    except (ValueError, KeyError, TypeError):
        raise BadInput(path / "manifest.json", "is not the manifest of an index", _ADVICE) from None
    if layout != FORMAT:
        raise Mismatch(f"{path}: the index has format {layout}, this version reads {FORMAT}; {_ADVICE}")
    recorded = read_analysis(settings)
    if analysis is not None and analysis != recorded:
        raise Mismatch(f"{path}: the index was made with {recorded}, not {analysis}; {_ADVICE}")
    arrays = {name: _open(path, name, entry, verify) for name, entry in manifest["arrays"].items()}
    if verify:
        for name, digest in manifest["files"].items():
            _check_hash(path / name, digest)
    try:
        documents = pl.read_parquet(path / "documents.parquet")
        fields = {
            name: Postings(*(arrays[f"{name}.{part}"] for part in Postings.__slots__))
            for name in manifest["settings"]["fields"]
        }
        vocabulary = Vocabulary(arrays["terms"], arrays["term_ends"])
    except (KeyError, FileNotFoundError, pl.exceptions.PolarsError):
        raise BadInput(path, "a part of the index is missing or damaged", _ADVICE) from None
    if any(len(postings.lengths) != documents.height for postings in fields.values()):
        raise BadInput(path, "documents.parquet does not belong to these postings", _ADVICE)
    pairs = arrays.get("pairs", np.empty(0, np.int64))
    opened = Index(
        documents, vocabulary, fields, recorded, manifest, pairs, arrays.get(ORDER, np.empty(0, np.int32)), path
    )
    if ORDER in arrays and not opened.keeps_order:
        raise BadInput(path, f"{ORDER}.bin does not belong to these postings", _ADVICE)
    return opened


def _open(path: Path, name: str, entry: Mapping[str, Any], verify: bool) -> NDArray[Any]:
    file = path / f"{name}.bin"
    dtype = np.dtype(entry["type"])
    size = file.stat().st_size if file.exists() else -1
    if size != entry["n"] * dtype.itemsize:
        found = "is missing" if size < 0 else f"has {size} bytes, not {entry['n'] * dtype.itemsize}"
        raise BadInput(file, f"the file of the index {found}", _ADVICE)
    if verify:
        _check_hash(file, entry["sha256"])
    return _map(file, dtype, entry["n"])


def _map(file: Path, dtype: np.dtype[Any], n: int) -> NDArray[Any]:
    if n == 0:
        return np.empty(0, dtype)
    # A plain array over the mapped pages: compiled loops need no second version for memmap.
    return np.asarray(np.memmap(file, dtype.newbyteorder("<"), "r", shape=(n,)))


def _check_hash(file: Path, digest: str) -> None:
    if _hash(file) != digest:
        raise BadInput(file, "the file has changed since the index was made", _ADVICE)


def _hash(file: Path) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()
