"""The dataset card of a cross-reference benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from renvoi import registry
from renvoi.types import Benchmark

_USE = """\
Each question asks for what its target chunk says, in the words of the chunks that the target cites, so that the target
cannot be found by its own text. `qrels/chunk.tsv` holds the target alone; `contexts.tsv` holds what it cites, which is
never relevant. `queries.jsonl` says in `extra.set` whether a question is `hard` (every filter retriever, reading bare
chunks, ranks its target below k) or `control` (one of them finds it); report both. A retriever that selected the
questions is judged too low on the hard ones: compare on retrievers that were held out.
"""


def write_card(bench: Benchmark, settings: Mapping[str, Any], documents: Mapping[str, str]) -> str:
    """Return the card as Markdown.

    Args:
        bench: with its funnel.
        settings: of the job.
        documents: id > title of every act.
    """
    sets = [q.extra["set"] for q in bench.queries]
    splits = {s: sum(q.split == s for q in bench.queries) for s in ("dev", "test")}
    lines = [
        f"# Cross-reference benchmark ({bench.language})", "",
        f"{len(bench.queries)} questions ({sets.count('hard')} hard, {sets.count('control')} control; "
        f"{splits['dev']} dev, {splits['test']} test, split by act) over "
        f"{bench.collections['chunks'].height} chunks of {len(documents)} acts.", "",
        _USE,
        f"- Writer: {_player(bench, settings, 'writer')}; judge: {_player(bench, settings, 'judge')}.",
        f"- Filter retrievers: {', '.join(settings['filters'])}; k = {settings['k']}.",
        f"- Held out (not used to select): {', '.join(settings['held_out']) or 'none named'}.",
    ]  # fmt: skip
    if all(name.partition(":")[0] in registry.names("models") for name in settings["filters"]):
        lines.append(
            "- Only retrievers by words filtered: a dense one may find some of the hard questions at once. The "
            "packaged model filters too where `renvoi[embedded]` is installed."
        )
    if settings["writer"] == "template":
        lines.append(
            "- The questions were made by templates, without a language model: a floor and a test bed, not a claim of "
            "quality."
        )
    lines += ["", "## Funnel", "", "| stage | in | out | dropped, by reason |", "|---|--:|--:|---|"]
    for row in bench.funnel:
        dropped = ", ".join(f"{reason} {n}" for reason, n in row.get("dropped", {}).items())
        lines.append(f"| {row['stage']} | {row['in']} | {row['out']} | {dropped} |")
    lines += ["", "## Acts", ""]
    lines += [f"- `{id}` {title}" for id, title in sorted(documents.items())]
    lines += ["", "Settings, input hashes and versions are in `manifest.json`.", ""]
    return "\n".join(lines)


def _player(bench: Benchmark, settings: Mapping[str, Any], role: str) -> str:
    """Return who played a role: the model with its prompt, or the way without one."""
    played = bench.manifest["settings"]["roles"][role]
    return f"{played['model']} ({played['prompt']})" if "model" in played else str(settings[role])
