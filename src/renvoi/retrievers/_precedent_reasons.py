"""Why a document was found: what it says in the same words, who cites it, which features weighed most.

Small loops over the few hits that are shown; the search itself keeps nothing of this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from renvoi.analysis import prepare, terms_of
from renvoi.analysis.legal import split_joined
from renvoi.analysis.surfaces import find_spans
from renvoi.index import Index
from renvoi.retrievers import ANY_DAY, NO_DAY, Allowed
from renvoi.retrievers._precedents import Citations

_SHOWN = 3  # shares told of a hit
# Features that speak of the same thing, by what they speak of; see `precedents.FEATURES`. Any other stands for itself.
SAYS: Mapping[str, tuple[str, ...]] = {
    "its words": ("words", "score", "share"),
    "words in the same order": ("pairs", "skips", "run", "common", "restated", "phrases"),
    "how little else it says": ("covered",),
    "who cites it": ("lent", "citing"),
    "how often and lately it is cited": ("cited", "ever_cited", "lately"),
    "its age": ("age",),
    "its court": ("court",),
    "the paragraphs beside it": ("near",),
    "its place in the judgment": ("place",),
    "the rest of its judgment": ("case", "case_many"),
}


@dataclass(frozen=True, slots=True)
class Share:
    """What some features add to the log of a score, beyond the mean of all candidates."""

    says: str
    features: tuple[str, ...]
    weight: float


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a paragraph was found as a precedent."""

    passages: tuple[str, ...]  # see `Comparison.passages`
    through: str | None  # the id of the paragraph that cites it and has most of the question
    added: Mapping[str, float]  # terms that weigh more there
    cited: int  # citations before the question's day
    last: date | None  # of the latest of these
    weighed: tuple[Share, ...]  # what raised it most, the greatest first


class Comparison:
    """A question whose words are looked for in documents, in their order."""

    def __init__(self, question: str, index: Index) -> None:
        self._text = prepare(question, index.analysis)
        spans = find_spans(self._text)
        words = terms_of([self._text[start:end] for start, end in spans], index.analysis)
        kept = [(span, word) for span, word in zip(spans, words, strict=True) if word]
        self._spans = [span for span, _ in kept]
        self._terms = index.vocabulary.find([word for _, word in kept])

    def passages(self, terms: NDArray[np.int32], least: int) -> tuple[str, ...]:
        """Return what a document says in the same words, as the question writes it, the longest first.

        Args:
            terms: of the document, in order.
            least: words of a passage.
        """
        ends = np.zeros(len(self._terms), np.int32)  # the longest run that ends at a word of the question
        before = np.zeros(len(terms) + 1, np.int32)
        for n, term in enumerate(self._terms):
            here = np.zeros_like(before)
            if term >= 0:
                here[1:] = np.where(terms == term, before[:-1] + 1, 0)
            ends[n] = here.max()
            before = here
        found = []
        taken = np.zeros(len(ends), np.bool_)
        for last in np.argsort(-ends, kind="stable").tolist():
            first = last + 1 - int(ends[last])
            if ends[last] < least or taken[first : last + 1].any():
                continue
            taken[first : last + 1] = True
            found.append(split_joined(self._text[self._spans[first][0] : self._spans[last][1]]))
        return tuple(found)


def find_citing(
    doc: int, links: Citations, scores: NDArray[np.float32], allowed: Allowed, rows: NDArray[np.int32]
) -> tuple[int, int, date | None]:
    """Return who cites a document and is best by words (-1 for none), how many cite it, and when one last did.

    Only what was there before the question's day counts, and nothing of its own document.

    Args:
        doc: a document of the index.
        links: between documents of the index.
        scores: (n_docs,) of the index, by words.
        allowed: of one question.
        rows: (n_docs,) of the collection, by document of the index.
    """
    part = slice(links.in_starts[doc], links.in_starts[doc + 1])
    sources, days = links.in_from[part], links.in_day[part]
    at = rows[sources]
    counted = (days < allowed.before[0]) & (allowed.group[at] != allowed.own[0])
    sources, days, at = sources[counted], days[counted], at[counted]
    latest = int(days.max()) if len(days) else NO_DAY
    last = None if latest == NO_DAY else date(1970, 1, 1) + timedelta(latest)
    readable = allowed.mask[at] & (allowed.day[at] < allowed.before[0]) & (scores[sources] > 0)
    best = int(sources[readable][np.argmax(scores[sources[readable]])]) if readable.any() else -1
    return best, len(sources), last


def weigh_features(
    features: NDArray[np.float32], factors: NDArray[np.float64], names: Sequence[str]
) -> list[tuple[Share, ...]]:
    """Return for each candidate what raised it most above the mean of all, the greatest first.

    Args:
        features: (n_candidates, n_features).
        factors: (n_features,) weights.
        names: of the features.
    """
    shares = (features - features.mean(axis=0)) * factors
    of = {feature: says for says, group in SAYS.items() for feature in group}
    columns: dict[str, list[int]] = {}
    for n, name in enumerate(names):
        columns.setdefault(of.get(name.removesuffix("_rank"), name), []).append(n)  # a rank by it is of the same
    found = []
    for line in shares:
        told = [
            Share(says, tuple(names[n] for n in group), float(line[group].sum())) for says, group in columns.items()
        ]
        found.append(tuple(sorted((one for one in told if one.weight > 0), key=lambda one: -one.weight)[:_SHOWN]))
    return found


def as_of(allowed: Allowed) -> Allowed:
    """Return the same for a question that has no day: it is asked the day after the last document.

    Citations grow old; without a day all of them would be equally old.
    """
    if allowed.before[0] != ANY_DAY or not len(allowed.day):
        return allowed
    day = np.full(1, max(int(allowed.day.max()) + 1, NO_DAY + 1), np.int32)
    return Allowed(allowed.mask, allowed.group, allowed.day, allowed.own, day)
