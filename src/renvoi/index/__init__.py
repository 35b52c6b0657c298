"""Documents > postings per field, in memory or in a folder that is opened without being read."""

from renvoi.index.build import build_index
from renvoi.index.fields import FIELDS, field_texts
from renvoi.index.files import open_index
from renvoi.index.layout import Index, Postings, Vocabulary
from renvoi.index.queries import QueryTerms, analyse_queries

__all__ = [
    "FIELDS",
    "Index",
    "Postings",
    "QueryTerms",
    "Vocabulary",
    "analyse_queries",
    "build_index",
    "field_texts",
    "open_index",
]
