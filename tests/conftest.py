"""What several test files need."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# No example is timed: the first compiles, and machines are shared.
settings.register_profile("renvoi", deadline=None)
settings.load_profile("renvoi")

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of real law; tests that need it skip where it is absent."""
    folder = Path(os.environ.get("RENVOI_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_absolute():
        folder = ROOT / folder
    if not (folder / "statutes").is_dir():
        pytest.skip(f"real law is not at {folder}; set RENVOI_DATA to the folder that holds it")
    return folder


@pytest.fixture(autouse=True)
def _loud(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no command that was run with --quiet silence the tests after it."""
    monkeypatch.setattr("renvoi.progress.quiet", False)
