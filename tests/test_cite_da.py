"""How Danish references are read: transitional parts of consolidated acts, "lovens", names of conventions."""

from __future__ import annotations

from dataclasses import replace

from test_cite import act, reached


def test_a_transitional_part_speaks_of_the_act_that_made_it_and_of_the_consolidated_one() -> None:
    document = act("da", {
        "§ 1": "T.", "§ 3": "T.", "§ 5 a/stk. 1": "T.",
        "overgang 1": "Lov nr. 57 af 3. maj 2031 (Fyr m.v.), hvis § 1 angår § 3, indeholder nedenstående bestemmelser:",
        "overgang 1/§ 3/stk. 1": "T.",
        "overgang 1/§ 3/stk. 2": "Efter § 5 a, stk. 1, i lov om fyr som affattet ved lovens § 1, nr. 2, gælder stk. "
        "1 og § 5 a.",
    }, title="Bekendtgørelse af lov om fyr")  # fmt: skip
    document = replace(document, text_state="consolidated")

    amending = "Lov nr. 57 af 3. maj 2031"
    assert reached([document], "trans_1") == [f"{amending}|sec_1", "sec_3"]
    assert reached([document], "trans_1__sec_3__subsec_2") == [
        "sec_5a__subsec_1", f"{amending}|sec_1__point_2", "trans_1__sec_3__subsec_1", "sec_5a",
    ]  # fmt: skip


def test_lovens_is_the_act_that_the_sentence_named_before_and_else_the_citing_one() -> None:
    document = act("da", {
        "§ 3": "T.", "§ 4": "omfattet af lov om private bøjer, jf. lovens § 3, og kapitel 2. Det følger af lovens § 3.",
    })  # fmt: skip

    assert reached([document], "sec_4") == ["lov om private bøjer|sec_3", "lov om private bøjer|chap_2", "sec_3"]


def test_a_chapter_behind_a_section_says_only_where_it_stands() -> None:
    document = act(
        "da", {"§ 1": "bortset fra § 66 a i lovens kapitel 10 og § 3 i kapitel 2", "§ 3": "T.", "§ 66 a": "T."}
    )

    assert reached([document], "sec_1") == ["sec_66a", "sec_3"]


def test_chapters_have_roman_numbers_too() -> None:
    document = act("da", {
        "§ 1": "efter kapitel II og VIII A i lov om støj og anses som", "§ 2": "efter kapitel II-IV", "kapitel II":
        "T.",
        "kapitel III": "T.", "kapitel IV": "T.",
    })  # fmt: skip

    assert reached([document], "sec_1") == ["lov om støj|chap_II", "lov om støj|chap_VIIIA"]
    assert reached([document], "sec_2") == ["chap_II", "chap_III", "chap_IV"]


def test_codes_conventions_and_old_acts_have_names() -> None:
    document = act("da", {
        "§ 1": "i medfør af Fyrkodeksens artikel 25, stk. 4, jf. § 2, artikel 15 i 1992-bøjekonventionen, artikel 3 i "
        "konventionen af 10. marts 1988 til værn om fyr eller artikel 2 i protokollen af 3. maj 1989 til værn om "
        "bøjer, "
        "§ 27 i lov af 25. marts 1872 om vrag, jf. sølovens § 2 a",
        "§ 2": "T.",
    })  # fmt: skip

    assert reached([document], "sec_1")[:6] == [
        "Fyrkodeksen|art_25__subsec_4", "sec_2", "1992-bøjekonventionen|art_15",
        "konventionen af 10. marts 1988 til værn om fyr|art_3", "protokollen af 3. maj 1989 til værn om bøjer|art_2",
        "lov af 25. marts 1872 om vrag|sec_27",
    ]  # fmt: skip
    assert reached([document], "sec_1")[-1] == "søloven|sec_2a"


def test_a_title_goes_on_behind_m_v_and_ends_there_before_a_section() -> None:
    document = act("da", {
        "§ 1": "efter § 3 i lov om fyr m.v. for bøjer, og de i lov om lamper m.v. § 2 nævnte. Efter § 5 i lov om "
        "vrag m.v. "
        "Bøden fastsættes",
    })  # fmt: skip

    assert reached([document], "sec_1") == [
        "lov om fyr m.v. for bøjer|sec_3", "lov om lamper m.v.|sec_2", "lov om vrag m.v|sec_5",
    ]  # fmt: skip


def test_what_is_excepted_from_an_act_named_right_before_is_of_that_act() -> None:
    document = act(
        "da", {"§ 1": "Fyrloven, bortset fra kapitel 3, finder anvendelse. § 4, bortset fra stk. 2, gælder."}
    )

    assert reached([document], "sec_1") == [
        "Fyrloven|chap_3", "sec_4 no_such_provision", "sec_4__subsec_2 no_such_provision",
    ]  # fmt: skip


def test_what_the_amending_act_changed_is_not_its_own() -> None:
    document = act("da", {
        "§ 4/stk. 1": "T.", "§ 5": "T.", "§ 9": "T.", "§ 40/stk. 1": "T.",
        "overgang 1": "Lov nr. 57 af 3. maj 2031 indeholder følgende bestemmelser:",
        "overgang 1/§ 2/stk. 1": "§ 4, stk. 1, og § 5, som ændret ved denne lovs § 1, nr. 5, gælder. § 1, nr. 5, som "
        "ændret "
        "ved § 3, gælder. Den hidtil gældende § 4 og §§ 4-5 finder anvendelse efter § 40, stk. 1, jf. dog § 3.",
    })  # fmt: skip
    document = replace(document, text_state="consolidated")

    amending = "Lov nr. 57 af 3. maj 2031"
    assert reached([document], "trans_1__sec_2__subsec_1") == [
        "sec_4__subsec_1", "sec_5", f"{amending}|sec_1__point_5", f"{amending}|sec_1__point_5", f"{amending}|sec_3",
        "sec_4", "sec_4", "sec_5", "sec_40__subsec_1", f"{amending}|sec_3",
    ]  # fmt: skip


def test_a_range_of_roman_chapters_of_another_act_is_counted() -> None:
    document = act("da", {"§ 1": "efter kapitel II-IV i lov om støj"})

    assert reached([document], "sec_1") == [f"lov om støj|chap_{n}" for n in ("II", "III", "IV")]


def test_what_is_excepted_behind_a_verb_is_of_the_section_before_it() -> None:
    document = act("da", {
        "§ 5/stk. 1": "§ 6 finder tilsvarende anvendelse, bortset fra stk. 2, 1. pkt. Efter § 6 kan ministeren i "
        "særlige "
        "tilfælde fastsætte regler, bortset fra stk. 2.", "§ 5/stk. 2": "T.", "§ 6/stk. 2": "T.",
    })  # fmt: skip

    assert reached([document], "sec_5__subsec_1") == ["sec_6", "sec_6__subsec_2__sent_1", "sec_6", "sec_5__subsec_2"]


def test_this_act_is_the_amending_one_outside_what_it_quotes() -> None:
    document = act("da", {
        "§ 1": "I lov om støj foretages følgende ændringer:", "§ 1/nr. 1": "Som bilag 1 indsættes bilag 2 til denne "
        "lov.",
        "§ 1/nr. 2": "§ 5 affattes således:", "§ 1/nr. 2/citat 1": "efter § 3 i denne lov", "bilag 2": "T.",
    }, kind="amending_act")  # fmt: skip

    assert reached([document], "sec_1__point_1") == ["lov om støj|annex_1", "annex_2"]
    assert reached([document], "sec_1__point_2__quote_1") == ["lov om støj|sec_3"]


def test_a_relative_reference_behind_jf_dog_is_the_citing_sections_whatever_act_was_named() -> None:
    document = act("da", {"§ 5/stk. 1": "efter fyrlovens § 10, stk. 1, jf. dog stk. 2.", "§ 5/stk. 2": "T."})

    assert reached([document], "sec_5__subsec_1") == ["fyrloven|sec_10__subsec_1", "sec_5__subsec_2"]


def test_a_note_goes_on_from_the_section_it_named() -> None:
    document = act("da", {
        "note 1": "Ved ændringen indsattes § 7, stk. 2, hvorefter stk. 2 blev stk. 3.", "§ 7/stk. 2": "T.", "§ "
        "7/stk. 3": "T.",
    })  # fmt: skip

    assert reached([document], "note_1") == ["sec_7__subsec_2", "sec_7__subsec_2", "sec_7__subsec_3"]
