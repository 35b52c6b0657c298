"""The sentences of a target with holes where its citations stand, and the substance of what they cite.

A hole is written `⟦k⟧`. What a language does with it is in `phrase_da.py`, `phrase_pl.py`, `phrase_en.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from renvoi.crossref.items import Candidate, Pointer

HOLE = re.compile(r"⟦(\d+)⟧")

_ABBREVIATIONS = frozenset(
    "jf nr stk pkt bl bl.a m.v m.fl mv f.eks dvs pct kr ca evt hhv art ust lit tj np tzw itp itd m.in poz dz r św ww"
    " ul al prof dr e.g i.e no para paras cf etc vol p pp op mr mrs ms lit pos litra afs kap".split()
)
_END = re.compile(r"[.!?](?=[”\"’»)]*\s+[A-ZÆØÅĄĆĘŁŃÓŚŹŻ⟦‘“„«])")


@dataclass(frozen=True, slots=True)
class Scene:
    """The substance of a cited provision, without addresses."""

    lead_in: str  # of the list it is an item of; empty for a rule of its own
    text: str
    target: str  # the cited provision
    chunks: tuple[str, ...]  # the chunks that hold it
    is_open: bool = False  # the text introduces a list, so it is no sentence by itself


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of a target."""

    source_id: str
    text: str  # with holes
    lead_in: str  # of the list the sentence is an item of, holes cut out; usually empty
    scenes: Mapping[int, Scene]  # by number of the hole; those that have none are not to be spoken of


class Phrasing(Protocol):
    """How one language asks."""

    language: str

    def item(self, text: str) -> str:
        """Return an item of a list as it stands inside a sentence, without what joins it to the next."""

    def cut_holes(self, text: str) -> str | None:
        """Return a text without its citations and the words that lead to them; None where that leaves no sentence."""

    def questions(self, statement: Statement) -> Iterator[tuple[str, str]]:
        """Yield (pattern, question), the most natural first."""


@dataclass(frozen=True, slots=True)
class Law:
    """What the writer looks up: provisions, their parents, and every citation of the corpus."""

    texts: Mapping[str, str]
    parents: Mapping[str, str | None]
    kinds: Mapping[str, str]
    spans: Mapping[str, Sequence[tuple[int, int]]]  # of citations in a provision's text
    first_child: Mapping[str, str]  # a lead-in's first item
    holders: Mapping[str, tuple[str, ...]]


def statements(candidate: Candidate, law: Law, phrasing: Phrasing) -> Iterator[Statement]:
    """Yield the sentences of a target that cite another chunk, in document order."""
    by_source: dict[str, list[Pointer]] = {}
    for pointer in candidate.pointers:
        by_source.setdefault(pointer.source_id, []).append(pointer)
    for source_id, pointers in by_source.items():
        text = law.texts[source_id]
        spans = list(law.spans.get(source_id, ()))
        holed = punch(text, spans)
        scenes = {}
        for pointer in pointers:
            number = spans.index((pointer.start, pointer.end))
            # What is named as an exception is not what the rule speaks of.
            scene = None if pointer.exception else _scene(pointer, candidate.id, law, phrasing)
            if scene:
                scenes[number] = scene
        lead_in = _lead_in(source_id, law, phrasing)
        sentences = split_sentences(holed)
        if law.kinds[source_id] == "lead_in":
            sentences[-1] = _closed(sentences[-1], source_id, law, phrasing)
        for sentence in sentences:
            inside = {int(n) for n in HOLE.findall(sentence)}
            if inside & scenes.keys():
                yield Statement(source_id, sentence, lead_in or "", {n: scenes[n] for n in inside & scenes.keys()})


def _closed(sentence: str, provision_id: str, law: Law, phrasing: Phrasing) -> str:
    """Return a lead-in with its first item, so that it says something; "" where the item cannot stand there."""
    child = law.first_child.get(provision_id)
    if child is None or law.kinds[child] != "leaf":
        return ""
    item = phrasing.cut_holes(split_sentences(punch(law.texts[child], law.spans.get(child, ())))[0])
    return f"{sentence.rstrip(' :')} {phrasing.item(item)}." if item else ""


def punch(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a text with the k-th span written as `⟦k⟧`.

    >>> punch("Klage efter § 8 og § 9.", [(12, 15), (19, 22)])
    'Klage efter ⟦0⟧ og ⟦1⟧.'
    """
    parts, at = [], 0
    for number, (start, end) in enumerate(spans):
        if start < at:
            continue
        parts += [text[at:start], f"⟦{number}⟧"]
        at = end
    return "".join([*parts, text[at:]])


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a legal text; abbreviations and ordinals end none.

    >>> split_sentences("Fristen er 14 dage, jf. dog stk. 3. Klagen indgives til nævnet.")
    ['Fristen er 14 dage, jf. dog stk. 3.', 'Klagen indgives til nævnet.']
    """
    sentences, start = [], 0
    for match in _END.finditer(text):
        word = text[start : match.start()].rsplit(None, 1)[-1:]
        last = word[0].lstrip('(„“‘»"').lower() if word else ""
        if last in _ABBREVIATIONS or re.fullmatch(r"[a-ln-zæøå]", last):
            continue
        sentences.append(text[start : match.end()].strip())
        start = match.end()
    return [*sentences, text[start:].strip()] if text[start:].strip() else sentences


def _scene(pointer: Pointer, target_chunk: str, law: Law, phrasing: Phrasing) -> Scene | None:
    """Return the substance of the first provision that a citation reaches outside the target chunk."""
    for target in pointer.targets:
        chunks = tuple(c for c in law.holders.get(target, ()) if c != target_chunk)
        if not chunks:
            continue
        text = law.texts[target]
        if not text:  # a section whose own text is in its parts: speak of the first
            inner = chunks[0] if chunks[0].startswith(target + "__") else None
            if inner is None or not law.texts[inner]:
                continue
            target, text = inner, law.texts[inner]
        sentences = split_sentences(punch(text, law.spans.get(target, ())))
        clean = phrasing.cut_holes(sentences[0])
        if not clean:
            continue
        lead_in = _lead_in(target, law, phrasing)
        if lead_in is None:
            continue
        is_open = law.kinds[target] == "lead_in" and not lead_in and len(sentences) == 1
        closed = _closed(clean, target, law, phrasing) if is_open else ""
        return Scene(lead_in, closed or clean, target, chunks, is_open and not closed)
    return None


def _lead_in(provision_id: str, law: Law, phrasing: Phrasing) -> str | None:
    """Return the text that introduces an item, its own citations cut out; "" for none, None where that fails."""
    parent = law.parents.get(provision_id)
    if parent is None or law.kinds.get(parent) != "lead_in" or not law.texts[parent]:
        return ""
    holed = split_sentences(punch(law.texts[parent], law.spans.get(parent, ())))[-1]
    own = phrasing.cut_holes(holed)
    above = _lead_in(parent, law, phrasing)
    if own is None or above is None:
        return None
    return f"{above.rstrip(' :')} {phrasing.item(own)}" if above else own
