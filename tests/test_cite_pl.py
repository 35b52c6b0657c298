"""How Polish law is cited: one case a rule, on fictional acts."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from test_cite import act, reached

from renvoi import cite, ids, registry, resolve
from renvoi.gold import parse_notation
from renvoi.registry import load
from renvoi.sources import Raw
from renvoi.types import Document, Link

pl = registry.load("jurisdictions", "pl")

STATUTE = """USTAWA
z dnia 3 maja 2001 r.
o latarniach
DZIAŁ PIERWSZY
Przepisy ogólne
Rozdział 1
Latarnie
Art. 1. 1. Latarnia świeci.
2. Latarnik:
1) czuwa:
a) w dzień,
b) w nocy;
2) trąbi.
Rozdział 2
Mgła
Art. 2. 1. %s
2. Mgła jest gęsta.
DZIAŁ DRUGI
Morze
Rozdział 1
Fale
Art. 3. Fala jest wysoka.
Rozdział 2
Statki
Art. 4. Statek płynie."""


def read(text: str) -> Document:
    data = text.encode()
    raw = Raw(Path("latarnie.txt"), data, hashlib.sha256(data).hexdigest())
    (document,) = load("sources", "pl_text").read(raw)
    return document


def targets(document: Document, source: str) -> list[str]:
    """Return what the references of one provision reach or look for, with the act where it is another one."""
    found = []
    resolver = resolve.Resolver([document])
    for citation in cite.find_citations(document):
        if ids.format_path(ids.parse_id(citation.source_id)[1]) != source:
            continue
        for reference in citation.references:
            for end in resolver.ends(citation.source_id, reference):
                path = ids.parse_id(end.target_id)[1] + end.fragment if isinstance(end, Link) else end.path
                found.append((f"{reference.act}|" if reference.act else "") + ids.format_path(path))
    return found


@pytest.mark.parametrize("example", pl.examples, ids=lambda e: e.text)
def test_the_grammar_reads_its_own_examples(example: object) -> None:
    assert parse_notation(example.targets[0].rpartition("|")[2], pl)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Przepis art. 1 ust. 2 pkt 1 lit. a i b stosuje się.",
         ["art_1__para_2__point_1__letter_a", "art_1__para_2__point_1__letter_b"]),
        ("O mgle stanowi art. 1 ust. 2 – w przypadku nocy.", ["art_1__para_2"]),
        ("Kwoty z art. 1 ust. 2 pkt 1 lit. a, od latarni.", ["art_1__para_2__point_1__letter_a"]),
        ("Przepisy rozdziału 2 działu drugiego stosuje się.", ["div_2__chap_2"]),
        ("Przepisy rozdziału 1, z wyłączeniem art. 4, oraz rozdziału 2 działu drugiego.",
         ["div_2__chap_1", "art_4", "div_2__chap_2"]),
        ("Przepisy rozdziału 4 ustawy z dnia 2 maja 2000 r. o mgle.", ["ustawy z dnia 2 maja 2000 r. o mgle|chap_4"]),
        ("Stosuje się art. 5 ustawy z dnia 2 maja 2000 r. o mgle, z wyjątkiem art. 7.",
         ["ustawy z dnia 2 maja 2000 r. o mgle|art_5", "ustawy z dnia 2 maja 2000 r. o mgle|art_7"]),
        ("W art. 209 1 § 4 Kodeksu pracy.", ["Kodeksu pracy|art_209-1__para_4"]),
        ("Z art. 235-235 2 Kodeksu pracy.",
         ["Kodeksu pracy|art_235", "Kodeksu pracy|art_235-1", "Kodeksu pracy|art_235-2"]),
        ("W art. 71 c ust. 1 Kodeksu pracy.", ["Kodeksu pracy|art_71c__para_1"]),
        ("Zakazy z art. 1 ust. 1 ustawy lub w art. 101 ust. 1 TFUE.", ["art_1__para_1", "TFUE|art_101__para_1"]),
        ("W art. 3 pkt f rozporządzenia nr 2006/2004/WE.", ["rozporządzenia nr 2006/2004/WE|art_3__point_f"]),
        ("Na podstawie art. 5 ustawy z dnia 2 maja 2000 r.", ["ustawy z dnia 2 maja 2000 r.|art_5"]),
        ("W trybie art. 92 lub 93 przepisów ustawy z dnia 2 maja 2000 r. − Prawo mgły.",
         ["ustawy z dnia 2 maja 2000 r. − Prawo mgły|art_92", "ustawy z dnia 2 maja 2000 r. − Prawo mgły|art_93"]),
    ],
)  # fmt: skip
def test_a_sentence_reaches_what_it_cites(text: str, expected: list[str]) -> None:
    document = read(STATUTE % text)

    found = targets(document, "art_2__para_1")

    assert sorted(found) == sorted(expected)


def test_an_act_may_be_named_by_the_provision_that_names_it() -> None:
    named = "Stosuje się ustawę z dnia 2 maja 2000 r. o mgle, chmurach i fali (Dz. U. poz. 5)."
    pointing = "1a. Przepis art. 7 ustawy, o której mowa w ust. 1, i art. 9 tej ustawy stosuje się."
    document = read(STATUTE % f"{named}\n{pointing}")

    act = "ustawę z dnia 2 maja 2000 r. o mgle, chmurach i fali"
    assert targets(document, "art_2__para_1a") == [f"{act}|art_7", f"{act}|art_9"]


def test_this_act_is_not_meant_by_that_act() -> None:
    document = read(STATUTE % "Przepis art. 1 tej ustawy stosuje się.")
    (citation,) = [c for c in cite.find_citations(document) if "art_2" in c.source_id]

    (end,) = resolve.Resolver([document]).ends(citation.source_id, citation.references[0])

    assert not isinstance(end, Link)
    assert end.reason == "ambiguous"


def test_points_are_completed_by_the_reference_their_lead_in_ends_with() -> None:
    document = read(STATUTE % "Zwalnia się latarnika, o którym mowa w art. 1 ust. 2:\n1) pkt 1 – w nocy;\n2) pkt 2.")

    assert targets(document, "art_2__para_1__point_1") == ["art_1__para_2__point_1"]
    assert targets(document, "art_2__para_1__point_2") == ["art_1__para_2__point_2"]


def test_an_amending_provision_works_at_the_place_it_names(tmp_path: Path) -> None:
    from test_sources_pl import PAGE, said, unit

    quoted = unit("pint", "3a)", said("Latarnik, o którym mowa w ust. 1 i pkt 2, śpi."))
    box = (
        '<div class="cite-box"><div class="qmark-opn">„</div><div class="cite-body">' + quoted
        + '</div><div class="qmark-cls">”</div><div class="trailer">.</div></div>'
    )  # fmt: skip
    letter = unit("lett", "a)", said("w ust. 4 po pkt 3 dodaje się pkt 3a w brzmieniu:") + box)
    opening = "W ustawie z dnia 2 maja 2000 r. o mgle (Dz. U. poz. 5) wprowadza się następujące zmiany:"
    point = unit("pint", "1)", said("w art. 29:") + letter)
    page = PAGE % unit("arti", "Art. 1.", said(opening) + point)
    (document,) = load("sources", "sejm_html").read(Raw(tmp_path / "zmiana.html", page.encode(), ""))
    act = "ustawie z dnia 2 maja 2000 r. o mgle"

    assert targets(document, "art_1") == []
    assert targets(document, "art_1__point_1") == [f"{act}|art_29"]
    assert targets(document, "art_1__point_1__letter_a") == [
        f"{act}|art_29__para_4__point_3",
        f"{act}|art_29__para_4__point_3a",
    ]
    assert targets(document, "art_1__point_1__letter_a__quote_1__point_3a") == [
        f"{act}|art_29__para_1",
        f"{act}|art_29__para_4__point_2",
    ]


def test_a_name_goes_on_to_its_journal_and_a_code_ends_with_its_own_name() -> None:
    document = read(
        STATUTE % "Stosuje się art. 5 ustawy z dnia 2 maja 2031 r. o osobach prowadzących latarnie w zakresie mgły "
        "(Dz. U. poz. 7) i art. 6 § 2 ustawy z dnia 3 maja 2031 r. – Kodeks pracy odpisu."
    )

    assert targets(document, "art_2__para_1") == [
        "ustawy z dnia 2 maja 2031 r. o osobach prowadzących latarnie w zakresie mgły|art_5",
        "ustawy z dnia 3 maja 2031 r. – Kodeks pracy|art_6__para_2",
    ]


def test_an_exception_from_the_provisions_of_an_act_is_of_that_act() -> None:
    document = read(STATUTE % "Stosuje się przepisy Kodeksu karnego dotyczące terminów, z wyjątkiem art. 1 i art. 2.")
    own = read(STATUTE % "Stosuje się przepisy Kodeksu karnego oraz art. 3, z wyjątkiem art. 1.")

    assert targets(document, "art_2__para_1") == ["Kodeksu karnego|art_1", "Kodeksu karnego|art_2"]
    assert targets(own, "art_2__para_1") == ["art_3", "art_1"]


def test_what_a_commencement_narrows_is_of_the_amended_act() -> None:
    text = """USTAWA
z dnia 3 maja 2031 r.
o zmianie ustawy o latarniach
Art. 1. W ustawie z dnia 3 maja 2001 r. o latarniach (Dz. U. poz. 1) wprowadza się następujące zmiany:
1) uchyla się art. 61;
2) w art. 91:
a) ust. 2 otrzymuje brzmienie,
b) uchyla się ust. 3.
Art. 2. Ustawa wchodzi w życie po 14 dniach, z wyjątkiem
art. 1 pkt 1 w zakresie art. 61, pkt 2 lit. a w zakresie art. 91 ust. 2
oraz lit. b."""

    lamps = "ustawie z dnia 3 maja 2001 r. o latarniach"
    assert targets(read(text), "art_2") == [
        "art_1__point_1", f"{lamps}|art_61", "art_1__point_2__letter_a", f"{lamps}|art_91__para_2",
        "art_1__point_2__letter_b",
    ]  # fmt: skip


def test_a_section_is_the_article_of_an_order_and_a_part_of_one_of_a_code() -> None:
    document = read(
        STATUTE % "Stosuje się § 5 i § 6 ust. 2 rozporządzenia Rady Ministrów oraz art. 7 1a § 2 Kodeksu pracy."
    )
    repeal = read(STATUTE % "Traci moc rozporządzenie Ministra Mgły w sprawie fal, z wyjątkiem § 5.")

    assert targets(document, "art_2__para_1") == [
        "rozporządzenia Rady Ministrów|sec_5", "rozporządzenia Rady Ministrów|sec_6__para_2",
        "Kodeksu pracy|art_7-1a__para_2",
    ]  # fmt: skip
    assert targets(repeal, "art_2__para_1") == ["rozporządzenie Ministra Mgły w sprawie fal|sec_5"]


def test_a_short_name_for_a_provision_may_stand_before_the_name_of_its_act() -> None:
    document = read(STATUTE % "Stosuje się art. 5 ust. 1, zwany dalej „nakazem”, ustawy z dnia 3 maja 2031 r. o mgle.")

    assert targets(document, "art_2__para_1") == ["ustawy z dnia 3 maja 2031 r. o mgle|art_5__para_1"]


def test_a_lead_in_completes_every_number_that_its_points_begin_with() -> None:
    document = act("pl", {
        "art. 1/ust. 1": "Osobom wymienionym w art. 2 ust. 3:", "art. 1/ust. 1/pkt 1": "pkt 6, 8 i 9 – wydaje się "
        "lampy, o których "
        "mowa w pkt 1", "art. 2/ust. 3/pkt 6": "T.", "art. 2/ust. 3/pkt 8": "T.", "art. 2/ust. 3/pkt 9": "T.",
    })  # fmt: skip

    assert reached([document], "art_1__para_1__point_1") == [
        "art_2__para_3__point_6", "art_2__para_3__point_8", "art_2__para_3__point_9", "art_1__para_1__point_1",
    ]  # fmt: skip


def test_further_provisions_are_of_the_division_but_not_of_the_act_before() -> None:
    document = act("pl", {
        "art. 1": "stosuje się przepisy działu IV rozdziału 1, z wyłączeniem przepisów art. 7, oraz przepisy "
        "rozdziału 3a, "
        "rozdziału 5, a do towarów objętych działem CN 08 przepisy art. 7 oraz przepisy rozdziału 5 ustawy o mgle",
        "art. 7": "T.", "dział IV": "T.", "dział IV/rozdział 1": "T.", "dział IV/rozdział 3a": "T.",
        "dział IV/rozdział 5": "T.",
    })  # fmt: skip

    assert reached([document], "art_1") == [
        "div_IV__chap_1", "art_7", "div_IV__chap_3a", "div_IV__chap_5", "art_7", "ustawy o mgle|chap_5",
    ]  # fmt: skip


def test_a_title_with_a_stop_word_is_known_from_where_its_journal_follows() -> None:
    document = act("pl", {
        "art. 1": "w art. 13 ustawy z dnia 12 marca 2012 r. o pomocy latarnikom w związku z mgłą (Dz. U. z 2024 r. "
        "poz. 167)",
        "art. 2": "w art. 14 ustawy z dnia 12 marca 2012 r. o pomocy latarnikom w związku z mgłą, w brzmieniu dawnym",
    })  # fmt: skip

    assert reached([document], "art_2") == [
        "ustawy z dnia 12 marca 2012 r. o pomocy latarnikom w związku z mgłą|art_14"
    ]
