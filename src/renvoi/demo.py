"""The whole tour on the bundled sample: files > corpora > references > benchmarks > runs > a table and a page."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jinja2
import polars as pl

from renvoi import evaluate, rank, store, systems
from renvoi.crossref.build import Job, Settings, build_crossref
from renvoi.errors import BadInput, RenvoiError
from renvoi.ingest import ingest
from renvoi.progress import say
from renvoi.sample import sample_files
from renvoi.types import Benchmark, Corpus

NAMES = {"da": "Danish acts", "pl": "Polish acts", "eu": "EU acts", "cjeu": "Judgments of the Court of Justice"}
MEASURES = ("R@1", "R@5", "RR@1000", "nDCG@10")
# The sample is so small that a target in the first ten is no achievement: hard means "not first" here.
_K = 1
_CITED = "bm25:w.body=1,w.path=0.3,w.cited=0.3"
_MODELS = {
    "bm25": "BM25",
    "bm25:w.body=1,w.path=0.3": "BM25 + headings",
    _CITED: "BM25 + cited text",
}


@dataclass(slots=True)
class Part:
    """What came out for one set of the sample."""

    name: str
    title: str
    acts: list[dict[str, Any]] = field(default_factory=list)
    references: dict[str, int] = field(default_factory=dict)  # "linked", and unresolved by reason
    examples: list[dict[str, Any]] = field(default_factory=list)  # references with what they reach
    funnel: list[dict[str, Any]] = field(default_factory=list)
    questions: dict[str, int] = field(default_factory=dict)  # by set
    scores: list[dict[str, Any]] = field(default_factory=list)  # system, set, n, one value a measure
    shown: list[dict[str, Any]] = field(default_factory=list)  # questions with target, context and ranks
    note: str = ""  # what was left out, and why


def run_demo(folder: Path) -> list[Part]:
    """Make everything the sample can show, and return what came out for each of its sets.

    Args:
        folder: an empty folder that takes corpora, benchmarks, runs and `index.html`.
    """
    started = time.monotonic()
    parts = []
    for name, title in NAMES.items():
        say(f"{title}: reading")
        part = Part(name, title)
        parts.append(part)
        try:
            _tour(name, part, folder)
        except RenvoiError as error:
            part.note = f"no benchmark: {error.what if isinstance(error, BadInput) else error}"
    page = _render(parts, time.monotonic() - started)
    store.write_text(folder / "index.html", page)
    return parts


def _tour(name: str, part: Part, folder: Path) -> None:
    ingested = ingest(sample_files(name))
    corpus = ingested.corpus
    corpus_path = folder / f"corpus-{name}"
    store.write_corpus(corpus_path, corpus)
    part.acts = [
        {"id": id, "title": title, "provisions": corpus.provisions.filter(pl.col("document_id") == id).height}
        for id, title in corpus.documents.select("id", "title").iter_rows()
    ]
    part.references = _reference_counts(corpus)
    part.examples = _examples(corpus)
    bench = _build(name, corpus, corpus_path, folder / f"bench-{name}")
    if bench is None:
        part.note = "no benchmark can be built from this set yet"
        return
    part.funnel = [dict(row) for row in bench.funnel]
    for query in bench.queries:
        label = str(query.extra.get("set", query.split))
        part.questions[label] = part.questions.get(label, 0) + 1
    runs = _run(bench, folder / f"runs-{name}")
    part.scores = _scores(bench, runs)
    part.shown = _shown(bench, runs) if bench.kind == "crossref" else []


def _build(name: str, corpus: Corpus, corpus_path: Path, output: Path) -> Benchmark | None:
    if name != "cjeu":
        return build_crossref(
            Job(corpus_path, output, Settings(k=_K, held_out=tuple(m for m in _MODELS if m != "bm25")))
        )
    if find_spec("renvoi.pincite.build") is None:
        return None
    days = import_module("renvoi.pincite.split").parse_days("2028:")  # the sample's judgments are of days to come
    build = import_module("renvoi.pincite.build").build_pincite
    bench, card = build(corpus, splits={"test": days}, as_of="query")
    store.write_benchmark(output, bench, card=card)
    made: Benchmark = bench
    return made


def _reference_counts(corpus: Corpus) -> dict[str, int]:
    counts = corpus.links.group_by(pl.col("reason").fill_null("linked")).len().sort("len", descending=True)
    return dict(counts.iter_rows())


def _examples(corpus: Corpus, n: int = 6) -> list[dict[str, Any]]:
    """Return a few references, spread over the corpus: what is written, where, and the start of what it reaches."""
    texts = dict(corpus.provisions.select("id", "text").iter_rows())
    found = []
    for row in corpus.links.filter(pl.col("target_id").is_not_null()).iter_rows(named=True):
        if not texts[row["target_id"]]:
            continue  # a section whose text is in its parts
        text, start, end = texts[row["source_id"]], row["ref_start"], row["ref_end"]
        around = {"before": text[max(0, start - 60) : start], "words": text[start:end], "after": text[end : end + 50]}
        reached = {"target": row["target_id"], "text": texts[row["target_id"]][:140]}
        found.append({"source": row["source_id"], **around, **reached})
    return [found[i * len(found) // n] for i in range(n)] if len(found) > n else found


def _run(bench: Benchmark, folder: Path) -> dict[str, pl.DataFrame]:
    task = bench.task()
    wide = _with_cited(task.corpus, bench.links)
    runs = {}
    for model in _MODELS if bench.kind == "crossref" else ["bm25"]:
        given = type(task)(task.level, task.queries, wide, task.qrels)
        run = systems.run_system(systems.parse_system(model), bench, given, k=100)
        runs[model] = rank.order_run(run)
        name = "".join(c if c.isalnum() else "_" for c in model).strip("_")
        store.write_run(folder / f"{name}.run", run, name)
    return runs


def _with_cited(collection: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """Return the collection with the text of what each chunk cites as a column."""
    texts = collection.select(pl.col("id").alias("target_id"), "text")
    cited = (
        links.join(texts, on="target_id", how="inner", maintain_order="left")
        .group_by("source_id", maintain_order=True)
        .agg(pl.col("text").str.join(" ").alias("cited"))
    )
    joined = collection.join(cited, left_on="id", right_on="source_id", how="left", maintain_order="left")
    return joined.with_columns(pl.col("cited").fill_null(""))


def _scores(bench: Benchmark, runs: Mapping[str, pl.DataFrame]) -> list[dict[str, Any]]:
    found = evaluate.evaluate(bench, runs, MEASURES)
    label = {q.id: str(q.extra.get("set", "all")) for q in bench.queries}
    groups: dict[str, list[int]] = {}
    for i, query_id in enumerate(found.query_ids):
        groups.setdefault(label[query_id], []).append(i)
    rows = []
    for name, members in sorted(groups.items(), reverse=True):
        means = evaluate.mean_values(found, members)
        for system, values in means.items():
            rows.append({"set": name, "system": _MODELS.get(system, system), "n": len(members), "values": values})
    return rows


def _shown(bench: Benchmark, runs: Mapping[str, pl.DataFrame], n: int = 3) -> list[dict[str, Any]]:
    """Return a few hard questions: target, one context, and where each system ranks the target."""
    texts = dict(bench.collections["chunks"].select("id", "text").iter_rows())
    hard = [q for q in bench.queries if q.extra["set"] == "hard"]
    picked: Sequence[Any] = [hard[i * len(hard) // n] for i in range(n)] if len(hard) > n else hard
    cited = dict(bench.contexts.group_by("query_id", maintain_order=True).agg("doc_id").iter_rows())
    shown = []
    for query in picked:
        ranks = {}
        for model, run in runs.items():
            docs = run.filter(pl.col("query_id") == query.id)["doc_id"].to_list()
            ranks[_MODELS[model]] = docs.index(query.source_id) + 1 if query.source_id in docs else None
        context = next(iter(query.extra["used"] or cited[query.id]))
        shown.append(
            {"text": query.text, "target": query.source_id, "target_text": texts[query.source_id], "context": context,
             "context_text": texts[context], "ranks": ranks}
        )  # fmt: skip
    return shown


def _render(parts: Sequence[Part], seconds: float) -> str:
    source = (Path(__file__).parent / "sample" / "demo.html.j2").read_text(encoding="utf-8")
    template = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(source)
    return template.render(parts=[asdict(p) for p in parts], measures=MEASURES, seconds=round(seconds), k=_K)
