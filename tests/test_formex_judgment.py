"""Formex of the courts: every paragraph has the publisher's number, and no text is lost."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from renvoi import registry
from renvoi.errors import BadInput
from renvoi.sources import Raw
from renvoi.sources.formex_judgment import formex_judgment
from renvoi.types import Document

JUDGMENT = """<?xml version="1.0" encoding="UTF-8"?>
<JUDGMENT xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:noNamespaceSchemaLocation="http://formex.publications.europa.eu/schema/formex-05.58-20161101.xd">
<BIB.JUDGMENT><REF.CASE FILE="n.a."><NO.CASE>C-901/31</NO.CASE></REF.CASE>
<NO.CELEX>62031CJ0901</NO.CELEX><NO.ECLI ECLI="ECLI:EU:C:2033:12">EU:C:2033:12</NO.ECLI></BIB.JUDGMENT>
<CURR.TITLE><PAGE.HEADER><P>Judgment of 3. 2. 2033 – Case C-901/31</P></PAGE.HEADER></CURR.TITLE>
<TITLE><TI><P><HT TYPE="UC">Judgment of the Court</HT> (Fourth Chamber)</P>
<P><DATE ISO="20330203">3 February 2033</DATE><NOTE NOTE.ID="E0001" NUMBERING="STAR" TYPE="FOOTNOTE"><P>Language of
the case: Danish.</P></NOTE></P></TI></TITLE>
<INTERMEDIATE><INDEX IDX.OPEN="(" SEPARATOR=" — " IDX.CLOSE=")"><KEYWORD>Bees</KEYWORD><KEYWORD>Honey</KEYWORD>
</INDEX></INTERMEDIATE>
<JUDGMENT.INIT><P>In Joined Cases C‑901/31 and C‑902/31,</P></JUDGMENT.INIT>
<PARTIES><PLAINTIFS><P><HT TYPE="BOLD">Alder Honey A/S,</HT> represented by A. Elm,</P></PLAINTIFS>
<AGAINST>v</AGAINST><DEFENDANTS><P><HT TYPE="BOLD">Bee Board,</HT></P><P><HT TYPE="BOLD">Vest,</HT></P></DEFENDANTS>
</PARTIES>
<P>gives the following</P>
<PREAMBLE><GR.VISA><VISA>having regard to the written procedure,</VISA></GR.VISA>
<GR.CONSID><CONSID><P>after considering the observations of:</P>
<LIST TYPE="NDASH"><ITEM><P>Alder Honey,</P></ITEM><ITEM><P>the Commission,</P></ITEM></LIST></CONSID></GR.CONSID>
<PREAMBLE.FINAL>the following</PREAMBLE.FINAL></PREAMBLE>
<CONTENTS.JUDGMENT>
<GR.SEQ LEVEL="1"><TITLE><TI><P><HT TYPE="BOLD">Judgment</HT></P></TI></TITLE>
<NP.ECR IDENTIFIER="NP0001"><NO.P>1</NO.P><TXT>This request concerns Article 4, which reads:</TXT>
<P><QUOT.S LEVEL="1"><PARAG IDENTIFIER="004.001"><NO.PARAG><QUOT.START CODE="2018" ID="QS1"/>1.</NO.PARAG>
<ALINEA>Bees shall be counted.</ALINEA></PARAG><NP><NO.P>10.</NO.P><TXT>So shall hives.<QUOT.END CODE="2019"/></TXT>
</NP></QUOT.S></P></NP.ECR>
<GR.SEQ LEVEL="2"><TITLE><TI><P>European Union law</P></TI></TITLE>
<NP.ECR IDENTIFIER="NP0002"><NO.P>2</NO.P><TXT>A hive of 1 m<HT TYPE="SUP">2</HT> is large (judgment of 9 May 2030,
Grimme, <REF.DOC.ECR FILE="x">C‑17/28</REF.DOC.ECR>, EU:C:2030:5, paragraph 4).</TXT></NP.ECR></GR.SEQ></GR.SEQ>
<GR.SEQ LEVEL="1"><TITLE><TI><P>Costs</P></TI></TITLE>
<NP.ECR IDENTIFIER="NP0003"><NO.P>3</NO.P><TXT>Costs are not recoverable.</TXT></NP.ECR>
<P>On those grounds,</P></GR.SEQ>
<JURISDICTION><INTRO>the Court hereby rules:</INTRO><LIST TYPE="ARAB">
<ITEM><NP><NO.P><HT TYPE="BOLD">1.</HT></NO.P><TXT>Bees are goods.</TXT></NP></ITEM>
<ITEM><NP><NO.P>2.</NO.P><TXT>Hives are not.</TXT></NP></ITEM></LIST></JURISDICTION>
</CONTENTS.JUDGMENT>
<SIGNATURE.CASE><SIGNATORY><P>[Signatures]</P></SIGNATORY></SIGNATURE.CASE>
</JUDGMENT>
"""


def read(xml: str, name: str = "ECR_62031CJ0901_EN_01.xml") -> Document:
    data = xml.encode()
    (document,) = formex_judgment.read(Raw(Path(name), data, hashlib.sha256(data).hexdigest()))
    return document


def test_paragraphs_have_the_publishers_numbers_and_quoted_numbers_are_text() -> None:
    document = read(JUDGMENT)

    paras = [(p.id, p.text) for p in document.provisions if p.path[-1].level == "para"]

    assert paras == [
        (
            "62031CJ0901~para_1",
            "This request concerns Article 4, which reads: ‘1. Bees shall be counted. 10. So shall hives.’",
        ),
        (
            "62031CJ0901~para_2",
            "A hive of 1 m² is large (judgment of 9 May 2030, Grimme, C‑17/28, EU:C:2030:5, paragraph 4).",
        ),
        ("62031CJ0901~para_3", "Costs are not recoverable. On those grounds,"),
    ]
    assert [p.kind for p in document.provisions if p.path[-1].level == "para"] == ["leaf", "leaf", "costs"]


def test_headings_are_nested_and_the_operative_part_and_notes_stand_apart() -> None:
    document = read(JUDGMENT)

    headings = [(p.heading, p.parent) for p in document.provisions if p.kind == "division"]

    assert headings == [
        ("Judgment", None), ("European Union law", "62031CJ0901~head_1"), ("Costs", None),
    ]  # fmt: skip
    assert [(p.label, p.text) for p in document.provisions if p.path[-1].level == "item"] == [
        ("1.", "Bees are goods."),
        ("2.", "Hives are not."),
    ]
    assert [p.text for p in document.provisions if p.kind == "footnote"] == ["Language of the case: Danish."]


def test_identity_day_parties_and_language_come_from_the_file() -> None:
    document = read(JUDGMENT)

    assert (document.id, document.kind, document.language, str(document.date)) == (
        "62031CJ0901", "judgment", "en", "2033-02-03",
    )  # fmt: skip
    assert document.metadata["ecli"] == "ECLI:EU:C:2033:12"
    assert document.metadata["case_numbers"] == ["C-901/31", "C-902/31"]
    assert document.metadata["name"] == "Alder Honey A/S v Bee Board and Others"


def test_the_letter_of_the_court_that_old_files_leave_out_is_added() -> None:
    assert read(JUDGMENT.replace("62031CJ0901", "62031J0901"), "x.xml").id == "62031CJ0901"


def test_no_text_is_lost() -> None:
    document = read(JUDGMENT)

    body = re.sub(r"(?s)<BIB.*?</BIB.JUDGMENT>|<CURR.*?</CURR.TITLE>", "", JUDGMENT)
    words = re.findall(r"\w+", re.sub(r"<[^>]*>", " ", re.sub(r"<HT TYPE=.SUP.>2</HT>", "²", body)))
    said = " ".join(f"{p.heading} {p.label} {p.text}" for p in document.provisions)
    # The two things that move: the numbers of paragraphs are labels, the footnote stands at the end.
    assert sorted(re.findall(r"\w+", said)) == sorted(words)


def test_a_file_is_recognised_by_its_root_and_only_by_this_source() -> None:
    able = [n for n in registry.names("sources") if registry.load("sources", n).recognises(JUDGMENT.encode())]
    best = max(able, key=lambda n: registry.load("sources", n).priority)

    assert best == "formex_judgment"


@pytest.mark.parametrize(
    ("broken", "line"),
    [
        (re.sub(r"(?s)<CONTENTS.*</CONTENTS.JUDGMENT>", "", JUDGMENT), "no numbered paragraph"),
        (JUDGMENT.replace("</GR.SEQ>", "", 1), "line"),
        (
            re.sub(r"(?s)<BIB.*?</BIB.JUDGMENT>|<JUDGMENT.INIT>.*?</JUDGMENT.INIT>", "", JUDGMENT),
            "neither a CELEX nor a case number",
        ),
    ],
)
def test_what_is_no_whole_decision_is_refused_in_one_line(broken: str, line: str) -> None:
    with pytest.raises(BadInput, match=line):
        read(broken)
