"""Two lawyers' answers in spreadsheets > candidate paragraphs that both call relevant, linked to a corpus.

Each workbook holds one subject; one folder holds one annotator's workbooks. A workbook is a row of examples: a citing
paragraph, then the ten paragraphs a model ranked for it, each with two answers. Q1: the candidate has a verbatim
version of the rule; Q2: a different or more expanded version. A candidate is relevant where both annotators say yes to
at least one question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from renvoi.case_grammar import plain
from renvoi.errors import BadInput
from renvoi.pincite.spreadsheet import read_rows
from renvoi.types import Finding

_SCHEMA = {
    "subject": pl.String, "example": pl.Int32, "rank": pl.Int32, "citing": pl.String, "candidate": pl.String,
    "first_q1": pl.Boolean, "first_q2": pl.Boolean, "second_q1": pl.Boolean, "second_q2": pl.Boolean,
}  # fmt: skip
_EXAMPLE = re.compile(r"Example\s*#\s*(\d+)")
_FEW_LETTERS = 80  # of a text that is matched by letters alone
_OWN_NUMBER = re.compile(r"^\s*\d{1,4}\s*[.)]?\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class Annotations:
    """Answers as given.

    rows      one a candidate: subject, example, rank, citing, candidate (texts as in the workbook), and the answers
              first_q1, first_q2, second_q1, second_q2 (null: no answer)
    findings  what was odd: a workbook with one annotator only, an answer that is neither yes nor no …
    """

    rows: pl.DataFrame
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Linked:
    """Answers whose paragraphs the corpus holds, and the others.

    rows        the columns of `Annotations.rows`, source_id, target_id, relevant, how ("exact" …)
    unlinkable  subject, example, rank, text (of the paragraph that is not found), side, why
    pairs       source_id, target_id of the relevant ones; distinct
    report      counts by step, and Cohen's kappa before unlinkable rows are removed
    """

    rows: pl.DataFrame
    unlinkable: pl.DataFrame
    pairs: pl.DataFrame
    report: Mapping[str, Any]


def read_annotations(folder: Path) -> Annotations:
    """Return the answers under a folder with one folder an annotator, in the order of subjects and examples.

    Raises:
        BadInput: there are not two folders of workbooks, or a workbook has no example.
    """
    annotators = sorted(p for p in folder.iterdir() if p.is_dir() and any(p.glob("*.xlsx"))) if folder.is_dir() else []
    if len(annotators) != 2:
        raise BadInput(
            folder, f"holds {len(annotators)} folders of .xlsx workbooks", "give one with one folder an annotator"
        )
    findings: list[Finding] = []
    books = [{book.stem: book for book in sorted(annotator.glob("*.xlsx"))} for annotator in annotators]
    rows: list[dict[str, Any]] = []
    for subject in sorted(set(books[0]) | set(books[1])):
        answers = [_read_book(side[subject], findings) if subject in side else {} for side in books]
        if not all(answers):
            given = next(side[subject] for side in books if subject in side)
            findings.append(Finding(str(given), "one_annotator", "no second workbook", len(answers[0] or answers[1])))
        for key in sorted(set(answers[0]) | set(answers[1])):
            first, second = answers[0].get(key), answers[1].get(key)
            shown = first or second
            assert shown is not None
            if first and second and normalise(first["candidate"]) != normalise(second["candidate"]):
                findings.append(Finding(f"{subject} #{key[0]} rank {key[1]}", "different_candidates"))
                second = None
            rows.append(
                {
                    "subject": subject, "example": key[0], "rank": key[1],
                    "citing": shown["citing"], "candidate": shown["candidate"],
                    "first_q1": first and first["q1"], "first_q2": first and first["q2"],
                    "second_q1": second and second["q1"], "second_q2": second and second["q2"],
                }
            )  # fmt: skip
    return Annotations(pl.DataFrame(rows, schema=_SCHEMA), tuple(findings))


def link_annotations(annotations: Annotations, paragraphs: pl.DataFrame) -> Linked:
    """Link citing and candidate texts to paragraphs: exact text first, then normalised, then by letters alone.

    Normalised is without marks, leading number and odd characters. By letters alone serves texts that came without
    their digits; it needs 80 letters.

    Args:
        annotations: as read.
        paragraphs: id, text of numbered paragraphs of judgments, such as the chunks of a corpus.
    """
    tables: dict[str, dict[str, list[str]]] = {how: {} for how in _KEYS}
    for name, text in paragraphs.select("id", "text").iter_rows():
        for how, key in _KEYS.items():
            tables[how].setdefault(key(text), []).append(name)
    linked, unlinkable = [], []
    for row in annotations.rows.iter_rows(named=True):
        found = {side: _find(row[side], tables) for side in ("citing", "candidate")}
        for side, (name, why) in found.items():
            if name is None:
                unlinkable.append(
                    {k: row[k] for k in ("subject", "example", "rank")} | {"text": row[side], "side": side, "why": why}
                )
        source, target = found["citing"], found["candidate"]
        if source[0] is not None and target[0] is not None:
            how = max(source[1], target[1], key=list(_KEYS).index)  # the weaker of the two
            linked.append(
                {**row, "source_id": source[0], "target_id": target[0], "how": how, "relevant": is_relevant(row)}
            )
    columns = {"source_id": pl.String, "target_id": pl.String, "how": pl.String, "relevant": pl.Boolean}
    rows = pl.DataFrame(linked, schema={**_SCHEMA, **columns})
    lost = pl.DataFrame(
        unlinkable,
        schema={
            "subject": pl.String,
            "example": pl.Int32,
            "rank": pl.Int32,
            "text": pl.String,
            "side": pl.String,
            "why": pl.String,
        },
    )
    pairs = rows.filter("relevant").select("source_id", "target_id").unique(maintain_order=True)
    report = {
        "candidates": annotations.rows.height,
        "answered_by_both": len(_answered(annotations.rows)),
        "relevant": sum(is_relevant(row) for row in annotations.rows.iter_rows(named=True)),
        "linked": rows.height,
        "linked_by": dict(sorted(Counter(rows["how"].to_list()).items())),
        "unlinkable": dict(
            sorted(Counter(f"{side}: {why}" for side, why in lost.select("side", "why").iter_rows()).items())
        ),
        "pairs": pairs.height,
        "kappa": agreement(annotations),
    }
    return Linked(rows, lost, pairs, report)


def agreement(annotations: Annotations) -> dict[str, float | None]:
    """Return Cohen's kappa of the two annotators: by question, and for "yes to at least one"; None where undefined.

    Only candidates that both answered count; nothing has been removed for want of a link.
    """
    rows = _answered(annotations.rows)
    return {
        "q1": cohen_kappa([(row["first_q1"], row["second_q1"]) for row in rows]),
        "q2": cohen_kappa([(row["first_q2"], row["second_q2"]) for row in rows]),
        "relevant": cohen_kappa(
            [(row["first_q1"] or row["first_q2"], row["second_q1"] or row["second_q2"]) for row in rows]
        ),
    }


def cohen_kappa(answers: Iterable[tuple[bool, bool]]) -> float | None:
    """Return agreement beyond chance of two raters (Cohen 1960); None without answers or where chance agrees always.

    >>> cohen_kappa([(True, True), (False, False), (True, False), (False, False)])
    0.5
    """
    counts = Counter(answers)
    n = sum(counts.values())
    if not n:
        return None
    observed = sum(k for (a, b), k in counts.items() if a == b) / n
    yes = [sum(k for pair, k in counts.items() if pair[side]) / n for side in (0, 1)]
    chance = yes[0] * yes[1] + (1 - yes[0]) * (1 - yes[1])
    return (observed - chance) / (1 - chance) if chance < 1 else None


def is_relevant(row: Mapping[str, Any]) -> bool:
    """Tell whether both annotators say yes to at least one question."""
    return bool((row["first_q1"] or row["first_q2"]) and (row["second_q1"] or row["second_q2"]))


def normalise(text: str) -> str:
    """Return a text for comparing: no leading number, letters and digits only, case folded.

    >>> normalise("68   It must be\u00a0observed, that …") == normalise("It must be observed that")
    True
    """
    return re.sub(r"[\W_]+", "", _OWN_NUMBER.sub("", plain(text))).casefold()


def _letters(text: str) -> str:
    letters = re.sub(r"\d+", "", normalise(text))
    return letters if len(letters) >= _FEW_LETTERS else ""


_KEYS: Mapping[str, Callable[[str], str]] = {
    "exact": lambda text: " ".join(_OWN_NUMBER.sub("", text).split()),
    "normalised": normalise,
    "letters": _letters,
}


def _find(text: str, tables: Mapping[str, Mapping[str, list[str]]]) -> tuple[str | None, str]:
    """Return the paragraph with a text and how it was found, or None and why not."""
    for how, key in _KEYS.items():
        wanted = key(text)
        names = tables[how].get(wanted, []) if wanted else []
        if len(names) == 1:
            return names[0], how
        if names:
            number = re.match(r"\s*(\d+)", text)
            same = [name for name in names if number and name.endswith(f"_{number[1]}")]
            return (same[0], how) if len(same) == 1 else (None, f"{len(names)} paragraphs have this text")
    return None, "no paragraph has this text" if normalise(text) else "the cell is empty"


def _answered(rows: pl.DataFrame) -> list[dict[str, Any]]:
    return rows.drop_nulls(["first_q1", "first_q2", "second_q1", "second_q2"]).to_dicts()


def _read_book(path: Path, findings: list[Finding]) -> dict[tuple[int, int], dict[str, Any]]:
    """Return the answered tables of one workbook by example and rank."""
    found: dict[tuple[int, int], dict[str, Any]] = {}
    example, citing, answers = 0, "", False
    columns: dict[str, int] = {}
    for number, cells in enumerate(read_rows(path), start=1):
        first = cells[0].strip() if cells else ""
        if m := _EXAMPLE.match(first):
            example, citing, answers = int(m[1]), "", False
        elif example and not citing and not first and len(cells) > 1 and cells[1].strip():
            citing = cells[1]
        elif first == "Rank":
            columns = {name.strip().lower(): at for at, name in enumerate(cells) if name.strip()}
            answers = "q1" in columns and "q2" in columns
        elif not re.fullmatch(r"\d+(?:\.0)?", first):
            answers = answers and first not in ("Citations", "Rankings")
        elif answers:
            where = f"{path.parent.name}/{path.name} row {number}"
            found[example, int(float(first))] = {
                "citing": citing,
                "candidate": cells[columns["paragraph"]] if len(cells) > columns["paragraph"] else "",
                "q1": _answer(cells, columns["q1"], where, findings),
                "q2": _answer(cells, columns["q2"], where, findings),
            }
    if not found:
        raise BadInput(path, "holds no example with the columns Q1 and Q2", "check that it is a workbook of answers")
    return found


def _answer(cells: list[str], at: int, where: str, findings: list[Finding]) -> bool | None:
    given = cells[at].strip().casefold() if len(cells) > at else ""
    if given in ("y", "yes", "n", "no"):
        return given.startswith("y")
    if given:
        findings.append(Finding(where, "unclear_answer", given[:80]))
    return None
