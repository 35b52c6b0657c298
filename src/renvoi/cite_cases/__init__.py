"""Text of a judgment > citations of judgments: who is cited, at which paragraphs, as precedent or as what else.

    memory = Memory(own="62016CJ0268")
    for paragraph in judgment:
        citations = find_case_citations(paragraph.text, paragraph.id, memory)

The engine reads a `CaseGrammar` (the words of one court system) and keeps a `Memory` of the judgment it reads: the
short names it introduced, the judgment under appeal, what "that judgment" can mean. A paragraph can be read alone.
"""

from __future__ import annotations

from renvoi.cite_cases.memory import Case, Memory
from renvoi.cite_cases.mentions import Mention, Pin, read_mentions
from renvoi.types import Citation, Path, Reference, Step

__all__ = ["Case", "Memory", "Mention", "Pin", "find_case_citations", "read_mentions"]


def find_case_citations(text: str, source_id: str = "", memory: Memory | None = None) -> tuple[Citation, ...]:
    """Return the citations of decisions in a paragraph, in the order they stand.

    `Reference.act` is the CELEX number of the cited decision where it is known, its case number otherwise, the words
    "judgment under appeal" where not even that; None is this judgment. `Reference.kind` is "precedent",
    "procedural_history", "this_judgment" or "opinion". A citation without paragraph has one reference with no path.

    Args:
        text: of one paragraph, without its number.
        source_id: the id of the paragraph.
        memory: of the judgment so far; it learns from this text. None reads the paragraph alone.
    """
    return tuple(as_citation(mention, source_id) for mention in read_mentions(text, memory))


def as_citation(mention: Mention, source_id: str = "") -> Citation:
    """Return a mention in the words every jurisdiction shares: a citation with one reference for each pin."""
    act = None if mention.kind == "this_judgment" else mention.case.identity
    references = tuple(
        Reference(
            pin.start,
            pin.end,
            _paragraph(pin.first),
            until=_paragraph(pin.last) if pin.last != pin.first else None,
            act=act,
            kind=mention.kind,
        )
        for pin in mention.pins
    )
    if not references:
        references = (Reference(mention.start, mention.end, (), act=act, kind=mention.kind),)
    return Citation(source_id, mention.start, mention.end, references)


def _paragraph(number: int) -> Path:
    return (Step("para", str(number)),)
