"""Texts > vectors: encoders, and the cache that keeps what they made.

An encoder is cheap to make: it finds its model and says what it is. Weights are loaded with the first text that the
cache does not hold, so a run whose vectors are all on disk needs neither the weights nor torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]  # (n, dimensions)
Counts = NDArray[np.int64]  # (n,)


class Encoder(Protocol):
    """Makes one vector of each text."""

    name: str  # as the user wrote it, for messages
    identity: str  # differs wherever a vector would: weights, pooling, length, prefixes
    block: int  # texts between two writes to the cache: what a kill costs

    def load(self) -> None:
        """Load the weights now, if they are not loaded yet."""
        ...

    def encode(self, texts: Sequence[str], *, query: bool) -> tuple[Vectors, Counts]:
        """Return a vector for each text, and how many of its tokens the model did not read.

        Args:
            texts: any number.
            query: some models read questions and passages differently.
        """
        ...
