"""The dozen verbs that users call, and what importing the package loads."""

from __future__ import annotations

import subprocess
import sys

import pytest

import renvoi


@pytest.mark.parametrize("verb", renvoi.__all__)
def test_every_verb_of_the_front_page_can_be_called(verb: str) -> None:
    assert callable(getattr(renvoi, verb))


def test_a_verb_stays_callable_after_its_module_was_imported_first() -> None:
    code = (
        "from renvoi.ingest import find_files; import renvoi; from renvoi.sample import sample_files; "
        "print(renvoi.ingest(sample_files('da')).corpus.documents.height, renvoi.ingest.find_files is find_files)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["3", "True"]


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = ("numpy", "polars", "numba", "lxml", "torch", "matplotlib")
    code = (
        f"import sys, renvoi, renvoi.registry as r; r.names('models'); print([m for m in {heavy} if m in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="bm52"):
        _ = renvoi.bm52
