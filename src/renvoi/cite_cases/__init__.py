"""Text of a judgment > citations of judgments: who is cited, at which paragraphs, as precedent or as what else.

    memory = Memory(own="62016CJ0268")
    for paragraph in judgment:
        citations = find_case_citations(paragraph.text, paragraph.id, memory)

The engine reads a `CaseGrammar` (the words of one court system) and keeps a `Memory` of the judgment it reads: the
short names it introduced, the judgment under appeal, what "that judgment" can mean. A paragraph can be read alone.
"""

from __future__ import annotations

from renvoi.cite_cases.case import Case
from renvoi.cite_cases.documents import Library, find_citations_of_cases, is_case_law, resolve_cases
from renvoi.cite_cases.memory import Memory
from renvoi.cite_cases.mention import Mention, Pin
from renvoi.cite_cases.mentions import as_citation, read_mentions
from renvoi.cite_cases.titles import TitleIndex
from renvoi.types import Citation

__all__ = [
    "Case",
    "Library",
    "Memory",
    "Mention",
    "Pin",
    "TitleIndex",
    "find_case_citations",
    "find_citations_of_cases",
    "is_case_law",
    "read_mentions",
    "resolve_cases",
]


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
