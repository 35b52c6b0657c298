"""A provision as a reader wants it: what stands above and inside it, what it cites and why, and who cites it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import polars as pl

from renvoi import cases, ids
from renvoi.coverage import label_styles
from renvoi.errors import BadInput
from renvoi.types import Corpus, Link, Unresolved

_MOST = 200  # provisions shown of one that holds more
_KINDS = {
    "precedent": "cited as case law",
    "procedural_history": "the decision that this case is about",
    "this_judgment": "the judgment it stands in",
    "opinion": "an Advocate General's Opinion",
}


@dataclass(frozen=True, slots=True)
class End:
    """What a reference reaches, or why it reaches nothing."""

    target: str | None  # the id of a provision
    label: str  # the address looked for, in the national style
    act: str  # the id of the act or judgment where the corpus has it, its name otherwise
    title: str  # of the act; "" where the corpus does not have it
    cited: str  # the path looked for
    reason: str | None  # see `types.Reason`; None where it reaches its target
    why: str  # the reason in a sentence; "" where it reaches its target
    nearest: str | None  # the nearest provision that exists


@dataclass(frozen=True, slots=True)
class Shown:
    """One reference in a text. A range has many ends."""

    source: str
    start: int  # characters of the provision's own text
    end: int
    text: str
    rule: str  # how its act and its unwritten levels were found
    ends: tuple[End, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A provision with its own text only."""

    id: str
    depth: int  # 0 for the one asked for
    label: str  # as printed; "" where nothing is
    heading: str
    text: str
    kind: str
    state: str
    references: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Citing:
    """A provision that cites another."""

    id: str
    label: str
    document_id: str
    title: str
    text: str
    start: int  # of the reference in the text
    end: int


@dataclass(frozen=True, slots=True)
class View:
    """A provision with all that belongs to it. `left_out` counts parts beyond those given."""

    id: str
    label: str  # in the national style
    document_id: str
    title: str
    jurisdiction: str
    language: str
    text_state: str
    date: str | None
    above: tuple[Part, ...]  # outermost first, without references
    parts: tuple[Part, ...]  # itself, then what is inside it, in document order
    left_out: int
    n_cited_by: int


def show(corpus: Corpus, id: str) -> dict[str, Any]:
    """Return a provision of a corpus as data: the fields of `View`, and `cited_by`, a list of `Citing`.

    Raises:
        BadInput: the corpus has no such provision.
    """
    reader = Reader(corpus)
    return asdict(reader.view(id)) | {"cited_by": [asdict(one) for one in reader.cited_by(id)]}


class Reader:
    """Shows provisions of one corpus. Tables are looked through once and then known by id."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.documents = {row["id"]: row for row in corpus.documents.iter_rows(named=True)}
        self._styles = {id: label_styles(row["jurisdiction"]) for id, row in self.documents.items()}

    def view(self, id: str, *, most: int = _MOST) -> View:
        """Return a provision, or a whole document by its id, with at most so many parts.

        Raises:
            BadInput: the corpus has no such provision.
        """
        document = self.documents[self.row(id)["document_id"]] if id not in self.documents else self.documents[id]
        rows = list(self._inside(id))
        own = 0 if id in self.documents else len(ids.parse_id(id)[1])
        return View(
            id, self.label(id), document["id"], document["title"], document["jurisdiction"], document["language"],
            document["text_state"], document["date"].isoformat() if document["date"] else None,
            tuple(self._part(row, n, ()) for n, row in enumerate(self._above(id))),
            tuple(self._part(row, self._depth(row, id, own), self.references(row["id"])) for row in rows[:most]),
            max(0, len(rows) - most),
            len(self._citing_rows(id)),
        )  # fmt: skip

    def references(self, id: str) -> tuple[Shown, ...]:
        """Return what a provision's own text cites, in the order of the text."""
        text = self._provisions["text"][self._place[id]] if id in self._place else ""
        found: dict[tuple[int, int, int], list[Mapping[str, Any]]] = {}
        for n in self._by_source.get(id, ()):
            end = self.corpus.links.row(n, named=True)
            found.setdefault((end["citation"], end["ref_start"], end["ref_end"]), []).append(end)
        shown = []
        for (citation, start, stop), rows in found.items():
            said = self._said.get((id, citation, start, stop))
            ends = tuple(self._end(row, id) for row in rows)
            rule = describe_rule(self.corpus.citations.row(said, named=True), ends) if said is not None else ""
            shown.append(Shown(id, start, stop, text[start:stop], rule, ends))
        return tuple(sorted(shown, key=lambda one: (one.start, one.end)))

    def all_references(self, id: str) -> tuple[Shown, ...]:
        """Return what a provision and all inside it cite."""
        return tuple(one for row in self._inside(id) for one in self.references(row["id"]))

    def cited_by(self, id: str, *, most: int | None = None) -> list[Citing]:
        """Return the provisions that cite one, or something inside it, each once, in corpus order.

        Raises:
            BadInput: the corpus has no such provision.
        """
        if id not in self.documents:
            self.row(id)
        found = []
        for n in self._citing_rows(id)[:most]:
            link = self.corpus.links.row(n, named=True)
            row = self.row(link["source_id"])
            document = self.documents[row["document_id"]]
            found.append(
                Citing(row["id"], self.label(row["id"]), document["id"], document["title"], row["text"],
                       link["ref_start"], link["ref_end"])
            )  # fmt: skip
        return found

    def label(self, id: str) -> str:
        """Return an address in the national style; a document's title."""
        document_id, path = ids.parse_id(id)
        if not path:
            return self.documents[document_id]["title"] if document_id in self.documents else document_id
        return ids.format_label(path, self._styles.get(document_id, {}))

    def row(self, id: str) -> dict[str, Any]:
        """Return a provision's row.

        Raises:
            BadInput: it is not in the corpus; the message names those whose ids are most like it.
        """
        if id in self._place:
            return self._provisions.row(self._place[id], named=True)
        from rapidfuzz.process import extract

        document_id = id.partition("~")[0]
        known = document_id in self.documents
        wanted, among = (id, self._near(id)) if known else (document_id, list(self.documents))
        nearest = ", ".join(name for name, _, _ in extract(wanted, among, limit=3))
        kind = "provision" if known else "document"
        raise BadInput(repr(id), f"the corpus has no such {kind}", f"nearest: {nearest}" if nearest else "")

    @property
    def _provisions(self) -> pl.DataFrame:
        return self.corpus.provisions

    @cached_property
    def _place(self) -> dict[str, int]:
        return {id: n for n, id in enumerate(self._provisions["id"])}

    @cached_property
    def _children(self) -> dict[str | None, list[int]]:
        found: dict[str | None, list[int]] = {}
        for n, (parent, document) in enumerate(self._provisions.select("parent", "document_id").iter_rows()):
            found.setdefault(parent or document, []).append(n)
        return found

    @cached_property
    def _by_source(self) -> dict[str, list[int]]:
        return _rows_by(self.corpus.links["source_id"])

    @cached_property
    def _by_target(self) -> dict[str, list[int]]:
        return _rows_by(self.corpus.links["target_id"])

    @cached_property
    def _said(self) -> dict[tuple[str, int, int, int], int]:
        keys = self.corpus.citations.select("source_id", "citation", "ref_start", "ref_end")
        return {key: n for n, key in enumerate(keys.iter_rows())}

    def _near(self, id: str) -> list[str]:
        """Return the ids in the deepest provision that exists above an id; all of its document if there is none."""
        above = id
        while "__" in above:
            above = above.rpartition("__")[0]
            if above in self._place:
                return [row["id"] for row in self._inside(above)]
        return self._provisions.filter(pl.col("document_id") == id.partition("~")[0])["id"].to_list()

    def _inside(self, id: str) -> Iterator[dict[str, Any]]:
        """Yield a provision and all inside it, in document order."""
        if id not in self.documents:
            yield self.row(id)
        for n in self._children.get(id, ()):
            yield from self._inside(self._provisions["id"][n])

    def _above(self, id: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        above = None if id in self.documents else self.row(id)["parent"]
        while above is not None:
            rows.insert(0, self.row(above))
            above = rows[0]["parent"]
        return rows

    def _depth(self, row: Mapping[str, Any], id: str, own: int) -> int:
        depth, at = 0, row
        while at["id"] != id and at["parent"] is not None:
            depth, at = depth + 1, self.row(at["parent"])
        return depth

    def _part(self, row: Mapping[str, Any], depth: int, references: tuple[Shown, ...]) -> Part:
        return Part(
            row["id"], depth, row["label"], row["heading"], row["text"], row["kind"], row["state"], references
        )  # fmt: skip

    def _citing_rows(self, id: str) -> list[int]:
        """Return the first link of each provision that cites one or something inside it."""
        rows = sorted(n for row in self._inside(id) for n in self._by_target.get(row["id"], ()))
        first: dict[str, int] = {}
        for n in rows:
            first.setdefault(self.corpus.links["source_id"][n], n)
        return sorted(first.values(), key=lambda n: self._place[self.corpus.links["source_id"][n]])

    def _end(self, row: Mapping[str, Any], source: str) -> End:
        citing = self._styles.get(source.partition("~")[0], {})
        return self.end(row["target_id"], row["cited"], row["act"] or "", row["reason"], row["nearest"], citing)

    def end(
        self,
        target: str | None,
        cited: str,
        act: str,
        reason: str | None,
        nearest: str | None,
        citing: Mapping[str, str],
    ) -> End:
        """Return one end of a reference; arguments as in `Corpus.links`, and how the citing document writes levels."""
        path = ids.parse_path(cited)
        document = self.documents.get(act)
        styles = self._styles.get(act) or citing
        label = ids.format_label(path, styles)
        title = document["title"] if document else ""
        return End(target, label, act, title, cited, reason, self._why(reason, label, act, title, nearest), nearest)

    def ends(self, found: Iterable[Link | Unresolved], citing: Mapping[str, str]) -> list[End]:
        """Return ends that were just resolved, as they are shown; `citing` as in `end`."""
        shown = []
        for end in found:
            if isinstance(end, Link):
                act, path = ids.parse_id(end.target_id)
                cited = ids.format_path((*path, *end.fragment))
                shown.append(self.end(end.target_id, cited, act, None, None, citing))
            else:
                shown.append(self.end(None, ids.format_path(end.path), end.act, end.reason, end.nearest, citing))
        return shown

    def _why(self, reason: str | None, label: str, act: str, title: str, nearest: str | None) -> str:
        name = title or (act if cases.kind_from_celex(act) == "other" else cases.case_number_from_celex(act))
        near = f"; the nearest that exists is {self.label(nearest)}" if nearest else ""
        match reason:
            case None:
                return ""
            case "act_not_in_corpus":
                return f"the corpus does not hold “{name}”"
            case "no_such_provision" if not label:
                return "cites the decision as a whole; the corpus holds it"
            case "no_such_provision":
                return f"{name} has no {label}{near}"
            case "repealed":
                return f"{label} of {name} is repealed"
            case "other_version":
                return f"speaks of another version of {name}; this one has no {label}{near}"
            case _:
                return "the text does not tell which act is meant"


def describe_rule(said: Mapping[str, Any], ends: Sequence[End]) -> str:
    """Return in a sentence how a reference was completed: which act, from where, over what range.

    Args:
        said: a row of `Corpus.citations`.
        ends: what it reaches.
    """
    title = next((end.title for end in ends if end.title), "")
    if said["kind"] in _KINDS:
        parts = [_KINDS[said["kind"]]]
    elif said["act"]:
        parts = [f"names “{said['act']}”" + (f", which is {title}" if title else "")]
    elif said["scope"] in ("here", "mentioned"):
        parts = ["counted from where it stands" if said["scope"] == "here" else "the one mentioned before"]
    elif said["scope"] in ("preceding", "following"):
        parts = [f"the {said['scope']} one, seen from where it stands"]
    else:
        parts = ["names no act: the one it stands in"]
    if said["until"]:
        parts.append(f"a range, {len(ends)} in the act's own order")
    if said["exception"]:
        parts.append("named as an exception")
    if any(end.target is not None and ids.parse_id(end.target)[1] != ids.parse_path(end.cited) for end in ends):
        parts.append("reached by the provision that holds it")
    return "; ".join(parts)


def _rows_by(column: pl.Series) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for n, id in enumerate(column):
        if id is not None:
            found.setdefault(id, []).append(n)
    return found
