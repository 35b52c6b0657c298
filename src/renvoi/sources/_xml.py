"""XML bytes > a tree, or one clear error."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from lxml import etree

from renvoi.errors import BadInput


def parse_xml(path: Path, data: bytes) -> Any:
    """Return the root element. Entities and network are off; a huge provision is fine.

    Raises:
        BadInput: the bytes are no well-formed XML; the message names line and cause.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True, remove_comments=True)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        cause = re.sub(r"\s+", " ", error.msg or "not XML").strip()
        advice = "fetch the file again; it is cut off or damaged"
        if "encod" in cause.lower() or "utf-8" in cause.lower():
            advice = "save it in the encoding that its first line declares"
        raise BadInput(path, f"line {error.lineno or 1}: {cause}", advice) from None
