from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renvoi.analysis import Analysis, default_analysis, find_terms, read_analysis, terms_of, write_analysis
from renvoi.analysis.surfaces import SurfaceTable, find_surfaces
from renvoi.errors import BadInput, Mismatch

PLAIN = Analysis("pl", stemmer="none")


def test_numbers_and_single_letters_are_terms() -> None:
    assert find_terms("art. 5 ust. 1 pkt 3 lit. a", PLAIN) == ["art", "5", "ust", "1", "pkt", "3", "lit", "a"]


def test_a_superscript_keeps_articles_apart() -> None:
    assert find_terms("art. 21¹", PLAIN) != find_terms("art. 211", PLAIN)


def test_diacritics_stay_unless_folding_is_asked_for() -> None:
    assert find_terms("Łódź ŻĄDAĆ", PLAIN) == ["łódź", "żądać"]
    assert find_terms("Łódź ŻĄDAĆ øl", Analysis("pl", stemmer="none", fold=True)) == ["lodz", "zadac", "ol"]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("jf. § 12 a, stk. 2", ["jf", "§12a", "stk", "2"]),
        ("efter § 12 i loven", ["efter", "§12", "i", "loven"]),
        ("af § 12 i, og", ["af", "§12i", "og"]),
        ("w art. 5 ust. 1", ["w", "art.5", "ust", "1"]),
        ("Case C‑415/93 Example", ["case", "c-415/93", "example"]),
    ],
)
def test_legal_tokens_stay_whole_when_asked(text: str, terms: list[str]) -> None:
    assert find_terms(text, Analysis("da", stemmer="none", legal_tokens=True)) == terms


def test_the_languages_stem_their_own_words() -> None:
    families = {"da": "lejere lejeren", "pl": "umowy umowa", "en": "leases leased", "de": "Verträge Vertrag"}

    stems = {language: set(find_terms(words, default_analysis(language))) for language, words in families.items()}

    assert stems == {"da": {"lej"}, "pl": stems["pl"], "en": {"leas"}, "de": {"vertrag"}}
    assert len(stems["pl"]) == 1


def test_stop_words_are_left_out_when_asked() -> None:
    assert find_terms("w umowie i poza umową", Analysis("pl", stemmer="none", stop_words=True)) == ["umowie", "umową"]


def test_a_language_without_a_stemmer_says_so() -> None:
    with pytest.raises(BadInput, match="no Snowball stemmer for the language 'xx'"):
        find_terms("a word", Analysis("xx"))
    assert default_analysis("xx").stemmer == "none"


def test_the_settings_come_back_as_they_were_written() -> None:
    analysis = Analysis("da", stop_words=True, legal_tokens=True)

    assert read_analysis(write_analysis(analysis)) == analysis
    with pytest.raises(Mismatch):
        read_analysis({"language": "da", "lemmatiser": "x"})


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_composed_and_decomposed_text_have_the_same_terms(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))

    assert find_terms(composed, PLAIN) == find_terms(decomposed, PLAIN)


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"])), max_size=5))
def test_the_fast_cutter_cuts_as_the_plain_one(texts: list[str]) -> None:
    table = SurfaceTable()
    encoded = [text.encode() for text in texts]

    numbers, ends = table.cut(b"".join(encoded), np.cumsum([len(text) for text in encoded], dtype=np.int64))

    known = terms_of(table.surfaces(), PLAIN)
    cut = [[known[n] for n in part] for part in np.split(numbers, ends[:-1])] if texts else []
    assert cut == [terms_of(find_surfaces(text), PLAIN) for text in texts]


def test_many_distinct_surfaces_keep_their_numbers() -> None:
    words = [f"ord{n}" for n in range(20_000)]
    data = " ".join(words + words[::-1]).encode()
    table = SurfaceTable()

    numbers, _ = table.cut(data, np.array([len(data)]))

    assert table.surfaces() == words
    assert numbers.tolist() == [*range(20_000), *range(19_999, -1, -1)]
