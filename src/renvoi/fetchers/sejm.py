"""The ELI service of the Sejm: Polish acts as HTML, with what the service knows of them and their outline."""

from __future__ import annotations

import re

from renvoi.errors import BadInput
from renvoi.fetchers import Fetcher, Wanted

_ID = re.compile(r"(?:pl/|eli/)?(?P<publisher>du|mp|wdu|wmp)/(?P<year>\d{4})/(?P<position>\d{1,5})", re.IGNORECASE)


def _wanted(base: str, id: str, language: str, format: str) -> tuple[tuple[Wanted, ...], ...]:
    m = _ID.fullmatch(id.strip("/"))
    if not m:
        raise BadInput(repr(id), "is no act of the Sejm's service", "write DU/2022/655 or pl/du/2022/655")
    publisher, year, position = m["publisher"].upper(), m["year"], m["position"]
    act = f"{base}/eli/acts/{publisher}/{year}/{position}"
    stem = f"{publisher}-{year}-{position}"
    json = {"Accept": "application/json"}
    return (
        (Wanted(f"{act}/text.html", f"{stem}.html", {"Accept": "text/html"}),),
        (Wanted(act, f"{stem}.meta.json", json),),
        (Wanted(f"{act}/struct", f"{stem}.struct.json", json),),
    )


def _refuses(data: bytes) -> str:
    return "" if data.strip() else "the answer is empty"


sejm = Fetcher("https://api.sejm.gov.pl", _wanted, _refuses, ("html",))
