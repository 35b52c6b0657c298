"""The compiled loop that reads what speaks for a paragraph as a precedent, and ranks by a weighted sum of it.

Candidates of a query are the best paragraphs by words and what those cite. See `precedents.FEATURES` for what is read.
Everything dated the query's day or later, and everything of its own document, does not exist for it: it is no
candidate, cites nothing, and is in no count.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from renvoi.retrievers._phrases import weigh_phrases
from renvoi.retrievers._restatement import compare, read_question
from renvoi.retrievers._search import add_term, collect_best, counts_for, key_of, write_best

N_FEATURES = 25
_RANKED = (0, 9, 11, 19)  # features (words, phrases, citing, case) whose ranks are features, the last ones
_YEAR = 365.25
_MATCH = np.nextafter(np.float32(0), np.float32(1))  # the least score of a match


class Asked(NamedTuple):
    """Queries as sequences; see `read_sequences`."""

    starts: Any
    terms: Any


class Paragraphs(NamedTuple):
    """What is known of each paragraph."""

    starts: Any  # sequences of terms
    terms: Any
    worth: Any  # (n_terms,) idf
    previous: Any  # the paragraph before it in its document, -1 for none
    following: Any
    place: Any  # 0 to 1, where it stands in its document
    court: Any  # 1 for the Court of Justice
    case: Any  # number of its document


class Citations(NamedTuple):
    """Links by what they end at (`in_`) and by what they start from (`out_`)."""

    in_starts: Any
    in_from: Any
    in_day: Any
    out_starts: Any
    out_to: Any
    out_day: Any


class Ends(NamedTuple):
    """What paragraphs score for: themselves, or their cases; numbered by id, descending."""

    of: Any  # (n_docs,) that of each paragraph, -1 for none
    runs: Any  # where paragraphs of the next one start, and n_docs; empty where each scores for itself
    limits: Any  # which exist; see `Limits`


@njit(nogil=True, cache=True)
def rank_precedents(
    first: int, last: int, queries: Any, asked: Any, words: Any, limits: Any, texts: Any, links: Any, ends: Any,
    depth: int, lending: int, phrase: int, factors: Any, out_ends: Any, out_scores: Any, out_docs: Any,
    out_features: Any
) -> None:  # fmt: skip  # pragma: no cover - compiled
    """Write what queries `first` to `last` (excluded) find, best first: the candidates, then what else words find.

    Args:
        first: number of the first query.
        last: number after the last query.
        queries: see `Terms`.
        asked: the same queries as `Asked`.
        words: see `Words`.
        limits: see `Limits`.
        texts: the paragraphs.
        links: the citations.
        ends: what the paragraphs score for.
        depth: candidates by words.
        lending: how many of these bring what they cite; at most depth // 4 in all.
        phrase: words of a phrase.
        factors: (N_FEATURES,) weights.
        out_ends: (n_queries, k) ends, each as good as its best candidate; -1 where there are fewer.
        out_scores: (n_queries, k), exp of the weighted sum.
        out_docs: (n_queries, depth + depth // 4) candidates as found, -1 where there are fewer; of size 0 to rank
            instead.
        out_features: (n_queries, depth + depth // 4, N_FEATURES) of these.
    """
    n_docs, n_ends = limits.mask.size, ends.limits.mask.size
    most, k = depth + depth // 4, out_ends.shape[1]
    wanted = max(depth, k)
    scores = np.zeros(n_docs, np.float32)
    reached = np.zeros(n_ends, np.float32) if ends.runs.size else scores
    keys = np.empty(2 * wanted + 64, np.uint64)
    found = np.empty(wanted, np.int32)
    others = np.empty(wanted, np.int32) if ends.runs.size else found
    unused = np.empty(wanted, np.float32)
    held = np.empty(most, np.int32)
    values = np.empty((most, N_FEATURES), np.float64)
    slot_of = np.full(n_docs, -1, np.int32)
    seen = np.full(n_ends, -1, np.int32)
    local = np.full(texts.worth.size, -1, np.int32)
    for query in range(first, last):
        scores[:] = 0
        for i in range(queries.starts[query], queries.starts[query + 1]):
            add_term(
                scores, queries.weights[i], queries.items[i], words.starts, words.items, words.values, words.row_of,
                words.rows,
            )  # fmt: skip
        n_found = _find_best(scores, query, limits, depth if ends.runs.size else wanted, keys, found, unused)
        n_words = min(n_found, depth)
        n = _take_candidates(found, n_words, lending, held, slot_of, query, limits, links)
        if n == 0:
            continue
        sequence = asked.terms[asked.starts[query] : asked.starts[query + 1]]
        _read_candidates(sequence, local, held, n, scores, query, limits, texts, links, phrase, values)
        if out_docs.size:
            out_docs[query, :n] = held[:n]
            out_features[query, :n] = values[:n]
            continue
        if ends.runs.size:
            _reach_ends(scores, ends, reached)
            n_found = _find_best(reached, query, ends.limits, wanted, keys, others, unused)
        top = scores[held[0]]
        _weigh(held, n, values, factors, ends.of, keys)
        _write(keys, n, others, n_found, reached, top, seen, query, out_ends[query], out_scores[query])


@njit(nogil=True, cache=True)
def _find_best(
    scores: Any, query: int, limits: Any, k: int, keys: Any, found: Any, unused: Any
) -> int:  # pragma: no cover - compiled
    """Write the `k` best that exist for a query, best first; return how many there are."""
    n: int = collect_best(
        scores, _MATCH, limits.mask, limits.group, limits.day, limits.own[query], limits.before[query],
        keys[: 2 * k + 64], k,
    )  # fmt: skip
    write_best(keys, n, found[:n], unused[:n])
    return n


@njit(nogil=True, cache=True)
def _reach_ends(scores: Any, ends: Any, reached: Any) -> None:  # pragma: no cover - compiled
    """Write the best score of the paragraphs of each end, 0 where none is above 0."""
    bits = scores.view(np.int32)  # ordered as the scores are, where these are above 0; compared several at once
    reached[:] = 0
    as_bits = reached.view(np.int32)
    for run in range(ends.runs.size - 1):
        end = ends.of[ends.runs[run]]
        if end < 0:
            continue
        best = as_bits[end]
        part = bits[ends.runs[run] : ends.runs[run + 1]]
        for i in range(part.size):
            best = max(best, part[i])
        as_bits[end] = best


@njit(nogil=True, cache=True)
def _weigh(held: Any, n: int, values: Any, factors: Any, end_of: Any, keys: Any) -> None:  # pragma: no cover - compiled
    """Write the key of each candidate's end: exp of the weighted sum of the features, and its number."""
    cell = np.empty(1, np.float32)
    bits = cell.view(np.uint32)
    for i in range(n):
        total = 0.0
        for f in range(N_FEATURES):
            total += factors[f] * values[i, f]
        cell[0] = np.float32(np.exp(min(total, 80.0)))
        keys[i] = key_of(bits[0], end_of[held[i]])


@njit(nogil=True, cache=True)
def _read_candidates(
    sequence: Any, local: Any, held: Any, n: int, scores: Any, query: int, limits: Any, texts: Any, links: Any,
    phrase: int, values: Any
) -> None:  # fmt: skip  # pragma: no cover - compiled
    """Read all features of the candidates."""
    _read_words(sequence, local, held, n, scores, texts, phrase, values)
    for i in range(n):
        _read_links(held[i], scores, query, limits, links, scores[held[0]], values[i])
        _read_place(held[i], scores, query, limits, texts, links, scores[held[0]], values[i])
    _read_cases(held, n, scores, texts.case, values)
    _read_ranks(n, values)


@njit(nogil=True, cache=True)
def _take_candidates(
    found: Any, n_words: int, lending: int, held: Any, slot_of: Any, query: int, limits: Any, links: Any
) -> int:  # pragma: no cover - compiled
    """Write the candidates: those by words, then what the best of them cite; return how many."""
    n = 0
    for i in range(n_words):
        held[n] = found[i]
        slot_of[found[i]] = n
        n += 1
    for i in range(min(n_words, lending)):
        for e in range(links.out_starts[found[i]], links.out_starts[found[i] + 1]):
            doc = links.out_to[e]
            if links.out_day[e] >= limits.before[query] or slot_of[doc] >= 0 or n == held.size:
                continue
            if counts_for(query, doc, limits):
                held[n] = doc
                slot_of[doc] = n
                n += 1
    for i in range(n):
        slot_of[held[i]] = -1
    return n


@njit(nogil=True, cache=True)
def _read_words(
    sequence: Any, local: Any, held: Any, n: int, scores: Any, texts: Any, phrase: int, values: Any
) -> None:  # pragma: no cover - compiled
    """Read what a paragraph and the question have in common."""
    question = read_question(sequence, local, texts.worth)
    shared = np.empty(n, np.float64)
    weigh_phrases(sequence, held, n, texts.starts, texts.terms, phrase, shared)
    for i in range(n):
        doc, f = held[i], values[i]
        first, last = texts.starts[doc], texts.starts[doc + 1]
        pairs, skips, run, both, all_worth, common = compare(texts.terms[first:last], local, texts.worth, question, i)
        f[0] = scores[doc] / scores[held[0]]
        f[1] = scores[doc] / 10.0
        f[2] = scores[doc] / question.worth
        f[3] = pairs / question.pairs
        f[4] = skips / question.worth
        f[5] = run / max(question.length, 1)
        f[6] = both / max(all_worth, 1.0)
        f[7] = f[3] * f[6]
        f[8] = common / max(last - first, 1)
        f[9] = shared[i]
    for i in range(sequence.size):
        if sequence[i] >= 0:
            local[sequence[i]] = -1


@njit(nogil=True, cache=True)
def _read_links(
    doc: int, scores: Any, query: int, limits: Any, links: Any, top: float, f: Any
) -> None:  # pragma: no cover - compiled
    """Read who cited a paragraph before the query's day."""
    best = 0.0
    n = 0
    latest = -1.0
    for e in range(links.in_starts[doc], links.in_starts[doc + 1]):
        source = links.in_from[e]
        if links.in_day[e] >= limits.before[query] or limits.group[source] == limits.own[query]:
            continue
        n += 1
        latest = max(latest, 1.0 / (1.0 + max(limits.before[query] - links.in_day[e], 0) / _YEAR))
        if counts_for(query, source, limits):
            best = max(best, scores[source])
    f[10] = max(0.0, best - scores[doc]) / top
    f[11] = best / top
    f[12] = np.log(1.0 + n)
    f[13] = 1.0 if n else 0.0
    f[14] = max(latest, 0.0)


@njit(nogil=True, cache=True)
def _read_place(
    doc: int, scores: Any, query: int, limits: Any, texts: Any, links: Any, top: float, f: Any
) -> None:  # pragma: no cover - compiled
    """Read where a paragraph stands: its age, court, neighbours."""
    age = (float(limits.before[query]) - float(limits.day[doc])) / _YEAR
    f[15] = np.log(1.0 + min(max(age, 0.0), 100.0))
    f[16] = texts.court[doc]
    near = 0.0
    if texts.previous[doc] >= 0:
        near += scores[texts.previous[doc]]
    if texts.following[doc] >= 0:
        near += scores[texts.following[doc]]
    f[17] = near / top
    f[18] = texts.place[doc]


@njit(nogil=True, cache=True)
def _read_cases(held: Any, n: int, scores: Any, case: Any, values: Any) -> None:  # pragma: no cover - compiled
    """Read how good the other paragraphs of the same document are, and how many there are."""
    order = np.argsort(case[held[:n]], kind="mergesort")  # keeps the order by words within a document
    top = scores[held[0]]
    a = 0
    while a < n:
        b = a
        while b < n and case[held[order[b]]] == case[held[order[a]]]:
            b += 1
        for i in range(a, b):
            others = 0.0
            counted = 0
            for j in range(a, b):
                if j != i and counted < 2:
                    others += scores[held[order[j]]]
                    counted += 1
            values[order[i], 19] = others / top
            values[order[i], 20] = np.log(float(b - a))
        a = b


@njit(nogil=True, cache=True)
def _read_ranks(n: int, values: Any) -> None:  # pragma: no cover - compiled
    """Read the rank of each candidate by single features: a sum of scores does not tell the first from a good one."""
    for j in range(len(_RANKED)):
        order = np.argsort(-values[:n, _RANKED[j]], kind="mergesort")  # keeps the order by words where equal
        for i in range(n):
            values[order[i], N_FEATURES - len(_RANKED) + j] = 1.0 / (1.0 + i)


@njit(nogil=True, cache=True)
def _write(
    keys: Any, n: int, others: Any, n_others: int, reached: Any, top: Any, seen: Any, query: int, out_ends: Any,
    out_scores: Any
) -> None:  # fmt: skip  # pragma: no cover - compiled
    """Write the ends of the candidates, then others by words, scored below the last candidate.

    Args:
        keys: of the candidates' ends; one may come several times.
        n: how many these are.
        others: ends by words, best first.
        n_others: how many these are.
        reached: the score of each end by words.
        top: the best score by words.
        seen: (n_ends,) the last query that had one.
        query: its number.
        out_ends: (k,) written, equal ones by number.
        out_scores: (k,) written.
    """
    best = np.empty(n, np.int32)
    best_scores = np.empty(n, np.float32)
    write_best(keys, n, best, best_scores)
    at = 0
    for i in range(n + n_others):
        end = best[i] if i < n else others[i - n]
        if at == out_ends.size:
            break
        if seen[end] == query:
            continue
        seen[end] = query
        value = best_scores[i] if i < n else best_scores[n - 1] * np.float32(0.5) * reached[end] / top
        place = at
        while place and out_scores[place - 1] == value and out_ends[place - 1] > end:  # equal by rounding
            out_ends[place], out_scores[place] = out_ends[place - 1], value
            place -= 1
        out_ends[place], out_scores[place] = end, value
        at += 1
