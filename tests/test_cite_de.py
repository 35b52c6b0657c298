"""How German references are read: acts by their many names, articles that hold sections, divisions that count anew."""

from __future__ import annotations

from dataclasses import replace

from test_cite import act, reached

from renvoi.acts import act_keys
from renvoi.jurisdictions.de import de
from renvoi.types import Step


def test_an_act_is_named_by_number_by_book_by_compound_and_by_a_long_title() -> None:
    document = act("de", {
        "§ 1": "nach Artikel 9 Absatz 1 der Verordnung (EU) 2031/57, § 20 des Fünften Buches Sozialgesetzbuch, § 3 des "
        "AZR-Gesetzes, § 4 der Leuchtturm- und Bojenordnung und den Artikeln 2 und 3 des Abkommens über die Rechte der "
        "Wärter genießen, gelten",
    })  # fmt: skip

    assert reached([document], "sec_1") == [
        "Verordnung (EU) 2031/57|art_9__para_1", "Fünften Buches Sozialgesetzbuch|sec_20", "AZR-Gesetzes|sec_3",
        "Leuchtturm- und Bojenordnung|sec_4", "Abkommens über die Rechte der Wärter|art_2",
        "Abkommens über die Rechte der Wärter|art_3",
    ]  # fmt: skip


def test_an_introductory_act_holds_articles_and_these_hold_sections() -> None:
    document = act("de", {
        "§ 1": "nach Artikel 246a §§ 1 bis 2, 3 Absatz 1 und § 4 des Einführungsgesetzes zum Bürgerlichen Gesetzbuche",
    })  # fmt: skip

    introductory = "Einführungsgesetzes zum Bürgerlichen Gesetzbuche"
    assert reached([document], "sec_1") == [
        f"{introductory}|art_246a__sec_1", f"{introductory}|art_246a__sec_2",
        f"{introductory}|art_246a__sec_3__para_1", f"{introductory}|art_246a__sec_4",
    ]  # fmt: skip


def test_a_book_of_the_social_code_is_the_same_by_word_and_by_roman_number() -> None:
    assert act_keys("Zwölften Buches", de) & act_keys("SGB XII", de)
    assert not act_keys("Zwölften Buches", de) & act_keys("SGB II", de)


def test_the_end_of_a_range_only_holds_what_follows_it() -> None:
    document = act("de", {
        "§ 1": "in den Fällen des § 2 Nr. 1 bis 3 Buchst. a", "§ 2/Nr. 1": "T.", "§ 2/Nr. 2": "T.",
        "§ 2/Nr. 3/Buchst. a": "T.",
    })  # fmt: skip

    assert reached([document], "sec_1") == ["sec_2__point_1", "sec_2__point_2", "sec_2__point_3__letter_a"]


def test_what_inherits_behind_in_verbindung_mit_has_the_act_named_last() -> None:
    document = act("de", {
        "§ 1": "nach § 3 Satz 1, auch in Verbindung mit Satz 2, des Leuchtturmgesetzes; nach § 2 in Verbindung mit § 4 "
        "des Bojengesetzes; nach den §§ 14 bis 16b, § 2 in Verbindung mit § 28 des Zweiten Buches",
        "§ 2": "T.", "§ 4": "T.", "§ 28": "T.",
    })  # fmt: skip

    assert reached([document], "sec_1") == [
        "Leuchtturmgesetzes|sec_3__sent_1", "Leuchtturmgesetzes|sec_3__sent_2", "sec_2", "Bojengesetzes|sec_4",
        "Zweiten Buches|sec_14", "Zweiten Buches|sec_15", "Zweiten Buches|sec_16", "Zweiten Buches|sec_16a",
        "Zweiten Buches|sec_16b",
        "Zweiten Buches|sec_2", "Zweiten Buches|sec_28",
    ]  # fmt: skip


def test_a_word_behind_a_number_is_no_letter_of_it_and_a_journal_has_no_provisions() -> None:
    document = act("de", {
        "§ 1": "ist § 2 zu beachten, § 3 in der Fassung vom 1. Mai 2031 (GBl. I Nr. 2 S. 1), § 4f und §§ 2 ff.",
        "§ 2": "T.", "§ 3": "T.", "§ 4f": "T.",
    })  # fmt: skip

    assert reached([document], "sec_1") == ["sec_2", "sec_3", "sec_4f", "sec_2"]


def test_divisions_are_named_by_ordinals_too() -> None:
    document = act("de", {"§ 1": "Leistungen nach dem dritten und vierten Kapitel des Zwölften Buches"})

    assert reached([document], "sec_1") == ["Zwölften Buches|chap_3", "Zwölften Buches|chap_4"]


def test_an_aside_ends_at_a_comma_and_dessen_is_the_section_cited_before() -> None:
    document = act("de", {
        "§ 1": "entgegen § 36 Abs. 10 Satz 1 Nr. 1, jeweils auch in Verbindung mit Satz 3, Nr. 2 oder 3; § 93 des "
        "Leuchtturmgesetzes gilt mit Ausnahme von dessen Absatz 1 Nr. 2",
        "§ 36/Abs. 10/Nr. 1": "T.", "§ 36/Abs. 10/Nr. 2": "T.", "§ 36/Abs. 10/Nr. 3": "T.",
    })  # fmt: skip

    assert reached([document], "sec_1") == [
        "sec_36__para_10__point_1", "sec_36__para_10__sent_3", "sec_36__para_10__point_2", "sec_36__para_10__point_3",
        "Leuchtturmgesetzes|sec_93", "Leuchtturmgesetzes|sec_93__para_1__point_2",
    ]  # fmt: skip


def test_double_letters_and_sentences_lie_in_the_number_whose_ending_cites_them() -> None:
    document = act("de", {
        "§ 3/Nr. 4/Buchst. a": "T.", "§ 3/Nr. 4/Buchst. d": "T.", "§ 3/Nr. 4/Buchst. d/Buchst. aa": "T.",
        "§ 3/Nr. 4/Schluss 1": "Dies gilt für Satz 1 Buchstabe a, nicht für § 3 Nummer 4 Buchstabe d Doppelbuchstabe "
        "aa.",
    })  # fmt: skip

    assert reached([document], "sec_3__point_4__tail_1") == [
        "sec_3__point_4__letter_a", "sec_3__point_4__letter_d__letter_aa",
    ]  # fmt: skip


def test_an_order_and_an_exception_are_of_the_section_named_before() -> None:
    document = act("de", {
        "§ 1": "entgegen § 2 Absatz 1, auch in Verbindung mit einer Rechtsverordnung nach Absatz 4; nach § 3 mit "
        "Ausnahme "
        "des Absatzes 2 des Fährgesetzes; § 5 der Fähr- und -bootsverordnung; im Sinne des Absatzes 1 sowie 15 000 "
        "Euro",
        "§ 1/Abs. 1": "T.", "§ 2/Abs. 1": "T.", "§ 2/Abs. 4": "T.",
    })  # fmt: skip

    assert reached([document], "sec_1") == [
        "sec_2__para_1", "sec_2__para_4", "Fährgesetzes|sec_3", "Fährgesetzes|sec_3__para_2",
        "Fähr- und -bootsverordnung|sec_5", "sec_1__para_1",
    ]  # fmt: skip


def test_an_exception_is_of_the_act_whose_application_it_is_made_from() -> None:
    document = act("de", {
        "§ 1": "Das Gesetz über die Bojen in der Fassung vom 6. Mai 1976 (BGBl. I S. 9), zuletzt geändert durch das "
        "Gesetz vom 18. August 1980, mit Ausnahme der §§ 3 und 4, ist anzuwenden.",
        "§ 3": "T.", "§ 4": "T.",
    })  # fmt: skip

    assert reached([document], "sec_1") == ["Gesetz über die Bojen|sec_3", "Gesetz über die Bojen|sec_4"]


def test_a_section_of_a_chapter_is_the_one_of_the_chapter_that_cites_it() -> None:
    document = act("de", {
        "Kapitel 2": "T.", "Kapitel 2/Abschnitt 3": "T.", "Kapitel 5": "T.", "Kapitel 5/Abschnitt 3": "T.",
        "§ 1": "nach § 7 oder nach Abschnitt 3",
    })  # fmt: skip
    section = document.provisions[-1]
    document = replace(
        document, provisions=(*document.provisions[:-1], replace(section, parent=document.provisions[0].id))
    )

    assert reached([document], "sec_1") == ["sec_7 no_such_provision", "chap_2__sect_3"]


def test_a_division_without_a_level_is_found_by_its_label() -> None:
    document = act("de", {
        "§ 1": "nach Abschnitt XI oder dem fünften Abschnitt", "Abschnitt 1": "T.", "Abschnitt 2": "T.",
    })  # fmt: skip
    section, one, other = document.provisions
    groups = [
        replace(
            division, id=f"x/act/1~group_{n}", path=(Step("group", str(n)),), label=label, kind="division", parent=None
        )
        for n, (division, label) in enumerate(((one, "XI."), (other, "5. Abschnitt")), 1)
    ]

    assert reached([replace(document, provisions=(*groups, section))], "sec_1") == ["group_1", "group_2"]


def test_a_sentence_lies_in_what_is_numbered_and_a_page_is_none() -> None:
    document = act("de", {
        "§ 2/Abs. 3": "T.", "§ 2/Abs. 3/Nr. 1/Buchst. a/Buchst. bb": "T.",
        "§ 1": "§ 2 Absatz 3 Satz 4 Nummer 1 Buchstabe a Doppelbuchstabe bb; (ABl. EG Nr. L 200 S. 35)",
    })  # fmt: skip
    inside = document.provisions[1]
    ending = replace(
        inside, id=f"{inside.id}__list_2__tail_1", path=(*inside.path, Step("list", "2"), Step("tail", "1")),
        parent=inside.id, text="In den Fällen des Satzes 3",
    )  # fmt: skip
    document = replace(document, provisions=(*document.provisions, ending))

    assert reached([document], "sec_1") == ["sec_2__para_3__point_1__letter_a__letter_bb"]
    assert reached([document], "sec_2__para_3__list_2__tail_1") == ["sec_2__para_3__sent_3"]


def test_a_list_goes_on_with_further_sections_up_to_the_act() -> None:
    document = act("de", {
        "§ 1": "finden § 3 Absatz 1, die §§ 4 bis 7 Nummer 1, die §§ 8, 9 Absatz 3 des Bojengesetzes, die §§ 10 und "
        "11 für Fähren",
        "§ 3": "T.", "§ 10": "T.", "§ 11": "T.",
    })  # fmt: skip

    buoys = "Bojengesetzes"
    assert reached([document], "sec_1") == [
        f"{buoys}|sec_3__para_1", f"{buoys}|sec_4", f"{buoys}|sec_5", f"{buoys}|sec_6", f"{buoys}|sec_7__point_1",
        f"{buoys}|sec_8", f"{buoys}|sec_9__para_3", "sec_10", "sec_11",
    ]  # fmt: skip


def test_a_letter_has_a_genitive() -> None:
    document = act("de", {
        "§ 1/Nr. 1/Buchst. b": "T.", "§ 1/Nr. 1/Buchst. d": "im Sinne des Buchstabens b Satz 2 und 5",
    })  # fmt: skip

    assert reached([document], "sec_1__point_1__letter_d") == [
        "sec_1__point_1__letter_b__sent_2", "sec_1__point_1__letter_b__sent_5",
    ]  # fmt: skip
