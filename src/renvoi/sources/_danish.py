"""What the sources of Danish acts share: identities, short titles, numbers of ranges, and repealed text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from renvoi.types import TextState

# Repealed, lapsed or never used: no operative text, and a reference to it is a reference to nothing in force.
_REPEALED = re.compile(r"\(?\s*(?:ophæv(?:et|es)|bortfaldet|udgå(?:et|r)|ubenytte(?:t|de))\s*[.)]*\.?", re.I)
_RANGE = re.compile(r"(\d+)\s*([a-zæøå]?)\s*(?:-|–|og)\s*(\d*)\s*([a-zæøå]?)", re.I)
_LONGEST_RANGE = 400

_KINDS: dict[str, tuple[str, TextState]] = {
    "LBK": ("act", "consolidated"),
    "LOV": ("act", "as_enacted"),
    "LOVÆ": ("amending_act", "as_enacted"),
    "BEK": ("order", "as_enacted"),
    "BEKÆ": ("amending_order", "as_enacted"),
}


@dataclass(frozen=True, slots=True)
class Identity:
    """What the publisher's document type, year and number say."""

    id: str
    kind: str
    text_state: TextState


def identify(document_type: str, year: str, number: str) -> Identity:
    """Return id, kind and state of the text.

    >>> identify("LOV Æ#LOKDOK02", "2020", "1061")
    Identity(id='dk/lov/2020/1061', kind='amending_act', text_state='as_enacted')
    """
    words = document_type.split("#")[0].upper().split() or ["DOK"]
    amending = "Æ" if len(words) > 1 and words[1].startswith("Æ") else ""
    kind, text_state = _KINDS.get(words[0] + amending, ("order", "as_enacted"))
    return Identity(f"dk/{words[0].lower()}/{year}/{number}", kind, text_state)


def short_titles(title: str, popular: str = "") -> tuple[str, ...]:
    """Return the names an act goes by besides its title, without repeats.

    >>> short_titles("Bekendtgørelse af lov om lån af bøger (bogloven)", "Bogloven")
    ('lov om lån af bøger', 'bogloven')
    """
    base = re.sub(r"^(Bekendtgørelse|Lovbekendtgørelse) af\s+", "", title.strip())
    found = []
    parenthesis = re.search(r"\(([^()]*(?:lov|bekendtgørelse)[^()]*)\)\s*$", base, re.I)
    if parenthesis:
        base = base[: parenthesis.start()].strip()
    if base != title.strip():
        found.append(base)
    if parenthesis:
        found.append(parenthesis[1].strip())
    if popular.strip():
        found.append(popular.strip())
    return tuple(
        {name.casefold(): name for name in reversed(found)}[key] for key in dict.fromkeys(map(str.casefold, found))
    )


def is_repealed(text: str) -> bool:
    """Say whether text only states that nothing stands here.

    >>> is_repealed("(Ophævet)"), is_repealed("Ophævet bliver § 3.")
    (True, False)
    """
    return len(text) < 40 and _REPEALED.fullmatch(text.strip()) is not None


def expand(printed: str) -> tuple[str, ...]:
    """Return the numbers that a printed range of repealed provisions stands for, or the one number.

    Between two whole numbers every whole number is meant; letters go up to the last one printed.

    >>> expand("§§ 170-172."), expand("§§ 12 a-12 c."), expand("§§ 16-16 b."), expand("Stk. 2 og 3.")
    (('170', '171', '172'), ('12a', '12b', '12c'), ('16', '16a', '16b'), ('2', '3'))
    >>> expand("§§ 96 k-m."), expand("§§ 8 b-9."), expand("§ 7.")
    (('96k', '96l', '96m'), ('8b', '9'), ('7',))
    """
    match = _RANGE.search(printed)
    if not match:
        return (number_of(printed),)
    first, first_letter, last, last_letter = match.groups()
    last = last or first
    if int(last) < int(first) or int(last) - int(first) > _LONGEST_RANGE:
        return (number_of(printed),)
    if first == last:
        start = ord(first_letter) + 1 if first_letter else ord("a" if last_letter.islower() else "A")
        return (first + first_letter, *(first + chr(c) for c in range(start, ord(last_letter or "@") + 1)))
    whole = [str(n) for n in range(int(first) + 1, int(last) + 1)]
    start = ord("a" if last_letter.islower() else "A")
    letters = [last + chr(c) for c in range(start, ord(last_letter) + 1)] if last_letter else []
    return (first + first_letter, *whole, *letters)


def number_of(printed: str) -> str:
    """Return the number in a printed label.

    >>> number_of("§ 12 a."), number_of("Stk. 2"), number_of("§ 5. E"), number_of("2a)"), number_of("1. kapitel")
    ('12a', '2', '5E', '2a', '1')
    >>> number_of("Kapitel XVIII A"), number_of("Afsnit IA"), number_of("Bilag"), number_of("Stk. 2-6.")
    ('XVIIIA', 'IA', '', '2-6')
    """
    text = re.sub(r"^(?:§+|stk\.?|nr\.?|kapitel|afsnit|bilag|artikel|del)\s*|\s*\.?\s*(?:kapitel|afsnit|bog)$", "",
                  printed.strip(), flags=re.I)  # fmt: skip
    return re.sub(r"[\s.()]+", "", text.replace("–", "-"))
