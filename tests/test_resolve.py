"""What references reach, and why some reach nothing."""

from __future__ import annotations

from renvoi import cite
from renvoi.resolve import Resolver
from renvoi.resolve.ranges import expand_by_number
from renvoi.tree import TreeBuilder
from renvoi.types import Document, Link, Provision, SourceFile, Step, Unresolved


def order(build: TreeBuilder, title: str = "Lov om haver", **facts: object) -> Document:
    """Return a Danish act from a tree."""
    provisions: tuple[Provision, ...] = build.provisions()
    state = str(facts.get("text_state", "as_enacted"))
    short = ("haveloven",) if title == "Lov om haver" else ()
    return Document(
        build.document_id, "da", "da", "act", title, short, None, state, SourceFile("x", "", "t"), provisions,  # type: ignore[arg-type]
    )  # fmt: skip


def ends(documents: list[Document], source: str) -> list[Link | Unresolved]:
    resolver = Resolver(documents)
    citations = [c for d in documents for c in cite.find_citations(d) if c.source_id == source]
    return [end for c in citations for r in c.references for end in resolver.ends(source, r)]


def test_a_reference_to_a_repealed_section_says_so_and_names_it() -> None:
    tree = TreeBuilder("dk/lov/1", "x")
    with tree.open("sec", "1", label="§ 1.", absolute=True):
        tree.text("Se § 2.")
    with tree.open("sec", "2", label="§ 2.", absolute=True):
        tree.repealed()

    (end,) = ends([order(tree)], "dk/lov/1~sec_1")

    assert isinstance(end, Unresolved)
    assert (end.reason, end.nearest) == ("repealed", "dk/lov/1~sec_2")


def test_a_missing_provision_comes_with_the_nearest_that_exists() -> None:
    tree = TreeBuilder("dk/lov/1", "x")
    with tree.open("sec", "1", label="§ 1.", absolute=True):
        tree.text("Se § 2, stk. 2, nr. 7.")
    with tree.open("sec", "2", label="§ 2.", absolute=True):
        for number in ("1", "2"):
            with tree.open("subsec", number, label=f"Stk. {number}."):
                tree.text("Haven holdes.")

    (end,) = ends([order(tree)], "dk/lov/1~sec_1")

    assert isinstance(end, Unresolved)
    assert (end.reason, end.nearest) == ("no_such_provision", "dk/lov/1~sec_2__subsec_2")


def test_an_unwritten_single_subsection_is_found_both_ways() -> None:
    tree = TreeBuilder("dk/lov/1", "x")
    with tree.open("sec", "1", label="§ 1.", absolute=True):
        tree.text("Se § 2, stk. 1, nr. 1, og § 3, nr. 1.")
    with tree.open("sec", "2", label="§ 2.", absolute=True), tree.open("point", "1", label="1)"):
        tree.text("haver")
    with (
        tree.open("sec", "3", label="§ 3.", absolute=True),
        tree.open("subsec", "1"),
        tree.open("point", "1", label="1)"),
    ):
        tree.text("stier")

    found = ends([order(tree)], "dk/lov/1~sec_1")

    assert [end.target_id for end in found if isinstance(end, Link)] == [
        "dk/lov/1~sec_2__point_1",
        "dk/lov/1~sec_3__subsec_1__point_1",
    ]


def test_an_act_of_the_corpus_is_found_by_its_short_title_and_an_unknown_one_is_named() -> None:
    tree = TreeBuilder("dk/lov/1", "x")
    with tree.open("sec", "1", label="§ 1.", absolute=True):
        tree.text("Have er, hvad § 4 siger.")
    with tree.open("sec", "4", label="§ 4.", absolute=True):
        tree.text("En have er et stykke jord.")
    other = TreeBuilder("dk/lov/2", "y")
    with other.open("sec", "1", label="§ 1.", absolute=True):
        other.text("Jf. havelovens § 4 og § 9 i lov om broer.")

    link, unresolved = ends([order(other, "Lov om stier"), order(tree)], "dk/lov/2~sec_1")

    assert isinstance(link, Link) and link.target_id == "dk/lov/1~sec_4"
    assert isinstance(unresolved, Unresolved)
    assert (unresolved.reason, unresolved.act) == ("act_not_in_corpus", "lov om broer")


def test_a_section_of_a_transitional_part_is_not_the_act_s_own() -> None:
    tree = TreeBuilder("dk/lbk/1", "x")
    with tree.open("sec", "1", label="§ 1.", absolute=True):
        tree.text("Haver holdes.")
    with tree.open("trans", "1", absolute=True, scope=True):
        tree.text("Lov nr. 7 af 1. maj 2020 indeholder følgende ikrafttrædelsesbestemmelse:")
        with tree.open("sec", "2", label="§ 2", absolute=True):
            tree.text("Loven træder i kraft den 1. juni 2020, jf. § 2 og § 1, nr. 3.")

    own, other = ends([order(tree, text_state="consolidated")], "dk/lbk/1~trans_1__sec_2")

    assert isinstance(own, Link) and own.target_id == "dk/lbk/1~trans_1__sec_2"
    assert isinstance(other, Unresolved) and other.act == "Lov nr. 7 af 1. maj 2020"


def test_a_range_in_an_act_that_is_not_at_hand_runs_by_its_numbers_or_letters() -> None:
    stem = (Step("sec", "5"),)

    numbers = expand_by_number((Step("sec", "5"),), (Step("sec", "8"),))
    letters = expand_by_number((*stem, Step("letter", "a")), (*stem, Step("letter", "c")))

    assert [path[-1].number for path in numbers] == ["5", "6", "7", "8"]
    assert [path[-1].number for path in letters] == ["a", "b", "c"]
