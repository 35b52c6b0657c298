"""Retsinformation: Danish acts as LexDania XML, by year and number in Lovtidende A."""

from __future__ import annotations

import re

from renvoi.errors import BadInput
from renvoi.fetchers import Fetcher, Wanted

_ID = re.compile(r"(?:eli/)?(?:dk/(?:lov|lbk|bek)/|(?P<series>lta|ltb|retsinfo)/)?(?P<year>\d{4})/(?P<number>\d{1,6})")


def _wanted(base: str, id: str, language: str, format: str) -> tuple[tuple[Wanted, ...], ...]:
    m = _ID.fullmatch(id.strip("/").lower())
    if not m:
        raise BadInput(repr(id), "is no act of Retsinformation", "write 2015/1089, lta/2015/1089 or dk/lbk/2015/1089")
    series = m["series"] or "lta"
    url = f"{base}/eli/{series}/{m['year']}/{m['number']}/xml"
    name = f"{series}-{m['year']}-{m['number']}.xml"
    return ((Wanted(url, name, {"Accept": "application/xml, text/xml"}),),)


def _refuses(data: bytes) -> str:
    return (
        ""
        if data.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<") and b"<html" not in data[:400].lower()
        else "no XML came"
    )


retsinformation = Fetcher("https://www.retsinformation.dk", _wanted, _refuses, ("xml",))
