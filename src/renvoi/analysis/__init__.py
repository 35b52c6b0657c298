"""Text > terms, per language, with the settings recorded so that questions are read as the index was.

A *surface* is a stretch of letters and digits as it stands in the text; a *term* is what it is indexed as. Cutting
text into surfaces is the only work done per word (see `surfaces`); Unicode, case, stop words and stemming are
settled once for each distinct surface.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any, Literal

from renvoi.analysis.legal import join_legal_tokens, split_joined
from renvoi.analysis.surfaces import IGNORED, find_surfaces
from renvoi.errors import BadInput, Mismatch

_SNOWBALL = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "et": "estonian", "fi": "finnish", "fr": "french", "ga": "irish", "hu": "hungarian",
    "it": "italian", "lt": "lithuanian", "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
# Letters that Unicode does not take apart into a letter and a mark.
_FOLDED = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"})


@dataclass(frozen=True, slots=True)
class Analysis:
    """How text becomes terms. Numbers and single letters are always kept."""

    language: str = "en"  # ISO 639-1
    stemmer: Literal["snowball", "none"] = "snowball"
    stop_words: bool = False  # True leaves out the list of the package stopwordsiso
    fold: bool = False  # True takes diacritics off: ę > e, ø > o
    legal_tokens: bool = False  # True keeps "§ 12 a", "art. 5" and "C-415/93" as one term


def default_analysis(language: str) -> Analysis:
    """Return the analysis for a language: stemmed where there is a Snowball stemmer."""
    return Analysis(language, stemmer="snowball" if language in _SNOWBALL else "none")


def read_analysis(settings: Mapping[str, Any]) -> Analysis:
    """Return the analysis that `write_analysis` wrote.

    Raises:
        Mismatch: it holds settings that this version does not know.
    """
    unknown = set(settings) - {field.name for field in fields(Analysis)}
    if unknown or "language" not in settings:
        raise Mismatch(f"the analysis {dict(settings)} is not one of this version of renvoi; build the index again")
    return Analysis(**settings)


def write_analysis(analysis: Analysis) -> dict[str, Any]:
    """Return the settings as JSON holds them."""
    return asdict(analysis)


def find_terms(text: str, analysis: Analysis) -> list[str]:
    """Return the terms of one text, in order.

    >>> find_terms("Art. 5 ust. 1 pkt 3 lit. a", Analysis("pl", stemmer="none"))
    ['art', '5', 'ust', '1', 'pkt', '3', 'lit', 'a']
    >>> find_terms("jf. § 12 a i sag C‑415/93", Analysis("da", stemmer="none", legal_tokens=True))
    ['jf', '§12a', 'i', 'sag', 'c-415/93']
    """
    found = find_surfaces(prepare(text, analysis))
    terms = terms_of(found, analysis)
    return [term for term in terms if term]


def prepare(text: str, analysis: Analysis) -> str:
    """Return the text in the form that is cut into surfaces."""
    return join_legal_tokens(text) if analysis.legal_tokens else text


def terms_of(surfaces: Sequence[str], analysis: Analysis) -> list[str]:
    """Return the term of each surface; "" where none is indexed (a stop word, a mark that stands alone).

    Raises:
        BadInput: the language has no stemmer or no list of stop words.
    """
    words = [_normalise(surface, analysis.fold) for surface in surfaces]
    if analysis.stop_words:
        stop = _stop_words(analysis)
        words = ["" if word in stop else word for word in words]
    if analysis.stemmer == "none":
        return words
    stems: list[str] = _stemmer(analysis.language).stemWords(words)
    if analysis.legal_tokens:  # a joined token is a name, not a word
        return [word if word and not word.isalnum() else stem for word, stem in zip(words, stems, strict=True)]
    return stems


def _normalise(surface: str, fold: bool) -> str:
    if surface.isascii():
        return surface.lower()
    word = surface.translate(IGNORED)
    # NFC, case folding and NFC again, as Unicode defines caseless matching that respects canonical equivalence.
    word = unicodedata.normalize("NFC", unicodedata.normalize("NFD", word).casefold())
    while word and unicodedata.category(word[0])[0] == "M":  # a mark that stood on no letter
        word = word[1:]
    word = split_joined(word)
    if fold:
        marked = unicodedata.normalize("NFD", word)
        word = "".join(char for char in marked if not unicodedata.combining(char)).translate(_FOLDED)
    return word


def _stemmer(language: str) -> Any:
    import Stemmer

    if language not in _SNOWBALL:
        raise BadInput("analysis", f"there is no Snowball stemmer for the language {language!r}", "use stemmer='none'")
    return Stemmer.Stemmer(_SNOWBALL[language])


@cache
def _stop_words(analysis: Analysis) -> frozenset[str]:
    import stopwordsiso

    if not stopwordsiso.has_lang(analysis.language):
        raise BadInput("analysis", f"no stop words are known for {analysis.language!r}", "use stop_words=False")
    words = stopwordsiso.stopwords(analysis.language)
    return frozenset(_normalise(word, analysis.fold) for word in words)
