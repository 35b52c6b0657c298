"""Clean: which decisions and paragraphs take part, each left-out group counted with its reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any

import polars as pl

from renvoi.types import Corpus

KINDS = ("judgment", "order", "court_opinion")  # decisions; Advocates General are not the court
_MONTHS = "January February March April May June July August September October November December".split()
_DATE = re.compile(r"\b([0-3]?\d) ([A-Z][a-z]+) ((?:19|20)\d\d)\b")
_LEAST_LETTERS = 60  # a shorter paragraph says too little to tell its language
_CERTAIN = 0.95
# A text in which so many words are these needs no language model; nearly all English paragraphs pass.
_ENGLISH = r"\b(?:the|of|to|and|in|that|is|a|for|by|on|be|not|with|as|which|at|was|or|it|an|from|this|has)\b"
_ENGLISH_SHARE = 0.2


def usable_decisions(
    corpus: Corpus, *, language: str = "en", kinds: Sequence[str] = KINDS
) -> tuple[pl.DataFrame, list[Mapping[str, Any]]]:
    """Return the decisions that take part, by date then id, and what was left out.

    The frame: id, date, title, kind, short_titles, metadata, inferred (its paragraph numbers were), numbers ("printed",
    "checked" where inferred ones come to the right count, "inferred"). A decision without
    a date gets the one that those who cite it print; without one it cannot be said to be earlier than a query, so it
    does not take part.
    """
    counts: list[Mapping[str, Any]] = []
    frame = corpus.documents.filter(pl.col("jurisdiction") == "cjeu")
    counts.append({"stage": "clean", "step": "documents", "kept": frame.height})
    for condition, step in (
        (pl.col("kind").is_in(kinds), f"kind is {', '.join(kinds)}"),
        (pl.col("language") == language, f"language is {language}"),
    ):
        kept = frame.filter(condition)
        counts.append({"stage": "clean", "step": step, "kept": kept.height, "dropped": frame.height - kept.height})
        frame = kept
    told = dates_told(corpus, frame.filter(pl.col("date").is_null())["id"].to_list())
    named = pl.DataFrame({"id": list(told), "told": list(told.values())}, schema={"id": pl.String, "told": pl.Date})
    dated = (
        frame.join(named, on="id", how="left", maintain_order="left")
        .with_columns(pl.coalesce("date", "told").alias("date"))
        .filter(pl.col("date").is_not_null())
    )
    counts.append(
        {"stage": "clean", "step": "dated", "kept": dated.height, "dropped": frame.height - dated.height,
         "dated_by_citing_text": len(told)}
    )  # fmt: skip
    inferred = pl.col("metadata").str.contains('"numbers": "inferred"', literal=True).alias("inferred")
    checked = pl.col("metadata").str.contains(r'"count_check": "[a-z]+-equal"')
    numbers = (
        pl.when(~inferred).then(pl.lit("printed")).when(checked).then(pl.lit("checked")).otherwise(pl.lit("inferred"))
    )
    columns = ("id", "date", "title", "kind", "short_titles", "metadata")
    return dated.select(*columns, inferred, numbers.alias("numbers")).sort("date", "id"), counts


def dates_told(corpus: Corpus, undated: Sequence[str]) -> dict[str, date]:
    """Return the dates of decisions as printed by those that cite them, where most of them agree."""
    rows = (
        corpus.links.filter(pl.col("act").is_in(list(undated)))
        .join(
            corpus.citations.select("source_id", "citation", "start", "end").unique(),
            on=["source_id", "citation"],
            how="inner",
            maintain_order="left",
        )
        .join(corpus.provisions.select(pl.col("id").alias("source_id"), "text"), on="source_id", maintain_order="left")
    )
    votes: dict[str, Counter[date]] = {}
    for act, start, end, text in rows.select("act", "start", "end", "text").iter_rows():
        m = _DATE.search(text, start, end)
        if m and m[2] in _MONTHS:
            votes.setdefault(act, Counter())[date(int(m[3]), _MONTHS.index(m[2]) + 1, int(m[1]))] += 1
    told = {}
    for act, counted in sorted(votes.items()):
        (day, most), total = counted.most_common(1)[0], counted.total()
        if most * 2 > total:
            told[act] = day
    return told


def usable_paragraphs(
    corpus: Corpus, decisions: pl.DataFrame, *, language: str = "en", keep_language: bool = False
) -> tuple[pl.DataFrame, list[Mapping[str, Any]]]:
    """Return the numbered paragraphs of decisions in order: id, document_id, text, labels, date, kind, inferred,
    numbers.

    Args:
        corpus: read from.
        decisions: as `usable_decisions` returns them; paragraphs come in their order.
        language: paragraphs surely in another one are left out.
        keep_language: keep those too.
    """
    rank = decisions.select(pl.col("id").alias("document_id"), "date", "inferred", "numbers").with_row_index("rank")
    frame = (
        corpus.provisions.filter(pl.col("path").str.contains(r"^para_[0-9]+$"))
        .join(rank, on="document_id", how="inner")
        .sort("rank", "order")
    )
    counts: list[Mapping[str, Any]] = [{"stage": "clean", "step": "numbered paragraphs", "kept": frame.height}]
    strange = [] if keep_language else other_languages(frame["id"].to_list(), frame["text"].to_list(), language)
    kept = frame.filter(~pl.col("id").is_in(strange))
    counts.append({"stage": "clean", "step": f"paragraph in {language}", "kept": kept.height, "dropped": len(strange)})
    kept = kept.join(_headings(corpus), on="parent", how="left", maintain_order="left").with_columns(
        pl.col("labels").fill_null([])
    )
    return kept.select("id", "document_id", "text", "labels", "date", "kind", "inferred", "numbers"), counts


def other_languages(names: Sequence[str], texts: Sequence[str], language: str) -> list[str]:
    """Return the names of the texts that are surely in another language than `language`.

    >>> english = "It follows from the case-law of the Court that the rule applies to the firm at issue."
    >>> french = "Il résulte de la jurisprudence de la Cour que cette règle est applicable à la société en cause."
    >>> other_languages(["a", "b"], [english, french], "en")
    ['b']
    """
    schema = {"name": pl.String, "text": pl.String}
    frame = pl.DataFrame({"name": names, "text": texts}, schema=schema).filter(
        pl.col("text").str.len_chars() >= _LEAST_LETTERS
    )
    if language == "en":
        low = pl.col("text").str.slice(0, 1500).str.to_lowercase()
        plain = low.str.count_matches(_ENGLISH) >= _ENGLISH_SHARE * low.str.count_matches(r"\w+")
        frame = frame.filter(~plain)
    found = []
    for name, text in frame.iter_rows():
        told, certainty = _identifier().classify(text[:1500].lower())
        if told != language and certainty >= _CERTAIN:
            found.append(name)
    return found


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(["en", "fr", "de", "it", "es", "nl", "pt", "da", "sv", "fi", "el", "pl", "cs", "hu"])
    return identifier


def _headings(corpus: Corpus) -> pl.DataFrame:
    """Return for every heading the headings above it and its own, outermost first: parent, labels."""
    above: dict[str, list[str]] = {}
    rows = corpus.provisions.filter(pl.col("kind") == "division").select("id", "parent", "heading")
    for name, parent, heading in rows.iter_rows():
        above[name] = [*above.get(parent, []), heading]
    return pl.DataFrame(
        {"parent": list(above), "labels": list(above.values())},
        schema={"parent": pl.String, "labels": pl.List(pl.String)},
    )
