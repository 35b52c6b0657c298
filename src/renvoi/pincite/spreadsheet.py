"""Cells of an .xlsx workbook, read from its XML. Values only: no formulas, dates or styles."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

from lxml import etree

from renvoi.errors import BadInput

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)


def read_rows(path: Path) -> list[list[str]]:
    """Return the rows of the first sheet, as text; empty cells are "". Rows are as long as their last cell.

    Raises:
        BadInput: the file is no workbook.
    """
    try:
        with zipfile.ZipFile(path) as book:
            sheets = sorted(
                (name for name in book.namelist() if re.fullmatch(r"xl/worksheets/sheet\d+\.xml", name)),
                key=lambda name: int(re.findall(r"\d+", name)[-1]),
            )
            shared = _shared_strings(book)
            sheet = etree.fromstring(book.read(sheets[0]), _PARSER)
    except (zipfile.BadZipFile, IndexError, KeyError, etree.XMLSyntaxError) as error:
        raise BadInput(path, f"is no .xlsx workbook ({error})", "save it as .xlsx again") from error
    rows: list[list[str]] = []
    for row in sheet.iter(_MAIN + "row"):
        number = int(row.get("r", len(rows) + 1))
        rows += [[] for _ in range(number - 1 - len(rows))]
        cells: list[str] = []
        for cell in row.iter(_MAIN + "c"):
            column = _column(cell.get("r", ""), len(cells))
            cells += [""] * (column - len(cells))
            cells.append(_value(cell, shared))
        rows.append(cells)
    return rows


def _shared_strings(book: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in book.namelist():
        return []
    root = etree.fromstring(book.read("xl/sharedStrings.xml"), _PARSER)
    return ["".join(t.text or "" for t in item.iter(_MAIN + "t")) for item in root.iter(_MAIN + "si")]


def _column(place: str, otherwise: int) -> int:
    letters = re.match(r"[A-Z]+", place)
    if not letters:
        return otherwise
    number = 0
    for letter in letters[0]:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _value(cell: Any, shared: list[str]) -> str:
    kind = cell.get("t")
    if kind == "inlineStr":
        return "".join(t.text or "" for t in cell.iter(_MAIN + "t"))
    value = cell.find(_MAIN + "v")
    text = value.text or "" if value is not None else ""
    if kind == "s" and text:
        return shared[int(text)]
    return {"1": "True", "0": "False"}.get(text, text) if kind == "b" else text
