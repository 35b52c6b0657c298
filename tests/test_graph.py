import polars as pl
import pytest

from renvoi import graph

ROWS = [
    ("act~§ 1/stk. 1", "act", "Foreningen skal føre et register over sine medlemmer."),
    ("act~§ 1/stk. 2", "act", "Registeret efter stk. 1 opbevares i fem år."),
    ("act~§ 2", "act", "Bestyrelsen kan fravige § 1, stk. 2."),
    ("act~§ 3", "act", "Overtrædelse af § 1 straffes med bøde."),
    ("act~§ 4", "act", "Reglerne i § 9 gælder ikke."),
    ("act~§ 5", "act", "Ansøgningen sendes til 1) kommunen, eller 2) regionen."),
    ("act~§ 6", "act", "Regionen svarer i tilfælde omfattet af § 5, nr. 2."),
]


def links_of(rows: list[tuple[str, str, str]], language: str = "da") -> set[tuple[str, str]]:
    frame = pl.DataFrame(rows, schema=["id", "document_id", "text"], orient="row")
    return set(graph.link_chunks(frame, language).select("source_id", "target_id").iter_rows())


def test_a_reference_leads_to_the_chunk_it_names() -> None:
    found = links_of(ROWS)

    assert ("act~§ 1/stk. 2", "act~§ 1/stk. 1") in found
    assert ("act~§ 2", "act~§ 1/stk. 2") in found


def test_a_reference_to_a_provision_above_the_chunks_leads_to_all_below() -> None:
    found = links_of(ROWS)

    assert {target for source, target in found if source == "act~§ 3"} == {"act~§ 1/stk. 1", "act~§ 1/stk. 2"}


def test_a_reference_to_an_item_inside_a_chunk_leads_to_the_chunk() -> None:
    found = links_of(ROWS)

    assert ("act~§ 6", "act~§ 5") in found


def test_a_reference_to_what_is_not_there_leads_nowhere() -> None:
    found = links_of(ROWS)

    assert not [target for source, target in found if source == "act~§ 4"]


def test_a_polish_leaf_inherits_what_its_lead_in_cites() -> None:
    rows = [
        ("a~art. 1", "a", "Wniosek składa się do dyrektora."),
        ("a~art. 2/ust. 1", "a", "1. W przypadku, o którym mowa w art. 1, dyrektor:"),
        ("a~art. 2/ust. 1/pkt 1", "a", "1) wydaje decyzję;"),
    ]
    frame = pl.DataFrame(rows, schema=["id", "document_id", "text"], orient="row")
    links = graph.link_chunks(frame, "pl")

    found = graph.inherit_links(links, dict.fromkeys(frame["id"]))

    assert ("a~art. 2/ust. 1/pkt 1", "a~art. 1", None) in found
    assert not links.filter(pl.col("source_id") == "a~art. 2/ust. 1/pkt 1").height


def test_a_language_without_a_grammar_has_no_links() -> None:
    assert not links_of(ROWS, "fi")


@pytest.mark.parametrize("id", ["act~§§ 7-9", "act~noget andet", "act~bilag"])
def test_an_id_that_cannot_be_read_still_cites(id: str) -> None:
    found = links_of([*ROWS, (id, "act", "Jf. § 2.")])

    assert (id, "act~§ 2") in found
