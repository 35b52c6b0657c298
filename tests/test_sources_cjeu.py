"""Pages of judgments: all markups, and the oddities of real ones on fictional text."""

import csv
import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

from renvoi.errors import BadInput
from renvoi.sources import Raw
from renvoi.sources._numbering import Candidate, choose, split_joined
from renvoi.sources.cjeu_html import cjeu_html
from renvoi.sources.cjeu_jsonl import cjeu_jsonl
from renvoi.types import Document


def raw(text: str, name: str = "page.html") -> Raw:
    data = text.encode()
    return Raw(Path(name), data, hashlib.sha256(data).hexdigest())


def count_page(paragraphs: list[tuple[str, str, str]], *, title: str = "JUDGMENT OF THE COURT (Tenth Chamber)") -> str:
    """A page in the `count` markup; a paragraph is (anchor, printed number, text)."""
    rows = "".join(
        f'<table><tr><td><p class="count" id="{anchor}">{number}</p></td>'
        f'<td><p class="normal">{text}</p></td></tr></table>'
        for anchor, number, text in paragraphs
    )
    return (
        f'<body><p class="sum-title-1"><a id="judgment"/>{title}</p><p class="sum-title-1">3 May 2021 (*1)</p>'
        '<p class="normal">In Case C\u20119001/19,</p>'
        '<p class="normal">REQUEST received at the Court on 4 June 2019, in the proceedings</p>'
        '<p class="normal"><span class="bold">Alder Mills Ltd</span></p><p class="pnormal">v</p>'
        '<p class="normal"><span class="bold">Birch Office,</span></p>'
        '<p class="normal">THE COURT (Tenth Chamber),</p><p class="sum-title-1">Judgment</p>'
        f'{rows}<p class="sum-title-1">Costs</p>'
        '<table><tr><td><p class="count" id="point99">99</p></td>'
        '<td><p class="normal">Costs follow.</p></td></tr></table>'
        '<p class="normal">On those grounds, the Court hereby rules:</p>'
        '<table><tr><td><p class="count bold">1.</p></td><td><p class="normal">Mills may grind.</p></td></tr></table>'
        '<table><tr><td><p class="count bold">2.</p></td><td><p class="normal">Offices may not.</p></td></tr></table>'
        '<div class="signaturecase"><p class="normal">[Signatures]</p></div>'
        '<p class="note">( *1 ) Language of the case: English.</p></body>'
    )


def paragraphs(document: Document) -> dict[str, str]:
    return {p.path[-1].number: p.text for p in document.provisions if p.path[-1].level == "para"}


def kinds(document: Document) -> set[str]:
    return {finding.kind for finding in document.findings}


def test_the_parts_of_a_judgment_are_told_apart() -> None:
    page = count_page([("point1", "1", "The mill grinds."), ("point2", "2", "The office objects.")]).replace("99", "3")

    (document,) = cjeu_html.read(raw(page))

    assert document.id == "62019CJ9001"
    assert (document.kind, document.language, str(document.date)) == ("judgment", "en", "2021-05-03")
    assert document.metadata["case_numbers"] == ["C-9001/19"]
    assert document.metadata["lodged"] == "2019-06-04"
    assert document.metadata["name"] == "Alder Mills Ltd v Birch Office"
    assert [(p.path[-1].level, p.kind) for p in document.provisions] == [
        ("preamble", "preamble"), ("para", "leaf"), ("para", "leaf"), ("head", "division"), ("para", "costs"),
        ("operative", "operative"), ("item", "operative"), ("item", "operative"), ("closing", "closing"),
        ("note", "footnote"),
    ]  # fmt: skip
    assert document.provisions[1].text == "The mill grinds."


def test_a_gap_in_the_numbering_is_reported() -> None:
    page = count_page([("point1", "1", "One."), ("point3", "3", "Three.")]).replace("99", "4")

    (document,) = cjeu_html.read(raw(page))

    assert list(paragraphs(document)) == ["1", "3", "4"]
    assert [(f.kind, f.note) for f in document.findings] == [("gap_in_numbering", "no paragraph 2")]


def test_numbers_of_a_quoted_text_open_no_paragraph() -> None:
    quoted = [
        ("point1", "1", "It reads: \u2018"),
        ("point10", "10.", "Quoted ten."),
        ("point11", "11.", "Quoted eleven.\u2019"),
    ]
    page = count_page([*quoted, ("point2", "2", "Two."), ("point3", "3", "Three.")]).replace("99", "4")

    (document,) = cjeu_html.read(raw(page))

    assert list(paragraphs(document)) == ["1", "2", "3", "4"]
    assert "10. Quoted ten." in paragraphs(document)["1"]
    assert kinds(document) == {"quoted_numbers"}


def test_a_misprinted_number_is_read_from_its_anchor() -> None:
    page = count_page([("point1", "1", "One."), ("point2", "1212", "Two."), ("point3", "3", "Three.")]).replace(
        "99", "4"
    )

    (document,) = cjeu_html.read(raw(page))

    assert list(paragraphs(document)) == ["1", "2", "3", "4"]
    assert kinds(document) == {"number_misprinted"}


def test_printed_numbers_win_over_anchors_that_run_ahead() -> None:
    page = count_page([("point1", "1", "One."), ("point4", "2", "Two."), ("point5", "3", "Three.")]).replace("99", "4")

    (document,) = cjeu_html.read(raw(page))

    assert list(paragraphs(document)) == ["1", "2", "3", "4"]
    assert "anchor_disagrees" in kinds(document)


def test_joined_paragraphs_are_parted_where_the_next_number_stands_in_the_text() -> None:
    page = count_page([("point1", "1", "One ends here. 2 The second begins."), ("point3", "3", "Three.")])

    (document,) = cjeu_html.read(raw(page.replace("99", "4")))

    assert paragraphs(document)["2"] == "The second begins."
    assert kinds(document) == {"joined_repaired"}


def test_a_pincite_at_the_start_of_a_text_does_not_part_a_paragraph() -> None:
    assert split_joined(["See paragraph 2 of the order."], 1, 2) == [(1, ["See paragraph 2 of the order."])]


def test_a_view_before_the_judgment_is_a_document_of_its_own() -> None:
    view = (
        '<p class="sum-title-1"><a id="conclusion"/>VIEW OF ADVOCATE GENERAL</p>'
        '<p class="sum-title-1">delivered on 1 May 2021</p>'
        '<p class="normal">In Case C-9001/19,</p>'
        '<table><tr><td><p class="count" id="point1">1.</p></td><td><p class="normal">My view.</p></td></tr></table>'
    )
    page = count_page([("point1", "1", "One.")]).replace("<body>", "<body>" + view).replace("99", "2")

    first, second = cjeu_html.read(raw(page))

    assert (first.id, first.kind) == ("62019CP9001", "view")
    assert (second.id, second.kind) == ("62019CJ9001", "judgment")


def test_curia_markup_and_plain_lines_with_numbers_alone_are_read() -> None:
    curia = (
        '<HTML><BODY><P class="C19Centre">JUDGMENT OF THE COURT (First Chamber)</P>'
        '<P class="C19Centre">3 May 2021 (*)</P>'
        '<P class="C02AlineaAltA">In Case C\u20119002/19 P,</P><P class="C75Debutdesmotifs"><B>Judgment</B></P>'
        '<P class="C01PointnumeroteAltN"><A NAME="point1">1</A>    The mill.</P>'
        '<P class="C02AlineaAltA">\u20181. Quoted.\u2019</P>'
        '<P class="C01PointnumeroteAltN"><A NAME="point2">2</A>    The office.</P></BODY></HTML>'
    )
    plain = (
        "<html><body><p>JUDGMENT OF THE COURT</p><p>3 May 1999</p><p>In Case C-9003/97,</p>"
        "<p>1</p><p>The mill stood.</p><p>2 . THE OFFICE OBJECTED .</p><p>3</p><p>It fell.</p></body></html>"
    )

    (one,) = cjeu_html.read(raw(curia))
    (two,) = cjeu_html.read(raw(plain))

    assert paragraphs(one) == {"1": "The mill. \u20181. Quoted.\u2019", "2": "The office."}
    assert paragraphs(two) == {"1": "The mill stood.", "2": "THE OFFICE OBJECTED .", "3": "It fell."}
    assert two.id == "61997CJ9003"


def test_double_escaped_ampersands_are_repaired_and_counted() -> None:
    page = count_page([("point1", "1", "Alder &amp;amp; Sons.")]).replace("99", "2")

    (document,) = cjeu_html.read(raw(page))

    assert paragraphs(document)["1"] == "Alder & Sons."
    assert kinds(document) == {"double_escape_repaired"}


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (
            "<html><title>EUR-Lex - CELEX:62021CJ9001</title><p>The requested document does not exist.</p></html>",
            "not found",
        ),
        (
            '<html><p class="oj-hd-oj">Official Journal</p>'
            '<p class="oj-doc-ti">Request for a preliminary ruling</p></html>',
            "notice",
        ),
        ("<html><p>Judgment of the Court (First Chamber) 3 May 2021 \u2013 A v B</p></html>", "summary"),
        ('<html><p class="sum-title-1">JUDGMENT OF THE COURT</p><p>In Case C-1/20</p></html>', "no numbered paragraph"),
    ],
)
def test_pages_that_are_no_judgment_are_refused_in_one_line(page: str, words: str) -> None:
    with pytest.raises(BadInput, match=words) as error:
        cjeu_html.read(raw(page))

    assert "\n" not in str(error.value)


def test_the_longest_chain_of_single_steps_is_chosen() -> None:
    numbers = [1, 2, 5, 3, 4, 5, 120, 6, 7, 9, 10]

    chosen = choose([Candidate(i, (n,)) for i, n in enumerate(numbers)])

    assert [n for _, n in chosen] == [1, 2, 3, 4, 5, 6, 7, 9, 10]


def test_inferred_numbers_are_marked_on_every_judgment() -> None:
    row = {
        "celex": "61990CJ9001", "ecli": None, "date": "1992-05-03", "language": "en", "count_check": "none",
        "title": "Judgment of the Court of 3 May 1992. # Alder Mills v Birch Office. # Mills. # Case C-9001/90.",
        "paragraphs": [{"number_inferred": 1, "text": "The mill."}, {"number_inferred": 2, "text": "The office."}],
    }  # fmt: skip
    data = gzip.compress((json.dumps(row) + "\n").encode())

    assert cjeu_jsonl.recognises(data)
    (document,) = cjeu_jsonl.read(Raw(Path("a.jsonl.gz"), data, ""))

    assert document.metadata["numbers"] == "inferred"
    assert document.short_titles == ("Alder Mills v Birch Office",)
    assert [(f.kind, f.count) for f in document.findings] == [("numbers_inferred", 2)]


def test_a_cut_gzip_and_a_line_that_is_no_judgment_are_refused() -> None:
    good = json.dumps({"celex": "61990CJ9001", "paragraphs": [{"number_inferred": 1, "text": "A."}]})
    cut = gzip.compress((good * 200).encode())[:-20]

    with pytest.raises(BadInput, match="cut or damaged"):
        cjeu_jsonl.read(Raw(Path("a.gz"), cut, ""))
    with pytest.raises(BadInput, match="line 2"):
        cjeu_jsonl.read(Raw(Path("a.jsonl"), f"{good}\n{{}}\n".encode(), ""))


@pytest.mark.slow
def test_real_pages_are_numbered_as_their_anchors_say(data: Path) -> None:
    lines = (data / "cjeu/html_index.tsv").read_text(encoding="utf-8").splitlines()
    index = {row["file"]: row for row in csv.DictReader(lines, delimiter="\t")}
    n_anchors = n_right = 0
    refused = []
    for file in sorted((data / "cjeu").glob("html*/*.*ml")):
        content = file.read_bytes()
        assert cjeu_html.recognises(content), file
        try:
            documents = cjeu_html.read(Raw(file, content, ""))
        except BadInput:
            refused.append(file.name)
            continue
        row = index[str(file.relative_to(data / "cjeu"))]
        assert documents[-1].id == row["celex"]
        assert row["date"] in {"", *(str(d.date) for d in documents)}
        anchors = re.findall(rb'(?:id|NAME)="point(\d+)"', content)
        numbers = {n for d in documents for n in paragraphs(d)}
        n_anchors += len(anchors)
        n_right += sum(anchor.decode() in numbers for anchor in anchors)

    assert len(refused) == 11
    assert n_right / n_anchors >= 0.995


@pytest.mark.slow
def test_real_pages_lose_no_word(data: Path) -> None:
    for file in sorted((data / "cjeu").glob("html_curia/*CJ*"))[::5]:
        content = file.read_bytes()
        try:
            documents = cjeu_html.read(Raw(file, content, ""))
        except BadInput:
            continue
        from lxml import html

        body = html.document_fromstring(content, parser=html.HTMLParser(encoding="utf-8")).find("body")
        squeezed = re.sub(r"[\s\u00ad\u200b-\u200d\u2060\ufeff]+", "", body.text_content())
        said = "".join(p.label + p.heading + p.text for d in documents for p in d.provisions)
        said = re.sub(r"[\s\u00ad\u200b-\u200d\u2060\ufeff.)]+", "", said)
        assert said == re.sub(r"[.)]+", "", squeezed), file
