"""The bundled sample is there, parses, and holds the references it was written for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lxml import etree, html

from renvoi.sample import SETS, sample_files


def text_of(file: Path) -> str:
    raw = file.read_bytes()
    root = html.document_fromstring(raw.decode()) if file.suffix == ".html" else etree.fromstring(raw)
    return re.sub(r"\s+", " ", " ".join(root.itertext()))


@pytest.mark.parametrize("name", SETS)
def test_every_set_of_the_sample_has_files_that_parse(name: str) -> None:
    files = sample_files(name)

    assert len(files) >= 2
    assert all(len(text_of(file)) > 1000 for file in files)


@pytest.mark.parametrize(
    ("name", "patterns"),
    [
        ("da", [r"boligfællesskabslovens § 6, stk\. 1", r"§§ 5-7", r"Samme lovs § 28", r"foregående paragraf"]),
        ("pl", [r"pkt 1–3", r"Kodeksu sąsiedzkiego", r"zdanie pierwsze", r"art\. 9 § 2 pkt 1 ustawy"]),
        ("eu", [r"Articles 7 to 9", r"paragraph 2, point \(b\), of this Article", r"of Regulation \(EU\) 2027/9101"]),
        ("cjeu", [r"paragraphs 9 and 12", r"Lindqvist, paragraphs 17 and 18", r"paragraphs 9 to 12 above"]),
    ],
)
def test_the_sample_holds_references_of_every_kind(name: str, patterns: list[str]) -> None:
    text = " ".join(text_of(file) for file in sample_files(name)).replace("\u00a0", " ")

    missing = [pattern for pattern in patterns if not re.search(pattern, text)]

    assert missing == []
