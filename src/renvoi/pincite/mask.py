"""Mask: hide in every query what names the decisions it cites, told what their names are."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import polars as pl

from renvoi import masks, progress
from renvoi.cite_cases import Memory, read_mentions


@dataclass(frozen=True, slots=True)
class Masked:
    """A text, what it was, and the hidden spans of what it was: (start, end, kind)."""

    text: str
    unmasked: str
    spans: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True, slots=True)
class _Judgment:
    """What one process needs to mask a judgment."""

    id: str
    paragraphs: tuple[tuple[str, str], ...]  # id, text
    known: tuple[str, ...]


def names_of_cited(pairs: pl.DataFrame, decisions: pl.DataFrame) -> dict[str, tuple[str, ...]]:
    """Return for every citing document the names of the decisions it cites, longest first.

    A judgment reuses the name of a decision it cited pages before, so the names go with the document.
    """
    names = {
        name: _names(short_titles, json.loads(metadata))
        for name, short_titles, metadata in decisions.select("id", "short_titles", "metadata").iter_rows()
    }
    found: dict[str, set[str]] = {}
    for source, target in pairs.select("source_document", "target_document").unique(maintain_order=True).iter_rows():
        found.setdefault(source, set()).update(names.get(target, ()))
    return {source: tuple(sorted(some, key=lambda name: (-len(name), name))) for source, some in found.items()}


def mask_paragraphs(
    paragraphs: pl.DataFrame,
    wanted: Collection[str],
    known: Mapping[str, Sequence[str]],
    *,
    how: masks.How = "remove",
    jobs: int = 1,
) -> dict[str, Masked]:
    """Return the wanted paragraphs masked, by id.

    A judgment is read twice: once for the names it gives the decisions it cites, and once from its first paragraph
    on, with what "that judgment" means at each place.

    Args:
        paragraphs: id, document_id, text; a document's in order.
        wanted: ids to mask.
        known: names of cited decisions, by citing document.
        how: "remove", or "placeholder" for a word in brackets.
        jobs: processes.
    """
    wanted = frozenset(wanted)
    documents = paragraphs.filter(pl.col("id").is_in(list(wanted)))["document_id"].unique(maintain_order=True)
    rows = paragraphs.filter(pl.col("document_id").is_in(documents.implode())).select("document_id", "id", "text")
    by_document: dict[str, list[tuple[str, str]]] = {}
    for document, name, text in rows.iter_rows():
        by_document.setdefault(document, []).append((name, text))
    judgments = [_Judgment(name, tuple(some), tuple(known.get(name, ()))) for name, some in by_document.items()]
    work = partial(_mask_judgment, wanted=wanted, how=how)
    done: dict[str, Masked] = {}
    if jobs > 1 and len(judgments) > jobs:
        with ProcessPoolExecutor(jobs) as pool:
            for part in progress.track(pool.map(work, judgments, chunksize=8), "masking judgments", len(judgments)):
                done.update(part)
    else:
        for judgment in progress.track(judgments, "masking judgments"):
            done.update(work(judgment))
    return done


def _mask_judgment(judgment: _Judgment, wanted: frozenset[str], how: masks.How) -> dict[str, Masked]:
    named = masks.names_by_case((text for _, text in judgment.paragraphs), judgment.id)
    known = tuple(dict.fromkeys([*judgment.known, *(name for names in named.values() for name in names)]))
    memory = Memory(own=judgment.id)
    done = {}
    for name, text in judgment.paragraphs:
        if name not in wanted:
            read_mentions(text, memory)
            continue
        masked = masks.hide(text, known=known, memory=memory, how=how)
        done[name] = Masked(masked.text, text, tuple((span.start, span.end, span.kind) for span in masked.spans))
    return done


def _names(short_titles: Sequence[str], metadata: Mapping[str, object]) -> tuple[str, ...]:
    parties = metadata.get("parties")
    return tuple(dict.fromkeys([*short_titles, *(parties if isinstance(parties, list) else ())]))
