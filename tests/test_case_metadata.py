from datetime import date
from pathlib import Path

import pytest

from renvoi.case_metadata import (
    CaseRecord,
    CaseTable,
    add_metadata,
    named_records,
    read_case_metadata,
    repair_letters,
)
from renvoi.errors import BadInput
from renvoi.ingest import read_files
from renvoi.types import Document, SourceFile


def document(celex: str, **fields: object) -> Document:
    plain = {
        "id": celex, "jurisdiction": "cjeu", "language": "en", "kind": "judgment", "title": "", "short_titles": (),
        "date": None, "text_state": "as_enacted", "source": SourceFile("a", "", "cjeu_html"), "provisions": (),
    }  # fmt: skip
    return Document(**{**plain, **fields})  # type: ignore[arg-type]


def test_lists_of_all_shapes_become_one_record(tmp_path: Path) -> None:
    (tmp_path / "export.csv").write_text(
        "Title,CELEX number,ECLI identifier,Date of document\n"
        '"Judgment of the Court of 3 May 2001.#Alder v Birch.#Mills.#Joined Cases C-9001/99 and C-9002/99.",'
        "61999CJ9001_SUM,,5/3/2001\n",
        encoding="utf-8-sig",
    )
    (tmp_path / "page.xml").write_bytes(
        b'\xef\xbb\xbf<?xml version="1.0"?><rows><row>'
        b"<col>Judgment of 3 May 2001.#Alder v Birch.#Mills.#Case C-9001/99.</col>"
        b"<col></col><col>2001-05-03</col><col>celex:61999CJ9001,ecli:ECLI:EU:C:2001:9001</col></row></rows>"
    )
    (tmp_path / "titles.csv").write_text(
        "celex,ecli,lodge_date,document_date,ruling_title,ruling_name,ruling_type,case_label\n"
        "61999CJ9001,EU:C:2001:9001,1999-02-01,2001-05-04,Judgment,Alder v Birch,not_specified,Case C-9001/99\n",
        encoding="cp1252",
    )

    table = read_case_metadata(tmp_path)

    record = table.records["61999CJ9001"]
    assert (record.ecli, record.name) == ("ECLI:EU:C:2001:9001", "Alder v Birch")
    assert (record.decided, record.lodged) == (date(2001, 5, 3), date(1999, 2, 1))
    assert table.by_ecli == {"ECLI:EU:C:2001:9001": "61999CJ9001"}
    assert [(f.where, f.kind, f.note) for f in table.findings] == [("titles.csv", "metadata_disagrees", "decided")]


def test_what_the_text_says_is_kept_and_a_difference_reported(tmp_path: Path) -> None:
    (tmp_path / "index.tsv").write_text("celex\tecli\tdate\n61999CJ9001\tECLI:EU:C:2001:9001\t2001-05-04\n")
    read = document("61999CJ9001", date=date(2001, 5, 3))

    (told,) = add_metadata([read], read_case_metadata(tmp_path))

    assert told.date == date(2001, 5, 3)
    assert told.metadata["ecli"] == "ECLI:EU:C:2001:9001"
    assert [f.kind for f in told.findings] == ["date_disagrees"]


def test_letters_mangled_twice_are_repaired() -> None:
    once = "Šváby".encode().decode("latin-1")
    twice = once.encode().decode("latin-1")

    assert repair_letters(twice) == repair_letters(once) == "Šváby"


def test_a_folder_without_lists_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no list or notice"):
        read_case_metadata(tmp_path)


def test_printed_numbers_replace_inferred_ones_whatever_comes_first(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        "<html><body><p>JUDGMENT OF THE COURT</p><p>3 May 1999</p><p>In Case C-9003/97,</p>"
        "<p>1 The mill.</p></body></html>"
    )
    lines = tmp_path / "early.jsonl"
    lines.write_text(
        '{"celex": "61997CJ9003", "paragraphs": [{"number_inferred": 1, "text": "Mill."}]}\n'
        '{"celex": "61997CJ9004", "paragraphs": [{"number_inferred": 1, "text": "Lake."}]}\n'
    )

    for order in ([page, lines], [lines, page]):
        documents, refused = read_files(order)

        formats = {d.id: d.source.format for d in documents}
        assert formats == {"61997CJ9003": "cjeu_html", "61997CJ9004": "cjeu_jsonl"}
        assert not refused
        assert "duplicate_left_out" in {f.kind for d in documents for f in d.findings}


def test_a_name_that_only_the_documents_know_is_a_record_too() -> None:
    table = CaseTable({"61999CJ9001": CaseRecord("61999CJ9001", name="Alder v Birch")}, {}, (), {})
    documents = [
        document("61999CJ9001", metadata={"name": "ALDER"}),
        document("62002CJ9396", metadata={"name": "Elm BV v Inspector", "case_numbers": ["C-9396/02"]}),
        document("62003CJ9397"),
    ]

    named = {record.celex: record.name for record in named_records(table, documents)}

    assert named == {"61999CJ9001": "Alder v Birch", "62002CJ9396": "Elm BV v Inspector"}
