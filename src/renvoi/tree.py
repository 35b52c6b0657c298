"""Build a document's tree: sources open and close provisions and add text; this file makes ids, order and checks.

tree = TreeBuilder("dk/lbk/2015/1089", where="2015-1089.xml")
with tree.open("chap", "1", label="Kapitel 1", heading="Formål", absolute=True):
    with tree.open("sec", "12a", label="§ 12 a.", absolute=True):
        tree.text("Bestyrelsen skal:")
        with tree.open("point", "1", label="1)"):
            tree.text("føre regnskab, og")
        tree.text("jf. dog § 3.")          # after a child: becomes a tail
provisions = tree.provisions()
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from renvoi import ids
from renvoi.errors import DuplicateProvision, EmptyAct
from renvoi.types import Kind, Path, Provision, State, Step

_BLANKS = re.compile(r"[\s\u00a0\u2000-\u200a\u202f\u3000]+")
_JOINERS = re.compile("[\u00ad\u200b\u200c\u200d\u2060\ufeff]")

# Kinds that group or set apart and may stand without text of their own.
_MAY_BE_EMPTY = {"division", "quotation", "annex", "table", "heading", "preamble", "closing"}


def fold(text: str) -> str:
    """Return text with white space folded to single blanks and invisible joiners removed.

    >>> fold("§\\u00a012\\u200d a,\\n stk. 2 ")
    '§ 12 a, stk. 2'
    """
    return _BLANKS.sub(" ", _JOINERS.sub("", text)).strip()


@dataclass(slots=True)
class _Node:
    path: Path
    label: str
    heading: str
    parent: int | None
    kind: Kind | None  # None: leaf or lead_in, decided when closed
    state: State
    base: Path  # what absolute children start from
    texts: list[str] = field(default_factory=list)
    n_children: int = 0
    n_tails: int = 0


class TreeBuilder:
    """Collects the provisions of one document in document order."""

    def __init__(self, document_id: str, where: str) -> None:
        self.document_id = document_id
        self.where = where
        self._nodes: list[_Node] = []
        self._open: list[int] = []
        self._paths: set[Path] = set()

    @contextmanager
    def open(
        self,
        level: str,
        number: str,
        *,
        label: str = "",
        heading: str = "",
        absolute: bool = False,
        kind: Kind | None = None,
        state: State | None = None,
        scope: bool = False,
    ) -> Iterator[None]:
        """Open a provision below the one that is open; text and provisions inside the block belong to it.

        Args:
            level: a level name of the jurisdiction: "sec", "subsec", "point" …
            number: as printed or as it stands in a path; cleaned either way.
            label: as printed.
            heading: its heading, if any.
            absolute: its path starts at the enclosing scope, not at the parent: sections are numbered through
                chapters.
            kind: given for all but plain provisions, which become "leaf" or "lead_in" by whether they have children.
            state: inherited from the parent where not given.
            scope: absolute paths inside start from this provision: annexes, quotations, transitional parts.

        Raises:
            DuplicateProvision: the path is taken.
        """
        index = self._add(level, number, label, heading, absolute, kind, state, scope)
        self._open.append(index)
        try:
            yield
        finally:
            self._open.pop()

    def text(self, text: str) -> None:
        """Add text to the open provision. After one of its children it becomes a `tail` of it."""
        folded = fold(text)
        if not folded:
            return
        assert self._open, "text outside every provision; open one for it (preamble, closing …)"
        node = self._nodes[self._open[-1]]
        if not node.n_children:
            node.texts.append(folded)
            return
        last = self._nodes[-1]
        if last.kind == "tail" and last.parent == self._open[-1]:
            last.texts.append(folded)
            return
        node.n_tails += 1
        tail = self._add("tail", str(node.n_tails), "", "", False, "tail", None, False)
        self._nodes[tail].texts.append(folded)

    def repealed(self) -> None:
        """Mark the open provision as repealed."""
        self._nodes[self._open[-1]].state = "repealed"

    def provisions(self) -> tuple[Provision, ...]:
        """Return all provisions in document order.

        Raises:
            EmptyAct: there is no operative provision, or one has neither text nor children.
        """
        if not any(node.kind in (None, "recital", "operative") for node in self._nodes):
            raise EmptyAct(
                self.where, "no provision found", "check that the file is an act, not a notice or error page"
            )
        made: list[Provision] = []
        for order, node in enumerate(self._nodes):
            kind: Kind = node.kind or ("lead_in" if node.n_children else "leaf")
            text = " ".join(node.texts)
            if not text and not node.n_children and kind not in _MAY_BE_EMPTY and node.state != "repealed":
                raise EmptyAct(self.where, f"{node.label or ids.format_path(node.path)} has no text")
            made.append(
                Provision(
                    id=ids.format_id(self.document_id, node.path),
                    document_id=self.document_id,
                    path=node.path,
                    label=node.label,
                    heading=node.heading,
                    text=text,
                    order=order,
                    parent=None
                    if node.parent is None
                    else ids.format_id(self.document_id, self._nodes[node.parent].path),
                    kind=kind,
                    state=node.state,
                )
            )
        return tuple(made)

    def _add(
        self, level: str, number: str, label: str, heading: str, absolute: bool,
        kind: Kind | None, state: State | None, scope: bool,
    ) -> int:  # fmt: skip
        parent = self._open[-1] if self._open else None
        above = self._nodes[parent] if parent is not None else None
        base = above.base if above else ()
        stem = base if absolute or above is None else above.path
        path = (*stem, Step(level, ids.clean_number(number)))
        label, heading = fold(label), fold(heading)
        if path in self._paths:
            raise DuplicateProvision(
                self.where, f"{label or ids.format_path(path)} stands twice", "number one of them apart"
            )
        self._paths.add(path)
        if above is not None:
            above.n_children += 1
        inherited: State = above.state if above is not None else "in_force"
        self._nodes.append(_Node(path, label, heading, parent, kind, state or inherited, path if scope else base))
        return len(self._nodes) - 1
