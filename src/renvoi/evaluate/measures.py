"""Rankings and qrels > one value a query and measure, equal to trec_eval's.

The measures are named as in `ir_measures`: Success@k (a hit rate), R@k, P@k, nDCG@k, AP@k, RR@k, each with an
optional `(rel=2)`. Those are computed here, all queries at once; any other name goes to `ir_measures` itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from renvoi.errors import RenvoiError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

DEFAULT = ("Success@10", "R@10", "nDCG@10", "AP@1000", "RR@1000")
_ALIASES = {"HR": "Success", "Hit": "Success", "Recall": "R", "NDCG": "nDCG", "ndcg": "nDCG", "MAP": "AP", "MRR": "RR"}
_OURS = frozenset({"Success", "R", "P", "nDCG", "AP", "RR"})


class UnknownMeasure(RenvoiError):
    """No measure has this name."""


@dataclass(frozen=True, slots=True)
class Rankings:
    """The grades that runs put at each rank, and what an ideal run would.

    grades  (n_queries, depth): the grade of the document at each rank, best first; 0 where unjudged or not ranked
    ideal   (n_queries, most relevant documents of a query): the judged grades, highest first, 0 as filling
    """

    query_ids: tuple[str, ...]
    grades: Ints
    ideal: Ints
    run: pl.DataFrame  # query, rank (from 1), doc_id, grade: the rows behind `grades`
    qrels: pl.DataFrame


def parse_measures(names: str | Sequence[str]) -> tuple[str, ...]:
    """Return measure names in the spelling of `ir_measures`.

    >>> parse_measures("nDCG@10, HR@5 Recall@10")
    ('nDCG@10', 'Success@5', 'R@10')

    Raises:
        UnknownMeasure: `ir_measures` has no such measure.
    """
    import ir_measures

    # A comma inside brackets parts the parameters of one measure.
    words = re.findall(r"(?:\([^)]*\)|[^\s,(])+", names) if isinstance(names, str) else list(names)
    found = []
    for word in words:
        head = re.match(r"[A-Za-z]*", word)
        assert head is not None
        try:
            found.append(str(ir_measures.parse_measure(_ALIASES.get(head[0], head[0]) + word[head.end() :])))
        except (ValueError, NameError, SyntaxError, KeyError):
            raise UnknownMeasure(
                f"no measure is named {word!r}; there are Success@k, R@k, P@k, nDCG@k, AP@k, RR@k, and what "
                "ir_measures has"
            ) from None
    if not found:
        raise UnknownMeasure("no measure is given; for example: nDCG@10 R@10")
    return tuple(dict.fromkeys(found))


def rank(run: pl.DataFrame, qrels: pl.DataFrame, query_ids: Sequence[str]) -> Rankings:
    """Order a run as trec_eval does and look up the grade at each rank.

    Scores are compared as 32-bit numbers, highest first; equal ones by document id, descending.

    Args:
        run: query_id, doc_id, score; rows of other queries are left out.
        qrels: query_id, doc_id, relevance; rows of other queries are left out.
        query_ids: rows of the result.
    """
    index = pl.DataFrame({"query_id": list(query_ids)}, schema={"query_id": pl.String}).with_row_index("query")
    qrels = qrels.select("query_id", "doc_id", pl.col("relevance").cast(pl.Int32).alias("grade"))
    judged = qrels.join(index, on="query_id").filter(pl.col("grade") > 0)
    ordered = (
        run.select("query_id", "doc_id", pl.col("score").cast(pl.Float32))
        .join(index, on="query_id")
        .join(qrels, on=["query_id", "doc_id"], how="left")
        .sort("query", "score", "doc_id", descending=[False, True, True])
        .with_columns(pl.col("grade").fill_null(0), rank=pl.int_range(1, pl.len() + 1).over("query"))
        .select("query", "query_id", "rank", "doc_id", "grade")
    )
    ideal = judged.sort("query", "grade", descending=[False, True]).with_columns(
        rank=pl.int_range(1, pl.len() + 1).over("query")
    )
    n = len(query_ids)
    return Rankings(tuple(query_ids), _matrix(ordered, n), _matrix(ideal, n), ordered, qrels)


def measure(rankings: Rankings, names: Sequence[str]) -> Floats:
    """Return the value of every query and measure, (n_queries, n_measures).

    Args:
        rankings: every query has a relevant document.
        names: as `parse_measures` returns them.
    """
    columns = [_measure(rankings, name) for name in names]
    return np.stack(columns, axis=1) if columns else np.zeros((len(rankings.query_ids), 0))


def _matrix(rows: pl.DataFrame, n_queries: int) -> Ints:
    depth = int(rows["rank"].max() or 0) if rows.height else 0  # type: ignore[arg-type]
    matrix = np.zeros((n_queries, max(depth, 1)), dtype=np.int32)
    matrix[rows["query"].to_numpy(), rows["rank"].to_numpy() - 1] = rows["grade"].to_numpy()
    return matrix


def _measure(rankings: Rankings, name: str) -> Floats:
    import ir_measures

    parsed: Any = ir_measures.parse_measure(name)
    if parsed.NAME not in _OURS or not set(parsed.params) <= {"cutoff", "rel"}:
        return _by_ir_measures(rankings, parsed)
    cutoff = parsed.params.get("cutoff")
    level = parsed.params.get("rel", 1)
    n_relevant = (rankings.ideal >= level).sum(axis=1)
    grades = rankings.grades[:, :cutoff]
    hits = grades >= level
    depth = np.arange(1, grades.shape[1] + 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        match parsed.NAME:
            case "Success":
                values = hits.any(axis=1).astype(np.float64)
            case "P":
                values = hits.sum(axis=1) / (cutoff or grades.shape[1])
            case "R":
                values = hits.sum(axis=1) / n_relevant
            case "RR":
                values = np.where(hits.any(axis=1), 1.0 / (hits.argmax(axis=1) + 1), 0.0)
            case "AP":
                values = (np.cumsum(hits, axis=1) / depth * hits).sum(axis=1) / n_relevant
            case _:
                values = _dcg(grades) / _dcg(rankings.ideal[:, :cutoff])
    return np.nan_to_num(np.asarray(values, dtype=np.float64), nan=0.0)


def _dcg(grades: Ints) -> Floats:
    """Gain over log2 of the rank + 1 (Järvelin and Kekäläinen 2002, as trec_eval computes it: linear gains)."""
    discount = 1.0 / np.log2(np.arange(2, grades.shape[1] + 2))
    return np.asarray(np.maximum(grades, 0) @ discount, dtype=np.float64)


def _by_ir_measures(rankings: Rankings, parsed: Any) -> Floats:
    import ir_measures

    depth = rankings.grades.shape[1]
    run = [
        ir_measures.ScoredDoc(query, doc, float(depth - rank))
        for query, rank, doc in rankings.run.select("query_id", "rank", "doc_id").iter_rows()
    ]
    known = set(rankings.query_ids)
    qrels = [ir_measures.Qrel(*row) for row in rankings.qrels.iter_rows() if row[0] in known]
    place = {query: i for i, query in enumerate(rankings.query_ids)}
    values = np.zeros(len(place))
    for metric in ir_measures.iter_calc([parsed], qrels, run):
        values[place[metric.query_id]] = metric.value
    return values
