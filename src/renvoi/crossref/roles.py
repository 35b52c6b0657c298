"""The writer and the judge as language models: what they are asked, and what of their replies is taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from renvoi.crossref.assure import CRITERIA
from renvoi.crossref.items import Candidate, Draft, Drop, query_id
from renvoi.crossref.leak import find_address
from renvoi.llm.calls import Call, Failure, Reply
from renvoi.llm.languages import NAMES, is_in
from renvoi.llm.prompts import Prompt
from renvoi.llm.replies import InvalidReply, read_json

WRITER_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 10},
        "used_context_ids": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
    },
    "required": ["query", "used_context_ids"],
    "additionalProperties": False,
}
JUDGE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "answers": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "criterion": {"type": "string", "enum": list(CRITERIA)},
                    "answer": {"type": "string", "enum": ["yes", "no"]},
                    "reason": {"type": "string"},
                },
                "required": ["criterion", "answer", "reason"],
                "additionalProperties": False,
            },
            "minItems": len(CRITERIA),
            "maxItems": len(CRITERIA),
        },
        "verdict": {"type": "string", "enum": ["pass", "fail"]},
    },
    "required": ["answers", "verdict"],
    "additionalProperties": False,
}
# What a schema names otherwise than we do is accepted: small models shorten.
_ALIASES = {"used": "used_context_ids", "context_ids": "used_context_ids", "question": "query"}


@dataclass(frozen=True, slots=True)
class Source:
    """What the prompts quote."""

    texts: Mapping[str, str]  # chunk id > text
    labels: Mapping[str, Sequence[str]]
    acts: Mapping[str, str]  # document id > title
    language: str


def make_source(collection: pl.DataFrame, documents: pl.DataFrame, language: str) -> Source:
    """Return what the prompts quote, from the collection and the documents of the corpus."""
    rows = collection.select("id", "text", "labels").rows()
    return Source(
        {id: text for id, text, _ in rows},
        {id: labels for id, _, labels in rows},
        dict(documents.select("id", "title").iter_rows()),
        language,
    )


def writer_calls(candidates: Sequence[Candidate], source: Source, prompt: Prompt) -> list[Call]:
    """Return one call for each candidate."""
    calls = []
    for candidate in candidates:
        system, user = prompt.fill({**_quoted(candidate, source), "act": source.acts[candidate.document_id]})
        calls.append(Call(candidate.id, system, user, WRITER_SCHEMA, "question"))
    return calls


def read_drafts(
    candidates: Sequence[Candidate], replies: Mapping[str, Reply | Failure], language: str, writer: str
) -> list[Draft | Drop]:
    """Return a draft, or a failure with its reason, for each candidate."""
    found: list[Draft | Drop] = []
    for candidate in candidates:
        reply = replies[candidate.id]
        if isinstance(reply, Failure):
            found.append(Drop(candidate.id, reply.reason, reply.note))
            continue
        try:
            found.append(_draft(candidate, reply, language, writer))
        except InvalidReply as error:
            found.append(Drop(candidate.id, error.reason, error.note))
    return found


def judge_calls(
    drafts: Sequence[Draft], candidates: Mapping[str, Candidate], source: Source, prompt: Prompt
) -> list[Call]:
    """Return one call for each draft."""
    calls = []
    for draft in drafts:
        values = {
            **_quoted(candidates[draft.target_id], source),
            "query": draft.text,
            "criteria": list(CRITERIA.items()),
        }
        system, user = prompt.fill(values)
        calls.append(Call(draft.id, system, user, JUDGE_SCHEMA, "verdict"))
    return calls


def read_answers(
    drafts: Sequence[Draft], replies: Mapping[str, Reply | Failure], judge: str
) -> tuple[list[Draft], list[Drop]]:
    """Return the drafts with the judge's answers in marks["answers"], and those it failed to judge."""
    judged: list[Draft] = []
    drops: list[Drop] = []
    for draft in drafts:
        reply = replies[draft.id]
        if isinstance(reply, Failure):
            drops.append(Drop(draft.id, f"judge_{reply.reason}", reply.note))
            continue
        try:
            answers, reasons = _answers(reply)
        except InvalidReply as error:
            drops.append(Drop(draft.id, f"judge_{error.reason}", error.note))
            continue
        judged.append(replace(draft, marks={**draft.marks, "answers": answers, "reasons": reasons, "judge": judge}))
    return judged, drops


def _quoted(candidate: Candidate, source: Source) -> dict[str, Any]:
    return {
        "language": NAMES.get(source.language, source.language),
        "address": " ".join(source.labels[candidate.id]),
        "target": source.texts[candidate.id],
        "implicit": list(candidate.implicit),
        "contexts": [
            {"id": n, "address": " ".join(source.labels[c]), "text": source.texts[c]}
            for n, c in enumerate(candidate.contexts, 1)
        ],
    }


def _draft(candidate: Candidate, reply: Reply, language: str, writer: str) -> Draft:
    value = read_json(reply, {**WRITER_SCHEMA, "aliases": _ALIASES})
    query = " ".join(value["query"].split())
    unknown = [n for n in value["used_context_ids"] if not 1 <= n <= len(candidate.contexts)]
    if unknown:
        raise InvalidReply("unknown_context_id", f"{unknown}, there are {len(candidate.contexts)}")
    if not is_in(query, language):
        raise InvalidReply("wrong_language", query[:80])
    if span := find_address(query, language):
        raise InvalidReply("names_an_address", query[slice(*span)])
    if query.count("?") != 1 or not query.endswith("?"):
        raise InvalidReply("many_questions" if query.count("?") > 1 else "no_question", query[-60:])
    used = tuple(candidate.contexts[n - 1] for n in dict.fromkeys(value["used_context_ids"]))
    return Draft(query_id(candidate.id), candidate.id, query, used, writer)


def _answers(reply: Reply) -> tuple[dict[str, bool], dict[str, str]]:
    value = read_json(reply, JUDGE_SCHEMA)
    answers = {row["criterion"]: row["answer"] == "yes" for row in value["answers"]}
    if len(answers) != len(CRITERIA):
        raise InvalidReply("schema_mismatch", f"criteria missing: {sorted(set(CRITERIA) - set(answers))}")
    verdict = all(answers.values())
    if verdict != (value["verdict"] == "pass"):
        raise InvalidReply("contradicts_itself", f"{answers} but {value['verdict']}")
    return answers, {row["criterion"]: row["reason"] for row in value["answers"]}
