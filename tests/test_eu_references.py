"""References of EU acts as their drafters write them, resolved in one fictional regulation."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from test_cite import act, reached

from renvoi import cite, ids, registry
from renvoi.resolve import Resolver
from renvoi.sources import Raw
from renvoi.types import Document, Link


def _rows(*rows: tuple[str, str]) -> str:
    return "".join(f"<table><tr><td><p>{label}</p></td><td>{inner}</td></tr></table>" for label, inner in rows)


def _p(text: str) -> str:
    return f'<p class="oj-normal">{text}</p>'


def _article(number: int, body: str) -> str:
    return f'<p class="oj-ti-art">Article {number}</p>{body}'


def _act(text: str) -> Document:
    """Return a regulation whose Article 9(3), second subparagraph, says the text."""
    points = _rows(("(a)", _p("red:") + _rows(("(i)", _p("dark;")), ("(ii)", _p("light;")))), ("(b)", _p("blue.")))
    numbered = "".join(_p(f"{n}.\u00a0\u00a0\u00a0Kites:") + points for n in (1, 2))
    second = _p("3.\u00a0\u00a0\u00a0Strings are long.")
    annex = '<p class="oj-doc-ti">ANNEX</p>' + _rows(("1.", _p("String.") + points), ("2.", _p("Tail.")))
    articles = "".join(_article(n, numbered + second + _p("Or short.")) for n in range(1, 9))
    body = articles + _article(9, numbered + second + _p(text)) + annex
    title = '<p class="oj-doc-ti">REGULATION (EU) 2031/77 OF THE COUNCIL of 3 May 2031 on kites</p>'
    data = f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{title}{body}</body></html>'.encode()
    return registry.load("sources", "eurlex_xhtml").read(Raw(Path("kites"), data, hashlib.sha256(data).hexdigest()))[0]


def _ends(text: str) -> list[str]:
    document = _act(text)
    resolver = Resolver([document])
    found = []
    for citation in cite.find_citations(document):
        if citation.source_id.endswith("art_9__para_3__subpar_2"):
            for reference in citation.references:
                for end in resolver.ends(citation.source_id, reference):
                    if isinstance(end, Link):
                        found.append(ids.format_path((*ids.parse_id(end.target_id)[1], *end.fragment)))
                    else:
                        found.append(f"{end.act}|{ids.format_path(end.path)}")
    return found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Article 5(2)(a)(ii)", ["art_5__para_2__point_a__point_ii"]),
        ("Article 5(2), points (a)(i) and (ii)",
         ["art_5__para_2__point_a__point_i", "art_5__para_2__point_a__point_ii"]),
        ("point (b) of paragraph 1 of this Article", ["art_9__para_1__point_b"]),
        ("Article 1(3), the second subparagraph of Article 2(3), Article 4(1)",
         ["art_1__para_3", "art_2__para_3__subpar_2", "art_4__para_1"]),
        ("Article 1(1) to (3)", ["art_1__para_1", "art_1__para_2", "art_1__para_3"]),
        ("paragraph 2, point (b), of that Article", ["art_9__para_2__point_b"]),
        ("Article 4(1) and paragraph 2 of that Article", ["art_4__para_1", "art_4__para_2"]),
        ("point 1 of the Annex", ["annex_1__point_1"]),
        ("points 1 (a) and (b) of the Annex", ["annex_1__point_1__point_a", "annex_1__point_1__point_b"]),
        ("Articles 1(1), 2 and 3(2)", ["art_1__para_1", "art_2", "art_3__para_2"]),
        ("Article 5 or a resolution", ["art_5"]),
        ("Article 2, points (6) and (7), respectively, of Directive 2030/14/EU",
         ["Directive 2030/14/EU|art_2__point_6", "Directive 2030/14/EU|art_2__point_7"]),
        ("Regulation (EU) 2030/1 and Directive 2030/14/EU, and Article 4 of that Regulation",
         ["Regulation (EU) 2030/1|art_4"]),
        ("Article 4 of Regulation (EU) 2030/1 and Article 5 thereof",
         ["Regulation (EU) 2030/1|art_4", "Regulation (EU) 2030/1|art_5"]),
        ("Article 4 of Regulation (EU) 2030/1 and Article 5 of this Regulation",
         ["Regulation (EU) 2030/1|art_4", "art_5"]),
        ("Article 16(2) TFEU", ["TFEU|art_16__para_2"]),
        ("the first subparagraph", ["art_9__para_3__subpar_1"]),
        ("paragraph 1, and point (b) of that paragraph", ["art_9__para_1", "art_9__para_1__point_b"]),
        ("paragraph 1, point (a), or strings of point (a)(ii) thereof",
         ["art_9__para_1__point_a", "art_9__para_1__point_a__point_ii"]),
        ("the Annex, with the exception of kites under point 2 thereof", ["annex_1", "annex_1__point_2"]),
        ("Article 4(3) and the second subparagraph thereof", ["art_4__para_3", "art_4__para_3__subpar_2"]),
        ("Article 1(2), first indent of second subparagraph",
         ["32031R0077|art_1__para_2__subpar_2__indent_1"]),
        ("Article 3, except paragraph 1, of the second subparagraph of paragraph 3 and of paragraph 2",
         ["art_3", "art_9__para_1", "art_9__para_3__subpar_2", "art_9__para_2"]),
        ("Article 2 of the Annex to Recommendation 2030/361/EC", ["Recommendation 2030/361/EC|annex_1__art_2"]),
        ("Decision 243/2012/EU applies, as does Article 4 of that Decision", ["Decision 243/2012/EU|art_4"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_reference_reaches_what_its_words_say(text: str, wanted: list[str]) -> None:
    assert _ends(f"As laid down in {text}, kites fly.") == wanted


def test_a_directive_goes_by_a_name_of_its_own() -> None:
    document = act(
        "eu", {"Article 1": "in Article 7 of the Access Lamp Directive, and Article 2 of the Council Directive"}
    )

    assert reached([document], "art_1") == ["Access Lamp Directive|art_7", "art_2 no_such_provision"]
