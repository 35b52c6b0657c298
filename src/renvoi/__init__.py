"""Renvoi: read the references in law exactly, build retrieval benchmarks from them, and measure retrieval on them.

The front page. Each verb is loaded when it is first asked for, so importing the package loads nothing heavy:

    import renvoi

    corpus = renvoi.ingest(["laws/"]).corpus
    renvoi.write_corpus("corpus", corpus)

Inside the package modules are imported (`from renvoi import store`) or names from the module that defines them.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

# Verb > the module that defines it.
_VERBS = {
    "build_crossref": "crossref.build",
    "build_pincite": "pincite.build",
    "chunk_corpus": "chunk",
    "evaluate": "evaluate",
    "find_citations": "cite",
    "hide": "masks",
    "ingest": "ingest",
    "parse_system": "systems",
    "read_benchmark": "store",
    "read_corpus": "store",
    "read_file": "ingest",
    "resolve": "resolve",
    "run_system": "systems",
    "search": "search",
    "show": "show",
    "write_benchmark": "store",
    "write_corpus": "store",
}

__all__ = sorted(_VERBS)


class _Verb(ModuleType):
    """A module that is called as the verb of its own name: `renvoi.ingest(...)` beside `renvoi.ingest.read_file`."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, self.__name__.rpartition(".")[2])(*args, **kwargs)


class _FrontPage(ModuleType):
    """The package. Where a verb and its module share a name, importing the module would hide the verb."""

    def __setattr__(self, name: str, value: Any) -> None:
        if _VERBS.get(name) == name and isinstance(value, ModuleType):
            value.__class__ = _Verb
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _FrontPage


def __getattr__(name: str) -> Any:
    if name not in _VERBS:
        raise AttributeError(f"module 'renvoi' has no attribute {name!r}")
    module = import_module(f"renvoi.{_VERBS[name]}")
    return module if _VERBS[name] == name else getattr(module, name)


def __dir__() -> list[str]:
    return __all__
