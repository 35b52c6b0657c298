"""What made an output: version, settings, input hashes, counts. Times stand apart so that the rest is reproducible."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any


def make_manifest(
    kind: str, settings: Mapping[str, Any], inputs: Mapping[str, str], counts: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the manifest of an output folder.

    Args:
        kind: "corpus", "benchmark", "index", "runs".
        settings: every option that changes the output.
        inputs: name > SHA-256.
        counts: what a reader would check first.
    """
    return {
        "renvoi": renvoi_version(),
        "kind": kind,
        "settings": dict(settings),
        "inputs": dict(sorted(inputs.items())),
        "counts": dict(counts),
    }


def renvoi_version() -> str:
    """Return the installed version, or "dev" when run from a source tree."""
    try:
        return version("renvoi")
    except PackageNotFoundError:
        return "dev"


def hash_files(files: Iterable[Path]) -> str:
    """Return one SHA-256 over files in the given order."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()
