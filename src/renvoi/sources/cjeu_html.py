"""Judgments, orders and opinions of the EU's courts as EUR-Lex and Curia publish them in HTML.

Read are: the XHTML made from Formex (numbers in cells of their own, `count` or `coj-count`), Curia's HTML
(`C01PointnumeroteAltN`), and plain pages whose numbers stand at the start of a line or on a line of their own. A page
may hold an Advocate General's View and the judgment: two documents. Notices of the Official Journal, summaries and
saved "not found" pages are refused.
"""

from __future__ import annotations

import re

from renvoi.errors import BadInput
from renvoi.sources import Raw, Source
from renvoi.sources._blocks import read_blocks, read_page
from renvoi.sources._judgment import read_part, split_parts
from renvoi.sources._judgment_head import hints
from renvoi.types import Document, Finding

_MARKUP = re.compile(
    rb'class="(?:coj-)?sum-title-1"|class="C01Point|class="C19Centre|class="C75Debut|id="judgment"|id="conclusion"'
    rb'|class="(?:oj-)?doc-ti"[^>]*>\s*(?:Request for a preliminary|Appeal brought|Action brought|Case [CT])'
    rb"|(?:JUDGMENT|ORDER) OF THE (?:GENERAL )?COURT|(?:OPINION|VIEW) OF (?:MR |MRS )?ADVOCATE GENERAL"
    rb"|SENTENZA DELLA CORTE|Sentenza della Corte|celex:6\d{4}[CTF][A-Z]|CELEX:6\d{4}[CTF][A-Z]"
)
_HTML = re.compile(rb"<(?:html|body|!doctype|p[ >]|div|meta|head)", re.IGNORECASE)
_NOT_FOUND = b"The requested document does not exist"
_NOTICE = re.compile(rb'class="(?:oj-)?(?:hd-oj|doc-ti|no-doc-c)"')
_SUMMARY = re.compile(r"(?:Sentenza|Ordinanza|Judgment|Order) (?:della Corte|of the Court)\b.{0,80}\d{4}")


def _recognises(data: bytes) -> bool:
    head = data[:20_000]
    return bool(_HTML.search(head) and _MARKUP.search(head)) and b"<akomaNtoso" not in head


def _read(raw: Raw) -> tuple[Document, ...]:
    if _NOT_FOUND in raw.data:
        raise BadInput(raw.path, 'is a saved "not found" page of EUR-Lex, not a judgment', "fetch the document again")
    if _NOTICE.search(raw.data[:20_000]):
        raise BadInput(
            raw.path, "is a notice of the Official Journal, not a judgment", "fetch the judgment's own CELEX"
        )
    page = read_page(raw.data)
    blocks, escaped = read_blocks(page)
    parts = split_parts(blocks)
    if not parts:
        start = " ".join(block.text for block in blocks[:4])
        what = "a summary of a judgment, without its paragraphs" if _SUMMARY.search(start) else "no judgment: no title"
        raise BadInput(raw.path, f"is {what}", "fetch the full text")
    if escaped:
        note = "ampersands escaped twice (&amp;amp;) were repaired"
        parts[-1].findings.append(Finding(raw.path.name, "double_escape_repaired", note, escaped))
    title = " ".join(page.xpath("//title/text()") + page.xpath("//link[@rel='canonical']/@href"))
    marks = [mark for block in blocks for mark in block.marks]
    known = hints(marks, title, raw.path.name)
    ecli = known.get("ecli", "")
    return tuple(
        read_part(part, raw, "cjeu_html", known.get("celex", ""), ecli if part is parts[-1] else "") for part in parts
    )


cjeu_html = Source(recognises=_recognises, read=_read, priority=5)
