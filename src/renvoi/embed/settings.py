"""The options of a MODEL string that names a neural model: how the model is read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from renvoi.embed.cache import choose_folder
from renvoi.errors import BadInput

_OWN = ("", "pooling", "max_length", "prefixes", "normalise", "device", "dtype", "batch", "cache")
_CHOICES = {
    "pooling": ("mean", "cls"),
    "prefixes": ("e5", "none"),
    "normalise": ("yes", "no"),
    "dtype": ("float32", "bfloat16", "float16"),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is read. None: as the model's own files say, or as is usual for it."""

    name: str
    pooling: str | None = None  # "mean", "cls"
    max_length: int | None = None  # tokens
    prefixes: str | None = None  # "e5", "none"
    normalise: bool = True
    device: str | None = None  # as torch names it; an accelerator where there is one
    dtype: str = "float32"
    batch: int | None = None  # texts at once, at most; as many as fit the processor's cache
    cache: Path | None = None


def read_settings(
    options: Mapping[str, str], used_by: str, further: Collection[str] = (), default: str = ""
) -> Settings:
    """Return the settings in the options of a MODEL string.

    Args:
        options: name > value; "" is the model.
        used_by: the name that the options stand behind, for messages.
        further: options that the caller reads itself.
        default: the model where none is named.

    Raises:
        BadInput: an option is unknown or has no such value, or no model is named.
    """
    for key, value in options.items():
        if key not in _OWN and key not in further:
            known = ", ".join(sorted({*_OWN[1:], *further}))
            raise BadInput(used_by, f"has no option {key!r}", f"it has: {known}")
        if key in _CHOICES and value not in _CHOICES[key]:
            raise BadInput(f"{used_by}:{key}={value}", "there is no such value", f"it is {' or '.join(_CHOICES[key])}")
    name = options.get("", default)
    if not name:
        raise BadInput(used_by, "names no model", f"write {used_by}:NAME, a folder or a model of the hub")
    return Settings(
        name=name,
        pooling=options.get("pooling"),
        max_length=_count(options, "max_length", used_by),
        prefixes=options.get("prefixes"),
        normalise=options.get("normalise", "yes") == "yes",
        device=options.get("device"),
        dtype=options.get("dtype", "float32"),
        batch=_count(options, "batch", used_by),
        cache=choose_folder(options.get("cache")),
    )


def _count(options: Mapping[str, str], key: str, used_by: str) -> int | None:
    if key not in options:
        return None
    try:
        value = int(options[key])
    except ValueError:
        value = 0
    if value < 1:
        raise BadInput(f"{used_by}:{key}={options[key]}", "the value is no whole number above 0")
    return value
