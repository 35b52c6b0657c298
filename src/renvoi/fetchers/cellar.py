"""Cellar, the Publications Office's store behind EUR-Lex: acts, judgments and their notices by CELEX number."""

from __future__ import annotations

import re
from datetime import date
from urllib.parse import quote, urlencode

from renvoi.errors import BadInput
from renvoi.fetchers import Fetcher, Wanted
from renvoi.fetchers._polite import Polite, Unreachable

_CELEX = re.compile(r"[0-9CE]\d{4}[A-Z]{1,2}\d{4}(?:\(\d\d\))?(?:R\(\d\d\))?(?:-\d{8})?")
_LANGUAGES = {
    "bg": "bul", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa", "et": "est",
    "fi": "fin", "fr": "fra", "ga": "gle", "hr": "hrv", "hu": "hun", "it": "ita", "lt": "lit", "lv": "lav",
    "mt": "mlt", "nl": "nld", "pl": "pol", "pt": "por", "ro": "ron", "sk": "slk", "sl": "slv", "sv": "swe",
}  # fmt: skip
# What the store is asked for, by format; "text" is the page as EUR-Lex shows it, whichever of the two there is.
_ACCEPT = {
    "xhtml": ("application/xhtml+xml", "xhtml"),
    "html": ("text/html", "html"),
    "fmx4": ("application/zip;mtype=fmx4", "fmx4.zip"),
    "notice": ("application/xml;notice=tree", "notice.xml"),
}
_PAGE = 1000
_QUERY = """PREFIX cdm: <http://publications.europa.eu/ontology/cdm#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
SELECT DISTINCT ?celex ?date WHERE {{
  VALUES ?type {{ {types} }}
  ?work cdm:work_has_resource-type ?type ; cdm:resource_legal_id_celex ?celex ; cdm:work_date_document ?date .
  ?text cdm:expression_belongs_to_work ?work ;
        cdm:expression_uses_language <http://publications.europa.eu/resource/authority/language/{language}> .
  FILTER(?date >= "{start}"^^xsd:date && ?date < "{end}"^^xsd:date)
}} ORDER BY ?date ?celex LIMIT {limit} OFFSET {offset}"""
_TYPES = " ".join(
    f"<http://publications.europa.eu/resource/authority/resource-type/{name}>" for name in ("JUDG", "ORDER", "OPIN_JUR")
)


def _wanted(base: str, id: str, language: str, format: str) -> tuple[tuple[Wanted, ...], ...]:
    celex = id.upper().removeprefix("CELEX:")
    if not _CELEX.fullmatch(celex):
        raise BadInput(repr(id), "is no CELEX number", "write 62018CJ0529 or 32016R0679")
    if language not in _LANGUAGES:
        raise BadInput(repr(language), "is no language of the EU", f"write one of {', '.join(_LANGUAGES)}")
    code = _LANGUAGES[language]
    formats = ("xhtml", "html") if format == "text" else (format,)
    alternatives = []
    for name in formats:
        accept, ending = _ACCEPT[name]
        headers = {"Accept": accept, "Accept-Language": code}
        url = f"{base}/resource/celex/{quote(celex, safe='()-')}?language={code}"
        alternatives.append(Wanted(url, f"{celex}.{language}.{ending}", headers))
    return (tuple(alternatives),)


def _refuses(data: bytes) -> str:
    if not data.strip():
        return "the answer is empty"
    if b"The requested document does not exist" in data:
        return 'a "not found" page came with status 200'
    return ""


def _listing(client: Polite, base: str, start: date, end: date, language: str) -> list[str]:
    """Return the CELEX numbers of decisions of those days that exist in the language, by date."""
    found: list[str] = []
    while True:
        query = _QUERY.format(
            types=_TYPES, language=_LANGUAGES[language].upper(), start=start, end=end, limit=_PAGE, offset=len(found)
        )
        options = urlencode({"query": query, "format": "application/sparql-results+json"})
        answer = client.get(f"{base}/webapi/rdf/sparql?{options}", {"Accept": "application/sparql-results+json"})
        try:
            rows = answer.json()["results"]["bindings"]
            page = [row["celex"]["value"] for row in rows]
        except (ValueError, KeyError, TypeError) as error:
            raise Unreachable(f"{base}: the list is no SPARQL result ({error!r}); try again later") from None
        found += page
        if len(page) < _PAGE:
            return list(dict.fromkeys(found))


cellar = Fetcher(
    base="https://publications.europa.eu",
    wanted=_wanted,
    refuses=_refuses,
    formats=("text", *_ACCEPT),
    listing=_listing,
)
