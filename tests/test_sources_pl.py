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
    """Return what is compared where nothing may be lost: letters and digits."""
    return re.sub(r"[\W_]+", "", text)


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

    assert source.recognises(record)
    with pytest.raises(BadInput, match="act.meta.json: a record about an act, without its text"):
        source.read(Raw(tmp_path / "act.meta.json", record, ""))


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


def test_pl_text_tells_openers_from_references_that_the_page_broke(tmp_path: Path) -> None:
    act = """Dz. U. 2001 Nr 5 poz. 77
U S TAWA
z dnia 3 maja 2001 r.
Prawo latarniane¹⁾
DZIAŁ PIERWSZY
Przepisy ogólne
Rozdział I
Latarnie
Art. 1. 1. Latarnia, o której mowa w ust.
2. ustawy, świeci, z zastrzeżeniem ust. 2 i
2. Organem jest latar-
nik, chyba że
1) Niniejsza ustawa wdraża dyrektywę 2000/1/WE z dnia 1 maja 2000 r.
w sprawie latarni (Dz. Urz. WE L 1 z 02.05.2000, str. 1).
Opracowano na
podstawie:
t.j.
Dz. U. z 2020 r.
poz. 12.
świeci morze-latarnia albo mórz-
-latarnia.
2. Latarnik:
1)
pilnuje;
1a)
trąbi:
a) w dzień,
b) w nocy
– jeżeli jest mgła;
2)
(uchylony)
Art. 2–4. (uchylone)
Art. 4¹. § 1. Mgła jest gęsta.
§ 2. (uchylony)
©Kancelaria Sejmu s. 2/3
Rozdział II
(zawierający art. 5–6 – uchylony)
Art. 7. Ustawa wchodzi w życie po upływie 14 dni."""

    document = read("pl_text", tmp_path / "akt.txt", act.encode())
    found = by_path(document)

    assert document.id == "pl/du/2001/77"
    assert document.title == "Ustawa z dnia 3 maja 2001 r. – Prawo latarniane"
    assert document.short_titles == ("Prawo latarniane",)
    assert document.metadata["compiled_from"].endswith("poz. 12.")
    assert list(found) == [
        "div_1", "chap_I", "art_1", "art_1__para_1", "art_1__para_2", "art_1__para_2__point_1",
        "art_1__para_2__point_1a", "art_1__para_2__point_1a__letter_a", "art_1__para_2__point_1a__letter_b",
        "art_1__para_2__point_1a__tail_1", "art_1__para_2__point_2", "art_2", "art_3", "art_4", "art_4-1",
        "art_4-1__para_1", "art_4-1__para_2", "chap_II", "art_5", "art_6", "art_7", "note_1",
    ]  # fmt: skip
    assert "Organem jest latarnik, chyba że świeci morze-latarnia" in found["art_1__para_1"].text
    assert {path for path, p in found.items() if p.state == "repealed"} == {
        "art_1__para_2__point_2", "art_2", "art_3", "art_4", "art_4-1__para_2", "chap_II", "art_5", "art_6", "art_7",
    } - {"art_7"}  # fmt: skip


def test_pl_text_keeps_the_wording_in_force_and_sets_the_later_one_apart(tmp_path: Path) -> None:
    act = """USTAWA
z dnia 3 maja 2001 r.
o latarniach
Art. 1. § 1. Latarnia świeci.
[§ 2. Latarnik śpi.]
<§ 2. Latarnik czuwa.>
Nowe brzmienie
§ 2 w art. 1
wejdzie w życie z
dn. 1.01.2030 r.
(Dz. U. z 2029 r.
poz. 5).
§ 3. Mgła jest gęsta."""

    document = read("pl_text", tmp_path / "latarnie.txt", act.encode())

    found = by_path(document)
    assert found["art_1__para_2"].text == "Latarnik śpi."
    assert found["art_1__para_3"].text == "Mgła jest gęsta."
    assert found["note_later1"].text == "§ 2. Latarnik czuwa."
    assert {finding.kind for finding in document.findings} == {"skipped_element", "later_wording"}


def test_an_order_in_text_has_sections_for_articles(tmp_path: Path) -> None:
    order = """ROZPORZĄDZENIE
MINISTRA MORZA
z dnia 3 maja 2001 r.
w sprawie latarni
Na podstawie art. 5 ustawy zarządza się, co następuje:
§ 1. 1. Latarnia świeci, z zastrzeżeniem
§ 2 ust. 1.
2. Latarnik:
1) śpi;
2) czuwa.
§ 2. Rozporządzenie wchodzi w życie z dniem ogłoszenia."""

    document = read("pl_text", tmp_path / "order.txt", order.encode())

    assert document.kind == "order"
    assert list(by_path(document)) == [
        "preamble_1", "sec_1", "sec_1__para_1", "sec_1__para_2", "sec_1__para_2__point_1", "sec_1__para_2__point_2",
        "sec_2",
    ]  # fmt: skip


def test_pl_markdown_takes_up_labels_that_ran_into_the_line_before(tmp_path: Path) -> None:
    act = """Art. 1.

1. Latarnia:

- 1) świeci, o czym mowa w ust. 2; 1a) trąbi;
- 2) (uchylony) 3) stoi w terytoriach:
    - a) morskich: – na wyspie – w całości, – na skale,
    - b) lądowych.

2. O mgle, o której mowa w ust.

3.

i 4, mówi latarnik. 2a. Latarnik czuwa. Art. 2. Mgła jest gęsta.

#### Rozdział 2 Przepisy końcowe

Art. 3. Wchodzi w życie."""

    document = read("pl_markdown", tmp_path / "DU-2021-33.md", act.encode())

    assert document.id == "pl/du/2021/33"
    assert list(by_path(document)) == [
        "art_1", "art_1__para_1", "art_1__para_1__point_1", "art_1__para_1__point_1a", "art_1__para_1__point_2",
        "art_1__para_1__point_3", "art_1__para_1__point_3__letter_a", "art_1__para_1__point_3__letter_a__indent_1",
        "art_1__para_1__point_3__letter_a__indent_2", "art_1__para_1__point_3__letter_b", "art_1__para_2",
        "art_1__para_2a", "art_2", "chap_2", "art_3",
    ]  # fmt: skip
    assert any(finding.kind == "no_title" for finding in document.findings)


def test_an_article_that_stands_after_the_annexes_goes_where_it_belongs(tmp_path: Path) -> None:
    act = "Art. 1. Raz.\n\nArt. 3. Trzy.\n\n- 1) a;\n\nZałącznik nr 1 Wykaz\n\nArt. 2. Dwa.\n\n2. Więcej."

    document = read("pl_markdown", tmp_path / "DU-2021-33.md", act.encode())

    assert list(by_path(document)) == ["art_1", "art_2", "art_2__para_2", "art_3", "art_3__point_1", "annex_1"]
    assert [f.kind for f in document.findings] == ["gap_in_numbering", "moved_article", "no_title"]


def test_text_without_an_article_and_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(EmptyAct, match="note.txt: no article found"):
        read("pl_text", tmp_path / "note.txt", b"Dz. U. 2001 poz. 1\nObwieszczenie o niczym.")
    with pytest.raises(BadInput, match="cp1250.txt, line 2: not UTF-8"):
        read("pl_text", tmp_path / "cp1250.txt", "Art. 1.\nŻółw.".encode("cp1250"))


@pytest.mark.parametrize("source", ["pl_text", "pl_markdown"])
def test_no_word_of_the_real_texts_is_lost(source: str, data: Path) -> None:
    for path in sorted((data / "statutes/pl/text").glob("*.md" if source == "pl_markdown" else "*.txt")):
        document = read(source, path)
        lines = [fold(line) for line in path.read_text(encoding="utf-8").splitlines()]
        furniture = [line for line in lines if re.fullmatch(r"©.*|\d{4}-\d{2}-\d{2}|Dz\. ?U\. \d{4}.*", line)]
        singles = [m[0] for m in re.finditer(r"(?m)(?:^.\n){3,}", "\n".join(lines))]
        side = [f.note.removeprefix("side note: ") for f in document.findings if f.note.startswith("side note")]
        lines[:6] = [re.sub("[⁰-⁹¹²³]+⁾", "", line) for line in lines[:6]]  # marks of footnotes to the title
        expected = Counter(letters(" ".join(lines)).lower())

        title = document.title if document.title != document.id else ""
        kept = [title if source == "pl_text" else "", *furniture, *singles, *side]
        kept += [f"{p.label} {p.heading} {p.text}" for p in document.provisions]

        assert Counter(letters(" ".join(kept)).lower()) == expected, path.name


def test_every_real_polish_text_is_recognised_by_its_own_source_only(data: Path) -> None:
    shelf = {name: load("sources", name) for name in ("sejm_html", "sejm_meta", "pl_text", "pl_markdown")}
    expected = {".html": "sejm_html", ".json": "sejm_meta", ".txt": "pl_text", ".md": "pl_markdown"}

    for folder in ("sejm_html", "text"):
        for path in sorted((data / "statutes/pl" / folder).iterdir()):
            content = path.read_bytes()

            best = max((s.priority, name) for name, s in shelf.items() if s.recognises(content))

            assert best[1] == expected[path.suffix], path.name


def load_raised(text: str) -> str:
    from renvoi.sources import _pl

    return _pl.raise_text(text)
