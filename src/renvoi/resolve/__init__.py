"""Citations > Links, and the unresolved with a reason.

A reference says a path in an act. Here the path is completed from where it stands, its act is looked up in the
corpus, ranges are expanded in the act's own order, and each end becomes a `Link` or an `Unresolved`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace

from renvoi import ids
from renvoi.acts import act_keys
from renvoi.pause import uncollected
from renvoi.resolve.lookup import Act, folded
from renvoi.resolve.ranges import expand_by_number, sort_key
from renvoi.types import Citation, Document, Link, Path, Provision, Reference, Step, Unresolved

End = Link | Unresolved

_DATED = re.compile(r"\bz dnia (\d{1,2} \w+ \d{4})")


@uncollected()
def resolve(documents: Sequence[Document], citations: Iterable[Citation]) -> dict[tuple[str, int], list[End]]:
    """Return what each citation's references reach, by source id and number of the citation in its provision."""
    resolver = Resolver(documents)
    numbers: dict[str, int] = {}
    ends: dict[tuple[str, int], list[End]] = {}
    for citation in citations:
        number = numbers.get(citation.source_id, 0)
        numbers[citation.source_id] = number + 1
        ends[citation.source_id, number] = [
            end for reference in citation.references for end in resolver.ends(citation.source_id, reference)
        ]
    return ends


class Resolver:
    """Resolves references against a set of documents."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.acts = {document.id: Act(document) for document in documents}
        self._by_key: dict[str, list[str]] = {}
        for document in documents:
            grammar = self.acts[document.id].grammar
            names = [document.title, *document.short_titles, *document.metadata.get("names", ())]
            keys = {document.id.partition("@")[0]}.union(*(act_keys(name, grammar) for name in names))
            for key in keys:
                self._by_key.setdefault(key, []).append(document.id)
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}

    def beside(self, document: Document) -> Resolver:
        """Return a resolver that also reads references of a document, taken for the one of its id if there is one."""
        made = copy(self)
        made.acts = {**self.acts, document.id: Act(document)}
        made._known = {}
        return made

    def ends(self, source_id: str, reference: Reference) -> list[End]:
        """Return the links of one reference, in the act's order, or why it has none."""
        citing = self.acts[source_id.partition("~")[0]]
        source = citing.by_id[source_id]
        foreign = self._foreign_part(citing, source) if citing.has_parts else None
        if foreign is not None:
            part, keys = foreign
            its_own = reference.act is None or act_keys(reference.act, citing.grammar) & keys
            if (
                its_own
                and source.path != part
                and (reference.scope != "act" or (*part, *folded(reference.path[:1])) in citing.by_path)
            ):
                reference = replace(reference, act=None)
        if reference.act == "":
            return [Unresolved(source_id, reference, "ambiguous", "", reference.path, None)]
        if reference.act is not None:
            act_id = self.act_id(reference.act, citing)
            if act_id is None:
                paths = expand_by_number(self._complete(citing, source, reference, own=False), reference.until)
                return [Unresolved(source_id, reference, "act_not_in_corpus", reference.act, p, None) for p in paths]
            act = self.acts[act_id]
            path = self._complete(citing, source, reference, own=False)
        else:
            act = citing
            path = self._complete(citing, source, reference, own=True)
        if reference.until is not None:
            return self._range(source_id, act, path, reference)
        return [self._end(source_id, act, path, reference)]

    def act_id(self, name: str, citing: Act) -> str | None:
        """Return the document that a name means, or None if the corpus does not hold it.

        Of several versions of one act the citing one's own is taken, then the last one by id.
        """
        asked = (name, citing.document.jurisdiction)
        found = self._known.get(asked)
        if found is None:
            keys = act_keys(name, citing.grammar)
            ids_found = sorted({id for key in keys for id in self._by_key.get(key, ())})
            found = tuple(id for id in ids_found if not _differ_in_date(name, self.acts[id].document.title))
            self._known[asked] = found
        own = citing.document.id
        if own in found or (found and found[-1].partition("@")[0] == own.partition("@")[0]):
            return own
        return found[-1] if found else None

    def _complete(self, citing: Act, source: Provision, reference: Reference, *, own: bool) -> Path:
        """Return the whole path of a reference: what is unwritten comes from the citing provision."""
        path = reference.path
        if reference.scope == "act" or reference.scope == "mentioned":
            return self._in_scope(citing, source, path) if own else path
        ranks = citing.ranks
        stem = source.path if own else _inner(source.path)
        level = path[0].level
        rank = ranks.get(level, 0)
        if rank < citing.article_rank:
            if not own:
                return path
            return self._division_here(citing, source, path, ranks)
        kept = tuple(step for step in stem if step.level != "tail") if "tail" in citing.levels else stem
        if all(
            step.level in citing.fragments for step in path
        ):  # a sentence lies in what has a number: not in "list 2"
            while kept and kept[-1].level == "list":
                kept = kept[:-1]
        stem = self._above(kept, rank, ranks)
        if own and reference.scope == "here" and path[0].number:
            stem = self._nearest_stem(citing, kept, stem, path)
        if reference.scope in ("preceding", "following"):
            return self._neighbour(citing, kept, stem, level, reference)
        if path[0].number == "":
            own_step = next((step for step in kept if step.level == level), None)
            path = ((own_step,) if own_step else ()) + path[1:]
        return (*stem, *path)

    def _nearest_stem(self, citing: Act, own: Path, stem: Path, path: Path) -> Path:
        """Return the stem under which a relative path exists, from the source outwards.

        In point (a)(ii), "point (i)" stands beside (ii) and "point (b)" beside (a); in a second subparagraph, "point
        (a)" may stand in the first.
        """
        beside = [own[:n] for n in range(len(own) - 1, len(stem), -1) if own[n].level == path[0].level]
        # "Satz 1 Buchstabe d" behind a number's letters; but a subsection holds no "stk. 1" itself.
        holds = bool(own) and own[-1].level in citing.ranks and own[-1].level != path[0].level
        outwards = [own[:n] for n in range(len(own) - (not holds), 0, -1)]
        for wanted in (path, path[:1]):
            for candidate in (*beside, stem, *outwards):
                if citing.locate((*candidate, *wanted))[1] == ():
                    return candidate
        return stem

    def _above(self, path: Path, rank: int, ranks: Mapping[str, int]) -> Path:
        """Return the steps of a path that lie above a rank; what opened a quotation or annex always does."""
        for n, step in enumerate(path):
            if step.level in ranks and ranks[step.level] >= rank and not _resets(path[n + 1 :]):
                return path[:n]
        return path

    def _foreign_part(self, citing: Act, source: Provision) -> tuple[Path, frozenset[str]] | None:
        """Return the path of the transitional part that a provision stands in, and keys of the act it came from."""
        for n, step in enumerate(source.path):
            if step.level == "trans":
                part = source.path[: n + 1]
                opening = citing.by_path.get(folded(part))
                return part, act_keys(opening.text[:80], citing.grammar) if opening else frozenset()
        return None

    def _in_scope(self, citing: Act, source: Provision, path: Path) -> Path:
        """Return an absolute path as it is counted where the source stands: inside a transitional part or annex."""
        if not citing.has_scopes:
            return path
        opening = source.path[-1].level == "trans"  # it tells which of the act's own provisions were amended
        for n in range(len(source.path) - opening, 0, -1):
            if source.path[n - 1].level in ("trans", "quote") and (*source.path[:n], path[0]) in citing.by_path:
                return (*source.path[:n], *path)
        return path

    def _division_here(self, citing: Act, source: Provision, path: Path, ranks: Mapping[str, int]) -> Path:
        above = source
        rank = ranks.get(path[0].level, 0)
        while above.parent is not None:
            above = citing.by_id[above.parent]
            last = above.path[-1]
            if path[0].number == "" and last.level == path[0].level:
                return above.path
            inside = (*above.path, *path)
            if path[0].number and folded(inside) in citing.by_path and ranks.get(last.level, 99) < rank:
                return inside
        return path

    def _neighbour(self, citing: Act, own: Path, stem: Path, level: str, reference: Reference) -> Path:
        siblings = citing.in_order.get((level, folded(stem)), [])
        here = next((n for n, p in enumerate(siblings) if folded(p.path) == folded(own[: len(stem) + 1])), None)
        if here is None:
            return (*stem, *reference.path)
        there = here - 1 if reference.scope == "preceding" else here + 1
        if not 0 <= there < len(siblings):
            return (*stem, *reference.path)
        return (*siblings[there].path, *reference.path[1:])

    def _end(self, source_id: str, act: Act, path: Path, reference: Reference) -> End:
        provision, below, written = act.locate(path)
        if provision is None or (below and any(step.level not in act.fragments for step in below)):
            nearest = provision.id if provision is not None else None
            # Notes and transitional parts of a consolidated act speak of the act as it was, an amending act of the one
            # it amends as it will be.
            citing = self.acts[source_id.partition("~")[0]].document
            other = act.document.text_state == "consolidated" and _speaks_of_the_past(source_id)
            other = other or (citing.kind == "amending_act" and act.document.id != citing.id)
            return Unresolved(
                source_id,
                reference,
                "other_version" if other else "no_such_provision",
                act.document.id,
                (*written, *below),
                nearest,
            )
        if provision.state == "repealed":
            return Unresolved(source_id, reference, "repealed", act.document.id, (*written, *below), provision.id)
        return Link(source_id, provision.id, below, reference)

    def _range(self, source_id: str, act: Act, path: Path, reference: Reference) -> list[End]:
        """Return the ends of a range, inserted lettered units included, in the order of the act."""
        assert reference.until is not None
        last = Step(path[-1].level, reference.until[-1].number)
        first, first_below, first_path = act.locate(path)
        final, final_below, _ = act.locate((*path[:-1], last))
        if first is not None and final is not None and not first_below and not final_below:
            row = act.in_order.get((folded(first.path)[-1].level, folded(first.path)[:-1]), [])
            lo = next((n for n, p in enumerate(row) if p.id == first.id), None)
            hi = next((n for n, p in enumerate(row) if p.id == final.id), None)
            if lo is not None and hi is not None and lo <= hi:
                return [self._end(source_id, act, p.path, reference) for p in row[lo : hi + 1]]
        stem = first_path[:-1] if first is not None and not first_below else path[:-1]
        row = act.in_order.get((path[-1].level, folded(stem)), [])
        low, high = sort_key(path[-1].number), sort_key(last.number)
        between = [p.path for p in row if low <= sort_key(p.path[-1].number) <= high]
        present = {folded(p)[-1].number for p in between}
        missing = [p for p in ((*stem, path[-1]), (*stem, last)) if p[-1].number.lower() not in present]
        if not between:
            return [self._end(source_id, act, p, reference) for p in expand_by_number(path, reference.until)]
        if final is None or final_below:  # the act breaks off, or these were repealed: by the numbers
            known = present | {p[-1].number.lower() for p in missing}
            written = expand_by_number((*stem, path[-1]), (*stem, last))
            missing += [p for p in written if p[-1].number.lower() not in known]
        ordered = sorted([*between, *missing], key=lambda p: sort_key(p[-1].number))
        return [self._end(source_id, act, p, reference) for p in ordered]


def _differ_in_date(name: str, title: str) -> bool:
    """Tell whether two acts of one name are of different days: the statute of 2000 is not that of 2007."""
    one, other = _DATED.search(name.lower()), _DATED.search(title.lower())
    return one is not None and other is not None and one[1] != other[1]


def _speaks_of_the_past(source_id: str) -> bool:
    return any(step.level in ("trans", "note", "preamble") for step in ids.parse_id(source_id)[1])


def _resets(path: Path) -> bool:
    return any(step.level in ("quote", "trans") for step in path)


def _inner(path: Path) -> Path:
    """Return the part of a path inside the last quotation: the address in the amended act."""
    for n in range(len(path) - 1, -1, -1):
        if path[n].level == "quote":
            return path[n + 1 :]
    return ()
