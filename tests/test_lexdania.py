from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from renvoi import ids, ingest
from renvoi.errors import BadInput, EmptyAct
from renvoi.sources import Raw, _danish
from renvoi.sources.lexdania import lexdania
from renvoi.types import Document, Provision

HEAD = """<Dokument SchemaLocation="x.LexDania_2.1.xsd"><Meta><DocumentType>{type}</DocumentType>
<DocumentTitle>{title}</DocumentTitle><Year>2021</Year><DiesSigni>2021-05-04</DiesSigni><Number>7</Number></Meta>
<DokumentIndhold>{body}</DokumentIndhold>{after}</Dokument>"""


def read(body: str, *, type: str = "LOV H#LOKDOK02", title: str = "Lov om fyrtårne", after: str = "") -> Document:
    data = HEAD.format(type=type, title=title, body=body, after=after).encode()
    assert lexdania.recognises(data)
    (document,) = lexdania.read(Raw(Path("act.xml"), data, "0"))
    return document


def sec(number: str, *parts: str) -> str:
    return f"<Paragraf><Explicatus>§ {number}.</Explicatus>{''.join(parts)}</Paragraf>"


def stk(text: str, label: str = "", more: str = "") -> str:
    printed = f"<Explicatus>{label}</Explicatus>" if label else ""
    return f"<Stk>{printed}<Exitus><Linea><Char>{text}</Char></Linea></Exitus>{more}</Stk>"


def items(*pairs: tuple[str, str]) -> str:
    inner = "".join(
        f"<Indentatio><Explicatus>{label}</Explicatus><Exitus><Linea>{text}</Linea></Exitus></Indentatio>"
        for label, text in pairs
    )
    return f"<Exitus><Index>{inner}</Index></Exitus>"


def paths(document: Document) -> list[str]:
    return [ids.format_path(p.path) for p in document.provisions]


def by_path(document: Document) -> dict[str, Provision]:
    return {ids.format_path(p.path): p for p in document.provisions}


def test_a_single_unnumbered_stk_is_the_section_itself() -> None:
    document = read(sec("5", stk("Fyret skal:", more=items(("1)", "lyse, og"), ("2)", "blinke.")))))

    assert paths(document) == ["sec_5", "sec_5__point_1", "sec_5__point_2"]


def test_several_stk_stand_below_the_section_the_first_without_a_label() -> None:
    document = read(sec("12\u00a0a", stk("Fyret lyser."), stk("Det blin\u200dker.", "Stk.\u00a02.")))

    assert paths(document) == ["sec_12a", "sec_12a__subsec_1", "sec_12a__subsec_2"]
    assert [p.label for p in document.provisions] == ["§ 12 a.", "", "Stk. 2."]
    assert document.provisions[2].text == "Det blinker."


def test_letters_stand_below_numbers_and_a_tail_after_them() -> None:
    body = sec(
        "1",
        "<Stk><Exitus><Linea>Vagten skal</Linea></Exitus><Exitus><Index><Indentatio><Explicatus>1)</Explicatus>"
        "<Exitus><Linea>passe:</Linea></Exitus>"
        + items(("a)", "fyret og"), ("b)", "hornet,"))
        + "</Indentatio></Index>"
        "</Exitus><Exitus><Linea>dog ikke om dagen.</Linea></Exitus></Stk>",
    )

    assert paths(read(body)) == [
        "sec_1", "sec_1__point_1", "sec_1__point_1__letter_a", "sec_1__point_1__letter_b", "sec_1__tail_1",
    ]  # fmt: skip


def test_sections_after_an_amending_section_are_kept() -> None:  # BC-20
    body = (
        "<CentreretParagraf><Explicatus>§ 1</Explicatus><Exitus><Linea>I fyrloven ændres »lys« til: »lygte«.</Linea>"
        "</Exitus></CentreretParagraf>" + sec("2", stk("Loven træder i kraft straks.")) + sec("3", stk("Til søs."))
    )

    assert paths(read(body)) == ["sec_1", "sec_2", "sec_3"]


def test_quoted_provisions_are_quotations_and_open_no_provision_of_the_amending_act() -> None:
    body = (
        "<AendringCentreretParagraf><Explicatus>§ 1</Explicatus><Exitus><Linea>I fyrloven ændres:</Linea></Exitus>"
        "<AendringsNummer><Explicatus>1.</Explicatus><Aendring><AendringDefinition><Exitus><Linea>Efter § 2 indsættes:"
        "</Linea></Exitus></AendringDefinition><AendringAktion><AendringNyTekst>"
        + sec("1", stk("Hornet lyder."))
        + "</AendringNyTekst></AendringAktion></Aendring></AendringsNummer></AendringCentreretParagraf>"
        + sec("2", stk("Loven træder i kraft straks."))
    )

    document = read(body, type="LOV Æ#LOKDOK02")

    assert document.kind == "amending_act"
    assert paths(document) == [
        "sec_1", "sec_1__point_1", "sec_1__point_1__quote_1", "sec_1__point_1__quote_1__sec_1", "sec_2",
    ]  # fmt: skip
    assert by_path(document)["sec_1__point_1__quote_1__sec_1"].state == "quoted"


def test_commencement_provisions_of_other_acts_restart_in_a_scope_of_their_own() -> None:
    ikraft = (
        "<Ikraft><Exitus><Linea>Lov nr. 9 af 1. maj 2020 indeholder følgende bestemmelse:</Linea></Exitus>"
        "<IkraftCentreretParagraf><Explicatus>§ 1</Explicatus>"
        + stk("Loven træder i kraft straks.")
        + "</IkraftCentreretParagraf></Ikraft>"
    )

    document = read(sec("1", stk("Fyret lyser.")) + ikraft, type="LBK H#LOKDOK03")

    assert paths(document) == ["sec_1", "trans_1", "trans_1__sec_1"]
    assert document.text_state == "consolidated"


def test_every_number_of_a_repealed_range_is_there_and_marked() -> None:
    document = read(sec("1", stk("Fyret lyser.")) + sec("4-6", stk("(Ophævet)")) + sec("6", stk("Hornet lyder.")))

    states = {path: p.state for path, p in by_path(document).items()}
    assert states == {"sec_1": "in_force", "sec_4": "repealed", "sec_5": "repealed", "sec_6": "in_force"}


def test_a_footnote_stands_apart_and_does_not_cut_its_sentence() -> None:
    note = "<Nota><Explicatus>1)</Explicatus><Exitus><Linea>Ændret.</Linea></Exitus></Nota>"
    body = sec("1", f"<Stk><Exitus><Linea>Fyret lyser.</Linea>{note}<Linea>Det blinker.</Linea></Exitus></Stk>")

    document = read(body)

    assert [(p.kind, p.text) for p in document.provisions] == [
        ("leaf", "Fyret lyser. Det blinker."), ("footnote", "Ændret."),
    ]  # fmt: skip
    assert document.metadata["notes"] == {"note_1": "§ 1."}


def test_an_annex_keeps_its_sections_apart() -> None:
    line = "<Exitus><Linea>{}</Linea></Exitus>"
    annex = (
        "<Bilag><Explicatus>Bilag 2</Explicatus><BilagIndhold><TekstGruppe>"
        + line.format("AFSNIT A") + items(("1)", "Olie.")) + line.format("AFSNIT B") + items(("1)", "Gas."))
        + "</TekstGruppe></BilagIndhold></Bilag>"
    )  # fmt: skip

    document = read(sec("1", stk("Se bilag 2.")), after=annex)

    assert paths(document)[1:] == [
        "annex_2", "annex_2__part_A", "annex_2__part_A__point_1", "annex_2__part_B", "annex_2__part_B__point_1",
    ]  # fmt: skip


def test_short_titles_come_from_the_parenthesis_the_popular_title_and_the_consolidated_act() -> None:
    document = read(sec("1", stk("X.")), type="LBK H#LOKDOK03", title="Bekendtgørelse af lov om fyr (fyrloven)")

    assert document.id == "dk/lbk/2021/7"
    assert document.short_titles == ("lov om fyr", "fyrloven")


@pytest.mark.parametrize("type, id", [("BEK H#LOKDOK04", "dk/bek/2021/7"), ("LOV H#LOKDOK02", "dk/lov/2021/7")])
def test_the_id_tells_kind_year_and_number(type: str, id: str) -> None:
    assert read(sec("1", stk("X.")), type=type).id == id


def test_an_unknown_element_is_kept_as_text_and_counted() -> None:
    document = read(sec("1", "<Stk><Exitus><Linea>Se</Linea><Formel>a = b</Formel></Exitus></Stk>"))

    assert document.provisions[0].text == "Se a = b"
    assert [(f.kind, f.note) for f in document.findings] == [("skipped_element", "Formel")]


def test_a_section_without_text_is_an_error_that_names_it() -> None:
    with pytest.raises(EmptyAct, match=r"act.xml: § 2. has no text"):
        read(sec("1", stk("X.")) + sec("2", stk("")))


def test_an_act_without_year_and_number_is_refused() -> None:
    data = HEAD.format(type="LOV H", title="T", body=sec("1", stk("X.")), after="").replace("<Year>2021</Year>", "")

    with pytest.raises(BadInput, match="lacks year, number or title"):
        lexdania.read(Raw(Path("act.xml"), data.encode(), "0"))


@pytest.mark.parametrize("printed", ["§§ 9 a-12.", "Stk. 2.", "§ 3 - 5", "§§ 12-11", "§", "§§ 1-9999999."])
def test_expanding_a_range_never_fails_and_keeps_its_first_number(printed: str) -> None:
    numbers = _danish.expand(printed)

    assert numbers and len(numbers) == len(set(numbers)) < 500


def squeeze(text: str) -> str:
    superscripts = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
    return re.sub("[\\s\u00ad\u200b\u200c\u200d\u2060\ufeff]+", "", text.translate(superscripts))


def printed_text(root: Any) -> str:
    """Return what the act prints, its footnotes last, as the source promises; an oracle that knows no structure."""
    notes = []
    for skipped in root.findall("Meta") + root.findall("TitelGruppe/Titel/Linea") + root.findall(
        "TitelGruppe/UnderTitel"
    ):  # fmt: skip
        skipped.getparent().remove(skipped)
    for note in root.findall(".//Nota"):
        notes.append("".join(note.itertext()))
        tail, parent, previous = note.tail or "", note.getparent(), note.getprevious()
        if previous is not None:
            previous.tail = (previous.tail or "") + tail
        else:
            parent.text = (parent.text or "") + tail
        parent.remove(note)
    return squeeze("".join(root.itertext()) + "".join(notes))


@pytest.fixture(scope="module")
def acts(data: Path) -> list[tuple[Path, Document]]:
    files = sorted((data / "statutes" / "da" / "lexdania").glob("*.xml"))
    assert len(files) > 20
    return [(file, ingest.read_file(file)[0]) for file in files]


def test_real_acts_are_read_without_losing_or_moving_a_word(acts: list[tuple[Path, Document]]) -> None:
    for file, document in acts:
        ours = squeeze("".join(part for p in document.provisions for part in (p.label, p.heading, p.text)))
        theirs = printed_text(etree.fromstring(file.read_bytes()))

        assert ours == theirs, (file.name, *first_difference(ours, theirs))


def first_difference(ours: str, theirs: str) -> tuple[str, str]:
    at = next((n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    return ours[max(0, at - 60) : at + 40], theirs[max(0, at - 60) : at + 40]


def test_no_operative_provision_of_a_real_act_is_empty(acts: list[tuple[Path, Document]]) -> None:
    empty = [
        p.id
        for _, document in acts
        for p in document.provisions
        if p.kind == "leaf" and not p.text and p.state != "repealed"
    ]

    assert empty == []
