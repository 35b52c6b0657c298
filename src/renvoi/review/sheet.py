"""A review <-> CSV, one line a reviewer and item. What is written can be read back, and filled in by hand."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from renvoi.errors import BadInput
from renvoi.review.sample import LABELS
from renvoi.review.store import ADJUDICATOR, NOTE, ReviewStore

Row = tuple[str, str, str, str]  # reviewer, query id, field, value


def export_csv(review: ReviewStore, reviewers: Sequence[str] | None = None) -> str:
    """Return the answers as CSV; a reviewer who has answered nothing gets a sheet to fill in.

    Args:
        review: what to write.
        reviewers: whose answers; default: everybody's and the adjudicated ones. Where nobody has answered, one sheet
            without a name.
    """
    if reviewers is None:
        reviewers = review.reviewers()
        if review.answers(ADJUDICATOR):
            reviewers = [*reviewers, ADJUDICATOR]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["query_id", "reviewer", *review.criteria, "labels", NOTE, "valid", "document_id", "query"])
    for reviewer in reviewers or [""]:
        answers = review.answers(reviewer)
        for item in review.items:
            said = answers.get(item.query_id, {})
            if reviewer == ADJUDICATOR and not said:
                continue
            labels = " ".join(label for label in LABELS if said.get(f"label:{label}"))
            valid = verdict(said, list(review.criteria))
            writer.writerow([
                item.query_id, reviewer, *(said.get(name, "") for name in review.criteria), labels, said.get(NOTE, ""),
                {True: "yes", False: "no", None: ""}[valid], item.document_id, item.query,
            ])  # fmt: skip
    return out.getvalue()


def read_csv(path: Path, criteria: Sequence[str]) -> tuple[list[str], list[Row]]:
    """Return the query ids in a sheet, in its order, and the answers in it. Other columns are not read.

    Raises:
        BadInput: a column is missing, or a line has an answer and no reviewer, or an answer that is none.
    """
    needed = ["query_id", "reviewer", *criteria, "labels", NOTE]
    ids: dict[str, None] = {}
    rows: list[Row] = []
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(path, f"is not UTF-8 (byte {error.start})", "save it as CSV in UTF-8") from None
    reader = csv.DictReader(io.StringIO(text, newline=""))
    missing = [name for name in needed if name not in (reader.fieldnames or ())]
    if missing:
        raise BadInput(path, f"has no column {', '.join(missing)}", "separate columns by commas; see --export")
    for line in reader:
        where = f"{path}, line {reader.line_num}"
        query_id, reviewer = line["query_id"].strip(), (line["reviewer"] or "").strip()
        ids[query_id] = None
        said = {name: (line[name] or "").strip().lower() for name in criteria}
        for name, value in said.items():
            if value not in ("yes", "no", ""):
                raise BadInput(where, f"{name} is {value!r}", 'write "yes" or "no", or leave it empty')
        for label in (line["labels"] or "").split():
            if label not in LABELS:
                raise BadInput(where, f"{label!r} is no label", f"there are: {', '.join(LABELS)}")
            said[f"label:{label}"] = "yes"
        said[NOTE] = line[NOTE] or ""
        answers = [(reviewer, query_id, field, value) for field, value in said.items() if value]
        if answers and not reviewer:
            raise BadInput(where, "has answers and no reviewer", 'fill in the column "reviewer"')
        rows += answers
    if not ids:
        raise BadInput(path, "has no line below its header", "write a sheet with --export")
    return list(ids), rows


def verdict(said: dict[str, str], criteria: Sequence[str]) -> bool | None:
    """Return whether a query is valid: no criterion is answered "no" and none is open; None while one is open.

    >>> verdict({"a": "yes", "b": "no"}, ["a", "b"]), verdict({"a": "yes"}, ["a", "b"])
    (False, None)
    """
    if any(not said.get(name) for name in criteria):
        return None
    return all(said[name] == "yes" for name in criteria)
