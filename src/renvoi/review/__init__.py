"""Human review of a benchmark: sample, store, page, agreement."""

from renvoi.review.agreement import agree
from renvoi.review.sample import Item, criteria_of, sample_items
from renvoi.review.sheet import export_csv, read_csv
from renvoi.review.store import ReviewStore, open_review
from renvoi.review.verdicts import read_verdicts

__all__ = [
    "Item",
    "ReviewStore",
    "agree",
    "criteria_of",
    "export_csv",
    "open_review",
    "read_csv",
    "read_verdicts",
    "sample_items",
]
