"""Score the resolver on gold references: exact sets per span, precision and recall per target.

Gold lines: `file`, `provision`, `text`, `span`, `ref`, `targets` in national notation, `sure`, `note`. A reference
counts for a span if its own characters lie inside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from renvoi import cite, ids
from renvoi.acts import act_keys
from renvoi.errors import BadInput
from renvoi.grammar import Grammar
from renvoi.resolve import Resolver
from renvoi.resolve.lookup import Act
from renvoi.resolve.ranges import expand_by_number
from renvoi.types import Document, Link, Path, Step

Target = tuple[frozenset[str], Path]  # keys of the act (empty: the citing act), canonical path


@dataclass(frozen=True, slots=True)
class Scored:
    """One gold line with what was found."""

    line: dict[str, Any]
    wanted: tuple[Target, ...]
    found: tuple[Target, ...]
    jurisdiction: str

    @property
    def missing(self) -> tuple[Target, ...]:
        """The wanted targets that were not found."""
        return tuple(t for t in self.wanted if not _among(t, self.found))

    @property
    def wrong(self) -> tuple[Target, ...]:
        """The found targets that are not wanted."""
        return tuple(t for t in self.found if not _among(t, self.wanted))

    @property
    def exact(self) -> bool:
        """Tell whether every target was found and nothing else."""
        return not self.missing and not self.wrong


def score(gold: FilePath, read: Callable[[str], Document]) -> list[Scored]:
    """Return every gold line with its wanted and found targets.

    Args:
        gold: the file of lines.
        read: file name of a line > its document.

    Raises:
        BadInput: a line is not valid, or its provision is not in its file.
    """
    scored = []
    documents: dict[str, tuple[Document, Resolver]] = {}
    for number, text in enumerate(gold.read_text(encoding="utf-8-sig").splitlines(), 1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
            name = line["file"]
            if name not in documents:
                document = read(name)
                documents[name] = document, Resolver([document])
            scored.append(_score_line(line, *documents[name]))
        except (KeyError, ValueError) as error:
            raise BadInput(f"{gold}, line {number}", f"is no gold line ({error})") from error
    return scored


def summary(scored: list[Scored]) -> dict[str, Any]:
    """Return the headline figures: over the sure lines; split into targets in the same and in other acts."""
    sure = [s for s in scored if s.line.get("sure", True)]
    unsure = [s for s in scored if not s.line.get("sure", True)]
    return {
        **_figures(sure),
        "internal": _figures(sure, lambda t: not t[0]),
        "external": _figures(sure, lambda t: bool(t[0])),
        "not_sure": _figures(unsure),
    }


def describe(target: Target, styles: Mapping[str, str]) -> str:
    """Return a target as a person reads it."""
    act = f"{min(target[0], default='')}|" if target[0] else ""
    return act + ids.format_label(target[1], styles)


def _figures(lines: list[Scored], keep: Callable[[Target], bool] = lambda target: True) -> dict[str, Any]:
    counted = exact = wanted_n = found_n = missing_n = wrong_n = 0
    for line in lines:
        wanted, found = len([t for t in line.wanted if keep(t)]), len([t for t in line.found if keep(t)])
        missing, wrong = len([t for t in line.missing if keep(t)]), len([t for t in line.wrong if keep(t)])
        counted += bool(wanted or found)
        exact += bool(wanted or found) and not missing and not wrong
        wanted_n, found_n, missing_n, wrong_n = wanted_n + wanted, found_n + found, missing_n + missing, wrong_n + wrong
    return {
        "citations": counted,
        "exact": round(exact / counted, 4) if counted else None,
        "target_precision": round(1 - wrong_n / found_n, 4) if found_n else None,
        "target_recall": round(1 - missing_n / wanted_n, 4) if wanted_n else None,
    }


def _score_line(line: dict[str, Any], document: Document, resolver: Resolver) -> Scored:
    act = resolver.acts[document.id]
    grammar = act.grammar
    source_path = parse_notation(line["provision"], grammar)
    provision, _, _ = act.locate(source_path)
    if provision is None:
        quoted = [p for p in document.provisions if p.path[-len(source_path) :] == source_path]
        if not quoted:
            raise ValueError(f"no provision {line['provision']!r} in {line['file']}")
        provision = _holding(quoted, line["text"])
    else:
        provision = _deepest(act, provision.id, line["text"])
    setting = next(s for p, s in cite.settings(document, grammar) if p.id == provision.id)
    engine = cite.engine_for(grammar)
    start, end = line["span"]
    found: list[Target] = []
    for citation in cite.find_in_text(line["text"], provision.id, setting, engine):
        for reference in citation.references:
            if start <= reference.start and reference.end <= end:
                for reached in resolver.ends(provision.id, reference):
                    found.append(_target_of(reached, act, grammar))
    wanted = [target for text in line["targets"] for target in _parse_target(text, act, grammar, setting)]
    return Scored(line, tuple(dict.fromkeys(wanted)), tuple(dict.fromkeys(found)), document.jurisdiction)


def _target_of(end: Any, act: Act, grammar: Grammar) -> Target:
    if isinstance(end, Link):
        document_id, path = ids.parse_id(end.target_id)
        full = (*path, *end.fragment)
    else:
        document_id, full = end.act, end.path
    own = document_id == act.document.id
    keys = frozenset() if own else act_keys(end.reference.act or document_id, grammar) | {document_id}
    return keys, _canonical(full, act if own else None, grammar)


def _parse_target(text: str, act: Act, grammar: Grammar, setting: cite.Setting) -> list[Target]:
    """Return the targets of one gold entry; a range it leaves unexpanded is expanded by its numbers."""
    name, bar, path_text = text.rpartition("|")
    path = parse_notation(path_text, grammar)
    if not bar:
        return [(frozenset(), _canonical(path, act, grammar))]
    keys = set(act_keys(name, grammar))
    for inside in re.findall(r"\(([^()]*)\)", name):
        keys |= act_keys(inside, grammar)
    alias = setting.finder.aliases.get(name.lower())
    if alias:
        keys |= act_keys(alias, grammar)
    first, dash, last = path[-1].number.partition("–")
    until = (*path[:-1], Step(path[-1].level, last)) if dash else None
    start = (*path[:-1], Step(path[-1].level, first))
    return [(frozenset(keys), _canonical(p, None, grammar)) for p in expand_by_number(start, until)]


def _canonical(path: Path, act: Act | None, grammar: Grammar) -> Path:
    """Return a path in the one spelling used for comparing: optional levels as the act has them, or left out."""
    if act is not None:
        provision, below, written = act.locate(path)
        path = (*written, *below) if provision is not None else path
    optional = {Step(level, number) for level, number in grammar.optional}
    return tuple(Step(step.level, step.number.lower()) for n, step in enumerate(path) if n == 0 or step not in optional)


def _among(target: Target, others: tuple[Target, ...]) -> bool:
    keys, path = target
    return any(path == p and (keys == k or bool(keys & k)) for k, p in others)


def _holding(candidates: list[Any], text: str) -> Any:
    """Return the candidate whose words are most of the text's."""
    words = set(text.split())
    return max(candidates, key=lambda p: len(words & set(p.text.split())))


def _deepest(act: Act, id: str, text: str) -> Any:
    """Return the provision below `id` in whose text the gold text begins, or the one with that id."""
    provision = act.by_id[id]
    for candidate in act.document.provisions[provision.order :]:
        if candidate.order > provision.order and not candidate.id.startswith(id + "__"):
            break
        if candidate.text and candidate.text in text and len(candidate.text) > 0.8 * len(text):
            return candidate
    return provision


def parse_notation(text: str, grammar: Grammar) -> Path:
    """Return the path that the national notation of gold files and examples writes: "§ 5 a/stk. 2/nr. 3".

    Raises:
        ValueError: a part is of no level of the grammar.
    """
    engine = cite.engine_for(grammar)
    steps: list[Step] = []
    for part in text.split("/"):
        part = part.strip()
        styles = sorted(grammar.styles.items(), key=lambda item: -len(item[1]))  # "Buchst. a" is no "Buch"
        written = next(((level, number) for level, style in styles if (number := _unstyled(part, style))), None)
        if written is None:
            raise ValueError(f"{part!r} is of no level of this jurisdiction")
        level, number = written
        known = engine.levels.get(level)
        if known is not None and known.outside_article and not steps:
            level = known.outside_article
        level = level.rstrip("0123456789§")  # "para§" is another way to write "para"
        steps.append(Step(level, ids.clean_number(number)))
    return tuple(steps)


def _unstyled(part: str, style: str) -> str | None:
    before, _, after = style.replace("{spaced}", "{}").partition("{}")
    pattern = re.escape(before.strip()) + r"\s*(.+?)\s*" + re.escape(after.strip())
    found = re.fullmatch(pattern.replace(r"\(", r"\(?").replace(r"\)", r"\)?"), part, re.IGNORECASE)
    return found[1] if found else None
