"""The state of a job between its stages: `BENCH.work/`, so that a killed build goes on where it was.

Each stage leaves `STAGE.jsonl` (what it passes on), `STAGE.drops.jsonl` and, last, `STAGE.json` with the key of what it
was made from. A stage whose key is unchanged is not run again; a half-written one has no `STAGE.json`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from renvoi.crossref.items import Candidate, Draft, Drop, count_reasons, to_row
from renvoi.errors import BadInput
from renvoi.store.atomic import write_json, write_text
from renvoi.store.manifest import hash_files, renvoi_version


@dataclass(frozen=True, slots=True)
class Work:
    """The folder of one job."""

    folder: Path

    def key(self, stage: str, made_from: Mapping[str, Any]) -> str:
        """Return the key of a stage: a hash of everything that can change what it yields."""
        own = {"renvoi": renvoi_version(), "code": _code_hash(), "stage": stage}
        text = json.dumps({**own, **made_from}, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    def is_done(self, stage: str, key: str) -> bool:
        """Tell whether a stage was finished from the same things."""
        file = self.folder / f"{stage}.json"
        if not file.exists():
            return False
        state = json.loads(file.read_text(encoding="utf-8"))
        if state.get("unanswered"):  # calls that got no reply are sent again; those that got one are not
            return False
        return bool(state["key"] == key and _sha256(self.folder / f"{stage}.jsonl") == state["sha256"])

    def has(self, stage: str) -> bool:
        """Tell whether a stage was ever finished."""
        return (self.folder / f"{stage}.json").exists()

    def read(self, stage: str) -> list[dict[str, Any]]:
        """Return what a stage passed on.

        Raises:
            BadInput: the stage has not been run.
        """
        if not self.has(stage):
            raise BadInput(self.folder, f"the stage {stage!r} has not been run", f"run it with: --stage {stage}")
        return [json.loads(line) for line in _lines(self.folder / f"{stage}.jsonl")]

    def state(self, stage: str) -> dict[str, Any]:
        """Return key, hash and funnel of a finished stage."""
        loaded: dict[str, Any] = json.loads((self.folder / f"{stage}.json").read_text(encoding="utf-8"))
        return loaded

    def finish(
        self,
        stage: str,
        key: str,
        passed: Sequence[Candidate | Draft],
        drops: Iterable[Drop],
        *,
        entered: int,
        facts: Mapping[str, Any] | None = None,
        unanswered: int = 0,
    ) -> None:
        """Write what a stage passed on and dropped; its state last.

        Args:
            stage: its name.
            key: from `key`.
            passed: in document order.
            drops: what it did not pass on; `entered` = passed + dropped.
            entered: how many came in.
            facts: further counts for the funnel.
            unanswered: calls to a language model without a reply; the stage runs again next time.
        """
        drops = list(drops)
        assert entered == len(passed) + len(drops), f"{stage}: {entered} in, {len(passed)} out, {len(drops)} dropped"
        text = _jsonl(passed)
        write_text(self.folder / f"{stage}.jsonl", text)
        write_text(self.folder / f"{stage}.drops.jsonl", _jsonl(drops))
        funnel = {
            "stage": stage, "in": entered, "out": len(passed), "dropped": count_reasons(drops), **(facts or {}),
        }  # fmt: skip
        write_json(
            self.folder / f"{stage}.json",
            {
                "key": key,
                "sha256": hashlib.sha256(text.encode()).hexdigest(),
                "unanswered": unanswered,
                "funnel": funnel,
            },  # fmt: skip
        )


@cache
def _code_hash() -> str:
    """Return a hash of the stages themselves: a changed stage runs again; replies of language models are kept apart."""
    return hash_files(sorted(Path(__file__).parent.glob("*.py")))


def _jsonl(items: Iterable[Candidate | Draft | Drop]) -> str:
    return "".join(json.dumps(to_row(item), ensure_ascii=False) + "\n" for item in items)


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").split("\n")[:-1]


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else ""
