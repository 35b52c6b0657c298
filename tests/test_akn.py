from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from renvoi import ids, ingest
from renvoi.errors import BadInput
from renvoi.sources import Raw
from renvoi.sources.akn import akn
from renvoi.types import Document

JUDGMENT = """<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0"><judgment><meta><identification>
<FRBRWork><FRBRthis value="https://caselaw.nationalarchives.gov.uk/id/ewhc/ch/2031/7"/><FRBRdate date="{date}"/>
<FRBRname value="Lamp v Fog"/></FRBRWork></identification></meta><header><p>IN THE COURT</p></header>
<judgmentBody><decision>{body}</decision></judgmentBody></judgment></akomaNtoso>"""


def read(body: str, date: str = "2031-05-04") -> Document:
    data = JUDGMENT.format(body=body, date=date).encode()
    assert akn.recognises(data)
    (document,) = akn.read(Raw(Path("case.xml"), data, "0"))
    return document


def paragraph(number: str, content: str) -> str:
    return f'<paragraph eId="para_{number}"><num>{number}.</num><content><p>{content}</p></content></paragraph>'


def paths(document: Document) -> list[str]:
    return [ids.format_path(p.path) for p in document.provisions]


def test_numbered_paragraphs_are_provisions_and_headings_stand_apart() -> None:
    document = read(f"<level><heading>Facts</heading>{paragraph('1', 'A lamp.')}</level>{paragraph('2', 'Fog.')}")

    assert paths(document) == ["preamble_1", "heading_1", "para_1", "para_2"]
    assert (document.id, document.title, document.kind) == ("uk/ewhc/ch/2031/7", "Lamp v Fog", "judgment")


def test_what_a_paragraph_quotes_is_its_text_and_opens_nothing() -> None:
    quoted = f"<block><embeddedStructure>{paragraph('1', 'Quoted.')}</embeddedStructure></block>"

    document = read(f'<paragraph eId="para_1"><num>1.</num><content><p>It says:</p>{quoted}</content></paragraph>')

    assert paths(document) == ["preamble_1", "para_1"]
    assert document.provisions[1].text == "It says: 1. Quoted."


def test_a_number_that_stands_twice_is_kept_apart_and_reported() -> None:
    document = read(paragraph("1", "A.") + paragraph("1", "B."))

    assert paths(document) == ["preamble_1", "para_1", "para_u1"]
    assert [f.kind for f in document.findings] == ["repeated_number"]


def test_footnotes_do_not_cut_the_sentence() -> None:
    document = read(paragraph("1", "A lamp<authorialNote><p>Oil.</p></authorialNote> burns."))

    assert [(p.kind, p.text) for p in document.provisions][1:] == [("leaf", "A lamp burns."), ("footnote", "Oil.")]


def test_a_placeholder_date_is_no_date() -> None:
    document = read(paragraph("1", "A."), date="1000-01-01")

    assert document.date is None
    assert [f.kind for f in document.findings] == ["no_date"]


def test_a_judgment_without_a_body_is_refused() -> None:
    data = JUDGMENT.format(body="", date="").replace("judgmentBody", "other").encode()

    with pytest.raises(BadInput, match="case.xml: has no FRBRthis"):
        akn.read(Raw(Path("case.xml"), data, "0"))


def printed_text(judgment: Any) -> str:
    judgment.remove(judgment.find("{*}meta"))
    notes = []
    for note in judgment.findall(".//{*}authorialNote"):
        notes.append("".join(note.itertext()))
        tail, parent, previous = note.tail or "", note.getparent(), note.getprevious()
        if previous is not None:
            previous.tail = (previous.tail or "") + tail
        else:
            parent.text = (parent.text or "") + tail
        parent.remove(note)
    return squeeze("".join(judgment.itertext()) + "".join(notes))


def squeeze(text: str) -> str:
    return re.sub(r"\s", "", text.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))


def test_real_judgments_are_read_without_losing_or_moving_a_word(data: Path) -> None:
    files = sorted((data / "judgments_other" / "uk_akn").glob("*.xml"))
    assert files

    for file in files:
        (document,) = ingest.read_file(file)
        ours = squeeze("".join(p.label + p.heading + p.text for p in document.provisions))
        theirs = printed_text(etree.fromstring(file.read_bytes()).find("{*}judgment"))

        assert ours == theirs, file.name
