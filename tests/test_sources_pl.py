"""Polish sources: the Sejm's HTML, consolidated text, Markdown."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from pathlib import Path

import pytest
from lxml import html

from renvoi import ids
from renvoi.errors import BadInput, EmptyAct
from renvoi.registry import load
from renvoi.sources import Raw
from renvoi.tree import fold
from renvoi.types import Document, Provision


def read(source: str, path: Path, data: bytes | None = None) -> Document:
    data = path.read_bytes() if data is None else data
    (document,) = load("sources", source).read(Raw(path, data, hashlib.sha256(data).hexdigest()))
    return document


def by_path(document: Document) -> dict[str, Provision]:
    return {ids.format_path(p.path): p for p in document.provisions}


def letters(text: str) -> str:
    """Return only what is compared when nothing may be lost: no blanks, no dashes and marks of layout."""
    return re.sub(r"[^\w§%]", "", fold(text)).replace("_", "")


PAGE = """<!DOCTYPE HTML><html lang="pl"><body>
<h1><span class="head-type">Ustawa</span><span class="head-date">z dnia 3 maja 2021&nbsp;r.</span>
<span class="head-title">o latarniach morskich</span></h1>
<div class="parts"><section><div class="part"><h2 class="part"><span>Treść ustawy</span></h2><div class="block">
%s
</div></div><div class="gloss-section"><div class="gloss"><div>1)</div><div>Przypis o latarni.</div></div></div>
</section></div><script>var tree = [];</script></body></html>"""


def unit(code: str, label: str, inner: str) -> str:
    return f'<div class="unit unit_{code} pro-text false"><h3>{label}</h3><div class="unit-inner">{inner}</div></div>'


def said(text: str) -> str:
    return f'<div data-template="xText" CLASS="pro-text">{text}</div>'


def test_sejm_html_reads_articles_points_tails_and_quotations(tmp_path: Path) -> None:
    quoted = unit("arti", "Art.&nbsp;9a.", said("Latarnik, o którym mowa w art. 9, śpi."))
    box = (
        '<div class="cite-box"><div class="qmark-opn">„</div><div class="cite-body">' + quoted
        + '</div><div class="qmark-cls">”</div><div class="trailer">.</div></div>'
    )  # fmt: skip
    points = unit("pint", "1)", said("świeci")) + unit("pint", "2)", said("trąbi")) + said("- jeżeli jest mgła.")
    body = unit("arti", "Art.&nbsp;1.", unit("pass", "1.", said("Latarnia:") + points)) + unit(
        "arti", "Art.&nbsp;21<sup>1</sup>.", said("W ustawie o portach dodaje się art. 9a:") + box
    )

    found = by_path(read("sejm_html", tmp_path / "latarnie.html", (PAGE % body).encode()))

    assert list(found) == [
        "art_1", "art_1__para_1", "art_1__para_1__point_1", "art_1__para_1__point_2", "art_1__para_1__tail_1",
        "art_21-1", "art_21-1__quote_1", "art_21-1__quote_1__art_9a", "note_1",
    ]  # fmt: skip
    assert found["art_1__para_1__tail_1"].kind == "tail"
    assert found["art_21-1__quote_1__art_9a"].state == "quoted"
    assert found["note_1"].kind == "footnote"


def test_a_paragraph_sign_is_an_article_in_an_order_and_a_part_of_an_article_in_a_statute(tmp_path: Path) -> None:
    order = PAGE % unit("para", "§&nbsp;1.", unit("pass", "1.", said("Raz.")) + unit("pass", "2.", said("Dwa.")))
    statute = PAGE % unit("arti", "Art. 1.", unit("para", "§ 1.", said("Raz.")) + unit("para", "§ 2.", said("Dwa.")))

    paths = [list(by_path(read("sejm_html", tmp_path / "a.html", page.encode()))) for page in (order, statute)]

    assert paths[0][:3] == ["sec_1", "sec_1__para_1", "sec_1__para_2"]
    assert paths[1][:3] == ["art_1", "art_1__para_1", "art_1__para_2"]


def test_a_cut_page_and_a_page_without_an_article_are_refused(tmp_path: Path) -> None:
    whole = PAGE % unit("arti", "Art. 1.", said("Latarnia świeci."))

    with pytest.raises(BadInput, match=r"cut.html, line \d+: the page ends before"):
        read("sejm_html", tmp_path / "cut.html", whole[: len(whole) // 2].encode())
    with pytest.raises(EmptyAct, match="notice.html: no article"):
        read("sejm_html", tmp_path / "notice.html", (PAGE % said("Nie znaleziono.")).encode())


def test_the_record_of_an_act_is_no_act(tmp_path: Path) -> None:
    record = b'{"address":"WDU1","announcementDate":"2021-05-03","displayAddress":"Dz.U. 2021 poz. 1"}'
    source = load("sources", "sejm_meta")
    alone, beside = tmp_path / "alone.meta.json", tmp_path / "act.meta.json"
    (tmp_path / "act.html").write_text("<html>")

    assert source.recognises(record)
    assert source.read(Raw(beside, record, "")) == ()
    with pytest.raises(BadInput, match="without its text"):
        source.read(Raw(alone, record, ""))


def test_sejm_html_loses_no_word_of_the_real_pages(data: Path) -> None:
    for path in sorted((data / "statutes/pl/sejm_html").glob("*.html")):
        root = html.fromstring(path.read_bytes(), parser=html.HTMLParser(encoding="utf-8"))
        for unwanted in root.xpath("//script|//*[@id='toc']|//button|//h1|//*[@class='tooltip-text']|//head"):
            unwanted.getparent().remove(unwanted) if not unwanted.tail else unwanted.clear(keep_tail=True)
        for heading in root.xpath("(//h2)[1]"):
            heading.clear()
        for raised in root.xpath("//sup"):
            raised.text = load_raised(raised.text)
        expected = Counter(letters(" ".join(root.itertext())))

        document = read("sejm_html", path)

        got = Counter(letters(" ".join(f"{p.label} {p.heading} {p.text}" for p in document.provisions)))
        assert got == expected, path.name


def load_raised(text: str) -> str:
    from renvoi.sources import _pl

    return _pl.raise_text(text)
