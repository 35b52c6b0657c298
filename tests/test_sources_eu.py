"""EU acts in the publisher's formats: nothing lost, every article there, numbers where a reader expects them."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from pathlib import Path

import pytest
from lxml import etree

from renvoi import registry
from renvoi.errors import BadInput, EmptyAct
from renvoi.sources import Raw, Source
from renvoi.tree import fold
from renvoi.types import Document, Provision

_ROOT = Path(__file__).parent.parent
_DATA = _ROOT / (os.environ.get("RENVOI_DATA") or _ROOT.parent / "shared" / "data") / "statutes" / "eu"
_FILES = sorted([*_DATA.glob("xhtml/*"), *_DATA.glob("formex_and_old/*")])
needs_data = pytest.mark.skipif(not _FILES, reason="no EU acts here: set RENVOI_DATA to the data folder")


def _raw(data: bytes, path: Path = Path("act.html")) -> Raw:
    return Raw(path, data, hashlib.sha256(data).hexdigest())


def _sources(data: bytes) -> list[str]:
    names = ("eurlex_xhtml", "eurlex_html", "formex")
    return [n for n in names if n in registry.names("sources") and registry.load("sources", n).recognises(data)]


def _read(data: bytes, path: Path = Path("act.html")) -> Document:
    (name,) = _sources(data)
    source: Source = registry.load("sources", name)
    (document,) = source.read(_raw(data, path))
    return document


def _oj(
    body: str, title: str = "REGULATION (EU) 2031/77 OF THE COUNCIL of 3 May 2031 on kites (Kite Regulation)"
) -> bytes:
    return (
        '<html xmlns="http://www.w3.org/1999/xhtml"><body><p class="oj-hd-lg">EN</p>'
        f'<div class="eli-main-title"><p class="oj-doc-ti">{title}</p></div>{body}</body></html>'
    ).encode()


def _cons(body: str) -> bytes:
    return (
        '<html xmlns="http://www.w3.org/1999/xhtml"><body>'
        '<p class="reference">02031R0077 — EN — 04.12.2033 — 004.001</p>'
        '<p class="title-doc-first">REGULATION (EU) 2031/77 OF THE COUNCIL of 3 May 2031 on kites</p>'
        f"{body}</body></html>"
    ).encode()


def _list(*rows: tuple[str, str]) -> str:
    return "".join(
        f'<table><tr><td><p class="oj-normal">{label}</p></td><td>{inner}</td></tr></table>' for label, inner in rows
    )


def _p(text: str) -> str:
    return f'<p class="oj-normal">{text}</p>'


def _article(number: str, body: str) -> str:
    heading = '<div class="eli-title"><p class="oj-sti-art">Kites</p></div>'
    return f'<div><p class="oj-ti-art">Article {number}</p>{heading}{body}</div>'


def _by_path(document: Document) -> dict[str, Provision]:
    return {p.id.partition("~")[2]: p for p in document.provisions}


def test_a_consolidated_paragraph_has_its_number_and_its_text() -> None:
    body = (
        '<div class="eli-subdivision" id="art_1"><p class="title-article-norm">Article 1</p>'
        '<div class="norm"><span class="no-parag">2. </span>'
        '<div class="norm inline-element">The operator shall keep a log.</div></div></div>'
    )

    found = _by_path(_read(_cons(body)))

    assert found["art_1__para_2"].text == "The operator shall keep a log."
    assert found["art_1__para_2"].label == "2."


def test_a_page_of_site_furniture_is_no_act() -> None:
    page = _oj("<p class='oj-normal'>The requested document does not exist.</p>")

    with pytest.raises(EmptyAct, match="no article"):
        _read(page)


def test_a_delegated_act_without_a_table_is_read() -> None:
    page = _oj(
        _article("1", _p("Kites shall have a string.")),
        "COMMISSION DELEGATED REGULATION (EU) 2031/9 of 3 May 2031 on strings",
    )

    document = _read(page)

    assert document.id == "32031R0009"
    assert "Delegated Regulation (EU) 2031/9" in document.metadata["names"]
    assert _by_path(document)["art_1"].text == "Kites shall have a string."


def test_several_unnumbered_paragraphs_are_subparagraphs_and_one_is_the_paragraph_itself() -> None:
    body = _p("1.\u00a0\u00a0\u00a0Kites fly if:") + _list(("(a)", _p("there is wind;")), ("(b)", _p("it is day.")))
    body += (
        _p("Point (a) shall not apply indoors.") + _p("2.\u00a0\u00a0\u00a0Strings are:") + _list(("(a)", _p("long.")))
    )

    found = _by_path(_read(_oj(_article("4", body))))

    assert found["art_4__para_1__subpar_1__point_b"].text == "it is day."
    assert found["art_4__para_1__subpar_2"].text == "Point (a) shall not apply indoors."
    assert found["art_4__para_2"].text == "Strings are:"
    assert found["art_4__para_2__point_a"].text == "long."


def test_points_nest_and_a_sentence_that_goes_on_after_a_list_is_its_tail() -> None:
    inner = _p("a kite:") + _list(("(i)", _p("red; or")), ("(ii)", _p("blue;")))
    body = _p("Nobody shall fly:") + _list(("(a)", inner), ("—", _p("a dragon,"))) + _p("unless the wind is fair.")

    found = _by_path(_read(_oj(_article("5a", body))))

    assert found["art_5a__point_a__point_ii"].text == "blue;"
    assert found["art_5a__indent_1"].text == "a dragon,"
    assert found["art_5a__tail_1"].text == "unless the wind is fair."


def test_quoted_provisions_open_nothing_in_the_amending_act() -> None:
    body = _p("In Regulation (EU) 2030/1, Article 6 is replaced by the following:")
    body += (
        '<p class="oj-ti-art">‘Article 6</p>'
        + _p("1.\u00a0\u00a0\u00a0New kites.")
        + _p("2.\u00a0\u00a0\u00a0Old kites, as in Article 7, are banned.’.")
    )
    page = _oj(_article("1", body) + _article("2", _p("It enters into force.")))

    found = _by_path(_read(page))

    assert [path for path in found if path.startswith("art_") and "__" not in path] == ["art_1", "art_2"]
    assert found["art_1__quote_1__art_6__para_2"].state == "quoted"


def test_an_annex_has_sections_and_dotted_points_below_it() -> None:
    annex = '<div id="anx_VII"><p class="oj-doc-ti">ANNEX VII</p><p class="oj-doc-ti">Checks</p>'
    annex += '<p class="oj-ti-grseq-1">4.\u00a0\u00a0\u00a0Control</p>'
    annex += _list(("4.1.", _p("First.") + _p("Then.")), ("4.2.", _p("Show:") + _list(("(a)", _p("the string.")))))
    annex += '<p class="oj-ti-grseq-1">5.\u00a0\u00a0\u00a0After</p>' + _list(("5.1.", _p("Land."))) + "</div>"

    found = _by_path(_read(_oj(_article("1", _p("Kites.")) + annex)))

    assert found["annex_VII"].heading == "Checks"
    assert found["annex_VII__point_4"].heading.endswith("Control")
    assert found["annex_VII__point_4.1__subpar_2"].text == "Then."
    assert found["annex_VII__point_4.2__point_a"].text == "the string."
    assert str(found["annex_VII__point_5.1"].parent).endswith("annex_VII__point_5")


def test_recitals_and_footnotes_are_apart_and_note_marks_are_counted() -> None:
    recital = _p('Wind matters <a id="ntc1">(<span class="oj-super">1</span>)</a>.')
    page = (
        _p("THE COUNCIL,") + _list(("(1)", recital)) + _p("HAS ADOPTED THIS REGULATION:") + _article("1", _p("Kites."))
    )
    page += '<p class="oj-note"><a id="ntr1">(<span class="oj-super">1</span>)</a> OJ L 1, 1.1.2031, p. 1.</p>'

    document = _read(_oj(page))
    found = _by_path(document)

    assert found["rec_1"].kind == "recital"
    assert found["rec_1"].text == "Wind matters."
    assert found["note_1"].text == "OJ L 1, 1.1.2031, p. 1."
    assert {f.kind: f.count for f in document.findings}["note_mark"] == 1


def test_modification_marks_are_counted_and_are_no_text() -> None:
    body = (
        '<p class="title-article-norm">Article 1</p><p class="modref"><a>▼M5</a></p>'
        '<p class="norm">Kites <span>►M2</span> fly. <span>◄</span></p>'
        '<p class="title-article-norm">Article 2</p><p class="modref"><a>▼M1</a> —————</p>'
    )

    document = _read(_cons(body))
    found = _by_path(document)

    assert document.id == "32031R0077@2033-12-04"
    assert document.text_state == "consolidated"
    assert found["art_1"].text == "Kites fly."
    assert found["art_2"].state == "repealed"
    assert {f.kind: f.count for f in document.findings}["modification_mark"] == 4


def test_the_cells_of_a_table_are_told_apart() -> None:
    table = "<table class='oj-table'><tr><td>Article 1</td><td>Article 2</td></tr>"
    table += "<tr><td>Article 3</td><td>—</td></tr></table>"

    found = _by_path(_read(_oj(_article("1", _p("See:") + table))))

    assert found["art_1__table_1"].text == "Article 1 | Article 2 | Article 3 | —"


def test_an_article_without_text_is_an_error_that_names_it() -> None:
    page = _oj(_article("1", _p("Kites.")) + _article("2", ""))

    with pytest.raises(EmptyAct, match="Article 2"):
        _read(page)


def test_a_page_cut_off_in_transfer_is_refused() -> None:
    page = _oj(_article("1", _p("Kites.") * 50))[:-400]

    with pytest.raises(BadInput, match="cut off"):
        _read(page)


@needs_data
@pytest.mark.parametrize("path", _FILES, ids=lambda p: p.name)
def test_every_real_file_is_recognised_by_one_source_and_read_or_refused_in_one_line(path: Path) -> None:
    data = path.read_bytes()
    if path.name == "formex_formulas.xml":
        assert _sources(data) == []  # formulas without an act
        return

    try:
        document = _read(data, path)
    except BadInput as error:
        assert str(path) in str(error)
        assert "\n" not in str(error)
    else:
        parents = {p.parent for p in document.provisions}
        assert all(p.text or p.heading or p.id in parents or p.state == "repealed" for p in document.provisions)


# Counted by eye: Articles 6b to 6f of the roaming regulation stand in one quote.
_LATER_QUOTED_ARTICLES = {"32015R2120_oj.xhtml": 5}


@needs_data
@pytest.mark.parametrize("path", _FILES, ids=lambda p: p.name)
def test_a_real_act_has_as_many_articles_as_its_page_has_article_headings(path: Path) -> None:
    data = path.read_bytes()
    if _sources(data) != ["eurlex_xhtml"]:
        pytest.skip("a page without the publisher's classes")
    # Headings of quoted articles begin with a quotation mark; further ones in the same quote are of another act.
    n_headings = len(
        re.findall(rb'<p[^>]*class="(?:oj-)?(?:ti-art|title-article-norm)"[^>]*>(?!\s*\xe2\x80\x98)', data)
    )

    articles = [p for p in _read(data, path).provisions if p.path[-1].level == "art" and p.state != "quoted"]

    assert len(articles) == n_headings - _LATER_QUOTED_ARTICLES.get(path.name, 0)


@needs_data
@pytest.mark.parametrize("path", _FILES, ids=lambda p: p.name)
def test_the_provisions_of_a_real_act_together_are_its_text(path: Path) -> None:
    data = path.read_bytes()
    if _sources(data) != ["eurlex_xhtml"]:
        pytest.skip("a page without the publisher's classes")

    printed = _squeeze(_printed_text(data))
    read = _squeeze(" ".join(" ".join((p.label, p.heading, p.text)) for p in _read(data, path).provisions))

    assert read == printed


@needs_data
@pytest.mark.parametrize("path", _FILES, ids=lambda p: p.name)
def test_nothing_of_an_old_page_or_a_formex_file_is_lost(path: Path) -> None:
    data = path.read_bytes()
    if _sources(data) not in (["eurlex_html"], ["formex"]):
        pytest.skip("read by another source")

    printed = Counter(_squeeze(_old_text(data) if _sources(data) == ["eurlex_html"] else _formex_text(data)))
    read = Counter(_squeeze(" ".join(" ".join((p.label, p.heading, p.text)) for p in _read(data, path).provisions)))

    # Numbers of Formex notes are made here: the file has none.
    assert not printed - read
    assert sum((read - printed).values()) <= 4 * sum(p.path[-1].level == "note" for p in _read(data, path).provisions)


def _old_text(data: bytes) -> str:
    root = etree.fromstring(data.strip(), etree.HTMLParser(encoding="utf-8", huge_tree=True))
    main = root.find(".//*[@id='TexteOnly']")
    whole = "".join(map(str, (root.find(".//body") if main is None else main).xpath(".//text()")))
    if "▼B" in whole:  # from the first mark on: before it stands the title page
        whole = whole[whole.index("▼B") :]
    return re.sub(r"[▼►]\s?[A-Z]\d*|◄|—{3,}", "", whole)


def _formex_text(data: bytes) -> str:
    root = etree.fromstring(data, etree.XMLParser(huge_tree=True))
    for tag in ("BIB.INSTANCE", "INFO.CONSLEG", "INFO.PROD", "FAM.COMP"):
        for element in list(root.iter(tag)):
            assert element.getparent() is not None
            element.getparent().remove(element)
    title = next(e for e in root.iter("TITLE") if e.getparent().tag in ("ACT", "CONS.DOC"))
    title.getparent().remove(title)
    for mark in list(root.iter("QUOT.START", "QUOT.END")):
        mark.text = chr(int(mark.get("CODE"), 16))
    return "".join(map(str, root.xpath("//text()")))


_FRAME = re.compile(
    r"^(oj-)?(hd-|doc-ti$|title-doc-|title-fam-|title-member-|toc-|reference$|disclaimer$|arrow$|modref$)"
)


def _printed_text(data: bytes) -> str:
    """Return all text of the page but its frame, marks and title, by a way of its own: text nodes in order."""
    root = etree.fromstring(data.strip(), etree.HTMLParser(encoding="utf-8", huge_tree=True))
    pieces = []
    for text in root.xpath("//body//text()"):
        parent = text.getparent()
        chain = list(parent.iterancestors()) if text.is_tail else [parent, *parent.iterancestors()]
        inside = {c for e in chain for c in (e.get("class") or "").split()}
        in_frame = any(_FRAME.match(c) for c in inside) and not _in_annex_title(chain)
        is_mark = any(e.tag == "a" and re.match(r"ntc|src\.|#E\d", e.get("id") or e.get("href") or "") for e in chain)
        if not in_frame:
            pieces.append("#" if is_mark and text.strip("() \n") else "" if is_mark else str(text))
    return re.sub(r"[▼►]\s?[A-Z]\d*|◄|\(\s*#\s*\)|#", "", "".join(pieces))


def _in_annex_title(chain: list[etree._Element]) -> bool:
    title = next((e for e in chain if (e.get("class") or "").endswith("doc-ti")), None)
    if title is None:
        return False
    lines = title.xpath("(self::*|preceding-sibling::p[contains(@class,'doc-ti')])")
    return any(re.match(r"\W*(ANNEX|[IVX. ]*MELLÉKLET)", fold("".join(line.itertext()))) for line in lines)


def _squeeze(text: str) -> str:
    text = text.replace("|", "")  # stands between the cells of a table
    text = text.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789"))
    return re.sub(r"[\s\u00a0\u00ad\u200b-\u200d\u2060\ufeff\u2003\u2009]+", "", text)
