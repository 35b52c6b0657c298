"""Which acts the provisions of the citing act point at: "ustawy, o której mowa w art. 22"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from renvoi.acts import ActFinder
from renvoi.types import Path, Provision


class Pointed:
    """The acts that provisions of an act amend or repeal, and those that others name as the only one.

    Few references ask for them, and of few provisions: the names in these are looked for when asked.
    """

    def __init__(
        self, amended: Sequence[tuple[Path, str]] = (), provisions: Sequence[Provision] = (),
        finder: ActFinder | None = None,
    ) -> None:  # fmt: skip
        self._amended = amended
        self._provisions = provisions
        self._finder = finder

    def near(self, path: Path) -> Iterator[tuple[Path, str]]:
        """Yield the provisions that a path lies in or holds, each with the act it points at."""
        for other, act in self._amended:
            if _in_line(path, other):
                yield other, act
        if self._finder is None or not self._is_asked_for:
            return
        for p in self._by_top.get(path[:1], ()):
            if _in_line(path, p.path):
                names = {m.name for m in self._finder.find(p.text) if m.kind == "named"}
                if len(names) == 1:
                    yield p.path, names.pop()

    @cached_property
    def _is_asked_for(self) -> bool:
        assert self._finder is not None
        pointer = re.compile(self._finder.grammar.acts.pointer)
        return any(pointer.search(p.text) for p in self._provisions)

    @cached_property
    def _by_top(self) -> dict[Path, list[Provision]]:
        found: dict[Path, list[Provision]] = {}
        for p in self._provisions:
            found.setdefault(p.path[:1], []).append(p)
        return found


def _in_line(one: Path, other: Path) -> bool:
    length = min(len(one), len(other))
    return one[:length] == other[:length]
