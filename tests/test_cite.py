"""The engine on every grammar: its own examples, and inputs that break other tools (BC-01 to BC-10, BC-15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renvoi import cite, gold, ids, ingest, registry
from renvoi.acts import ActFinder, act_keys, eu_celex
from renvoi.cite._begin import Beginnings
from renvoi.grammar import Grammar
from renvoi.resolve import Resolver
from renvoi.types import Document, Link, Provision, SourceFile, Step

EU = registry.load("jurisdictions", "eu")
STATUTES = [n for n in registry.names("jurisdictions") if isinstance(registry.load("jurisdictions", n), Grammar)]


def act(
    jurisdiction: str, provisions: dict[str, str], *, id: str = "x/act/1", title: str = "X", kind: str = "act"
) -> Document:
    """Return a document from provisions in national notation; ancestors are made as needed."""
    grammar = registry.load("jurisdictions", jurisdiction)
    made: dict[tuple[Step, ...], Provision] = {}
    for notation, text in provisions.items():
        path = gold.parse_notation(notation, grammar)
        for depth in range(1, len(path) + 1):
            here = path[:depth]
            own = text if depth == len(path) else ""
            if here not in made or own:
                parent = ids.format_id(id, here[:-1]) if depth > 1 else None
                made[here] = Provision(
                    ids.format_id(id, here), id, here, "", "", own, len(made), parent, "leaf", "in_force"
                )
    return Document(
        id, jurisdiction, grammar.language, kind, title, (), None, "as_enacted", SourceFile("x", "", "test"),
        tuple(made.values()),
    )  # fmt: skip


def reached(documents: Sequence[Document], source: str) -> list[str]:
    """Return what a provision of the first document reaches: path, "ACT|path" elsewhere, the reason where nothing."""
    first = documents[0]
    resolver = Resolver(documents)
    found = []
    for citation in cite.find_citations(first):
        if citation.source_id != f"{first.id}~{source}":
            continue
        for reference in citation.references:
            for end in resolver.ends(citation.source_id, reference):
                if isinstance(end, Link):
                    document_id, path = ids.parse_id(end.target_id)
                    name, path, reason = document_id, (*path, *end.fragment), ""
                else:
                    name, path, reason = end.act, end.path, f" {end.reason}"
                own = name == first.id
                found.append(("" if own else f"{name}|") + ids.format_path(path) + ("" if not own else reason))
    return found


def test_a_list_that_goes_on_behind_a_comma_after_jf_has_one_act() -> None:
    document = act("da", {
        "§ 13/stk. 1": "T.", "§ 14": "T.", "§ 90": "T.",
        "§ 45": "efter § 90 i denne lov og efter § 13, stk. 1, jf. § 14, og § 32 i lov om bekæmpelse af støj",
    })  # fmt: skip

    noise = "lov om bekæmpelse af støj"
    assert reached([document], "sec_45") == [
        "sec_90", f"{noise}|sec_13__subsec_1", f"{noise}|sec_14", f"{noise}|sec_32",
    ]  # fmt: skip


def test_what_is_excepted_from_a_repeal_is_of_the_repealed_act() -> None:
    document = act("da", {
        "§ 7/stk. 1": "T.",
        "§ 45": "Lov om støj, jf. lovbekendtgørelse nr. 63 af 8. august 2002, ophæves bortset fra § 7 og § 9, stk. 2.",
    })  # fmt: skip

    assert reached([document], "sec_45") == ["Lov om støj|sec_7", "Lov om støj|sec_9__subsec_2"]


def test_a_polish_code_is_an_act_too_and_one_of_another_day_is_another_act() -> None:
    document = act("pl", {
        "art. 1": "T.",
        "art. 2": "Zgodnie z ustawą z dnia 3 maja 2001 r. o latarniach i Ordynacją podatkową stosuje "
        "się art. 9 tej ustawy.",
        "art. 3": "Stosuje się przepisy działu IV Ordynacji podatkowej, z wyłączeniem rozdziałów 17 i 18.",
        "art. 4": "Stosuje się art. 1 ustawy z dnia 5 maja 1990 r. o lampach.",
    }, title="Ustawa z dnia 3 maja 2001 r. o lampach")  # fmt: skip

    tax = "Ordynacji podatkowej"
    assert reached([document], "art_2")[-1].endswith("podatkową|art_9")
    assert reached([document], "art_3") == [
        f"{tax}|div_IV", f"{tax}|div_IV__chap_17", f"{tax}|div_IV__chap_18",
    ]  # fmt: skip
    assert reached([document], "art_4") == ["ustawy z dnia 5 maja 1990 r. o lampach|art_1"]


def test_a_point_of_an_annex_is_found_where_one_section_only_holds_it() -> None:
    document = act("eu", {
        "Article 1": "points 2 (d) and (e) of Annex I, and point 1 of Annex I",
        "Annex I/Section 1/point 1": "T.", "Annex I/Section 1/point 2/point (d)": "T.",
        "Annex I/Section 1/point 2/point (e)": "T.", "Annex I/Section 2/point 1": "T.",
    })  # fmt: skip

    assert reached([document], "art_1") == [
        "annex_I__sect_1__point_2__point_d", "annex_I__sect_1__point_2__point_e",
        "annex_i__point_1 no_such_provision",
    ]  # fmt: skip


def test_a_chapter_is_found_by_the_title_it_lies_in() -> None:
    document = act("eu", {"Title III": "T.", "Article 1": "Title III, Chapter 6, applies", "Chapter 6": "T."})
    title, article, chapter = document.provisions
    inner = replace(chapter, parent=title.id, kind="division")
    document = replace(document, provisions=(replace(title, kind="division"), article, inner))

    assert reached([document], "art_1") == ["chap_6"]


def test_danish_names_the_subparagraphs_of_eu_articles_by_ordinals() -> None:
    document = act("da", {
        "§ 45": "artikel 43, stk. 1, 1. afsnit, 1. pkt., og 2. afsnit, og artikel 44, 1.-3. afsnit, "
        "i forordning (EU) nr. 57/2031",
    })  # fmt: skip

    kites = "forordning (EU) nr. 57/2031"
    assert reached([document], "sec_45") == [
        f"{kites}|art_43__subsec_1__subpar_1__sent_1", f"{kites}|art_43__subsec_1__subpar_2",
        f"{kites}|art_44__subpar_1", f"{kites}|art_44__subpar_2", f"{kites}|art_44__subpar_3",
    ]  # fmt: skip


def test_a_letter_goes_on_alone_and_the_preposition_i_is_no_letter() -> None:
    document = act("da", {
        "§ 5 a": "T.", "§ 5 b": "T.", "§ 6": "T.", "§ 9": "§§ 5 a og b, 6 og artikel 92, litra c, i Tågeforordningen",
    })  # fmt: skip

    assert reached([document], "sec_9") == ["sec_5a", "sec_5b", "sec_6", "Tågeforordningen|art_92__letter_c"]


def test_a_section_and_an_article_are_not_of_one_act() -> None:
    document = act("da", {
        "§ 2/stk. 1": "T.", "§ 3": "T.", 
        "§ 9": "§ 2, stk. 1, § 3, artikel 4, stk. 1, nr. 8, i forordning (EU) nr. 57/2031",
    })  # fmt: skip

    assert reached([document], "sec_9") == [
        "sec_2__subsec_1", "sec_3", "forordning (EU) nr. 57/2031|art_4__subsec_1__point_8",
    ]  # fmt: skip


def test_a_short_name_in_parentheses_behind_a_danish_act_is_that_act() -> None:
    document = act("da", {
        "§ 8": "Forordning (EU) nr. 57/2031 med senere ændringer (fyr- og bøjeforordningen) gælder.",
        "§ 9": "artikel 3 i fyr- og bøjeforordningen, § 2 i lov om adgang til at drive virksomhed som fyrpasser, og § "
        "7 i lov om tåge som ændret ved denne lovs § 8",
    })  # fmt: skip

    assert reached([document], "sec_9") == [
        "Forordning (EU) nr. 57/2031|art_3", "lov om adgang til at drive virksomhed som fyrpasser|sec_2",
        "lov om tåge|sec_7", "sec_8",
    ]  # fmt: skip


def test_every_version_of_an_act_cites_itself_by_its_name() -> None:
    texts = {"§ 1": "T.", "§ 2": "efter § 1 i lov om fyr"}
    other = act("da", {"§ 3": "efter § 1 i lov om fyr"}, id="dk/lov/2031/3", title="Lov om tåge")
    old = act("da", texts, id="dk/lbk/2031/1", title="Bekendtgørelse af lov om fyr")
    new = act("da", texts, id="dk/lbk/2032/2", title="Bekendtgørelse af lov om fyr")
    resolver = Resolver([other, old, new])

    linked = [
        end.target_id for document in (other, old, new) for citation in cite.find_citations(document)
        for reference in citation.references for end in resolver.ends(citation.source_id, reference)
        if isinstance(end, Link)
    ]  # fmt: skip

    assert linked == ["dk/lbk/2032/2~sec_1", "dk/lbk/2031/1~sec_1", "dk/lbk/2032/2~sec_1"]


def test_a_range_whose_end_the_act_has_not_runs_by_its_numbers() -> None:
    document = act("da", {"§ 1/nr. 1": "T.", "§ 1/nr. 2": "T.", "§ 9": "§ 1, nr. 1-4"})

    assert reached([document], "sec_9") == [
        "sec_1__point_1", "sec_1__point_2", "sec_1__point_3 no_such_provision", "sec_1__point_4 no_such_provision",
    ]  # fmt: skip


def test_divisions_lie_in_one_another_and_a_treaty_has_one_identity() -> None:
    document = act("eu", {"Article 1": "Chapter 4 or Chapter 5 of Title V of Part Three of the TFEU"})

    assert reached([document], "art_1") == ["TFEU|part_III__title_V__chap_4", "TFEU|part_III__title_V__chap_5"]
    assert act_keys("TFEU", EU) & act_keys("the Treaty on the Functioning of the European Union", EU)
    assert not act_keys("TFEU", EU) & act_keys("TEU", EU)


def test_a_part_lies_in_its_annex_and_a_bracket_behind_a_list_is_a_paragraph() -> None:
    document = act("eu", {
        "Article 1": "Annex IV, Part A, point 2(c), Article 5(1), points (a) and (b), and (2), and Article 6(c)(i) "
        "to (iii)",
        "Annex IV/Part A/point 2/point (c)": "T.", "Article 5/par. 1/point (a)": "T.",
        "Article 5/par. 1/point (b)": "T.", "Article 5/par. 2": "T.",
    })  # fmt: skip

    assert reached([document], "art_1") == [
        "annex_IV__part_A__point_2__point_c", "art_5__para_1__point_a", "art_5__para_1__point_b", "art_5__para_2",
        *(f"art_6__point_c__point_{n} no_such_provision" for n in ("i", "ii", "iii")),
    ]  # fmt: skip


def test_a_plural_names_several_acts() -> None:
    document = act(
        "eu", {"Article 1": "Articles 3 and 4 of Regulations (EU) No 1/2031, (EU) No 2/2031 and (EU) No 3/2031"}
    )

    assert reached([document], "art_1") == [
        f"{kind} (EU) No {n}/2031|art_{article}"
        for kind, n in (("Regulations", 1), ("Regulation", 2), ("Regulation", 3)) for article in (3, 4)
    ]  # fmt: skip


def test_a_correlation_table_does_not_tell_whose_its_articles_are() -> None:
    document = act("eu", {
        "Article 1": "T.", "Annex II": "Correlation table", 
        "Annex II/point 1": "Directive 31/6/EC | Article 1 | Article 2", "Annex III": "Article 1",
    })  # fmt: skip
    annexes = {p.id: replace(p, kind="annex") for p in document.provisions if p.path[0].level == "annex"}
    document = replace(document, provisions=tuple(annexes.get(p.id, p) for p in document.provisions))

    assert reached([document], "annex_II__point_1") == ["|art_1", "|art_2"]
    assert reached([document], "annex_III") == ["art_1"]


def test_the_regulation_of_a_danish_text_is_the_one_named_last() -> None:
    document = act("da", {
        "§ 9": "artikel 5, stk. 1, afsnit 2, 2. pkt., i forordning (EU) nr. 5/2031, jf. forordningens artikel 7",
        "§ 10": "efter direktivets artikel 7",
    })  # fmt: skip

    gears = "forordning (EU) nr. 5/2031"
    assert reached([document], "sec_9") == [f"{gears}|art_5__subsec_1__subpar_2__sent_2", f"{gears}|art_7"]
    assert reached([document], "sec_10") == ["|art_7"]


def test_a_list_that_goes_back_to_a_lower_section_goes_on_in_another_act() -> None:
    sections = {f"§ {n}": "T." for n in (5, 27, 58, 59, 65)}
    document = act("da", {
        **sections, "§ 9": "§§ 58 og 59 og § 27 i lov om fyr og § 5 og §§ 65 og 66 i lov om bøjer samt § 5, jf. § 2, "
        "og § 27 i lov om tåge; den tidligere fyrvæsenslovs § 3",
    })  # fmt: skip

    assert reached([document], "sec_9") == [
        "sec_58", "sec_59", "lov om fyr|sec_27", "lov om bøjer|sec_5", "lov om bøjer|sec_65", "lov om bøjer|sec_66",
        "lov om tåge|sec_5", "lov om tåge|sec_2", "lov om tåge|sec_27", "fyrvæsenslov|sec_3",
    ]  # fmt: skip


def test_behind_jf_a_reference_may_come_home() -> None:
    document = act("da", {
        "§ 9/stk. 1/nr. 2": "T.", "§ 9/stk. 2": "efter fyrlovens § 16, stk. 7, jf. stk. 1, nr. 2, i denne paragraf",
    })  # fmt: skip

    assert reached([document], "sec_9__subsec_2") == ["fyrloven|sec_16__subsec_7", "sec_9__subsec_1__point_2"]


def test_a_chapter_may_be_numbered_before_its_word_and_a_name_ends_where_it_is_known_to() -> None:
    document = act("da", {
        "§ 8": "jf. § 4 i lov om fyr og bøjer.",
        "§ 9": "denne lovs 12. eller 13. kapitel, § 6 i lov om fyr og bøjer om pligt til at tude",
        "kapitel 12": "T.", "kapitel 13": "T.",
    })  # fmt: skip

    assert reached([document], "sec_9") == ["chap_12", "chap_13", "lov om fyr og bøjer|sec_6"]


def test_a_title_that_goes_on_is_not_the_shorter_one_named_more_often() -> None:
    often = " ".join(f"§ {n} i lov om leje, der gælder." for n in range(1, 9))
    document = act("da", {
        "§ 1": often, "§ 9": "Lov om leje af fyr § 2, stk. 1, og artikel 3 i Rådets forordning om adgang til fyr",
    })  # fmt: skip

    assert reached([document], "sec_9") == [
        "Lov om leje af fyr|sec_2__subsec_1", "Rådets forordning om adgang til fyr|art_3",
    ]  # fmt: skip


def test_a_letter_that_stands_apart_is_a_sections() -> None:
    document = act("da", {
        "§ 25 a/stk. 2": "T.", "§ 25 b": "T.", "§ 56/stk. 2": "T.", "§ 56 a": "T.", "§ 57": "T.",
        "§ 1/stk. 1/nr. 2": "T.", "§ 1/stk. 1/nr. 2d": "T.", "§ 1/stk. 1/nr. 2e": "T.",
        "§ 9": "§ 25 a, stk. 2, eller 25 b; §§ 56, stk. 2, 56 a og 57; § 143 i i lov om tåge; § 1, stk. 1, "
        "nr. 2 d-2 e, og nr. 2 og 2 e, gælder",
    })  # fmt: skip

    assert reached([document], "sec_9") == [
        "sec_25a__subsec_2", "sec_25b", "sec_56__subsec_2", "sec_56a", "sec_57", "lov om tåge|sec_143i",
        "sec_1__subsec_1__point_2d", "sec_1__subsec_1__point_2e", "sec_1__subsec_1__point_2",
        "sec_1__subsec_1__point_2e",
    ]  # fmt: skip


def test_a_range_to_a_lettered_end_holds_the_letters_before_it() -> None:
    document = act("pl", {"art. 1": "art. 24a-25c ustawy z dnia 3 maja 2031 r. o mgle"})

    fog = "ustawy z dnia 3 maja 2031 r. o mgle"
    assert reached([document], "art_1") == [f"{fog}|art_{n}" for n in ("24a", "25", "25a", "25b", "25c")]


@pytest.mark.parametrize("name", STATUTES)
def test_every_grammar_reads_its_own_examples(name: str) -> None:
    grammar = registry.load("jurisdictions", name)
    engine = cite.engine_for(grammar)

    for example in grammar.examples:
        wanted = [gold.parse_notation(target.rpartition("|")[2], grammar) for target in example.targets]
        at = gold.parse_notation(example.at, grammar)
        document = act(name, {example.at: example.text, **{t: "" for t in example.targets if "|" not in t}})
        resolver = Resolver([document])
        source = ids.format_id(document.id, at)
        setting = next(s for p, s in cite.settings(document, grammar) if p.id == source)
        ends = [
            end
            for citation in cite.find_in_text(example.text, source, setting, engine)
            for reference in citation.references
            for end in resolver.ends(source, reference)
        ]
        paths = [(*ids.parse_id(e.target_id)[1], *e.fragment) if isinstance(e, Link) else e.path for e in ends]

        assert paths == wanted, example.text


def test_a_danish_range_holds_the_lettered_sections_between_its_ends() -> None:
    # BC-01
    sections = {f"§ {n}": "T." for n in ("10", "11", "12", "12 a", "12 b", "12 c", "13")}
    document = act("da", {**sections, "§ 20": "Reglerne i §§ 12 a-12 c og §§ 10–12 finder tilsvarende anvendelse."})

    assert reached([document], "sec_20") == ["sec_12a", "sec_12b", "sec_12c", "sec_10", "sec_11", "sec_12"]


def test_the_danish_word_i_after_a_section_is_a_preposition_unless_the_act_has_that_section() -> None:
    # BC-02
    document = act("da", {
        "§ 79 i/stk. 1": "T.", "§ 79 i/stk. 2": "T.", "§ 83": "T.",
        "§ 90": "Ansøgning efter § 83 i denne lov indgives skriftligt.",
        "§ 91": "jf. § 79 i, stk. 1", "§ 92": "§ 79 i finder tilsvarende anvendelse.",
    })  # fmt: skip

    assert reached([document], "sec_90") == ["sec_83"]
    assert reached([document], "sec_91") == ["sec_79i__subsec_1"]
    assert reached([document], "sec_92") == ["sec_79i"]


def test_a_danish_genitive_names_another_act() -> None:
    # BC-03
    document = act("da", {"§ 1": "Straffelovens § 124 gælder ikke.", "§ 124": "T."})

    assert reached([document], "sec_1") == ["Straffeloven|sec_124"]


def test_a_danish_subsection_after_a_comma_inherits_the_section() -> None:
    # BC-04
    document = act("da", {
        "§ 7/stk. 1/nr. 2": "T.", "§ 7/stk. 2": "T. T.", "§ 20/stk. 1": "jf. § 7, stk. 1, nr. 2, og stk. 2, 2. pkt.",
        "§ 20/stk. 2": "T.",
    })  # fmt: skip

    assert reached([document], "sec_20__subsec_1") == ["sec_7__subsec_1__point_2", "sec_7__subsec_2__sent_2"]


def test_a_danish_or_joins_a_list() -> None:
    # BC-05
    document = act("da", {
        "§ 5/stk. 1": "T.", "§ 5/stk. 2": "T.", "§ 5/stk. 3": "efter stk. 1 eller 2, og §§ 10 eller 11", "§ 10": "T.",
        "§ 11": "T.",
    })  # fmt: skip

    assert reached([document], "sec_5__subsec_3") == ["sec_5__subsec_1", "sec_5__subsec_2", "sec_10", "sec_11"]


def test_the_preceding_section_and_the_same_act_are_found() -> None:
    # BC-06
    document = act("da", {
        "§ 3": "T.", "§ 8": "T.",
        "§ 9": "Den foregående paragraf gælder. Det samme følger af byggelovens § 12 og samme lovs § 3.",
    })  # fmt: skip

    assert reached([document], "sec_9") == ["sec_8", "byggeloven|sec_12", "byggeloven|sec_3"]


def test_polish_this_act_is_internal_even_beside_the_word_act() -> None:
    # BC-07
    document = act("pl", {
        "art. 5/ust. 2": "T.", "art. 9": "T.",
        "art. 12": "na zasadach określonych w art. 5 ust. 2 niniejszej ustawy",
        "art. 13": "Organ może, zgodnie z art. 9, udzielić informacji o prawie do odwołania.",
    })  # fmt: skip

    assert reached([document], "art_12") == ["art_5__para_2"]
    assert reached([document], "art_13") == ["art_9"]


def test_a_polish_point_belongs_to_the_last_paragraph_of_a_list() -> None:
    # BC-08
    document = act("pl", {
        "art. 30/ust. 1": "T.", "art. 30/ust. 2/pkt 3": "T.", "art. 30/ust. 4": "o których mowa w ust. 1 i 2 pkt 3",
    })  # fmt: skip

    assert reached([document], "art_30__para_4") == ["art_30__para_1", "art_30__para_2__point_3"]


def test_a_superscript_article_is_neither_its_base_nor_a_longer_number() -> None:
    # BC-09
    document = act("pl", {
        "art. 21": "T.", "art. 21^1/ust. 2": "T.", "art. 211": "T.",
        "art. 300": "o których mowa w art. 21¹ ust. 2, art. 21(1) oraz w art. 211",
    })  # fmt: skip

    assert reached([document], "art_300") == ["art_21-1__para_2", "art_21-1", "art_211"]


def test_a_polish_code_or_regulation_after_an_article_is_another_act() -> None:
    # BC-10
    document = act("pl", {
        "art. 4": "T.", "art. 7": "T.",
        "art. 8": "z art. 7 Konstytucji oraz § 4 ust. 2 rozporządzenia Ministra Zdrowia",
    })  # fmt: skip

    assert reached([document], "art_8") == [
        "Konstytucji|art_7", "rozporządzenia Ministra Zdrowia|sec_4__para_2",
    ]  # fmt: skip


def test_number_and_year_of_an_eu_act_follow_its_kind_and_its_date() -> None:
    # BC-15
    assert eu_celex("Decision 243/2012/EU") == "32012D0243"
    assert eu_celex("Regulation (EU) 2012/243") == "32012R0243"
    assert eu_celex("Regulation (EC) No 1999/2004") == "32004R1999"
    assert eu_celex("Directive 95/46/EC") == "31995L0046"


def test_what_stands_behind_of_governs_what_stands_before() -> None:
    document = act("eu", {
        "Article 9/par. 1": "T.",
        "Article 26/par. 2/subpar. 1": "T.", "Article 26/par. 2/subpar. 2": "T.", "Article 26/par. 2/subpar. 3": "T.",
        "Article 30": "Article 9(1), the second and third subparagraphs of Article 26(2) and that Article as a whole",
    })  # fmt: skip

    assert reached([document], "art_30") == [
        "art_9__para_1", "art_26__para_2__subpar_2", "art_26__para_2__subpar_3",
    ]  # fmt: skip


def test_an_act_named_once_at_the_end_closes_the_whole_list() -> None:
    document = act("da", {
        "§ 13/stk. 1": "T.", "§ 14": "T.", "§ 90": "T.",
        "§ 45": "efter § 13, stk. 1, nr. 5 eller 6, eller § 14 i lov om bekæmpelse af støj.",
        "§ 46": "omfattet af § 90, nr. 7, jf. § 14 i lov om bekæmpelse af støj",
    })  # fmt: skip

    noise = "lov om bekæmpelse af støj"
    assert reached([document], "sec_45") == [
        f"{noise}|sec_13__subsec_1__point_5", f"{noise}|sec_13__subsec_1__point_6", f"{noise}|sec_14",
    ]  # fmt: skip
    assert reached([document], "sec_46") == ["sec_90__point_7 no_such_provision", f"{noise}|sec_14"]


@pytest.mark.parametrize("name", STATUTES)
@given(text=st.text(alphabet=st.sampled_from("§§ 12a,.-–()jftkosgieluripnAdPC "), max_size=80))
def test_no_text_breaks_the_engine_and_every_span_lies_in_the_text(name: str, text: str) -> None:
    grammar = registry.load("jurisdictions", name)
    document = act(name, {grammar.styles[grammar.articles[0]].replace("spaced", "").format("1"): text})
    provision, setting = list(cite.settings(document, grammar))[-1]

    for citation in cite.find_in_text(text, provision.id, setting, cite.engine_for(grammar)):
        assert 0 <= citation.start < citation.end <= len(text)
        for reference in citation.references:
            assert citation.start <= reference.start < reference.end <= citation.end


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("da", "statutes/da/lexdania/2024-62.xml"),
        ("pl", "statutes/pl/text/uokik.txt"),
        ("eu", "statutes/eu/xhtml/32019R2088.xhtml"),
        ("de", "statutes/de/bdsg_2018.md"),
    ],
)
def test_no_beginning_of_a_citation_is_missed_by_looking_only_near_seeds(data: Path, name: str, file: str) -> None:
    engine = cite.engine_for(name)

    for provision in ingest.read_file(data / file)[0].provisions:
        beginnings = Beginnings(engine, provision.text)
        for at in range(0, len(provision.text), 400):
            slow = engine.begin.search(provision.text, at)

            assert beginnings.after(at) == (slow.start() if slow else None), provision.text[at:]


def test_a_short_name_that_an_act_defines_means_the_other_act() -> None:
    # BC-14
    text = (
        "In this Part, “the principal Act” means the Grain Act 1911. "
        "Section 4 of the principal Act and subsection (2) thereof apply."
    )
    document = act("uk", {"s. 1": text, "s. 4": "T."})

    assert reached([document], "sec_1") == ["Grain Act 1911|sec_4", "Grain Act 1911|sec_4__subsec_2"]


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("da", "statutes/da/lexdania/2024-62.xml"),
        ("pl", "statutes/pl/text/uokik.txt"),
        ("eu", "statutes/eu/xhtml/32019R2088.xhtml"),
        ("de", "statutes/de/bdsg_2018.md"),
    ],
)
def test_no_name_of_an_act_is_missed_by_looking_only_near_seeds(data: Path, name: str, file: str) -> None:
    grammar = registry.load("jurisdictions", name)
    texts = [p.text for p in ingest.read_file(data / file)[0].provisions]
    fast = ActFinder(grammar, texts)
    slow = ActFinder(replace(grammar, acts=replace(grammar.acts, seeds="")), texts)

    found = [fast.find(text) for text in texts]

    assert any(found)
    assert found == [slow.find(text) for text in texts]
