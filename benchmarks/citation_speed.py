"""How much text the resolver reads in a second on one core: finding citations, and finding and resolving them.

python benchmarks/citation_speed.py FILES... [--json]
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from renvoi import cite, ingest, resolve


def main() -> None:
    """Print characters a second."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--repeat", type=int, default=3, help="the fastest of so many runs counts")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    documents, _ = ingest.read_files(ingest.find_files(arguments.files))
    characters = sum(len(p.text) for d in documents for p in d.provisions)
    size = sum(len(p.text.encode()) for d in documents for p in d.provisions)
    finding, resolving, n = [], [], 0
    for _ in range(arguments.repeat):
        started = time.process_time()
        citations = [c for d in documents for c in cite.find_citations(d)]
        found = time.process_time()
        resolve.resolve(documents, citations)
        finding.append(found - started)
        resolving.append(time.process_time() - found)
        n = len(citations)
    figures = {
        "documents": len(documents), "megabytes": round(size / 1e6, 2), "characters": characters, "citations": n,
        "find_mb_s": round(size / 1e6 / min(finding), 2),
        "find_and_resolve_mb_s": round(size / 1e6 / (min(finding) + min(resolving)), 2),
        "us_a_citation": round(1e6 * (min(finding) + min(resolving)) / max(n, 1), 1),
    }  # fmt: skip
    print(json.dumps(figures) if arguments.json else "\n".join(f"{k}: {v}" for k, v in figures.items()))


if __name__ == "__main__":
    main()
