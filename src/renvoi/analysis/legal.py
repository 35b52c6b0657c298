"""Keep "§ 12 a", "art. 5" and "C-415/93" as one surface, when asked."""

from __future__ import annotations

import re

# The signs inside a legal token are written as characters of the private use area, which count as letters when text
# is cut into surfaces, and are written back afterwards.
_SIGNS = "§.-/"
_JOINED = {sign: chr(0xE000 + n) for n, sign in enumerate(_SIGNS)}
_HYPHENS = re.compile(r"[\u2010-\u2014\u2212]")
_JOIN = str.maketrans(_JOINED)
_SPLIT = str.maketrans({private: sign for sign, private in _JOINED.items()})
JOINED = frozenset(_JOINED.values())

_NUMBER = r"\d+[⁰¹²³⁴-⁹]*"
_LEGAL = re.compile(
    # A letter of a number: not the Danish word "i", unless it ends the reference.
    rf"§{{1,2}}\s*{_NUMBER}(?:\s?(?:[a-hj-z]|i(?=\s*[,.;)]))\b)?"
    rf"|\b(?:art\.|article|artikel|artykuł\w*)\s*{_NUMBER}[a-z]?\b"
    r"|\b[CTF][-\u2010-\u2014\u2212]\d{1,4}/\d{2}\b",
    re.IGNORECASE,
)


def join_legal_tokens(text: str) -> str:
    """Return the text with each legal token written without blanks, its signs as private characters."""
    return _LEGAL.sub(_join, text)


def split_joined(surface: str) -> str:
    """Return a surface with its signs as they were written."""
    return surface.translate(_SPLIT)


def _join(match: re.Match[str]) -> str:
    token = _HYPHENS.sub("-", re.sub(r"\s+", "", match[0]))
    return f" {token.translate(_JOIN)} "
