"""PyTerrier: `corpus.jsonl` for `IterDictIndexer`, topics as TREC XML, qrels, and the lines that load them."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import polars as pl

from renvoi import store
from renvoi.interchange._layout import Layout, by_split, each_level, title_of, write_json_lines
from renvoi.interchange._names import safe_names, write_names
from renvoi.types import Benchmark

_README = """# In PyTerrier

```python
import json, pyterrier as pt

indexer = pt.IterDictIndexer("./index", meta={{"docno": {width}}}, text_attrs=["title", "text"])
indexer.index(json.loads(line) for line in open("corpus.jsonl", encoding="utf-8"))
topics = pt.io.read_topics("{topics}", format="trecxml", tags=["query"], tokenise=True)
qrels = pt.io.read_qrels("{qrels}")
```

`tokenise=True` keeps Terrier's query language from reading brackets and colons in the questions as operators.
"""


def _write(bench: Benchmark, folder: Path) -> None:
    for task, place in each_level(bench, folder):
        names = safe_names([*task.corpus["id"], *(q.id for q in task.queries)])
        rows = task.corpus.select("id", "labels", "text").iter_rows()
        write_json_lines(
            place / "corpus.jsonl",
            ({"docno": names[doc], "title": title_of(labels), "text": text} for doc, labels, text in rows),
        )
        parts = []
        for split, (queries, qrels) in by_split(task).items():
            part = "" if split == "all" else f".{split}"
            parts.append(part)
            topics = "".join(
                f"<topic number={quoteattr(names[q.id])}><query>{escape(q.text)}</query></topic>\n" for q in queries
            )
            store.write_text(place / f"topics{part}.xml", f"<topics>\n{topics}</topics>\n")
            store.write_qrels(
                place / f"qrels{part}.txt", qrels.with_columns(pl.col("query_id", "doc_id").replace(names))
            )
        write_names(place, names)
        width = max((len(name) for name in names.values()), default=20)
        readme = _README.format(width=width, topics=f"topics{parts[-1]}.xml", qrels=f"qrels{parts[-1]}.txt")
        store.write_text(place / "README.md", readme)


pyterrier = Layout(write=_write)
