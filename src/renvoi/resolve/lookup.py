"""Provisions of one act, found by the paths that references give."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from renvoi import registry
from renvoi.grammar import Grammar
from renvoi.types import Document, Path, Provision, Step


class Act:
    """A document, indexed for looking provisions up."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.grammar: Grammar = registry.load("jurisdictions", document.jurisdiction)
        self._located: dict[Path, tuple[Provision | None, Path, Path]] = {}

    @cached_property
    def ranks(self) -> dict[str, int]:
        """Depth of every level."""
        return {level.name: level.rank for level in self.grammar.levels}

    @cached_property
    def article_rank(self) -> int:
        """Depth of the act's basic unit."""
        return min(self.ranks[name] for name in self.grammar.articles)

    @cached_property
    def has_parts(self) -> bool:
        """Whether it holds transitional parts that count their own sections."""
        return "trans" in self.levels

    @cached_property
    def has_scopes(self) -> bool:
        """Whether it holds parts in which paths are counted anew: quotations and transitional parts."""
        return "trans" in self.levels or "quote" in self.levels

    @cached_property
    def levels(self) -> frozenset[str]:
        """The levels of its provisions."""
        return frozenset(level for p in self.document.provisions for level, _ in p.path)

    @cached_property
    def paths(self) -> list[Path]:
        """Paths of the provisions, letters folded."""
        return [folded(p.path) for p in self.document.provisions]

    @cached_property
    def fragments(self) -> frozenset[str]:
        """Levels below every provision: sentences."""
        return frozenset(level.name for level in self.grammar.levels if level.fragment)

    @cached_property
    def by_path(self) -> dict[Path, Provision]:
        """Provisions by path, letters folded."""
        return dict(zip(self.paths, self.document.provisions, strict=True))

    @cached_property
    def by_last(self) -> dict[Step, list[Provision]]:
        """Divisions by their last step: a chapter may lie in a part."""
        found: dict[Step, list[Provision]] = {}
        for p in self.document.provisions:
            if p.kind in ("division", "annex") and p.path:
                found.setdefault(folded(p.path)[-1], []).append(p)
                if p.path[-1].level not in self.ranks and (named := self._as_labelled(p)):
                    found.setdefault(named, []).append(p)
        return found

    def _as_labelled(self, group: Provision) -> Step | None:
        """Return the step that the label of a division without a level says: "XI." and "5. Abschnitt"."""
        label = re.fullmatch(r"(\w+)\.\s?(\w*)", group.label)
        if label is None or (not label[2] and group.parent is not None):
            return None
        styles = {style.partition(" {")[0]: level for level, style in self.grammar.styles.items()}
        level = styles.get(label[2] or self.grammar.bare_division)
        return Step(level, label[1].lower()) if level else None

    @cached_property
    def by_id(self) -> dict[str, Provision]:
        """Provisions by id."""
        return {p.id: p for p in self.document.provisions}

    @cached_property
    def children(self) -> dict[str | None, list[Provision]]:
        """Provisions by their parent, in order."""
        found: dict[str | None, list[Provision]] = {}
        for p in self.document.provisions:
            found.setdefault(p.parent, []).append(p)
        return found

    @cached_property
    def in_order(self) -> dict[tuple[str, Path], list[Provision]]:
        """Provisions of one level below one path stem, in order: what a range runs over."""
        found: dict[tuple[str, Path], list[Provision]] = {}
        for path, p in zip(self.paths, self.document.provisions, strict=True):
            found.setdefault((path[-1].level, path[:-1]), []).append(p)
        return found

    @cached_property
    def unprinted(self) -> dict[Path, list[Provision]]:
        """Provisions by their path without unprinted numbers: a point of a second subparagraph."""
        levels = {level for level, _ in self.grammar.optional}
        provisions = list(zip(self.paths, self.document.provisions, strict=True))
        skipped = {path for path, p in provisions if path[-1].level in levels and not p.label}
        found: dict[Path, list[Provision]] = {}
        for path, p in provisions if skipped else ():
            bare = tuple([s for n, s in enumerate(path) if s.level not in levels or path[: n + 1] not in skipped])
            if len(bare) < len(path) and path not in skipped:
                found.setdefault(bare, []).append(p)
        return found

    @cached_property
    def without_sections(self) -> dict[Path, list[Provision]]:
        """Provisions of annexes by their path without sections: "Annex XI, point 2(d)" where Section 1 holds it."""
        found: dict[Path, list[Provision]] = {}
        for p in self.document.provisions:
            if p.path[0].level == "annex" and any(step.level == "sect" for step in p.path[:-1]):
                bare = tuple(step for step in folded(p.path) if step.level != "sect")
                found.setdefault(bare, []).append(p)
        return found

    def locate(self, path: Path) -> tuple[Provision | None, Path, Path]:
        """Return the deepest provision on a path, the steps below it, and the path as this act writes it.

        Levels that may be left unwritten (a single stk. 1, a first subparagraph) are tried both ways.
        """
        known = self._located.get(path)
        if known is None:
            known = self._located[path] = self._locate(folded(path))
        return known

    def _locate(self, wanted: Path) -> tuple[Provision | None, Path, Path]:
        for candidate in self._spellings(wanted):
            if candidate in self.by_path:
                return self.by_path[candidate], (), candidate
        unprinted = self.unprinted.get(wanted, ())
        if len(unprinted) == 1:
            return unprinted[0], (), folded(unprinted[0].path)
        inside = self.without_sections.get(wanted, ())
        if len(inside) == 1:
            return inside[0], (), folded(inside[0].path)
        found = self._division(wanted)
        if found is not None:
            return found, (), folded(found.path)
        for cut in range(len(wanted) - 1, 0, -1):
            for candidate in self._spellings(wanted[:cut]):
                if candidate in self.by_path:
                    return self.by_path[candidate], wanted[cut:], candidate
        return None, wanted, ()

    def _division(self, path: Path) -> Provision | None:
        candidates = self.by_last.get(path[-1], []) if path else []
        fitting = [p for p in candidates if _within(path, (*self._lineage(p), path[-1]))]
        return fitting[0] if len(fitting) == 1 else None

    def _lineage(self, division: Provision) -> Path:
        """Return the steps of a division and of what it lies in: "Title III, Chapter 6" may be Chapter 6 by its id."""
        steps = list(folded(division.path))
        above = division.parent
        while above is not None:
            outer = self.by_id[above]
            steps = [*(step for step in folded(outer.path) if step not in steps), *steps]
            above = outer.parent
        return tuple(steps)

    def _spellings(self, path: Path) -> Iterable[Path]:
        yield path
        for level, number in self.grammar.optional:
            step = Step(level, number)
            for at in range(1, len(path) + 1):
                if at == len(path) or path[at] != step:
                    yield (*path[:at], step, *path[at:])
            if step in path[1:]:
                yield tuple(s for n, s in enumerate(path) if n == 0 or s != step)
        # A sentence is no provision: "Satz 1 Nummer 2" is the paragraph's number 2.
        whole = tuple(step for step in path[:-1] if step.level not in self.fragments) + path[-1:]
        shorter = (whole,) if len(whole) < len(path) and path[-1].level not in self.fragments else ()
        yield from shorter
        for wanted in (path, *shorter):
            for ours, theirs in self.grammar.same_levels:
                for at, step in enumerate(wanted):
                    if step.level == ours and at:
                        yield (*wanted[:at], Step(theirs, step.number), *wanted[at + 1 :])


def folded(path: Path) -> Path:
    """Return a path in small letters."""
    for _, number in path:
        if number.lower() != number:
            return tuple(Step(step.level, step.number.lower()) for step in path)
    return path


def _within(short: Path, long: Path) -> bool:
    """Tell whether the steps of `short` stand in `long` in the same order."""
    rest = iter(long)
    return all(step in rest for step in short)
