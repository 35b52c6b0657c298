"""Text > Citations: one engine that reads every grammar.

A citation is a chain of units ("§ 7", "stk. 1", "nr. 2"), joined by words that say how the next unit relates to the
one before:

    (nothing) or a comma, then a deeper level    the unit lies inside the last one
    and, or, comma, then a level not deeper      a sibling: it inherits the levels above it
    of                                           the next unit, anchor or act governs what stood before
    in                                           as "of" before a higher level, as nothing before a deeper one
    with                                         "jf.": a sibling, and the end of what a later act name governs
    apart                                        "jf. dog": inherits nothing, the citing provision completes it
    more                                         as a comma, unless an act was named before it
    anew                                         as "and", and the end of what a later act name governs
    to                                           the end of a range
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from renvoi import registry
from renvoi.acts import ActFinder
from renvoi.cite._begin import Beginnings
from renvoi.cite._chain import Reader
from renvoi.cite._engine import Engine
from renvoi.cite._pointed import Pointed
from renvoi.cite._state import Setting
from renvoi.grammar import Grammar
from renvoi.pause import uncollected
from renvoi.types import Citation, Document, Path, Provision, Reference

__all__ = ["Setting", "engine_for", "find_citations", "find_in_text", "settings"]


@uncollected()
def find_citations(document: Document) -> list[Citation]:
    """Return the citations in a document's provisions, in document order."""
    grammar: Grammar = registry.load("jurisdictions", document.jurisdiction)
    engine = engine_for(grammar)
    found: list[Citation] = []
    for provision, setting, read in _settings(document, grammar):
        found.extend(find_in_text(provision.text, provision.id, setting, engine) if read is None else read)
    return found


def settings(document: Document, grammar: Grammar) -> Iterator[tuple[Provision, Setting]]:
    """Yield every provision with its setting: inside an amending provision unnamed references are the amended act's."""
    for provision, setting, _ in _settings(document, grammar):
        yield provision, setting


def _settings(document: Document, grammar: Grammar) -> Iterator[tuple[Provision, Setting, list[Citation] | None]]:
    """Yield every provision with its setting and, where the settings of others needed them, its citations."""
    finder = ActFinder(grammar, (document.title, *(p.text for p in document.provisions)))
    top = next((p.path[-1].level for p in document.provisions if p.path[-1].level in grammar.articles), "")
    numbers = frozenset(p.path[-1].number for p in document.provisions if p.path[-1].level == top and len(p.path) == 1)
    acts, carried, pointed = _amendments(document, grammar, finder)
    enabling = None
    if document.kind == "order":
        preamble = " ".join(p.text for p in document.provisions if p.kind == "preamble")
        enabling = next((m.name for m in finder.find(preamble) if m.kind == "named"), None)
    points = Pointed(pointed, document.provisions, finder)
    above: dict[str, str | None] = {}
    addresses: dict[str | None, Path] = {}
    leads: dict[str | None, tuple[Reference | None, str | None]] = {}
    engine = engine_for(grammar)
    earlier: list[str] = []  # texts of the article so far
    for p in document.provisions:
        if len(p.path) == 1:
            earlier = []
        n_earlier = len(earlier)
        earlier.append(p.text)
        act = acts.get(p.id, above.get(p.parent) if p.parent else None)
        above[p.id] = act
        if act is None or p.id in carried:
            lead, act_named = leads.get(p.parent, (None, None))
            setting = Setting(
                finder, numbers, top, points, enabling, path=p.path, named=act_named, earlier=earlier,
                n_earlier=n_earlier, lead=lead,
            )  # fmt: skip
            read = None
            if p.text.endswith(":"):
                read = find_in_text(p.text, p.id, setting, engine)
                leads[p.id] = _lead(p, read, setting)
            yield p, setting, read
            continue
        # What stands before the act's name in the opening is not in that act.
        after = next((m.end for m in finder.find(p.text) if m.name == act), 0) if p.id in acts else 0
        outer = addresses.get(p.parent, ())
        quoted = any(step.level == "quote" for step in p.path)
        address = engine.merge(outer, _quoted(p.path))
        carries = any(step.level == "trans" for step in p.path)
        setting = Setting(
            finder, numbers, top, points, enabling, path=p.path, act=act, act_after=after, address=address,
            carried=carries, quoted=quoted, earlier=earlier, n_earlier=n_earlier,
        )  # fmt: skip
        addresses[p.id] = outer
        read = None
        if not quoted:
            read = find_in_text(p.text, p.id, setting, engine)
            cited = (r for c in read for r in c.references)
            addresses[p.id] = next((r.path for r in cited if r.act == act and r.scope == "act"), outer)
        yield p, setting, read


def _amendments(
    document: Document, grammar: Grammar, finder: ActFinder
) -> tuple[dict[str, str], set[str], list[tuple[Path, str]]]:
    """Return the act that each amending provision amends, the openings of transitional parts, and what is pointed at.

    What an opening of a transitional part cites itself is the citing act's.
    """
    amended = re.compile(grammar.acts.amended)
    acts: dict[str, str] = {}  # amending provision > the act it amends
    carried: set[str] = set()
    pointed: list[tuple[Path, str]] = []
    correlation = re.compile(grammar.acts.correlation)
    for p in document.provisions:
        if p.kind == "annex" and (correlation.match(p.text) or correlation.match(p.heading)):
            acts[p.id] = ""  # which of its columns a table's cell stands in is not told: ambiguous
        opening = amended.match(p.text)
        if opening:
            named = [m for m in finder.find(p.text) if m.kind == "named" and m.start >= opening.start()]
            if named:
                pointed.append((p.path, named[0].name))
                kind = opening.lastgroup
                if kind == "carries":
                    carried.add(p.id)
                if kind in ("amends", "carries"):
                    acts[p.id] = named[0].name
    return acts, carried, pointed


def _lead(p: Provision, cited: list[Citation], setting: Setting) -> tuple[Reference | None, str | None]:
    """Return the reference that a lead-in ends with, just before its colon, and the act it names last."""
    last = cited[-1].references[-1] if cited else None
    ends_so = last is not None and cited[-1].end >= len(p.text.rstrip(": ")) and last.until is None
    named = [m.name for m in setting.finder.find(p.text) if m.kind == "named"]
    return (last if ends_so else None), (named[-1] if named else setting.named)


def _quoted(path: Path) -> Path:
    """Return the part of a path inside the last quotation."""
    start = max((n for n, step in enumerate(path) if step.level == "quote"), default=len(path))
    return path[start + 1 :]


def find_in_text(text: str, source_id: str, setting: Setting, engine: Engine) -> list[Citation]:
    """Return the citations in one provision's text."""
    beginnings = Beginnings(engine, text)
    first = beginnings.after(0)
    if first is None:
        return []
    reader = Reader(engine, text, setting.finder.find(text), setting)
    return [Citation(source_id, start, end, references) for start, end, references in reader.read(first, beginnings)]


@cache
def engine_for(grammar_: Grammar | str) -> Engine:
    """Return the compiled engine of a grammar or of a jurisdiction's name."""
    grammar: Grammar = registry.load("jurisdictions", grammar_) if isinstance(grammar_, str) else grammar_
    return Engine(grammar)
