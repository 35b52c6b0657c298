"""Polish: how a rule becomes a question, and how the substance of a cited rule is said first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from renvoi.crossref.statements import HOLE, Scene, Statement

language = "pl"

_SEVERAL = r"⟦\d+⟧(?:(?:, | i | oraz | lub | albo | i w | lub w | oraz w )⟦\d+⟧)*"
_LEADS = (
    r"(?:, o (?:którym|której|których|jakim|jakich) mowa (?:odpowiednio )?w |,? (?:określon|wskazan|wymienion|przewidzian|ustanowion|ustalon|"
    r"zawart|dokonan|wydan|udzielon|ogłoszon)\w+ (?:odpowiednio )?(?:w|na podstawie|zgodnie z) "
    r"|,? niż (?:określono|wskazano) w |(?: \w{3,}(?:ny|na|ne|nego|nej|nych|nym|ną|ty|tego|tych))?,? na podstawie |,? (?:na (?:zasadach określonych w|warunkach określonych w)|zgodnie z|w trybie(?: określonym w)?|stosownie do|w sposób określony w|"
    r"z zastrzeżeniem|w rozumieniu|z wyjątkiem) )"
)
_PHRASE = re.compile(rf"(?P<by>{_LEADS})(?P<holes>{_SEVERAL})(?P<comma>,?)")
_CASE = re.compile(
    rf"^W (?:przypadku|przypadkach|sytuacji|sytuacjach|sprawach|sprawie|razie)(?P<by>{_LEADS})⟦(?P<n>\d+)⟧"
    r"(?:(?:, | i | oraz | lub )⟦\d+⟧)*,? (?:– |- )?(?P<rest>.+)$"
)
_RULES = r"(?:[Pp]rzepis(?:u|ów|y|em)? |[Pp]ostanowie(?:nia|ń) )?"
_SCOPE = re.compile(
    rf"^{_RULES}⟦(?P<n>\d+)⟧ (?P<no>nie )?stosuje się(?: (?:odpowiednio|także|również|jednak))*"
    r"(?P<how>,? (?:do|w|jeżeli|gdy|dla|przy)) (?P<rest>.+)$"
)
_SCOPE_LAST = re.compile(
    rf"^(?P<how>Do|W przypadku) (?P<rest>.+?),? (?P<no>nie )?stosuje się(?: (?:odpowiednio|także|również|jednak))* {_RULES.replace('[Pp]', 'p')}⟦(?P<n>\d+)⟧$"
)
_TAIL = re.compile(
    r"(?:\b(?P<sub>jeżeli|gdy|jeśli|w przypadku gdy)(?P<subject>(?: [\w-]+){0,4})|\b(?P<cause>z powodu|wskutek|ze względu na|w przypadku|w razie|w celu|w okresie))$"
)
_PROPER = frozenset(
    "Rada Skarb Prezes Prezydent Policja Narodowy Narodowa Państwowa Państwowe Państwowy Rzecznik Sejm Senat Polska Rzeczypospolita"
    " Rzeczpospolita Zakład Inspekcja Główny Komisja Bank Krajowa Krajowy Straż Siły Wojska Wody Minister Agencja Trybunał".split()
)
_NUMBER = r"(?:\d+|jednego|dwóch|trzech|czterech|pięciu|sześciu|siedmiu|ośmiu|dziewięciu|dziesięciu)"
_UNIT = r"(?:dni|dnia|tygodni|miesięcy|miesiąca|lat|roku|godzin)"
_NEGATED = re.compile(
    r"\bnie (?=(?:może|mogą|dotyczy|dotyczą|biegnie|jest|są|podlega|podlegają|przysługuje|wymaga|wstrzymuje)\b)"
)
_DROP = re.compile(r"\b(?:jednak|również|ponadto|także|natomiast) ")


# Nouns whose citation, once cut out, leaves a gap: "w przypadku, o którym mowa w …" > "w takim przypadku".
_POINTED = {
    "przypadku": "takim", "przypadkach": "takich", "sprawach": "takich", "sprawie": "takiej", "sytuacji": "takiej",
    "przyczyny": "tej", "powodu": "tego", "gruntach": "takich", "warunkach": "takich", "zasadach": "tych",
    "terminie": "tym", "okresie": "tym", "osobom": "takim", "osoby": "takie", "podmioty": "takie",
}  # fmt: skip


def item(text: str) -> str:
    """Return an item of a list as it stands inside a sentence, without what joins it to the next."""
    return _lower(re.sub(r"(?:,? (?:i|oraz|lub|albo))?[ ,.;:–-]*$", "", text))


def cut_holes(text: str) -> str | None:
    """Return a text without its citations; None where one is needed by the sentence."""
    text = re.sub(rf"\((?:[^()]*){_SEVERAL}[^()]*\)", "", text)
    text = re.sub(rf"{_LEADS}{_SEVERAL}(?P<c>,?)(?= |$|[.;:,])", _comma, text)
    if HOLE.search(text):
        return None
    return re.sub(r"\s+([,.;:])", r"\1", re.sub(r"\s+", " ", text)).strip()


def questions(statement: Statement) -> Iterator[tuple[str, str]]:
    """Yield (pattern, question), the most natural first."""
    text = statement.text.rstrip(" .;:,")
    if statement.lead_in:
        text = _joined(statement.lead_in, text)
    if re.match(r"kto\b", text, re.I) or re.search(
        r"wchodzi w życie|oznaczają|rozumie się przez to|w drodze rozporządzenia|zwan\w+ dalej", text
    ):
        return
    for pattern, asked in _asked(_DROP.sub("", text), statement):
        shaped = _tidy(_ask_for_the_number(asked))
        if not HOLE.search(shaped):
            yield pattern, shaped


def _asked(text: str, statement: Statement) -> Iterator[tuple[str, str]]:
    if match := _SCOPE.match(text) or _SCOPE_LAST.match(text):
        scene = statement.scenes.get(int(match["n"]))
        rest, before = _stripped(match["rest"], statement)
        rule = _rule(scene) if scene else None
        if not rest or before or not rule:
            return
        how = match["how"].strip(" ,").lower()
        if how in ("jeżeli", "gdy"):
            yield "scope", f"Czy obowiązuje zasada, zgodnie z którą {_lower(rule)}, {how} {rest}?"
        else:
            yield "scope", f"Czy {how} {rest} stosuje się zasadę, zgodnie z którą {_lower(rule)}?"
        return
    if match := _CASE.match(text):
        scene = statement.scenes.get(int(match["n"]))
        rest, before = _stripped(match["rest"], statement)
        if scene and rest and not before:
            if tail := _when(scene):
                yield "cases", f"Czy {_neutral(_lower(rest))}, {tail}?"
            elif rule := _rule(scene):
                yield "cases_said", f"{_capital(rule)} – czy w takim przypadku {_neutral(_lower(rest))}?"
        return
    rest, before = _stripped(text, statement)
    if rest and before:
        yield "said", f"{_capital(before)} – czy {_neutral(_lower(rest))}?"


def _stripped(text: str, statement: Statement) -> tuple[str, str]:
    """Take the citations out; return the text, "" where one stays, and the substance of the first."""
    before = ""

    def cut(match: re.Match[str]) -> str:
        nonlocal before
        for number in map(int, re.findall(r"⟦(\d+)⟧", match["holes"])):
            scene = statement.scenes.get(number)
            rule = _rule(scene) if scene else None
            if (
                rule
                and not before
                and not match["by"].strip(" ,").startswith(("z wyjątkiem", "z zastrzeżeniem", "w rozumieniu"))
            ):
                before = rule
        return _comma(match)

    # "z wyłączeniem osób, o których mowa w …": an exception that is not told is left out whole.
    text = re.sub(rf",? z (?:wyłączeniem|wyjątkiem)(?: [\w-]+){{0,4}}{_LEADS}{_SEVERAL}", "", text)
    text = re.sub(rf"\b(?P<noun>{'|'.join(_POINTED)})(?={_LEADS}⟦)", lambda m: f"{_POINTED[m[1]]} {m[1]}", text)
    text = _PHRASE.sub(cut, text)
    return ("", "") if HOLE.search(text) else (re.sub(r"\s+", " ", text).strip(), before)


def _comma(match: re.Match[str]) -> str:
    """Keep the comma after a citation only where it opens a further clause."""
    after = match.string[match.end() :]
    comma = (match.groupdict().get("comma") or match.groupdict().get("c") or "") if match.re.groupindex else ""
    return comma if re.match(r" (?:któr|jeżeli|gdy|chyba|a |oraz |lecz|z wyjątkiem|albo|lub)", after) else ""


def _joined(lead_in: str, text: str) -> str:
    comma = "," if re.match(r"(?:któr|jeżeli|gdy)", text) else ""
    return f"{lead_in.rstrip(' :,')}{comma} {item(text)}"


def _when(scene: Scene) -> str | None:
    """Return the cited case as a clause: 'jeżeli członek jest chory'."""
    if not scene.lead_in:
        return None
    tail = _TAIL.search(scene.lead_in.rstrip(" :,"))
    if not tail:
        return None
    what = item(scene.text)
    if tail["sub"]:
        return f"{tail['sub']}{tail['subject']} {what}"
    return f"{tail['cause']} {what}"


def _rule(scene: Scene) -> str | None:
    text = scene.text.rstrip(" .;:,")
    if scene.is_open:
        return None
    rule = _joined(scene.lead_in, text) if scene.lead_in else text
    rule = re.sub(r",? (?:chyba że|z tym że|o ile)\b.*$", "", rule)
    return rule if 3 <= len(rule.split()) <= 32 else None


def _ask_for_the_number(question: str) -> str:
    """Ask for a term instead of naming it: the answer stands in the target."""
    number = rf"(?:co najmniej |najpóźniej )?{_NUMBER} {_UNIT}"
    if match := re.search(
        rf"\b[Cc]zy (?P<a>[^–?]*?)(?P<what>(?:termin|okres)(?: [\w-]+)?) wynosi {number}\b", question
    ):
        word = "Ile" if question[match.start()] == "C" else "ile"
        new = f"{word} wynosi {match['a']}{match['what']}"
        return question[: match.start()] + new + question[match.end() :]
    if " nie ma " in question:
        return question
    if match := re.search(rf"\b(?P<czy>[Cc]zy) (?P<a>[^–?]*?),? w (?:terminie|ciągu) {number}\b", question):
        word = "W jakim terminie" if match["czy"] == "Czy" else "w jakim terminie"
        return f"{question[: match.start()]}{word} {match['a']}{question[match.end() :]}"
    return question


def _neutral(text: str) -> str:
    """Ask without the negation where the case of the object does not hang on it."""
    return _NEGATED.sub("", text, count=1)


def _tidy(text: str) -> str:
    text = re.sub(r",(?:\s*,)+", ",", re.sub(r"\s+", " ", text))
    return re.sub(r"\s*,?\s*([?])", r"\1", re.sub(r"\s+,", ",", text))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    first = text.split(" ", 1)[0]
    if first in _PROPER or (len(first) > 1 and first[1:2].isupper()):
        return text
    return text[:1].lower() + text[1:]
