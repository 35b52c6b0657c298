"""What masked queries still give away, and what was hidden without need."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

import numpy as np
import polars as pl

from renvoi import cases, ids, registry
from renvoi.case_grammar import plain
from renvoi.cite_cases import read_mentions
from renvoi.cite_cases.case import short_names
from renvoi.cite_cases.rules import compile_rules
from renvoi.errors import BadInput
from renvoi.masks import names_by_case
from renvoi.masks._reading import distinctive_forms, find_whole, names_pattern
from renvoi.types import Benchmark, Query

IDENTIFIERS = ("case_number", "ecli")
KINDS = (*IDENTIFIERS, "date", "pinpoint", "name")
_MONTHS = "January February March April May June July August September October November December".split()
_FEW_WORDS = 8
_MUCH = 0.6  # share of a text hidden that a reader should look at


@dataclass(frozen=True, slots=True)
class Leak:
    """Something of a relevant decision that a query still says."""

    query_id: str
    kind: str  # one of KINDS
    text: str  # what is left
    doc_id: str  # the relevant document it gives away
    start: int  # in the masked text


def audit(bench: Benchmark, *, level: str | None = None, sample: int = 20, seed: int = 0) -> dict[str, Any]:
    """Return what the queries of one level leak and over-mask.

    `leaks` and `rates` count queries by kind; `identifier_rate` is the share with a case number or ECLI of a relevant
    decision. `removed` describes the share of characters hidden; `emptied` and `hollow` count queries left with fewer
    than 8 words, or with more than 60 % hidden; `often_hidden` are the names hidden most: common words among them are
    over-masking. `sample` are queries to read, with what was hidden.

    Raises:
        BadInput: no query of the level has its unmasked text.
    """
    if not any(q.extra.get("unmasked") for q in bench.queries):
        made = "from statutes" if bench.kind == "crossref" else "elsewhere"
        what = f"was made {made}: its queries hide no citation, so there is nothing to audit"
        raise BadInput("the benchmark", what, "give one of renvoi build pincite")
    task = bench.task(level)
    queries = [q for q in task.queries if q.extra.get("unmasked")]
    if not queries:
        raise BadInput("the benchmark", f"has no query with its unmasked text in level {task.level!r}")
    relevant = _relevant(task.qrels.select("query_id", "doc_id").iter_rows(), queries)
    days, titles = _dates_and_titles(bench)
    names = _names_by_document(bench, queries)
    leaks = [
        leak for q in queries for leak in find_leaks(q, relevant.get(q.id, ()), days, titles, names.get(q.document_id))
    ]
    by_kind = {kind: {leak.query_id for leak in leaks if leak.kind == kind} for kind in KINDS}
    identified = set().union(*(by_kind[kind] for kind in IDENTIFIERS))
    shares = [_hidden_share(q) for q in queries]
    picked = random.Random(seed).sample(queries, min(sample, len(queries)))
    return {
        "level": task.level,
        "queries": len(queries),
        "leaks": {kind: len(found) for kind, found in by_kind.items()},
        "rates": {kind: len(found) / len(queries) for kind, found in by_kind.items()},
        "identifier_rate": len(identified) / len(queries),
        "removed": {
            "mean": float(np.mean(shares)), "median": float(np.median(shares)), "p95": float(np.quantile(shares, 0.95)),
        },
        "emptied": sum(says_too_little(q.text) for q in queries),
        "hollow": sum(share > _MUCH for share in shares),
        "spans": dict(sorted(Counter(span[2] for q in queries for span in q.extra.get("spans", ())).items())),
        "often_hidden": _often_hidden(queries),
        "found": [asdict(leak) for leak in leaks[:200]],
        "sample": [_shown(q) for q in picked],
    }  # fmt: skip


def says_too_little(text: str) -> bool:
    """Tell whether so few words are left of a text that it is no query: fewer than 8 of two letters or more."""
    return len(re.findall(r"[^\W\d_]{2,}", text)) < _FEW_WORDS


def find_leaks(
    query: Query,
    doc_ids: Sequence[str],
    days: Mapping[str, date],
    titles: Mapping[str, str],
    names_in_document: Mapping[str, Sequence[str]] | None = None,
) -> list[Leak]:
    """Return what a masked query says of its relevant documents, each kind once a document.

    Args:
        query: with its unmasked text in `extra`.
        doc_ids: ids of relevant paragraphs or decisions; they begin with a CELEX number.
        days: of decision, by CELEX number.
        titles: of decisions, by CELEX number.
        names_in_document: what the query's judgment calls the decisions it cites, by `Case.key`.
    """
    p = plain(query.text)
    named = _names_by_case(str(query.extra["unmasked"]))
    rules = compile_rules(registry.load("jurisdictions", "cjeu"))
    pins = {n: m.start() for m in rules.pin.finditer(p) if not _of_law(p, m, rules) for n in _numbers(m[0])}
    eclis = {m[0].replace(" ", ""): m.start() for m in re.finditer(r"EU\s?:\s?[CTF]\s?:\s?\d{4}\s?:\s?\d+", p)}
    leaks = []
    for doc_id in doc_ids:
        celex, path = ids.parse_id(doc_id)
        number = _case_number_pattern(celex)
        if number and (m := number.search(p)):
            leaks.append(Leak(query.id, "case_number", m[0], doc_id, m.start()))
        own_ecli, names = named.get(cases.same_case(celex), ("", set()))
        names = names.union((names_in_document or {}).get(cases.same_case(celex), ()))
        if own_ecli in eclis:
            leaks.append(Leak(query.id, "ecli", own_ecli, doc_id, eclis[own_ecli]))
        if (day := days.get(celex)) and (at := p.find(f"{day.day} {_MONTHS[day.month - 1]} {day.year}")) >= 0:
            leaks.append(Leak(query.id, "date", day.isoformat(), doc_id, at))
        if path and path[-1].number.isdigit() and int(path[-1].number) in pins:
            leaks.append(Leak(query.id, "pinpoint", path[-1].number, doc_id, pins[int(path[-1].number)]))
        pattern = names_pattern(distinctive_forms((*sorted(names), *_names_of_title(titles.get(celex, "")))), False)
        if pattern and (place := next(find_whole(pattern, p), None)):
            leaks.append(Leak(query.id, "name", p[slice(*place)], doc_id, place[0]))
    return leaks


def _relevant(rows: Iterable[tuple[str, str]], queries: Sequence[Query]) -> dict[str, list[str]]:
    wanted = {q.id for q in queries}
    found: dict[str, list[str]] = {}
    for query_id, doc_id in rows:
        if query_id in wanted:
            found.setdefault(query_id, []).append(doc_id)
    return found


def _dates_and_titles(bench: Benchmark) -> tuple[dict[str, date], dict[str, str]]:
    days: dict[str, date] = {}
    titles: dict[str, str] = {}
    for frame in bench.collections.values():
        for document_id, day in frame.select("document_id", "date").unique().iter_rows():
            if day:
                days[document_id] = day
    if "cases" in bench.collections:
        for document_id, labels in bench.collections["cases"].select("document_id", "labels").iter_rows():
            titles[document_id] = labels[0] if labels else ""
    return days, titles


def _names_by_case(unmasked: str) -> dict[str, tuple[str, set[str]]]:
    """Return ECLI and names by case, as the unmasked text cites them."""
    found: dict[str, tuple[str, set[str]]] = {}
    for mention in read_mentions(unmasked):
        ecli, names = found.get(mention.case.key, ("", set()))
        names |= {name for name in (mention.case.name, *mention.aliases) if name}
        found[mention.case.key] = (mention.case.ecli or ecli, names)
    return found


def _names_by_document(bench: Benchmark, queries: Sequence[Query]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return what each judgment that asks calls the decisions it cites, by its id and theirs."""
    if "chunks" not in bench.collections:
        return {}
    asking = {q.document_id for q in queries}
    rows = bench.collections["chunks"].filter(pl.col("document_id").is_in(list(asking)))
    texts: dict[str, list[str]] = {}
    for document_id, text in rows.select("document_id", "text").iter_rows():
        texts.setdefault(document_id, []).append(text)
    return {name: names_by_case(some, name) for name, some in texts.items()}


def _names_of_title(title: str) -> tuple[str, ...]:
    named = re.search(r"(?:^|[.#\u2014-]\s?)([^.#\u2014]{2,150}?\sv\s[^.#\u2014]{2,150})", plain(title))
    return short_names(named[1].strip(), registry.load("jurisdictions", "cjeu").institutions) if named else ()


def _case_number_pattern(celex: str) -> re.Pattern[str] | None:
    try:
        number = cases.case_number_from_celex(celex)
    except ValueError:
        return None
    court, _, rest = number.rpartition("-")
    serial, _, year = rest.removeprefix("Opinion ").partition("/")
    lead = rf"(?:{court}\s?-?\s?)?" if court != "T" and court != "F" else rf"{court}\s?-?\s?"
    return re.compile(rf"(?<![\w/]){lead}0*{serial}\s?/\s?{year}(?![\d/])")


def _numbers(pin: str) -> list[int]:
    found: list[int] = []
    for m in re.finditer(r"(\d{1,4})(?:\s?(?:to|-)\s?(\d{1,4}))?", pin):
        first, last = int(m[1]), int(m[2] or m[1])
        found += range(first, min(last, first + 300) + 1)
    return found


def _of_law(p: str, pin: re.Match[str], rules: Any) -> bool:
    before = rules.legislation_before.search(p[max(0, pin.start() - 60) : pin.start()])
    return bool(before or rules.legislation.match(p, pin.end()) or rules.thereof.match(p, pin.end()))


def _hidden_share(query: Query) -> float:
    unmasked = str(query.extra["unmasked"])
    hidden = sum(span[1] - span[0] for span in query.extra.get("spans", ()))
    return hidden / len(unmasked) if unmasked else 0.0


def _often_hidden(queries: Sequence[Query], most: int = 30) -> list[tuple[str, int]]:
    counts: Counter[str] = Counter()
    for q in queries:
        text = str(q.extra["unmasked"])
        counts.update(text[s[0] : s[1]] for s in q.extra.get("spans", ()) if s[2] in ("short_name", "case_name"))
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]


def _shown(query: Query) -> dict[str, Any]:
    text = str(query.extra["unmasked"])
    hidden = [{"text": text[s[0] : s[1]], "kind": s[2]} for s in query.extra.get("spans", ())]
    return {"id": query.id, "masked": query.text, "unmasked": text, "hidden": hidden}
