"""Score the citation finder for judgments against gold paragraphs (`gold/cjeu.jsonl`).

A pincite is (case, paragraph, kind); a citation without paragraphs counts as (case, none, kind). What a judgment said
before the gold paragraph is read first, where its page is here: "that judgment" can mean a decision named earlier.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from renvoi import cases, registry
from renvoi.case_metadata import read_case_metadata
from renvoi.cite_cases import Memory, Mention, read_mentions
from renvoi.cite_cases.titles import TitleIndex
from renvoi.errors import BadInput
from renvoi.sources import Raw, Source
from renvoi.types import Document

Pincite = tuple[str, int | None, str]
Paragraphs = Callable[[Path], Iterable[tuple[int, str]]]  # a page's numbered paragraphs, in order

_LEGISLATION = "legislation_pinpoint"


@dataclass(frozen=True, slots=True)
class Miss:
    """A gold paragraph that was not read right."""

    where: str
    missing: tuple[Pincite, ...]
    extra: tuple[Pincite, ...]
    text: str


def score(path: Path, data: Path, paragraphs: Paragraphs | None = None) -> dict[str, float | int]:
    """Return the measures of gold/README.md: citations, exact, target and pincite precision and recall, kind accuracy.

    A name that means no decision we can tell ("Italy v Commission, cited above", its first citation unread) is
    `unresolved`: a value of its own, not a pincite; its gold counts as missed.

    "target" counts decisions (case, kind), "pincite" counts paragraphs (case, paragraph, kind). Kind accuracy is over
    the gold citations that something found overlaps; a legislation pinpoint is right where nothing does.
    """
    return score_with_misses(path, data, paragraphs)[0]


def score_with_misses(
    path: Path, data: Path, paragraphs: Paragraphs | None = None
) -> tuple[dict[str, float | int], list[Miss]]:
    """Return the measures, and the gold paragraphs where anything was missed or invented."""
    paragraphs = paragraphs or read_numbered_paragraphs
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    pincites, targets, kinds = _Counts(), _Counts(), [0, 0]
    exact = unresolved = 0
    titles, earlier = _read_titles(data), _read_earlier(data, {row["celex"] for row in rows if not row["file"]})
    misses = []
    for row in rows:
        before = paragraphs(data / row["file"]) if row["file"] else earlier.get(row["celex"], ())
        joined = (
            tuple(n for d in _read_page(data / row["file"]) for n in d.metadata.get("case_numbers", ()))
            if row["file"]
            else ()
        )
        everything = _read(row, before, titles, joined)
        found = [m for m in everything if m.case.numbers or m.case.celex or m.case.foreign]
        unresolved += len(everything) - len(found)
        wanted_set, found_set = _gold_pincites(row), _found_pincites(found)
        pincites.add(wanted_set, found_set)
        targets.add({(case, kind) for case, _, kind in wanted_set}, {(case, kind) for case, _, kind in found_set})
        exact += wanted_set == found_set
        for citation in row["citations"]:
            overlapping = [m for m in found if m.start < citation["span"][1] and m.end > citation["span"][0]]
            if citation["kind"] == _LEGISLATION:
                kinds[0] += not overlapping
                kinds[1] += 1
            elif overlapping:
                kinds[0] += any(m.kind == citation["kind"] for m in overlapping)
                kinds[1] += 1
        if wanted_set != found_set:
            order = {"key": str}
            missing, extra = wanted_set - found_set, found_set - wanted_set
            where = f"{row['celex']}~para_{row['number']}"
            misses.append(Miss(where, tuple(sorted(missing, **order)), tuple(sorted(extra, **order)), row["text"]))  # type: ignore[call-overload]
    measures = {
        "citations": sum(len(row["citations"]) for row in rows),
        "exact": exact / max(1, len(rows)),
        "target_precision": targets.precision,
        "target_recall": targets.recall,
        "kind_accuracy": kinds[0] / max(1, kinds[1]),
        "pincite_precision": pincites.precision,
        "pincite_recall": pincites.recall,
        "unresolved": unresolved,
    }
    return measures, misses


@dataclass(slots=True)
class _Counts:
    right: int = 0
    found: int = 0
    wanted: int = 0

    def add(self, wanted: set[Any], found: set[Any]) -> None:
        self.right += len(wanted & found)
        self.found += len(found)
        self.wanted += len(wanted)

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.wanted if self.wanted else 1.0


def _read(
    row: dict[str, Any], before: Iterable[tuple[int, str]], titles: TitleIndex | None, joined: tuple[str, ...] = ()
) -> list[Mention]:
    memory = Memory(row["celex"] or "", joined, titles=titles)
    for number, text in before:
        if number >= int(row["number"]):
            break
        read_mentions(text, memory)
    return read_mentions(row["text"], memory)


def _read_titles(data: Path) -> TitleIndex | None:
    """Return the titles of the folder of data, if it has them."""
    folder = data / "cjeu" / "metadata"
    return TitleIndex(read_case_metadata(folder).records.values()) if folder.is_dir() else None


def _read_earlier(data: Path, wanted: set[str]) -> dict[str, list[tuple[int, str]]]:
    """Return the paragraphs of judgments whose page is not in the folder but whose text is (numbers inferred)."""
    found: dict[str, list[tuple[int, str]]] = {}
    for file in sorted((data / "cjeu").glob("earlier_judgments*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                if any(celex in line[:60] for celex in wanted):
                    row = json.loads(line)
                    found[row["celex"]] = [(p["number_inferred"], p["text"]) for p in row["paragraphs"]]
    return found


def _gold_pincites(row: dict[str, Any]) -> set[Pincite]:
    found: set[Pincite] = set()
    for citation in row["citations"]:
        if citation["kind"] == _LEGISLATION:
            continue
        case = _case_key(citation["case_numbers"], citation["celex"], citation["name"])
        found |= {(case, number, citation["kind"]) for number in citation["paragraphs"] or (None,)}
    return found


def _found_pincites(mentions: list[Mention]) -> set[Pincite]:
    found: set[Pincite] = set()
    for mention in mentions:
        case = _case_key(list(mention.case.numbers), mention.case.celex, mention.case.name)
        numbers = [n for pin in mention.pins for n in range(pin.first, pin.last + 1)]
        found |= {(case, number, mention.kind) for number in numbers or (None,)}
    return found


def _case_key(numbers: list[str], celex: str | None, name: str | None) -> str:
    if numbers:
        return cases.same_case(cases.celex_from_case_number(numbers[0]))
    return cases.same_case(celex) if celex else (name or "")


def read_numbered_paragraphs(page: Path) -> list[tuple[int, str]]:
    """Return the numbered paragraphs of a judgment's page; none where no source recognises it."""
    return [
        (int(provision.path[-1].number), provision.text)
        for document in _read_page(page)
        for provision in document.provisions
        if provision.path and provision.path[-1].level == "para" and provision.path[-1].number.isdigit()
    ]


@lru_cache(maxsize=2)
def _read_page(page: Path) -> tuple[Document, ...]:
    if not page.is_file():
        return ()
    data = page.read_bytes()
    sources: list[Source] = [registry.load("sources", name) for name in registry.names("sources")]
    able = [source for source in sources if source.recognises(data)]
    if not able:
        return ()
    source = max(able, key=lambda source: source.priority)
    try:
        return tuple(source.read(Raw(page, data, hashlib.sha256(data).hexdigest())))
    except BadInput:
        return ()
