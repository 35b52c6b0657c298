"""The importer of two lawyers' spreadsheets."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import polars as pl
import pytest

from renvoi.errors import BadInput
from renvoi.pincite.annotations import agreement, cohen_kappa, link_annotations, read_annotations
from renvoi.pincite.spreadsheet import read_rows

CITING = "21It follows that wood is a good."
WOOD = "13   It must be\u00a0recalled that wood, even wet, is a good."
PAPER = "14. Paper is no good."
LOST = "15 Stone is something else."


def write_book(path: Path, rows: list[list[str]]) -> None:
    """Write a workbook with inline strings; empty cells are left out, as spreadsheets do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, cells in enumerate(rows, start=1):
        written = "".join(
            f'<c r="{chr(65 + at)}{number}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
            for at, cell in enumerate(cells)
            if cell
        )
        if written:
            lines.append(f'<row r="{number}">{written}</row>')
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    with zipfile.ZipFile(path, "w") as book:
        book.writestr(
            "xl/worksheets/sheet1.xml",
            f'<worksheet xmlns="{main}"><sheetData>{"".join(lines)}</sheetData></worksheet>',
        )


def example(answers: list[tuple[str, str, str]]) -> list[list[str]]:
    """Return one example: candidate, Q1, Q2 by rank."""
    return [
        ["Example #1", "Citing Paragraph", "Average Precision", "", "", "Y"],
        ["", CITING, "0.5"],
        [],
        ["Rankings"],
        ["Rank", "Paragraph", "Similarity", "Matter", "Is Citation", "Q1", "Q2"],
        *([str(rank), text, "0.7", "Wood", "False", q1, q2] for rank, (text, q1, q2) in enumerate(answers)),
        [],
        ["Citations"],
        ["Rank", "Paragraph", "Similarity", "Matter"],
        ["81", "54. Le bois est une marchandise.", "0.4", "Wood"],
        ["Is it possible to infer a rule?"],
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    first = example([(WOOD, "Y", "n"), (PAPER, "n", "N"), (LOST, "y", "n"), ("16 None.", "", "")])
    second = example([(WOOD, "n", "y "), (PAPER, "y", "n"), (LOST, "Y", "Y"), ("16 None.", "maybe", "n")])
    write_book(tmp_path / "annotator_1" / "Wood.xlsx", first)
    write_book(tmp_path / "annotator_2" / "Wood.xlsx", second)
    return tmp_path


def test_answers_of_both_annotators_stand_side_by_side(folder: Path) -> None:
    annotations = read_annotations(folder)

    answers = annotations.rows.select("rank", "first_q1", "first_q2", "second_q1", "second_q2").rows()
    assert answers == [
        (0, True, False, False, True),
        (1, False, False, True, False),
        (2, True, False, True, True),
        (3, None, None, None, False),
    ]
    assert [(f.kind, f.note) for f in annotations.findings] == [("unclear_answer", "maybe")]


def test_a_candidate_is_relevant_where_both_say_yes_to_either_question(folder: Path) -> None:
    paragraphs = pl.DataFrame(
        {
            "id": ["a~para_21", "b~para_13", "b~para_14"],
            "text": [
                "It follows that wood is a good.",
                "It must be recalled that wood even wet is a good",
                "Paper is no good.",
            ],
        }
    )

    linked = link_annotations(read_annotations(folder), paragraphs)

    assert linked.pairs.rows() == [("a~para_21", "b~para_13")]
    assert linked.rows.select("target_id", "how", "relevant").rows() == [
        ("b~para_13", "normalised", True),
        ("b~para_14", "exact", False),
    ]
    assert linked.unlinkable.select("rank", "side", "why").rows() == [
        (2, "candidate", "no paragraph has this text"),
        (3, "candidate", "no paragraph has this text"),
    ]
    assert linked.report["candidates"] == 4
    assert linked.report["relevant"] == 2


def test_kappa_is_by_question_and_before_anything_is_removed(folder: Path) -> None:
    kappa = agreement(read_annotations(folder))

    # Q1: yes-no, no-yes, yes-yes: observed 1/3, chance 2/3*2/3 + 1/3*1/3 = 5/9
    assert kappa["q1"] == pytest.approx((1 / 3 - 5 / 9) / (4 / 9))
    assert kappa["relevant"] == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [([], None), ([(True, True)], None), ([(True, True), (False, False)], 1.0), ([(True, False), (False, True)], -1.0)],
)
def test_kappa_of_plain_cases(answers: list[tuple[bool, bool]], expected: float | None) -> None:
    assert cohen_kappa(answers) == expected


def test_equal_texts_are_told_apart_by_their_number(folder: Path) -> None:
    texts = ["It follows that wood is a good.", *["It must be recalled that wood, even wet, is a good."] * 2]
    paragraphs = pl.DataFrame({"id": ["a~para_21", "b~para_12", "c~para_13"], "text": texts})

    linked = link_annotations(read_annotations(folder), paragraphs)

    assert linked.pairs.rows() == [("a~para_21", "c~para_13")]


def test_the_real_workbooks_are_read(data: Path) -> None:
    annotations = read_annotations(data / "cjeu" / "annotations")

    assert annotations.rows.height > 900
    assert annotations.rows.filter(pl.col("citing") == "").is_empty()
    assert [f.kind for f in annotations.findings] == ["one_annotator"]
    assert 0.3 < (agreement(annotations)["relevant"] or 0) < 0.6


def test_what_is_no_workbook_or_no_pair_of_folders_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "x.xlsx").write_bytes(b"no zip")

    with pytest.raises(BadInput, match=r"1 folders of \.xlsx"):
        read_annotations(tmp_path)
    with pytest.raises(BadInput, match=r"no \.xlsx workbook"):
        read_rows(tmp_path / "one" / "x.xlsx")
