from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from renvoi import ingest
from renvoi.errors import BadInput, DuplicateProvision, EmptyAct
from renvoi.sources import Raw
from renvoi.sources.jsonl import dump, jsonl
from renvoi.types import Document


def act(tmp_path: Path, text: str = "§ 1. Fyret skal: 1) lyse, 2) blinke.\nStk. 2. Ikke om dagen.") -> Document:
    file = tmp_path / "act.txt"
    file.write_text(text, encoding="utf-8")
    return ingest.read_file(file, jurisdiction="da")[0]


def read(text: str) -> tuple[Document, ...]:
    data = text.encode()
    assert jsonl.recognises(data)
    return jsonl.read(Raw(Path("acts.jsonl"), data, "0"))


def test_what_is_dumped_is_read_back_equal(tmp_path: Path) -> None:
    document = act(tmp_path)

    (again,) = read(dump([document]))

    assert replace(again, source=document.source) == document


def test_a_real_act_is_read_back_equal(data: Path) -> None:
    (document,) = ingest.read_file(data / "statutes" / "da" / "lexdania" / "2023-1547.xml")

    (again,) = read(dump([document]))

    assert replace(again, source=document.source) == document


def test_many_documents_stand_in_one_file(tmp_path: Path) -> None:
    document = act(tmp_path)

    assert len(read(dump([document, document]))) == 2


@pytest.mark.parametrize(
    "old, new, error, said",
    [
        ('"text": "lyse,"', '"text": ""', EmptyAct, "has no text"),
        ("__point_2", "__point_1", DuplicateProvision, "stands twice"),
        ('"language"', '"lang"', BadInput, "KeyError 'language'"),
        ('"parent": "da/act~sec_1__subsec_1"', '"parent": "da/act~sec_7"', BadInput, "before its parent"),
        ("]", "", BadInput, "line 1: "),
    ],
)
def test_damage_is_named_with_file_and_line(
    tmp_path: Path, old: str, new: str, error: type[BadInput], said: str
) -> None:
    text = dump([act(tmp_path)])
    assert old in text

    with pytest.raises(error) as caught:
        read(text.replace(old, new))

    assert "acts.jsonl, line 1" in str(caught.value) and said in str(caught.value)
