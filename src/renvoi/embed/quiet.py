"""Loading a model without its library's bars and reports: what matters is said in our words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from renvoi.errors import BadInput


@contextmanager
def quiet_loading() -> Iterator[None]:
    """Keep transformers silent for the length of a block; errors are still raised."""
    from transformers.utils import logging

    level = logging.get_verbosity()
    bars = logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def choose_device(torch: Any, asked: str | None) -> str:
    """Return the device asked for, or an accelerator where there is one.

    Raises:
        BadInput: torch has no such device here.
    """
    if asked is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=asked)
    except (RuntimeError, AssertionError) as error:
        raise BadInput(f"device={asked}", f"torch cannot use it here ({str(error).splitlines()[0]})") from None
    return asked
