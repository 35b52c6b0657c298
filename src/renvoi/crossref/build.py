"""The whole job on one page: a corpus > candidates > questions > leak check > filter > judge > benchmark.

Each stage reads what the one before left in `BENCH.work/` and leaves its own there; `run_stages` runs those that are
not done, and a changed setting makes the stages after it run again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from renvoi import store
from renvoi.chunk import Chunks, chunk_corpus, make_collection
from renvoi.crossref import assemble as assembling
from renvoi.crossref.assure import decide, judge_by_overlap
from renvoi.crossref.candidates import find_candidates
from renvoi.crossref.card import write_card
from renvoi.crossref.filter import check_retriever, split_by_hardness
from renvoi.crossref.items import Candidate, Draft, Drop, candidate_from, draft_from, query_id
from renvoi.crossref.leak import Limits, check_leaks
from renvoi.crossref.models import Roles, load_prompt
from renvoi.crossref.roles import Source, judge_calls, make_source, read_answers
from renvoi.crossref.template import make_law
from renvoi.crossref.work import Work
from renvoi.crossref.write import JUDGES, WRITERS, role_identity, write_drafts
from renvoi.errors import BadInput, OutputExists, UnknownName
from renvoi.llm.calls import UNANSWERED
from renvoi.llm.cost import estimate
from renvoi.llm.reach import USUAL_TOKENS, Waiting, answer
from renvoi.progress import say
from renvoi.store.manifest import hash_files, make_manifest
from renvoi.types import Benchmark, Corpus

_QUERY_CHARS = 180  # of a usual question
STAGES = ("candidates", "write", "leak", "filter", "assure", "assemble")
_TABLES = ("documents", "provisions", "citations", "links")


@dataclass(frozen=True, slots=True)
class Settings:
    """Every option that changes the benchmark."""

    writer: str = "template"  # "template", "openai" or "batch"
    judge: str = "overlap"  # "overlap", "openai" or "batch"
    filters: tuple[str, ...] = ("bm25",)  # MODEL strings
    held_out: tuple[str, ...] = ()
    k: int = 10  # the last rank that makes a question easy
    token_limit: int = 4000  # words and marks of a target with its contexts
    limit: int | None = None  # candidates written for, drawn evenly over the corpus
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Job:
    """One build: where its corpus is, where it goes, and its settings."""

    corpus_path: Path
    output: Path
    settings: Settings
    roles: Roles = field(default_factory=Roles)  # the language models, where any is asked

    @cached_property
    def corpus(self) -> Corpus:
        """The corpus, read once."""
        return store.read_corpus(self.corpus_path)

    @cached_property
    def chunks(self) -> Chunks:
        """Its chunks."""
        return chunk_corpus(self.corpus)

    @cached_property
    def collection(self) -> pl.DataFrame:
        """Its chunks as columns."""
        return make_collection(self.corpus, self.chunks)

    @cached_property
    def language(self) -> str:
        """The one language of the corpus."""
        languages = sorted(self.corpus.documents["language"].unique().to_list())
        if len(languages) != 1:
            raise BadInput(
                self.corpus_path, f"holds acts in {', '.join(languages)}", "ingest one language into each corpus"
            )
        return str(languages[0])

    @property
    def work(self) -> Work:
        """The state between the stages."""
        return Work(self.output.with_name(self.output.name + ".work"))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the corpus."""
        assert self.corpus  # read first, so that a folder that is none is told as such
        return hash_files(self.corpus_path / f"{name}.parquet" for name in _TABLES)

    @cached_property
    def source(self) -> Source:
        """What prompts quote."""
        return make_source(self.collection, self.corpus.documents, self.language)

    def candidates(self) -> dict[str, Candidate]:
        """What the first stage found, by target."""
        return {c.id: c for c in map(candidate_from, self.work.read("candidates"))}

    def drafts(self, stage: str) -> list[Draft]:
        """What a later stage passed on."""
        return [draft_from(row) for row in self.work.read(stage)]


def build_crossref(job: Job, *, stage: str | None = None, force: bool = False) -> Benchmark | None:
    """Run the stages of a job that are not done, and write the benchmark.

    Args:
        job: what to build.
        stage: the last stage to run; all if None.
        force: replace a benchmark that exists.

    Returns:
        The benchmark, or None where an earlier stage was the last one asked for, in a dry run, and while a batch file
        waits for its results.
    """
    last = STAGES.index(stage) if stage else len(STAGES) - 1
    if last == len(STAGES) - 1 and job.output.exists() and not force:
        raise OutputExists(job.output)
    _check(job.settings)
    key = job.fingerprint
    for name in STAGES[: min(last + 1, len(STAGES) - 1)]:
        key = job.work.key(name, {"before": key, **_stage_settings(job, name)})
        if job.work.is_done(name, key):
            say(f"{name}: done before")
        else:
            try:
                _RUN[name](job, key)
            except Waiting as waiting:
                say(str(waiting))
                if name == "write" and job.roles.reach.dry_run:
                    _foretell_judge(job)
                return None
            funnel = job.work.state(name)["funnel"]
            say(f"{name}: {funnel['out']} of {funnel['in']} passed")
        key = f"{key} {job.work.state(name)['sha256']}"  # a stage run again may yield something else
    if last < len(STAGES) - 1:
        return None
    bench = _assemble(job)
    documents = dict(job.corpus.documents.select("id", "title").iter_rows())
    card = write_card(bench, asdict(job.settings), documents)
    store.write_benchmark(job.output, bench, card=card, force=force)
    return bench


def _check(settings: Settings) -> None:
    """Find wrong names before any work is done.

    Raises:
        UnknownName: a writer, a judge or a retriever.
    """
    for shelf, name, known in (("writers", settings.writer, WRITERS), ("judges", settings.judge, JUDGES)):
        if name not in known:
            raise UnknownName(shelf, name, known)
    for model in settings.filters:
        check_retriever(model)


def _stage_settings(job: Job, stage: str) -> Mapping[str, Any]:
    s = job.settings
    return {
        "candidates": {"token_limit": s.token_limit},
        "write": {"writer": s.writer, "limit": s.limit, **role_identity(s.writer, "writer", job.roles)},
        "leak": asdict(s.limits),
        "filter": {"filters": s.filters, "k": s.k},
        "assure": {"judge": s.judge, **role_identity(s.judge, "judge", job.roles)},
    }[stage]


def _candidates(job: Job, key: str) -> None:
    found = find_candidates(job.corpus, job.chunks, token_limit=job.settings.token_limit)
    entered = len(found.candidates) + len(found.drops)
    facts = {"chunks": found.n_chunks, "citing": found.n_citing}
    job.work.finish("candidates", key, found.candidates, found.drops, entered=entered, facts=facts)


def _write(job: Job, key: str) -> None:
    candidates = _sample(list(job.candidates().values()), job.settings.limit)
    law = make_law(job.corpus, job.chunks)
    drafts, drops = write_drafts(candidates, law, job.source, job.settings.writer, job.roles, job.work.folder)
    job.work.finish("write", key, drafts, drops, entered=len(candidates), unanswered=_count_unanswered(drops))


def _leak(job: Job, key: str) -> None:
    drafts = job.drafts("write")
    texts = dict(job.collection.select("id", "text").iter_rows())
    titles = [t for row in job.corpus.documents.select("title", "short_titles").iter_rows() for t in (row[0], *row[1])]
    kept, drops = check_leaks(drafts, texts, titles, job.language, job.settings.limits)
    job.work.finish("leak", key, kept, drops, entered=len(drafts))


def _filter(job: Job, key: str) -> None:
    drafts = job.drafts("leak")
    sieved = split_by_hardness(drafts, job.collection, job.language, job.settings.filters, k=job.settings.k)
    job.work.finish("filter", key, sieved.drafts, sieved.drops, entered=len(drafts), facts=sieved.facts)


def _assure(job: Job, key: str) -> None:
    drafts = job.drafts("filter")
    candidates = job.candidates()
    judge = job.settings.judge
    failed: list[Drop] = []
    if judge == "overlap":
        judged = judge_by_overlap(drafts, candidates, job.collection, job.language)
    else:
        calls = judge_calls(drafts, candidates, job.source, load_prompt("judge"))
        replies = answer(calls, "judge", judge, job.roles.model("judge"), job.roles.reach, job.work.folder)
        judged, failed = read_answers(drafts, replies, job.roles.model("judge").name)
    kept, drops = decide(judged)
    kept, more = _balance(kept)
    job.work.finish(
        "assure", key, kept, [*failed, *drops, *more], entered=len(drafts), unanswered=_count_unanswered(failed)
    )


def _count_unanswered(drops: Sequence[Drop]) -> int:
    return sum(drop.reason.removeprefix("judge_") in UNANSWERED for drop in drops)


def _foretell_judge(job: Job) -> None:
    """Say what judging would cost at most, were a question of usual length written for every candidate."""
    if job.settings.judge == "overlap":
        return
    candidates = _sample(list(job.candidates().values()), job.settings.limit)
    model = job.roles.model("judge")
    drafts = [Draft(query_id(c.id), c.id, "?" * _QUERY_CHARS, (), "") for c in candidates]
    calls = judge_calls(drafts, {c.id: c for c in candidates}, job.source, load_prompt("judge"))
    told = estimate(
        calls, 0, model.max_tokens, job.roles.reach.prices.get(model.name), usual_tokens=USUAL_TOKENS["judge"]
    )
    say(f"dry run, judge {model.name}, if every question were written and passed on to it: {told.line()}")


def _balance(drafts: Sequence[Draft]) -> tuple[list[Draft], list[Drop]]:
    """Cut the controls down to the number of hard questions that are left."""
    n_hard = sum(d.marks["set"] == "hard" for d in drafts)
    kept: list[Draft] = []
    drops: list[Drop] = []
    n_control = 0
    for draft in drafts:
        if draft.marks["set"] == "control":
            n_control += 1
            if n_control > n_hard:
                drops.append(Drop(draft.id, "more_controls_than_hard"))
                continue
        kept.append(draft)
    return kept, drops


def _assemble(job: Job) -> Benchmark:
    drafts = job.drafts("assure")
    if not drafts:
        raise BadInput(
            job.work.folder, "no question passed every stage", "see the drops beside it, or use a larger corpus"
        )
    funnel = [job.work.state(name)["funnel"] for name in STAGES[:-1]]
    sets = [d.marks["set"] for d in drafts]
    counts = {"queries": len(drafts), "hard": sets.count("hard"), "control": sets.count("control"),
              "chunks": job.collection.height}  # fmt: skip
    inputs = dict(job.corpus.documents.select("id", "sha256").iter_rows())
    s = job.settings
    played = {
        "writer": role_identity(s.writer, "writer", job.roles),
        "judge": role_identity(s.judge, "judge", job.roles),
    }
    settings = {**asdict(s), "exclude_self": False, "roles": played}
    manifest = make_manifest("benchmark", settings, {**inputs, "corpus": job.fingerprint}, counts)
    return assembling.assemble(
        job.corpus, job.chunks, job.candidates(), drafts, job.language, funnel, manifest
    )  # fmt: skip


def _sample(candidates: list[Candidate], limit: int | None) -> list[Candidate]:
    """Return at most `limit` candidates, spread evenly over the corpus."""
    if limit is None or limit >= len(candidates):
        return candidates
    return [candidates[i * len(candidates) // limit] for i in range(limit)]


_RUN = {"candidates": _candidates, "write": _write, "leak": _leak, "filter": _filter, "assure": _assure}
