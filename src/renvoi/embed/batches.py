"""Texts of any length > batches that hold little padding, read on all cores.

A batch holds texts of nearly the same length, and few tokens: what passes from layer to layer then stays in the
processor's cache. Each core takes the next batch with one thread. Threads that share one batch wait for each other at
every layer, and where another program holds a core, they wait for it too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from renvoi.embed import Counts

T = TypeVar("T")
R = TypeVar("R")

_TOKENS = {"cpu": 1024}  # of one batch, padding too
_TOKENS_ELSEWHERE = 32_768  # an accelerator is idle with less


def group(lengths: Counts, device: str, most: int | None = None) -> list[NDArray[np.int64]]:
    """Return the numbers of the texts of each batch, the longest first.

    Args:
        lengths: tokens of each text, as the model will read it.
        device: as torch names its kind: "cpu", "cuda" …
        most: texts in a batch; as many as have room if None.
    """
    order = np.argsort(-lengths, kind="stable")
    room = _TOKENS.get(device, _TOKENS_ELSEWHERE)
    groups = []
    start = 0
    while start < len(order):
        size = max(1, room // max(1, int(lengths[order[start]])))
        size = min(size, most) if most else size
        groups.append(order[start : start + size])
        start += size
    return groups


def spread(torch: Any, device: str, n: int, items: Iterable[T], work: Callable[[T], R]) -> Sequence[R]:
    """Return what `work` makes of each item, in order, without gradients.

    Args:
        torch: the module.
        device: as in `group`.
        n: how many items there are; a single one is worked on by all threads together.
        items: taken one after another in this thread, because tokenizers are not to be shared.
        work: is called in several threads at once on a processor.
    """

    def alone(item: T) -> R:
        with torch.inference_mode():
            return work(item)

    threads = torch.get_num_threads()
    if device != "cpu" or threads == 1 or n == 1:
        return [alone(item) for item in items]
    torch.set_num_threads(1)
    pool = ThreadPoolExecutor(min(threads, n))
    try:
        return list(pool.map(alone, items))
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(threads)
