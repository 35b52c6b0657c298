"""The writer without a language model: the target's rule as a question in the words of what it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module

import polars as pl

from renvoi.chunk import Chunks
from renvoi.crossref.items import Candidate, Draft, Drop, query_id
from renvoi.crossref.statements import HOLE, Law, Phrasing, Statement, statements
from renvoi.errors import RenvoiError
from renvoi.types import Corpus

LANGUAGES = ("da", "pl", "en")
_MIN_WORDS, _MAX_WORDS = 6, 55
# What a cut-out citation may leave: a word that wants another, a lone word after a comma, letters grown onto a number.
_BROKEN = re.compile(
    r"(?:\b(?:ikke|der|som|og|eller|af|i|til|for|med|kan|skal|om|kr|at|en|et|den|det|de|nie|w|z|na|do|lub|oraz|albo|niż|the|of|and|or|to"
    r"|in|by|with|a|an)|,\s*\S+|\b[A-Z])\?$|[a-zæøåąęłóśżźćń]{2}\d|\s[B-HJ-VX-Z](?=[\s,?])|\b(?:kan|skal|må|er|har|bliver),|\s[,;]|\(\s*\)"
)


def load_phrasing(language: str) -> Phrasing:
    """Return how a language asks.

    Raises:
        RenvoiError: there is no template for this language.
    """
    if language not in LANGUAGES:
        raise RenvoiError(
            f"the template writer knows {', '.join(LANGUAGES)}, not {language!r}; use --writer openai or batch"
        )
    phrasing: Phrasing = import_module(f"renvoi.crossref.phrase_{language}")  # type: ignore[assignment]
    return phrasing


def make_law(corpus: Corpus, chunks: Chunks) -> Law:
    """Return what the writer looks up."""
    columns = corpus.provisions.select("id", "text", "parent", "kind").iter_rows()
    texts: dict[str, str] = {}
    parents: dict[str, str | None] = {}
    kinds: dict[str, str] = {}
    first_child: dict[str, str] = {}
    for id, text, parent, kind in columns:
        texts[id], parents[id], kinds[id] = text, parent, kind
        if parent is not None:
            first_child.setdefault(parent, id)
    spans: dict[str, list[tuple[int, int]]] = {}
    rows = corpus.citations.group_by("source_id", "citation", maintain_order=True).agg(
        pl.col("start").first(), pl.col("end").first()
    )
    for source_id, _, start, end in rows.iter_rows():
        spans.setdefault(source_id, []).append((start, end))
    return Law(texts, parents, kinds, {id: sorted(all_) for id, all_ in spans.items()}, first_child, chunks.holders)


def write_queries(candidates: Sequence[Candidate], law: Law, language: str) -> Iterator[Draft | Drop]:
    """Yield one draft, or a failure with its reason, for each candidate.

    Reasons: `no_substance` (nothing that is cited can be said without an address), `no_template` (no sentence fits a
    pattern), `broken` (the citation cannot be cut out cleanly), `says_nothing_of_it` (of what is cited), `too_short`,
    `too_wordy`, `names_an_address`.
    """
    phrasing = load_phrasing(language)
    for candidate in candidates:
        yield _write(candidate, law, phrasing)


def _write(candidate: Candidate, law: Law, phrasing: Phrasing) -> Draft | Drop:
    reason = "no_substance"
    for statement in statements(candidate, law, phrasing):
        reason = "no_template" if reason == "no_substance" else reason
        for pattern, text in phrasing.questions(statement):
            fault = _fault(text) or ("" if _speaks_of(text, statement) else "says_nothing_of_it")
            if fault:
                reason = fault
                continue
            used = [c for n in sorted(statement.scenes) for c in statement.scenes[n].chunks]
            kept = tuple(c for c in dict.fromkeys(used) if c in candidate.contexts)
            return Draft(query_id(candidate.id), candidate.id, text, kept, "template", pattern)
    return Drop(candidate.id, reason)


def _speaks_of(question: str, statement: Statement) -> bool:
    """Tell whether a question holds a word of what is cited that the target itself does not have."""
    own = _words(f"{statement.lead_in} {statement.text}")
    cited = _words(" ".join(f"{scene.lead_in} {scene.text}" for scene in statement.scenes.values()))
    return bool(_words(question) & (cited - own))


def _words(text: str) -> set[str]:
    return {word[:6].casefold() for word in re.findall(r"[^\W\d_]{3,}", text)}


def _fault(text: str) -> str:
    words = len(text.split())
    if words < _MIN_WORDS:
        return "too_short"
    if words > _MAX_WORDS:
        return "too_wordy"
    if _BROKEN.search(text):
        return "broken"
    return "names_an_address" if HOLE.search(text) or "§" in text else ""
