"""Stage leak: a question must not give its target away by an address, an act's title, or the target's own words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from renvoi.crossref.items import Draft, Drop

_WORD = re.compile(r"[^\W_]+")
# A number that says where to look, in the writing of each language. Other languages get all of them.
_PINPOINT: Mapping[str, re.Pattern[str]] = {
    "da": re.compile(
        r"§+\s?\d+(?:\s?[a-z]\b)?|\b(?:stk|nr|litra|kapitel|afsnit|artikel|bilag|pkt|paragraf)\.?\s\d+\b|\blitra\s[a-z]\b|\b\d+\.\s?pkt\b"
        r"|\b(?:denne|dette|den foregående|nævnte)\s(?:paragraf|stykke|kapitel|afsnit)\b",
        re.I,
    ),
    "pl": re.compile(
        r"§\s?\d+|\bart\.\s?\d+|\b(?:ust|poz|rozdział\w*|dział\w*)\.?\s\d+|\bpkt\s\d+|\blit\.\s?[a-z]\b|\bzdani\w+\s(?:pierwsz|drug|trzeci)\w*"
        r"|\btiret\b|\bustaw\w*\sz\sdnia\b|\brozporządzeni\w*\s[^,.?]{0,60}z\sdnia\b|\bDz\.\s?U\b",
        re.I,
    ),
    "en": re.compile(
        r"\b(?:Articles?|paragraphs?|points?|Annex(?:es)?|Chapters?|Sections?|recitals?|subparagraphs?)\s(?:\(?\d|\([a-z]+\)|[IVX]+\b)"
        r"|\b(?:Regulation|Directive|Decision)\s\((?:EU|EC|EEC)\)|\b(?:Regulation|Directive)\s(?:No\s)?\d"
        r"|\b(?:first|second|third|that|preceding|this)\s(?:subparagraph|paragraph|Article|sentence|Chapter)\b",
    ),
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a question may share with its target."""

    max_run: int = 14  # words in a row
    max_overlap: float = 0.7  # share of its word trigrams that the target has


def check_leaks(
    drafts: Iterable[Draft],
    texts: Mapping[str, str],
    titles: Sequence[str],
    language: str,
    limits: Limits = Limits(),
) -> tuple[list[Draft], list[Drop]]:
    """Return the drafts that give nothing away, marked with what they share, and the others.

    Reasons: `names_an_address`, `names_the_act`, `copies_a_run`, `overlaps`; the note holds the words.

    Args:
        drafts: from a writer.
        texts: chunk id > text.
        titles: titles and short titles of the acts of the corpus.
        language: of the questions.
        limits: see `Limits`.
    """
    kept: list[Draft] = []
    drops: list[Drop] = []
    named = _title_pattern(titles)
    for draft in drafts:
        span = find_address(draft.text, language)
        title = named.search(draft.text) if named else None
        start, end, n_run = longest_run(draft.text, texts[draft.target_id])
        overlap = shared_trigrams(draft.text, texts[draft.target_id])
        if span:
            drops.append(Drop(draft.id, "names_an_address", draft.text[span[0] : span[1]]))
        elif title:
            drops.append(Drop(draft.id, "names_the_act", title[0]))
        elif n_run > limits.max_run:
            drops.append(Drop(draft.id, "copies_a_run", draft.text[start:end]))
        elif overlap > limits.max_overlap:
            drops.append(Drop(draft.id, "overlaps", f"{overlap:.2f}"))
        else:
            marks = {**draft.marks, "run": n_run, "run_span": [start, end], "overlap": round(overlap, 3)}
            kept.append(replace(draft, marks=marks))
    return kept, drops


def find_address(text: str, language: str) -> tuple[int, int] | None:
    """Return where a text first says where to look, end excluded.

    >>> find_address("Gælder det også efter stk. 2?", "da")
    (22, 28)
    """
    patterns = [_PINPOINT[language]] if language in _PINPOINT else list(_PINPOINT.values())
    found = [match.span() for pattern in patterns if (match := pattern.search(text))]
    return min(found) if found else None


def longest_run(query: str, target: str) -> tuple[int, int, int]:
    """Return the longest run of words that a query takes from a target.

    Returns:
        Start and end in the query (characters, end excluded), and the number of words; the first of equals.

    >>> longest_run("Er fristen for klager to uger?", "Fristen for klager er fire uger.")
    (3, 21, 3)
    """
    mine = [(m[0].casefold(), m.start(), m.end()) for m in _WORD.finditer(query)]
    theirs = [m[0].casefold() for m in _WORD.finditer(target)]
    best = (0, 0, 0)
    lengths = [0] * (len(theirs) + 1)
    for i, (word, _, end) in enumerate(mine):
        fresh = [0] * (len(theirs) + 1)
        for j, other in enumerate(theirs):
            if word == other:
                fresh[j + 1] = n = lengths[j] + 1
                if n > best[2]:
                    best = (mine[i - n + 1][1], end, n)
        lengths = fresh
    return best


def shared_trigrams(query: str, target: str) -> float:
    """Return the share of a query's word trigrams that a target has, 0 to 1."""
    mine, theirs = _trigrams(query), _trigrams(target)
    return len(mine & theirs) / len(mine) if mine else 0.0


def _trigrams(text: str) -> set[tuple[str, ...]]:
    words = [m[0].casefold() for m in _WORD.finditer(text)]
    return set(zip(words, words[1:], words[2:], strict=False))


def _title_pattern(titles: Sequence[str]) -> re.Pattern[str] | None:
    """Match an act's title in any case; a short title also with an ending (`boligfællesskabslovens`)."""
    parts = []
    for title in sorted({t.strip() for t in titles if len(t.strip()) > 5}, key=lambda t: (-len(t), t)):
        words = r"\s+".join(map(re.escape, title.split()))
        parts.append(words + (r"\w{0,3}" if len(title.split()) < 3 else ""))
    return re.compile(rf"\b(?:{'|'.join(parts)})(?!\w)", re.I) if parts else None
