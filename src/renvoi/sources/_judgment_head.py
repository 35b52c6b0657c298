"""What stands before the first paragraph of a judgment: whose case it is, its numbers and dates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date

from renvoi import cases
from renvoi.errors import BadInput
from renvoi.sources import Raw
from renvoi.sources._blocks import Block
from renvoi.types import Finding

_MONTHS = {
    month: number
    for names in (
        "january february march april may june july august september october november december",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "januar februar märz april mai juni juli august september oktober november dezember",
    )
    for number, month in enumerate(names.split(), 1)
}
_DATE = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th|er|º|°|\.)? ([^\W\d_]{3,10}) ((?:19|20)\d\d)\b")
_CASE_WORD = re.compile(
    r"\b(?:in (?:joined )?cases?|joined cases|case|nel procedimento|nei procedimenti riuniti|nelle cause riunite"
    r"|nella causa|causa|cause riunite|procedimenti riuniti|dans (?:l.affaire|les affaires jointes)"
    r"|in (?:der|den verbundenen) rechtssachen?) (?=[CTF\d])",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"(?i)cases|joined|riunit|cause|jointes|verbundenen")
_VERSUS = re.compile(r"^(?:v|v\.|contro|contre|gegen)$", re.IGNORECASE)
_CELEX = re.compile(r"(6(?:19|20)\d\d[CTF][A-Z]\d{4}(?:\(\d\d\))?)")
_LODGED = re.compile(
    r"(?:received at the Court(?: Registry)? on|lodged on|brought on|pervenuta in cancelleria il|depositat\w+ il) "
)


def case_numbers(blocks: Sequence[Block]) -> list[str]:
    """Return the numbers after "In Case" or "In Joined Cases", the leading one first."""
    text = " ".join(block.text for block in blocks)
    m = _CASE_WORD.search(text)
    if not m:
        return []
    end = re.search(r"(?i)\b(?:request|appeal|action|application|reference|avent[ei]|by order)\b", text[m.end() :])
    stretch = "Case " + text[m.end() : m.end() + (min(end.start(), 600) if end else 600)]
    numbers = list(dict.fromkeys(number.text for number in cases.parse_case_numbers(stretch)))
    return numbers if _SEVERAL.search(m[0]) else numbers[:1]  # after one number, others are of cases it speaks of


def find_celex(kind: cases.DecisionKind, numbers: Sequence[str], hint: str, raw: Raw, findings: list[Finding]) -> str:
    """Return the CELEX number: what the page's anchors say, else made from the leading case number.

    Raises:
        BadInput: the page has neither.
    """
    if hint and cases.kind_from_celex(hint) != kind:  # a View on the page of the judgment
        hint = cases.celex_from_case_number(cases.case_number_from_celex(hint), kind)
    if not numbers and not hint:
        raise BadInput(raw.path, "no case number is printed before the first paragraph", "check that it is a judgment")
    ruled = cases.celex_from_case_number(numbers[0], kind) if numbers else hint
    if hint and cases.same_case(hint) != cases.same_case(ruled):
        findings.append(Finding(hint, "case_number_disagrees", f"the page prints {numbers[0]}"))
    return hint or ruled


def find_date(blocks: Sequence[Block]) -> date | None:
    """Return the first date printed, in any of four languages."""
    for block in blocks:
        for m in _DATE.finditer(block.text):
            month = _MONTHS.get(m[2].lower())
            if month:
                return date(int(m[3]), month, int(m[1]))
    return None


def find_lodged(blocks: Sequence[Block]) -> str | None:
    """Return the day the case was lodged, as text, where the page prints it."""
    for block in blocks:
        m = _LODGED.search(block.text)
        if m:
            found = _DATE.match(block.text, m.end())
            month = _MONTHS.get(found[2].lower()) if found else None
            if found and month:
                return date(int(found[3]), month, int(found[1])).isoformat()
    return None


def find_parties(head: Sequence[Block]) -> tuple[list[str], str]:
    """Return the parties in bold print and the name of the case: "A and Others v B"."""
    sides: list[list[str]] = [[]]
    started = False
    for block in head:
        if re.match(
            r"(?i)in (?:joined )?cases?\b|nel procedimento|nei procedimenti|nelle cause|nella causa|case ", block.text
        ):
            started = True
            continue
        if re.match(r"THE COURT|LA CORTE|THE GENERAL COURT|composed of", block.text):
            break
        if not started:
            continue
        # "the other party to the proceedings", of an appeal: who won before the General Court
        if _VERSUS.match(block.text) or re.match(r"(?i)the other part", block.text):
            sides.append([])
        elif re.match(r"(?i)interven|joined part|third part", block.text):
            break
        else:
            sides[-1] += [
                p for b in block.bold if (p := b.strip(" ,;:.").lstrip("(")) and len(p) > 1 and not _VERSUS.match(p)
            ]
    parties = [party for side in sides for party in side]
    if sum(1 for side in sides if side) < 2:
        return parties, parties[0] if parties else ""
    return parties, " v ".join(side[0] + (" and Others" if len(side) > 1 else "") for side in sides if side)


def make_title(line: str, decided: date | None, name: str, numbers: Sequence[str]) -> str:
    """Return a title as EUR-Lex words it: "Judgment of the Court (…) of DAY. A v B. Case C-1/10."."""
    words = re.sub(r"^[A-ZÀ-Þ’ ]+(?=\(|$)", lambda m: m[0].capitalize().replace("court", "Court"), line)
    day = f" of {decided.day} {list(_MONTHS)[decided.month - 1].capitalize()} {decided.year}" if decided else ""
    case = f"Case {numbers[0]}" if len(numbers) == 1 else "Joined Cases " + ", ".join(numbers) if numbers else ""
    return ". ".join(part for part in (f"{words.strip()}{day}", name, case) if part) + "."


def hints(page_marks: Sequence[str], title: str, path_name: str) -> Mapping[str, str]:
    """Return what anchors, the page's title and the file's name say about identity: "celex", "ecli".

    >>> hints(["c-ECR_62016CJ0178_EN_01-E0001"], "", "ECLI_EU_C_2017_1000.xml")
    {'celex': '62016CJ0178', 'ecli': 'ECLI:EU:C:2017:1000'}
    """
    found = {}
    for text in (*(mark for mark in page_marks if "ECR_" in mark), title, path_name):
        m = _CELEX.search(text)
        if m:
            found["celex"] = m[1]
            break
    m = re.search(r"EU[_:]([CTF])[_:](\d{4})[_:](\d+)", path_name)
    if m:
        found["ecli"] = f"ECLI:EU:{m[1]}:{m[2]}:{m[3]}"
    return found
