"""Stage candidates: chunks whose references reach other chunks, and why the others are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from renvoi.chunk import Chunks
from renvoi.crossref.items import Candidate, Drop, Pointer
from renvoi.types import Chunk, Corpus

_TOKEN = re.compile(r"\w+|[^\w\s]")
_REPEAL = re.compile(
    r"^\W*(?:\(?ophæv\w+\)?|\(?uchyl\w+\)?|\(?skreśl\w+\)?|repealed|deleted)\W*$"
    r"|\bophæves\b|\btraci moc\b|\btracą moc\b|\b(?:is|are) (?:hereby )?(?:repealed|deleted)\b",
    re.I,
)
_AMENDING = re.compile(
    r"foretages følgende ændring|affattes således|\bindsættes (?:efter|som|i)\b|ændres »"
    r"|wprowadza się następujące zmiany|otrzymuj[eą] brzmienie|w brzmieniu:|dodaje się (?:ust|pkt|art|§)"
    r"|zastępuje się wyraz|skreśla się (?:wyraz|ust|pkt|art)"
    r"|(?:is|are) (?:amended|replaced|inserted|added)(?: as follows|:| by the following)"
    r"|the following \w+ (?:is|are) (?:inserted|added)",
    re.I,
)  # fmt: skip
_MAX_CONTEXTS_SHARE = 40  # a reference that reaches more chunks than this names a chapter, not a rule


@dataclass(frozen=True, slots=True)
class Found:
    """The candidates, in document order, and what was dropped."""

    candidates: tuple[Candidate, ...]
    drops: tuple[Drop, ...]
    n_chunks: int
    n_citing: int  # chunks with a citation, resolved or not


def find_candidates(corpus: Corpus, chunks: Chunks, *, token_limit: int) -> Found:
    """Return the chunks that can become targets.

    A chunk without a resolved reference to another chunk is no candidate and no drop; it is counted in `n_citing` if it
    cites at all. Every other chunk is a candidate or dropped with one reason: `amending`, `repeal`, `lead_in`,
    `only_ancestors`, `too_broad`, `too_long`.

    Args:
        corpus: with its links.
        chunks: the chunks of this corpus.
        token_limit: words and marks of target and contexts together.
    """
    by_id = {chunk.id: chunk for chunk in chunks.chunks}
    order = {chunk.id: n for n, chunk in enumerate(chunks.chunks)}
    pointers = _pointers_by_chunk(corpus, chunks)
    amending = set(corpus.documents.filter(pl.col("kind") == "amending_act")["id"].to_list())
    parents = dict(corpus.provisions.select("id", "parent").iter_rows())
    has_children = set(parents.values())
    found: list[Candidate] = []
    drops: list[Drop] = []
    for chunk in chunks.chunks:
        reached = {
            holder for p in pointers.get(chunk.id, ()) for t in p.targets for holder in chunks.holders.get(t, ())
        }
        contexts = tuple(sorted(reached - {chunk.id}, key=order.__getitem__))
        if not contexts:
            continue
        reason = _reason(chunk, contexts, pointers[chunk.id], amending, parents, chunk.id in has_children)
        n_tokens = sum(count_tokens(by_id[id].text) for id in (chunk.id, *contexts))
        if not reason and n_tokens > token_limit:
            reason = "too_long"
        if reason:
            drops.append(Drop(chunk.id, reason))
        else:
            implicit = (*chunk.labels, *chunk.lead_ins)
            found.append(Candidate(chunk.id, chunk.document_id, pointers[chunk.id], contexts, implicit, n_tokens))
    return Found(tuple(found), tuple(drops), len(chunks.chunks), len(pointers))


def count_tokens(text: str) -> int:
    """Return the number of words and marks.

    >>> count_tokens("§ 5, stk. 2")
    6
    """
    return len(_TOKEN.findall(text))


def _reason(
    chunk: Chunk,
    contexts: tuple[str, ...],
    pointers: tuple[Pointer, ...],
    amending: set[str],
    parents: Mapping[str, str | None],
    has_children: bool,
) -> str:
    if chunk.document_id in amending or _AMENDING.search(chunk.text):
        return "amending"
    if _REPEAL.search(chunk.text):
        return "repeal"
    if chunk.text.rstrip().endswith(":"):
        return "lead_in"
    above = set(_ancestors(chunk.id, parents))
    if all(t in above for p in pointers for t in p.targets):
        return "only_ancestors"
    if len(contexts) > _MAX_CONTEXTS_SHARE:
        return "too_broad"
    return ""


def _ancestors(id: str, parents: Mapping[str, str | None]) -> Iterator[str]:
    above = parents.get(id)
    while above is not None:
        yield above
        above = parents.get(above)


def _pointers_by_chunk(corpus: Corpus, chunks: Chunks) -> dict[str, tuple[Pointer, ...]]:
    """Return every chunk's citations, in document order, with the provisions they reach."""
    spans = corpus.citations.group_by("source_id", "citation", maintain_order=True).agg(
        pl.col("start").first(), pl.col("end").first(), pl.col("exception").any()
    )
    ends = corpus.links.group_by("source_id", "citation", maintain_order=True).agg(pl.col("target_id").drop_nulls())
    place = dict(corpus.provisions.select("id", "order").iter_rows())
    rows = spans.join(ends, on=["source_id", "citation"], how="left")
    chunk_ids = {chunk.id for chunk in chunks.chunks}
    found: dict[str, list[Pointer]] = {}
    for source_id, _, start, end, exception, targets in rows.iter_rows():
        holder = chunks.holders.get(source_id, ())
        if len(holder) != 1 or not _is_within(source_id, holder[0], chunk_ids):
            continue  # text of a lead-in above the chunks, or not operative
        pointer = Pointer(source_id, start, end, tuple(dict.fromkeys(targets or ())), bool(exception))
        found.setdefault(holder[0], []).append(pointer)
    return {id: tuple(sorted(all_, key=lambda p: (place[p.source_id], p.start))) for id, all_ in found.items()}


def _is_within(source_id: str, chunk_id: str, chunk_ids: set[str]) -> bool:
    return chunk_id in chunk_ids and (source_id == chunk_id or source_id.startswith(chunk_id + "__"))
