"""What the Polish sources share: words of divisions, numbers, titles, ids, repeals."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from pathlib import Path

from renvoi.ids import clean_number

_DIVISIONS = {
    "część": "part", "księga": "book", "tytuł": "title", "dział": "div", "rozdział": "chap", "oddział": "subdiv",
}  # fmt: skip
# Outermost first, as the drafting rules have it.
RANKS = {"part": 0, "book": 1, "title": 2, "div": 3, "chap": 4, "subdiv": 5}

_ORDINALS = {
    stem: n
    for n, stem in enumerate(
        "pierwsz drug trzec czwart piąt szóst siódm ósm dziewiąt dziesiąt jedenast dwunast trzynast czternast "
        "piętnast szesnast siedemnast osiemnast dziewiętnast dwudziest".split(),
        1,
    )
}
_MONTHS = "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia".split()
_DATE = re.compile(rf"\b(\d{{1,2}})\s+({'|'.join(_MONTHS)})\s+(\d{{4}})")
_RAISED = str.maketrans("0123456789abcdefghijklmnoprstuvwxyz()", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁽⁾")
# "(uchylony)", "(uchylone).", "uchylony", "(utracił moc).⁴⁾", "(zawierający art. 19–21 – uchylony)"
_REPEALED = re.compile(
    r"\(?\s*(?:[^()]{0,80}[–-]\s*)?(?:uchylon[yae]|skreślon[yae]|pominięt[yae]|utracił[ay]?\s+moc)\s*\)?[.;,]?(?:[⁰¹²³⁴⁵⁶⁷⁸⁹]+⁾)?[.;,]?"
)


def division_level(label: str) -> str | None:
    """Return the level of a division from its label, None where it is none.

    >>> division_level("Rozdział 2a"), division_level("KSIĘGA PIERWSZA"), division_level("Art. 5.")
    ('chap', 'book', None)
    """
    word = label.split(maxsplit=1)[0].lower() if label.strip() else ""
    return _DIVISIONS.get(word)


def number_in(label: str) -> str:
    """Return the number in a label as it stands in a path.

    >>> number_in("Art. 18³ᵃ."), number_in("DZIAŁ PIERWSZY"), number_in("Rozdział IIa"), number_in("3a)")
    ('18-3a', '1', 'IIa', '3a')
    """
    words = label.split()
    if words and (words[0].rstrip(".").lower() in ("art", "§") or words[0].lower() in _DIVISIONS):
        words = words[1:]
    if not words:
        return ""
    return division_number(words[0]) or clean_number("".join(words))


def ordinal(word: str) -> int | None:
    """Return the number an ordinal word says, whatever its ending.

    >>> ordinal("PIERWSZA"), ordinal("dwunasty"), ordinal("Przepisy")
    (1, 12, None)
    """
    found = re.fullmatch(r"(\w+?)(?:iej|iego|ej|ego|[yaei]|ia|ie)?", word.lower())
    return _ORDINALS.get(found[1]) if found else None


def division_number(word: str) -> str:
    """Return the number that an ordinal word says, an inserted division's letter included; "" if it says none.

    >>> division_number("PIERWSZA"), division_number("CZTERNASTYA"), division_number("ogólne")
    ('1', '14a', '')
    """
    if ordinal(word):
        return str(ordinal(word))
    inserted = re.fullmatch(r"([A-ZŁÓĄĘŚĆŻŹŃ]{4,})([A-D])", word)
    return f"{ordinal(inserted[1])}{inserted[2].lower()}" if inserted and ordinal(inserted[1]) else ""


def is_repealed(text: str) -> bool:
    """Tell whether a provision's whole text says that it is no longer there.

    >>> is_repealed("(uchylony)"), is_repealed("(utracił moc).⁴⁾"), is_repealed("Przepis został uchylony.")
    (True, True, False)
    """
    return _REPEALED.fullmatch(text.strip()) is not None and len(text) < 100


def raise_text(text: str) -> str:
    """Return text in superscript letters where there are such.

    >>> raise_text("3a"), raise_text("2)")
    ('³ᵃ', '²⁾')
    """
    return text.strip().translate(_RAISED)


def date_in(text: str) -> date | None:
    """Return the first date written out in a text.

    >>> date_in("z dnia 26 czerwca 1974 r.")
    datetime.date(1974, 6, 26)
    """
    found = _DATE.search(re.sub(r"\s+", " ", text))
    return date(int(found[3]), _MONTHS.index(found[2]) + 1, int(found[1])) if found else None


def short_titles(title: str) -> tuple[str, ...]:
    """Return what an act is called in short: the name after its date.

    >>> short_titles("Ustawa z dnia 26 czerwca 1974 r. – Kodeks pracy")
    ('Kodeks pracy',)
    >>> short_titles("Konstytucja Rzeczypospolitej Polskiej z dnia 2 kwietnia 1997 r.")
    ('Konstytucja', 'Konstytucja Rzeczypospolitej Polskiej')
    """
    title = " ".join(title.split())
    if title.lower().startswith("konstytucja"):
        return ("Konstytucja", "Konstytucja Rzeczypospolitej Polskiej")
    found = re.match(r".*?z dnia \d{1,2} \w+ \d{4} ?r\. ?[–-]? ?(.*)", title)
    name = found[1] if found else ""
    return (name,) if re.match(r"(?:Kodeks|Prawo|Ordynacja|Karta)\b", name) else ()


def kind_of(title: str) -> str:
    """Return the kind of a document from its title."""
    lower = title.lower()
    if re.search(r"\br\.\s*(o zmianie|zmieniając)", lower):
        return "amending_act"
    return "order" if lower.startswith(("rozporządzenie", "zarządzenie")) else "act"


def id_from_name(name: str) -> str:
    """Return a document id from a file name: its place in the Journal of Laws if it says so, otherwise a slug.

    >>> id_from_name("DU-2025-775.md"), id_from_name("D20030535Lj_prawo.pdf.txt"), id_from_name("mój akt.txt")
    ('pl/du/2025/775', 'pl/du/2003/535', 'pl/moj-akt')
    """
    found = re.match(r"W?(DU|MP)[-_ ](\d{4})[-_ ](\d+)", name) or re.match(r"W?(D|M)U?(\d{4})(?:\d{3})?(\d{4})\D", name)
    if found:
        return f"pl/{'mp' if found[1][0] == 'M' else 'du'}/{found[2]}/{int(found[3])}"
    stem = Path(name).name.split(".")[0]
    plain = unicodedata.normalize("NFKD", stem.replace("ł", "l").replace("Ł", "L")).encode("ascii", "ignore").decode()
    return "pl/" + re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
