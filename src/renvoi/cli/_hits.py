"""How hits look on a terminal, and in a pipe."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

_WIDTH = 100  # where no terminal limits it, in characters
_LONGEST = 160  # of a lead-in or passage
_MOST = 12  # words told of a hit
_GREAT = 1e5  # a score from here on is written short


def print_hits(hits: Sequence[Mapping[str, Any]], words: Mapping[str, str]) -> None:
    """Print hits, best first. Without colour, or in a pipe, words of the question stand between asterisks.

    Args:
        hits: rows of `renvoi.search`.
        words: the question's words by term.
    """
    console = Console(highlight=False, markup=False)
    plain = not console.is_terminal or "NO_COLOR" in os.environ
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, no_color=True, width=_WIDTH)
    for hit in hits:
        where = " · ".join(part for part in (hit.get("label"), hit.get("title") or hit.get("document_id")) if part)
        head = f"{hit['rank']:>3}  {_short(hit['score'])}  "
        console.print(Text.assemble(head, (where or hit["doc_id"], "" if plain else "bold")), soft_wrap=True)
        lines = [Text(hit["doc_id"], "" if plain else "dim")] if where else []
        if where:
            lines += [Text(_clip(line), "" if plain else "italic") for line in _above(hit)]
            lines.append(_marked(hit, plain))
        lines.append(Text(explain(hit, words), "" if plain else "dim"))
        for line in lines:
            if console.is_terminal:
                console.print(Padding(line, (0, 0, 0, 5)))
            else:
                console.print(Text("     ") + line, soft_wrap=True)


def explain(hit: Mapping[str, Any], words: Mapping[str, str]) -> str:
    """Return in one line why a hit was found: which words, in which field, through which other provision."""
    own = set(hit["own"])
    parts = []
    by_field = hit["fields"]
    if len(by_field) > 1 or any(one["field"] != "body" for one in by_field):
        parts = [f"{one['field']}: {_listed(one['terms'], words)}" for one in by_field]
    elif own:
        parts = [f"has: {_listed(hit['own'], words)}"]
    if hit["through"]:
        if not own:
            parts.append("has none of the words")
        label, title = hit.get("through_label"), hit.get("through_title")
        other = (
            f"{label}, {title.rstrip('.')}"
            if label and title and title != hit.get("title")
            else label or hit["through"]
        )
        parts.append(f"{hit['how']} {other}" + (f": {_listed(hit['added'], words)}" if hit["added"] else ""))
    if hit.get("passages"):
        more = len(hit["passages"]) - 1
        parts.insert(0, f"says “{_clip(hit['passages'][0])}”" + (f" and {more} more in the same words" if more else ""))
    if hit.get("cited"):
        often = f"cited {hit['cited']} times" if hit["cited"] > 1 else "cited once"
        parts.append(often + (f", last {hit['cited_last']}" if hit["cited_last"] else ""))
    if hit.get("weighed"):
        parts.append("raised by " + ", ".join(f"{one['says']} (+{one['weight']:.1f})" for one in hit["weighed"]))
    return "; ".join(parts)


def _short(score: float) -> str:
    return f"{score:.3f}" if abs(score) < _GREAT else f"{score:.3g}"


def _listed(terms: Sequence[str], words: Mapping[str, str]) -> str:
    said = [" ".join(words.get(part, part) for part in term.split(" ")) for term in terms[:_MOST]]
    return ", ".join(said) + (f" and {len(terms) - _MOST} more" if len(terms) > _MOST else "")


def _above(hit: Mapping[str, Any]) -> list[str]:
    """Return the headings over a hit in one line, and each lead-in."""
    # "§ 32 a." says no more than the label does.
    headings = [name for name in hit["labels"] if any(len(w) > 3 and w.isalpha() for w in name.split()[1:])]
    return [*([" › ".join(headings)] if headings else []), *hit["lead_ins"]]


def _clip(line: str) -> str:
    return line if len(line) <= _LONGEST else line[: line.rfind(" ", 0, _LONGEST)] + " …"


def _marked(hit: Mapping[str, Any], plain: bool) -> Text:
    text, at, made = hit["snippet"], 0, Text()
    made.append("" if hit["text"].startswith(text) else "… ")
    for start, end in hit["marks"]:
        made.append(text[at:start])
        made.append(f"*{text[start:end]}*" if plain else text[start:end], "" if plain else "bold yellow")
        at = end
    made.append(text[at:])
    return made.append("" if hit["text"].endswith(text) else " …")
