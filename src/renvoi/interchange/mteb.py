"""MTEB's retrieval layout: configurations `corpus`, `queries` and `qrels` as JSON lines, named in a card.

Give the folder, once on the Hub, as `dataset={"path": …, "revision": …}` of a retrieval task.
"""

from __future__ import annotations

from pathlib import Path

from renvoi import store
from renvoi.interchange._layout import Layout, by_split, documents, each_level, write_json_lines
from renvoi.types import Benchmark


def _write(bench: Benchmark, folder: Path) -> None:
    for task, place in each_level(bench, folder):
        rows = ({name: row[name] for name in ("_id", "title", "text")} for row in documents(task))
        write_json_lines(place / "corpus.jsonl", rows)
        write_json_lines(place / "queries.jsonl", ({"_id": query.id, "text": query.text} for query in task.queries))
        splits = []
        for split, (_, qrels) in by_split(task).items():
            split = "test" if split == "all" else split
            splits.append(split)
            write_json_lines(
                place / "qrels" / f"{split}.jsonl",
                (
                    {"query-id": query, "corpus-id": doc, "score": grade}
                    for query, doc, grade in qrels.select("query_id", "doc_id", "relevance").iter_rows()
                ),
            )
        store.write_text(place / "README.md", _card(bench.language, splits))


def _card(language: str, splits: list[str]) -> str:
    lines = ["---", "language:", f"- {language}", "task_categories:", "- text-retrieval", "configs:"]
    lines += ["- config_name: qrels", "  data_files:"]
    for split in splits:
        lines += [f"  - split: {split}", f"    path: qrels/{split}.jsonl"]
    for name in ("corpus", "queries"):
        lines += [f"- config_name: {name}", "  data_files:", f"  - split: {name}", f"    path: {name}.jsonl"]
    return "\n".join([*lines, "---", "# A retrieval benchmark in MTEB's layout, made with renvoi", ""])


mteb = Layout(write=_write)
