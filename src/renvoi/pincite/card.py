"""The dataset card of a benchmark from case law: what it is, what it is not, and how to load it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from renvoi.types import Benchmark

_HEAD = """---
language: {language}
task_categories: [text-retrieval]
pretty_name: Pincites of the EU's courts
tags: [legal, information-retrieval, citations, case-law]
license: other
license_name: eu-reuse-2011-833
license_link: https://eur-lex.europa.eu/content/legal-notice/legal-notice.html
---
# Pincites of the EU's courts

Courts cite paragraphs of earlier judgments ("pincites"). Here the citation is hidden in the citing paragraph; what is
left is the query, and the cited paragraphs are what should be found. The same citations give three levels:
paragraph to paragraph (`par_par`), paragraph to case (`par_case`) and case to case (`case_case`).

Built by Renvoi {version} from {decisions} decisions ({first} to {last}) with {paragraphs} numbered paragraphs.
"""

_INFERRED = """
## Read this first: inferred paragraph numbers
{inferred} of {paragraphs} paragraphs ({share:.0%}) come from texts whose paragraph numbers had been lost and were
**inferred from the layout**. A pincite into them may name a neighbour of the paragraph it means, and the text of these
decisions lacks some digits, so citations made *by* them are incomplete ({damaged}). `extra.targets` of a query says
how far the numbers of its relevant paragraphs can be trusted: `printed`, `checked` (inferred, but as many as the
decision has), `inferred`. Report figures by it (`renvoi evaluate BENCH RUNS --by targets`); over all queries they
compare systems but are too low.
"""

_REST = """
## How it was made
- **Citations** are read from the text; {sources}. Kept are citations of precedent. The procedural history of a case
  (the judgment under appeal …) and references to the judgment's own paragraphs are no relevance; they are still masked.
- **Splits** are by day of decision: {splits}. {as_of} {siblings} decisions in {clusters} groups are near-identical
  siblings of the same day; a group shares `extra.cluster`, for intervals that do not count one citation ten times.
- **Masking**: case numbers, names of the cited cases, ECLI, reporters, dates of judgments and pinpoints are hidden;
  `extra.unmasked` and `extra.spans` (start, end, kind) hold what was there. `renvoi audit` measures what leaks.
- **Relevance** is what the court cited. What it could have cited as well is not marked, so a found paragraph without a
  mark is not surely wrong.

## What was left out
{funnel}

## Files
`chunks.parquet` (paragraphs) and `cases.parquet`: id, text, labels (headings), document_id, date. `queries.jsonl`: id,
text, split, unit (`par`, `case`), date (candidates must be earlier). `qrels/LEVEL.tsv`: query_id, doc_id, relevance,
source. `links.parquet`: every pincite in the collection with the day it was made. `funnel.json`, `manifest.json`.

## Licence and source
Texts: © European Union, reuse under Decision 2011/833/EU with the source named (EUR-Lex, https://eur-lex.europa.eu;
Court of Justice of the European Union). The judgments on EUR-Lex are not the authentic versions.
"""


_QUESTIONS = {"q1": "verbatim", "q2": "other or expanded version", "relevant": "relevant"}


def write_card(bench: Benchmark) -> str:
    """Return the dataset card of a benchmark, Markdown."""
    counts = bench.manifest["counts"]
    settings = bench.manifest["settings"]
    parts = [
        _HEAD.format(
            language=bench.language,
            version=bench.manifest["renvoi"],
            decisions=counts["decisions"],
            first=counts["first_decision"],
            last=counts["last_decision"],
            paragraphs=counts["paragraphs"],
        )
    ]
    inferred = counts["paragraphs_with_inferred_numbers"]
    if inferred:
        parts.append(
            _INFERRED.format(
                inferred=inferred,
                paragraphs=counts["paragraphs"],
                share=inferred / counts["paragraphs"],
                damaged="such paragraphs are queries in " + (", ".join(settings["damaged_in"]) or "no split"),
            )
        )
    parts.append(
        "\n## Size\n" + _table(counts["levels"], ("level", "split", "queries", "relevant", "per_query", "most"))
    )
    if counts["candidates"]:
        parts.append(
            "\nCandidates: " + ", ".join(f"{n} paragraphs in {s}" for s, n in counts["candidates"].items()) + ".\n"
        )
    if "agreement_text_listed" in counts:
        parts.append(_agreement(counts["agreement_text_listed"]))
    if "annotations" in counts:
        parts.append(_annotations(counts["annotations"]))
    fixed = settings["as_of"] == "split"
    parts.append(
        _REST.format(
            sources="EUR-Lex's lists are added" if settings["listed"] else "EUR-Lex's lists were not used",
            splits="; ".join(f"{name} {_days(*days)}" for name, days in settings["splits"].items()),
            as_of="Candidates are the decisions before the first day of the split, so that a split is one collection."
            if fixed
            else "Candidates are the decisions before the query's own day.",
            siblings=counts["decisions_with_siblings"],
            clusters=counts["sibling_clusters"],
            funnel=_table(bench.funnel, ("stage", "step", "kept", "dropped")),
        )
    )
    return "".join(parts)


def _agreement(agreed: Mapping[str, Any]) -> str:
    columns = ("level", "both", "text_only", "listed_only", "of_listed", "of_text")
    rows = [
        {"level": level, **{key: f"{v:.1%}" if isinstance(v, float) else v for key, v in said.items()}}
        for level, said in agreed["levels"].items()
    ]
    covered = f"Of {agreed['documents']} decisions that the lists cover."
    return f"\n## Citations in the text and in EUR-Lex's lists\n{covered}\n\n" + _table(rows, columns)


def _annotations(said: Mapping[str, Any]) -> str:
    kappa = {name: f"{value:.2f}" for name, value in said["kappa"].items() if value is not None}
    lost = sum(said["unlinkable"].values())
    return (
        f"\n## Two lawyers' answers\n{said['candidates']} candidates were shown, and {said['answered_by_both']} "
        "answered by both (where no rule can be inferred from the citing paragraph, the answers are blank). Both "
        f"called {said['relevant']} relevant: yes to at least one question. Cohen's kappa before removal: "
        + ", ".join(f"{value} ({_QUESTIONS[name]})" for name, value in kappa.items())
        + f". {said['linked']} candidates could be linked to paragraphs, which gives {said['pairs']} relevant pairs; "
        f"{lost} texts could not:\n\n"
        + _table(
            [{"side and reason": why, "texts": n} for why, n in said["unlinkable"].items()],
            ("side and reason", "texts"),
        )
    )


def _days(start: str, end: str) -> str:
    return (
        " ".join(part for part in (f"from {start}" if start else "", f"before {end}" if end else "") if part) or "all"
    )


def _table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(str(row.get(column, "")) for column in columns) + " |" for row in rows]
    return "\n".join(lines) + "\n"
