"""Is a reply in the language that was asked for?"""

from __future__ import annotations

from functools import cache
from typing import Any

NAMES = {
    "da": "Danish", "pl": "Polish", "en": "English", "de": "German", "fr": "French", "it": "Italian", "es": "Spanish",
    "sv": "Swedish", "nl": "Dutch",
}  # fmt: skip
# Told apart badly in short texts; a Norwegian-looking question is Danish enough.
_CLOSE = {"da": {"da", "no", "nn", "sv"}}
_SHORTEST = 25


def is_in(text: str, language: str) -> bool:
    """Tell whether a text is in a language; texts too short to tell, and languages not listed, pass."""
    if len(text) < _SHORTEST or language not in NAMES:
        return True
    found = _identifier().classify(text)[0]
    return found in _CLOSE.get(language, {language})


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(sorted({*NAMES, "no", "nn"}))
    return identifier
