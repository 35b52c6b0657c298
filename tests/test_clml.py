from __future__ import annotations

import re
from pathlib import Path

import pytest
from lxml import etree

from renvoi import ids, ingest
from renvoi.errors import BadInput
from renvoi.sources import Raw
from renvoi.sources.clml import clml
from renvoi.types import Document

ACT = """<Legislation xmlns="http://www.legislation.gov.uk/namespaces/legislation"
 xmlns:dc="http://purl.org/dc/elements/1.1/" IdURI="http://www.legislation.gov.uk/id/ukpga/2021/7">
<Metadata><dc:title>Lamps Act 2021</dc:title></Metadata><Primary><Body>{}</Body></Primary></Legislation>"""


def read(body: str) -> Document:
    data = ACT.format(body).encode()
    assert clml.recognises(data)
    (document,) = clml.read(Raw(Path("act.xml"), data, "0"))
    return document


def paths(document: Document) -> list[str]:
    return [ids.format_path(p.path) for p in document.provisions]


def test_sections_subsections_and_paragraphs_nest_and_the_group_gives_the_heading() -> None:
    document = read(
        "<P1group><Title>Lamps</Title><P1><Pnumber>1</Pnumber><P1para><P2><Pnumber>1</Pnumber><P2para><Text>A lamp is"
        "</Text><P3><Pnumber>a</Pnumber><P3para><Text>hot, or</Text></P3para></P3><P3><Pnumber>b</Pnumber><P3para>"
        "<Text>cold,</Text></P3para></P3><Text>if lit.</Text></P2para></P2></P1para></P1></P1group>"
    )

    assert paths(document) == [
        "sec_1", "sec_1__subsec_1", "sec_1__subsec_1__point_a", "sec_1__subsec_1__point_b", "sec_1__subsec_1__tail_1",
    ]  # fmt: skip
    assert document.provisions[0].heading == "Lamps"
    assert (document.id, document.short_titles) == ("uk/ukpga/2021/7", ("Lamps Act",))


def test_block_amendments_are_quotations() -> None:
    document = read(
        "<P1><Pnumber>1</Pnumber><P1para><Text>After section 2 insert—</Text><BlockAmendment><P1><Pnumber>1</Pnumber>"
        "<P1para><Text>New.</Text></P1para></P1></BlockAmendment></P1para></P1>"
    )

    assert paths(document) == ["sec_1", "sec_1__quote_1", "sec_1__quote_1__sec_1"]
    assert document.provisions[2].state == "quoted"


def test_a_section_of_dots_is_repealed() -> None:
    document = read("<P1><Pnumber>1</Pnumber><P1para><Text>. . . . .</Text></P1para></P1>")

    assert document.provisions[0].state == "repealed"


def test_an_act_without_its_number_is_refused() -> None:
    data = ACT.format("").replace("/ukpga/2021/7", "").encode()

    with pytest.raises(BadInput, match="act.xml: has no IdURI"):
        clml.read(Raw(Path("act.xml"), data, "0"))


def test_real_acts_are_read_without_losing_or_moving_a_word(data: Path) -> None:
    files = sorted((data / "statutes" / "uk").glob("*.xml"))
    assert files

    for file in files:
        (document,) = ingest.read_file(file)
        root = etree.fromstring(file.read_bytes())
        for metadata in root.findall("{*}Metadata"):
            root.remove(metadata)
        # A section's heading is printed above its number.
        parts = [
            (p.heading + p.label if p.path[-1].level in ("sec", "para") else p.label + p.heading) + p.text
            for p in document.provisions
        ]
        assert re.sub(r"\W", "", "".join(parts)) == re.sub(r"\W", "", "".join(root.itertext())), file.name
