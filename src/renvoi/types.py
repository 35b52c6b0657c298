"""The nouns, in the order data flows through them.

Document > Provision > Citation > Reference > Link (or Unresolved) > Chunk > Query > Qrel > ScoredDoc.

All are frozen. Rows by the million live in columns (polars frames); these types are the vocabulary and the
small-scale form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from renvoi.errors import BadInput

if TYPE_CHECKING:
    import polars as pl


class Step(NamedTuple):
    """One level of a path: `Step("sec", "12a")`."""

    level: str
    number: str  # no blanks: "12a", "21-1" for 21¹, "IV", "4.3"


Path = tuple[Step, ...]

TextState = Literal["as_enacted", "consolidated", "point_in_time"]

# division  groups others (chapter, title, part) and has a heading at most
# lead_in   has children; its text introduces them
# leaf      operative text without children
# tail      text of a lead-in that follows its children
# quotation what an amending act quotes; its descendants have the state "quoted"
# the rest  parts that are not operative provisions, kept apart and addressable
Kind = Literal[
    "division", "lead_in", "leaf", "tail", "quotation", "recital", "footnote", "annex", "table",
    "preamble", "closing", "heading", "operative", "costs",
]  # fmt: skip

State = Literal["in_force", "repealed", "quoted"]


@dataclass(frozen=True, slots=True)
class Provision:
    """A node of a document's tree, at any level."""

    id: str  # ids.format_id(document_id, path)
    document_id: str
    path: Path
    label: str  # as printed: "§ 12 a", "Stk. 2.", "Art. 37s."
    heading: str
    text: str  # its own, without its children's and without its label; white space folded
    order: int  # in document order, from 0, children after their parent
    parent: str | None  # a provision id; None at the top
    kind: Kind
    state: State = "in_force"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """Where a document was read from."""

    path: str
    sha256: str
    format: str  # the name of the source that read it


@dataclass(frozen=True, slots=True)
class Finding:
    """Something odd in a source that a reader should know. Reading went on."""

    where: str  # file, provision id or line
    kind: str  # "text_cut", "gap_in_numbering", "skipped_element" …
    note: str = ""
    count: int = 1


@dataclass(frozen=True, slots=True)
class Document:
    """An act or a judgment with all its provisions in document order."""

    id: str
    jurisdiction: str  # the name of a file in jurisdictions/
    language: str  # ISO 639-1
    kind: str  # "act", "order", "amending_act", "judgment" …
    title: str
    short_titles: tuple[str, ...]
    date: date | None  # of the act, or of the decision
    text_state: TextState
    source: SourceFile
    provisions: tuple[Provision, ...]
    metadata: Mapping[str, Any] = field(default_factory=dict)  # celex, ecli, case_numbers, parties, lodged …
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Reference:
    """One pointer as written, with its own place in the text.

    `path` is what the words say, after the citation's own inheritance ("§ 7, stk. 1, nr. 2, og stk. 2" gives the
    second one § 7). Where the top levels are unwritten, `scope` says what completes them.
    """

    start: int  # characters into the citing provision's text, end excluded
    end: int
    path: Path
    until: Path | None = None  # end of a range, included, as written
    act: str | None = None  # None: the citing act; otherwise another act's name, normalised
    scope: Literal["act", "here", "preceding", "following", "mentioned"] = "act"
    kind: str = ""  # of the citation form, for reports: "section", "range", "relative", "act" …
    exception: bool = False  # named after "bortset fra", "z wyjątkiem", "with the exception of"


@dataclass(frozen=True, slots=True)
class Citation:
    """One stretch of text that cites law. It may point at several provisions at once."""

    source_id: str  # the citing provision
    start: int  # `text[start:end]` is the citation
    end: int
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A reference resolved to a provision of the corpus."""

    source_id: str
    target_id: str  # the deepest provision on the cited path that the corpus has
    fragment: Path  # what the path says below `target_id`: a sentence, a limb of a sentence; usually empty
    reference: Reference


Reason = Literal["no_such_provision", "repealed", "act_not_in_corpus", "ambiguous", "other_version"]


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A reference that reaches nothing in the corpus, and why."""

    source_id: str
    reference: Reference
    reason: Reason
    act: str  # id of the act if known, its name otherwise
    path: Path  # what was looked for
    nearest: str | None  # the nearest ancestor that exists, an id


@dataclass(frozen=True, slots=True)
class Chunk:
    """The unit retrieval sees: a provision with its descendants."""

    id: str  # the id of its provision
    document_id: str
    text: str
    lead_ins: tuple[str, ...]  # texts of the ancestors, outermost first
    labels: tuple[str, ...]  # headings and labels of the ancestors, outermost first


@dataclass(frozen=True, slots=True)
class Query:
    """A question, or a paragraph whose citations are masked."""

    id: str
    text: str
    split: str = "all"
    unit: str = "chunk"  # what it was made from: "chunk", "par", "case"
    source_id: str = ""  # the target chunk, or the citing paragraph or case
    document_id: str = ""  # never to be retrieved for this query where `exclude_self` holds
    date: date | None = None  # candidates must be earlier
    extra: Mapping[str, Any] = field(default_factory=dict)  # unmasked text, writer, set, cluster …


class Qrel(NamedTuple):
    """A judgment of relevance."""

    query_id: str
    doc_id: str
    relevance: int


class ScoredDoc(NamedTuple):
    """One row of a run."""

    query_id: str
    doc_id: str
    score: float


class Span(NamedTuple):
    """A stretch of text to hide, and which rule says so."""

    start: int
    end: int
    kind: str
    rule: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """Everything read from a set of files, as columns.

    documents   id, jurisdiction, language, kind, title, short_titles, date, text_state, path, sha256, format,
                metadata (JSON)
    provisions  id, document_id, path, label, heading, text, order, parent, kind, state
    citations   one row a reference: source_id, citation (number in its provision), start, end (of the citation),
                ref_start, ref_end, path, until, act, scope, kind, exception
    links       one row an end of a reference: source_id, citation, ref_start, ref_end, target_id (null where
                unresolved), cited (the full path looked for), act, reason (null where resolved), nearest
    """

    documents: pl.DataFrame
    provisions: pl.DataFrame
    citations: pl.DataFrame
    links: pl.DataFrame
    manifest: Mapping[str, Any] = field(default_factory=dict)


# Which queries search which collection, by the name of the level.
LEVELS: Mapping[str, tuple[str, str]] = {
    "chunk": ("chunk", "chunks"),
    "par_par": ("par", "chunks"),
    "par_case": ("par", "cases"),
    "case_case": ("case", "cases"),
}


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A retrieval benchmark: collections, queries, qrels, and what they were made from.

    collections  "chunks" (and "cases" for case law): id, text, lead_ins, labels, document_id, date, order
    qrels        by level (see `LEVELS`): query_id, doc_id, relevance, and further columns such as source
    contexts     query_id, doc_id: what a query's target cites; never relevant
    links        source_id, target_id (chunk ids), date: the citation graph of the collection
    """

    kind: Literal["crossref", "pincite", "imported"]
    language: str
    collections: Mapping[str, pl.DataFrame]
    queries: tuple[Query, ...]
    qrels: Mapping[str, pl.DataFrame]
    contexts: pl.DataFrame
    links: pl.DataFrame
    funnel: tuple[Mapping[str, Any], ...] = ()
    manifest: Mapping[str, Any] = field(default_factory=dict)

    def task(self, level: str | None = None, split: str | None = None) -> Task:
        """Return one level (default: the first) and split (default: all) as a task to run and evaluate.

        Raises:
            BadInput: the benchmark has no such level.
        """
        level = level or next(iter(self.qrels))
        if level not in self.qrels:
            raise BadInput("--level", f"the benchmark has no level {level!r}", f"it has: {', '.join(self.qrels)}")
        unit, collection = LEVELS[level]
        queries = tuple(q for q in self.queries if q.unit == unit and split in (None, q.split))
        qrels = self.qrels[level]
        if split is not None:
            qrels = qrels.filter(qrels["query_id"].is_in([q.id for q in queries]))
        return Task(level, queries, self.collections[collection], qrels)


@dataclass(frozen=True, slots=True)
class Task:
    """Queries, the collection they search, and what is relevant."""

    level: str
    queries: tuple[Query, ...]
    corpus: pl.DataFrame
    qrels: pl.DataFrame
