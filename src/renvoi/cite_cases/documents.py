"""Judgments > their citations, and the paragraphs these reach in a corpus of judgments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from renvoi import cases, ids, registry
from renvoi.case_grammar import CaseGrammar
from renvoi.cite_cases.memory import Memory
from renvoi.cite_cases.mentions import as_citation, read_mentions
from renvoi.cite_cases.titles import TitleIndex
from renvoi.pause import uncollected
from renvoi.types import Citation, Document, Link, Path, Provision, Reference, Step, Unresolved

_SILENT = frozenset({"heading", "preamble", "closing", "division", "operative"})
_LONGEST_RANGE = 400


def is_case_law(document: Document) -> bool:
    """Tell whether a document is read by the engine for judgments: its jurisdiction has a `CaseGrammar`."""
    known = document.jurisdiction in registry.names("jurisdictions")
    return known and isinstance(registry.load("jurisdictions", document.jurisdiction), CaseGrammar)


@uncollected()
def find_citations_of_cases(document: Document, titles: TitleIndex | None = None) -> list[Citation]:
    """Return the citations of decisions in a judgment, paragraph by paragraph, in document order.

    Args:
        document: a judgment, order or opinion.
        titles: where names that the document does not introduce are looked up.
    """
    joined = tuple(document.metadata.get("case_numbers", ()))
    memory = Memory(document.id.partition("@")[0], joined, titles=titles, before=document.date)
    found = []
    for provision in document.provisions:
        if provision.text and provision.kind not in _SILENT:
            found += [as_citation(m, provision.id) for m in read_mentions(provision.text, memory)]
    return found


@uncollected()
def resolve_cases(
    documents: Sequence[Document], citations: Iterable[Citation]
) -> dict[tuple[str, int], list[Link | Unresolved]]:
    """Return what each citation's references reach, by source id and number of the citation in its provision.

    A decision is found by its CELEX number, or as the judgment in the case of that number (also one of several joined
    cases). A reference without a paragraph names a whole decision, which is no provision: where the corpus holds the
    decision, its end is an `Unresolved` with an empty path and the decision's id as `act`.
    """
    library = Library(documents)
    numbers: dict[str, int] = {}
    ends: dict[tuple[str, int], list[Link | Unresolved]] = {}
    for citation in citations:
        number = numbers.get(citation.source_id, 0)
        numbers[citation.source_id] = number + 1
        ends[citation.source_id, number] = [end for r in citation.references for end in library.ends(citation, r)]
    return ends


class Library:
    """Judgments, found by CELEX number or by any of their case numbers."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.paragraphs: Mapping[str, Mapping[Path, Provision]] = {
            d.id: {p.path: p for p in d.provisions} for d in documents
        }
        self.by_case: dict[tuple[str, str], str] = {}
        for document in sorted(documents, key=lambda d: d.id, reverse=True):
            kind = cases.kind_from_celex(document.id)
            self.by_case[cases.same_case(document.id), kind] = document.id
            for printed in document.metadata.get("case_numbers", ()):
                celex = cases.celex_from_case_number(printed)
                self.by_case.setdefault((cases.same_case(celex), kind), document.id)

    def find(self, act: str) -> str | None:
        """Return the id of the decision that a CELEX or case number means, or None."""
        if act in self.paragraphs:
            return act
        celex = act
        if cases.kind_from_celex(act) == "other":
            try:
                celex = cases.celex_from_case_number(act)
            except ValueError:
                return None
        return self.by_case.get((cases.same_case(celex), cases.kind_from_celex(celex)))

    def ends(self, citation: Citation, reference: Reference) -> list[Link | Unresolved]:
        """Return what one reference reaches: one end for each paragraph."""
        source = citation.source_id
        act = reference.act or ids.parse_id(source)[0]
        found = self.find(act)
        paths = _expand(reference)
        if found is None:
            return [Unresolved(source, reference, "act_not_in_corpus", act, path, None) for path in paths]
        held = self.paragraphs[found]
        return [
            Link(source, held[path].id, (), reference)
            if path in held
            else Unresolved(source, reference, "no_such_provision", found, path, None)
            for path in paths
        ]


def _expand(reference: Reference) -> list[Path]:
    if reference.until is None:
        return [reference.path]
    first, last = int(reference.path[-1].number), int(reference.until[-1].number)
    return [(Step("para", str(n)),) for n in range(first, min(last, first + _LONGEST_RANGE) + 1)]
