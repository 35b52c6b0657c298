"""Provision ids: `<document>~<path>`, readable, ASCII, and taken apart again without loss.

The path is written in the manner of Akoma Ntoso ids: `sec_12a__subsec_2__point_3`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from renvoi.types import Path, Step

_PLAIN = re.compile(r"[0-9A-Za-z.-]+")
_ODD = re.compile(r"[^0-9A-Za-z.-]")
_ESCAPED = re.compile(r"=([0-9a-f]+)=")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", "0123456789abcdefghijklmnoprstuvwxyz")
_RAISED = str.maketrans("0123456789abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
_SUPERSCRIPT_RUN = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ]+")


def clean_number(printed: str) -> str:
    """Return a printed number as it stands in a path: no blanks, a superscript after a hyphen.

    >>> clean_number("12 a"), clean_number("21¹"), clean_number("21^1"), clean_number("18³ᵃ")
    ('12a', '21-1', '21-1', '18-3a')
    """
    number = _SUPERSCRIPT_RUN.sub(lambda run: "-" + run[0].translate(_SUPERSCRIPTS), printed)
    return re.sub(r"[\s\u00ad\u200b\u200c\u200d\u2060]+", "", number).replace("^", "-").strip(".()-")


def format_path(path: Path) -> str:
    """Return a path as text.

    >>> format_path((Step("sec", "12a"), Step("subsec", "2")))
    'sec_12a__subsec_2'
    """
    return "__".join(f"{step.level}_{_ODD.sub(_escape, step.number)}" for step in path)


def parse_path(text: str) -> Path:
    """Return the path that `format_path` wrote.

    >>> parse_path("art_21-1__para_1")
    (Step(level='art', number='21-1'), Step(level='para', number='1'))

    Raises:
        ValueError: a part is no `level_number`.
    """
    if not text:
        return ()
    steps = []
    for part in text.split("__"):
        level, found, number = part.partition("_")
        if not found:
            raise ValueError(f"{text!r} is no path: {part!r} is not of the form level_number")
        steps.append(Step(level, _ESCAPED.sub(lambda m: chr(int(m[1], 16)), number)))
    return tuple(steps)


def format_id(document_id: str, path: Path) -> str:
    """Return the id of a provision.

    >>> format_id("dk/lbk/2015/1089", (Step("sec", "12a"),))
    'dk/lbk/2015/1089~sec_12a'
    """
    return f"{document_id}~{format_path(path)}"


def parse_id(id: str) -> tuple[str, Path]:
    """Return document id and path: the inverse of `format_id`."""
    document_id, _, path = id.partition("~")
    return document_id, parse_path(path)


def format_label(path: Path, styles: Mapping[str, str]) -> str:
    """Return a path in the national style, for people.

    Args:
        path: steps, outermost first.
        styles: a format for every level, from the jurisdiction: `{}` is the number, `{spaced}` the number with its
            letter set apart; and for "" what stands between two levels, a comma if not given. A level in parentheses
            follows directly.

    >>> format_label((Step("sec", "12a"), Step("subsec", "2")), {"sec": "§ {spaced}", "subsec": "stk. {}"})
    '§ 12 a, stk. 2'
    >>> format_label((Step("art", "21-1"), Step("para", "2")), {"art": "art. {}", "para": "ust. {}", "": " "})
    'art. 21¹ ust. 2'
    >>> format_label((Step("art", "17"), Step("para", "2")), {"art": "Article {}", "para": "({})"})
    'Article 17(2)'
    """
    label = ""
    for step in path:
        part = _label(step, styles.get(step.level, step.level + " {}"))
        label += part if not label or part.startswith("(") else styles.get("", ", ") + part
    return label


def _label(step: Step, style: str) -> str:
    base, hyphen, raised = step.number.partition("-")
    if hyphen and raised.translate(_RAISED) != raised:
        base += raised.translate(_RAISED)
    else:
        base = step.number.replace("-", "^")
    return style.format(base, spaced=re.sub(r"(?<=\d)(?=[a-zæøå]{1,2}$)", " ", base))


def _escape(match: re.Match[str]) -> str:
    return f"={ord(match[0]):x}="
