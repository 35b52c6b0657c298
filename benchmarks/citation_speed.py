"""How much text a second one core reads for references: finding them, and finding and resolving them, by language.

python benchmarks/citation_speed.py FILES... [--repeat N] [--json]

Beside each language stands the time of one plain pass of a regular expression over the same text (`\\w+`): figures
taken on busy machines compare by the ratio to it.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from renvoi import cite, cite_cases, ingest, registry, resolve
from renvoi.types import Citation, Document

_PEER = re.compile(r"\w+")


def _find(documents: Sequence[Document]) -> list[Citation]:
    cases = [d for d in documents if cite_cases.is_case_law(d)]
    acts = [d for d in documents if not cite_cases.is_case_law(d)]
    found = [c for d in acts for c in cite.find_citations(d)]
    return found + [c for d in cases for c in cite_cases.find_citations_of_cases(d)]


def _resolve(documents: Sequence[Document], citations: Sequence[Citation]) -> None:
    if cite_cases.is_case_law(documents[0]):
        cite_cases.resolve_cases(documents, citations)
    else:
        resolve.resolve(documents, citations)


def _pass(documents: Sequence[Document]) -> int:
    return sum(1 for d in documents for p in d.provisions for _ in _PEER.finditer(p.text))


def _seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def measure(documents: Sequence[Document], repeat: int) -> dict[str, float | int]:
    """Return the figures of documents of one jurisdiction; of each stage the fastest of `repeat` runs counts."""
    megabytes = sum(len(p.text.encode()) for d in documents for p in d.provisions) / 1e6
    citations = _find(documents)
    stages = {"find": lambda: _find(documents), "resolve": lambda: _resolve(documents, citations),
              "peer": lambda: _pass(documents)}  # fmt: skip
    taken: dict[str, list[float]] = {name: [] for name in stages}
    for _ in range(repeat):  # in turn: what else the machine does weighs on all alike
        for name, work in stages.items():
            taken[name].append(_seconds(work))
    best = {name: min(seconds) for name, seconds in taken.items()}
    both = best["find"] + best["resolve"]
    return {
        "documents": len(documents), "megabytes": round(megabytes, 2), "citations": len(citations),
        "find_mb_s": round(megabytes / best["find"], 2), "resolve_mb_s": round(megabytes / best["resolve"], 2),
        "find_and_resolve_mb_s": round(megabytes / both, 2),
        "us_a_citation": round(1e6 * both / max(len(citations), 1), 1),
        "peer_mb_s": round(megabytes / best["peer"], 2), "times_the_peer": round(both / best["peer"], 2),
    }  # fmt: skip


def main() -> None:
    """Print the figures of each jurisdiction."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--repeat", type=int, default=3, help="the fastest of so many runs counts")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    documents, _ = ingest.read_files(ingest.find_files(arguments.files))
    by_jurisdiction: dict[str, list[Document]] = {}
    known = registry.names("jurisdictions")
    for document in (d for d in documents if d.jurisdiction in known):
        by_jurisdiction.setdefault(document.jurisdiction, []).append(document)
    figures = {name: measure(held, arguments.repeat) for name, held in sorted(by_jurisdiction.items())}
    if arguments.json:
        print(json.dumps(figures))
        return
    for name, of_one in figures.items():
        print(name, *(f"{what} {figure}" for what, figure in of_one.items()), sep="  ")


if __name__ == "__main__":
    main()
