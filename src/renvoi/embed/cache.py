"""Vectors on disk, by what they were made from: never made twice, and a killed run goes on where it was.

    CACHE/IDENTITY/model.txt          what the vectors were made by
    CACHE/IDENTITY/part-KEY.npy       one block of vectors: key, lost, vector; read by memory map

A part is written whole and then renamed, so that a kill or a second process leaves no half of one.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from renvoi import timing
from renvoi.embed import Counts, Encoder, Vectors
from renvoi.errors import BadInput
from renvoi.progress import say, track
from renvoi.store.atomic import write_text

_KEY_BYTES = 16


class Maker(Protocol):
    """What the vectors of one part of the cache were made by; see `Encoder`."""

    name: str
    identity: str
    block: int


# numbers of the items to make > their vectors, and the tokens lost of each
Make = Callable[[Sequence[int]], tuple[Vectors, Counts]]


def default_folder() -> Path:
    """Return where vectors are kept: `$RENVOI_CACHE`, or the user's cache folder."""
    if given := os.environ.get("RENVOI_CACHE"):
        return Path(given) / "embeddings"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "renvoi" / "embeddings"


def choose_folder(option: str | None) -> Path | None:
    """Return the folder that the option `cache` names: "none" for no cache, the default where it is not given."""
    if option is None:
        return default_folder()
    return None if option == "none" else Path(option).expanduser()


def embed(encoder: Encoder, texts: Sequence[str], *, query: bool, folder: Path | None) -> Vectors:
    """Return (n_texts, dimensions): the vector of each text, made or read; zeros for an empty text.

    How many are empty, and how many tokens were not read, is said.

    Args:
        encoder: makes what the cache lacks.
        texts: equal ones are encoded once.
        query: see `Encoder.encode`.
        folder: of the cache; None for none.
    """
    what = "queries" if query else "texts"
    held = [i for i, text in enumerate(texts) if text.strip()]
    if len(held) < len(texts):
        say(f"{encoder.name}: {len(texts) - len(held)} of {len(texts)} {what} are empty; they match nothing")
    some = [texts[i] for i in held]
    found, lost = fill(
        folder, encoder, _contents(some, query), lambda rows: encoder.encode([some[i] for i in rows], query=query),
        what=f"embedding {what}",
    )  # fmt: skip
    say_lost(encoder.name, lost, what)
    if len(held) == len(texts):
        return found
    vectors = np.zeros((len(texts), found.shape[1]), np.float32)
    vectors[held] = found
    return vectors


def score_by(asked: Vectors, vectors: Vectors) -> Vectors:
    """Return (n_asked, n_vectors): the product of each two; 0 where one side has only empty texts."""
    if 0 in (asked.shape[1], vectors.shape[1]):
        return np.zeros((len(asked), len(vectors)), np.float32)
    return np.asarray(asked @ vectors.T, np.float32)


def holds(encoder: Encoder, texts: Sequence[str], *, query: bool, folder: Path | None) -> bool:
    """Say whether the cache has the vectors of all texts."""
    home = _home(folder, encoder.identity)
    known = {key for part in (_read_parts(home) if home else []) for key in _keys(part)}
    return known.issuperset(map(_key, _contents([text for text in texts if text.strip()], query)))


def _contents(texts: Sequence[str], query: bool) -> list[str]:
    kind = "query" if query else "passage"
    return [f"{kind}\x1f{text}" for text in texts]


def say_lost(name: str, lost: Counts, what: str) -> None:
    """Say how many tokens a model did not read, where there are any."""
    cut = int((lost > 0).sum())
    if cut:
        say(
            f"{name}: {cut} of {len(lost)} {what} are longer than the model reads; {int(lost.sum())} tokens at their "
            f"ends were lost (at most {int(lost.max())} of one)"
        )


def fill(
    folder: Path | None, maker: Maker, contents: Sequence[str], make: Make, *, what: str, in_order: bool = False
) -> tuple[Vectors, Counts]:
    """Return the vectors and lost tokens of items, in their order: from the cache, or made and added to it.

    Args:
        folder: of the cache; None for none.
        maker: of the vectors.
        contents: of each item, everything its vector hangs on. Equal ones are made once.
        make: makes vectors for items by their number, at most `maker.block` in one call.
        what: said while making.
        in_order: make them in their order; if not, the longest first, so that what is made at once is of one length.

    Raises:
        BadInput: a vector holds something that is no number. It is not kept.
    """
    if not contents:
        return np.zeros((0, 0), np.float32), np.zeros(0, np.int64)
    keys = [_key(text) for text in contents]
    identity, block = maker.identity, maker.block
    home = _home(folder, identity)
    parts = _read_parts(home) if home else []
    known = {key: (part, row) for part, one in enumerate(parts) for row, key in enumerate(_keys(one))}
    first = {key: i for i, key in reversed(list(enumerate(keys)))}
    missing = [i for i, key in enumerate(keys) if key not in known and first[key] == i]
    timing.count_read(len(first) - len(missing))
    if not in_order:
        missing.sort(key=lambda i: -len(contents[i]))
    if home and missing and not (home / "model.txt").exists():
        write_text(home / "model.txt", identity + "\n")
    for start in track(range(0, len(missing), block), f"{what} (blocks of {block})"):
        some = missing[start : start + block]
        part = _part_of([keys[i] for i in some], *_check(maker.name, *make(some)))
        if home:
            _write_part(home, part)
        known.update({keys[i]: (len(parts), row) for row, i in enumerate(some)})
        parts.append(part)
    return _gather(parts, [known[key] for key in keys])


def _key(content: str) -> bytes:
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).digest()[:_KEY_BYTES]


def _home(folder: Path | None, identity: str) -> Path | None:
    return folder / hashlib.sha256(identity.encode()).hexdigest()[:24] if folder else None


def _gather(parts: Sequence[Any], places: Sequence[tuple[int, int]]) -> tuple[Vectors, Counts]:
    where = np.array(places, np.int64)
    vectors = np.empty((len(places), parts[0]["vector"].shape[1]), np.float32)
    lost = np.empty(len(places), np.int64)
    for number in np.unique(where[:, 0]):
        wanted = where[:, 0] == number
        rows = where[wanted, 1]
        vectors[wanted] = parts[number]["vector"][rows]
        lost[wanted] = parts[number]["lost"][rows]
    return vectors, lost


def _check(name: str, vectors: Vectors, lost: Counts) -> tuple[Vectors, Counts]:
    broken = int((~np.isfinite(vectors).all(axis=1)).sum())
    if broken:
        raise BadInput(
            name, f"{broken} of {len(vectors)} vectors hold something that is no number",
            "its weights are damaged, or too large for a dtype of halves: download it again, or take dtype=float32",
        )  # fmt: skip
    return vectors, lost


def _part_of(keys: Sequence[bytes], vectors: Vectors, lost: Counts) -> Any:
    kind = np.dtype([("key", f"V{_KEY_BYTES}"), ("lost", "<u4"), ("vector", "<f4", (vectors.shape[1],))])
    part = np.empty(len(keys), kind)
    part["key"] = np.frombuffer(b"".join(keys), f"V{_KEY_BYTES}")
    part["lost"] = lost
    part["vector"] = vectors
    return part


def _keys(part: Any) -> list[bytes]:
    raw = np.ascontiguousarray(part["key"]).tobytes()
    return [raw[at : at + _KEY_BYTES] for at in range(0, len(raw), _KEY_BYTES)]


def _write_part(home: Path, part: Any) -> None:
    handle, name = tempfile.mkstemp(prefix=".part-", dir=home)
    try:
        with os.fdopen(handle, "wb") as file:
            np.save(file, part, allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, home / f"part-{hashlib.sha256(part['key'].tobytes()).hexdigest()[:16]}.npy")
    except BaseException:
        os.unlink(name)
        raise


def _read_parts(home: Path) -> list[Any]:
    parts = []
    for file in sorted(home.glob("part-*.npy")):
        try:
            part = np.load(file, mmap_mode="r", allow_pickle=False)
            part["key"], part["lost"], part["vector"]  # noqa: B018 - another program's file has no such columns
            parts.append(part)
        except (OSError, ValueError, EOFError, IndexError) as error:
            say(f"{file}: cannot be read ({error}); what it held is made again")
    return parts
