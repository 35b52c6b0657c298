"""A folder for the Hugging Face Hub: Parquet tables, one configuration a table, and a dataset card."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from renvoi import store
from renvoi.interchange._layout import Layout, by_split
from renvoi.types import LEVELS, Benchmark

_ENTRY = re.compile(r"(?m)^(\w+):.*\n?(?:^[^\w\n].*\n?)*")  # one key of a YAML header with what belongs to it


def _write(bench: Benchmark, folder: Path) -> None:
    """Write `corpus`, `queries` and `qrels` tables; names say the level where there are several."""
    data = folder / "data"
    data.mkdir()
    configs: list[tuple[str, list[tuple[str, str]]]] = []
    for collection in dict.fromkeys(LEVELS[level][1] for level in bench.qrels):
        bench.collections[collection].write_parquet(data / f"{collection}.parquet", statistics=False)
        configs.append((collection, [("corpus", f"data/{collection}.parquet")]))
    for level in bench.qrels:
        unit = LEVELS[level][0]
        for what in (f"queries_{unit}", f"qrels_{level}"):
            if what in dict(configs):
                continue
            files = []
            for split, (queries, qrels) in by_split(bench.task(level)).items():
                split = "test" if split == "all" else split
                frame = qrels if what.startswith("qrels") else _queries_frame(queries)
                frame.write_parquet(data / f"{what}-{split}.parquet", statistics=False)
                files.append((split, f"data/{what}-{split}.parquet"))
            configs.append((what, files))
    store.write_text(folder / "README.md", _card(bench, configs))


def _queries_frame(queries: tuple[object, ...]) -> pl.DataFrame:
    import json
    from dataclasses import asdict

    rows = [asdict(query) for query in queries]  # type: ignore[call-overload]
    for row in rows:
        row["extra"] = json.dumps(row["extra"], ensure_ascii=False, default=str)
    schema = dict.fromkeys(("id", "text", "split", "unit", "source_id", "document_id"), pl.String)
    return pl.DataFrame(rows, schema={**schema, "date": pl.Date, "extra": pl.String}, orient="row")


def _card(bench: Benchmark, configs: list[tuple[str, list[tuple[str, str]]]]) -> str:
    lines = ["---", "language:", f"- {bench.language}", "task_categories:", "- text-retrieval", "configs:"]
    for name, files in configs:
        lines += [f"- config_name: {name}", "  data_files:"]
        for split, path in files:
            lines += [f"  - split: {split}", f"    path: {path}"]
    lines += ["---", "# A retrieval benchmark made with renvoi", "", "## Files"]
    lines += ["| table | split | file |", "|---|---|---|"]
    lines += [f"| {name} | {split} | `{path}` |" for name, files in configs for split, path in files]
    lines += ["", "`query_id` and `doc_id` of the qrels are the `id` of the queries and of the corpus."]
    first = configs[-1][0]
    lines += [
        "",
        "```python",
        "from datasets import load_dataset",
        "",
        "folder = ...  # this one, or its name on the Hub",
    ]
    lines += [f'{name} = load_dataset(folder, "{name}")' for name in (configs[0][0], first)]
    return "\n".join([*lines, "```", ""])


def _join(folder: Path, card: str) -> None:
    """Put a benchmark's own card into that of the folder, with the folder's files in place of the benchmark's."""
    own_head, own_text = _parts(card)
    head, text = _parts((folder / "README.md").read_text(encoding="utf-8"))
    said = {m[1] for m in _ENTRY.finditer(head)}
    further = [m[0].rstrip() for m in _ENTRY.finditer(own_head) if m[1] not in said]
    files = text[text.index("## Files") :]
    kept = re.sub(r"(?ms)^## Files\n.*?(?=^## |\Z)", "", own_text).rstrip()
    top = "\n".join([*further, head.rstrip()])
    store.write_text(folder / "README.md", f"---\n{top}\n---\n{kept}\n\n{files}")


def _parts(card: str) -> tuple[str, str]:
    """Return the YAML header of a card, without its rules, and the rest."""
    m = re.match(r"(?s)---\n(.*?)\n---\n(.*)", card)
    return (m[1], m[2]) if m else ("", card)


hf = Layout(write=_write, card=_join)
