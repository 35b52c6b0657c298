"""Names that a spaCy model finds: persons and organisations. Optional; never among the default masks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from renvoi.errors import MissingDependency, MissingModel
from renvoi.masks._reading import Reading
from renvoi.types import Span

_KINDS = frozenset({"PERSON", "PER", "ORG"})
_DEFAULT = "en_core_web_sm"


def ner(reading: Reading) -> Iterator[Span]:
    """Yield persons and organisations, by the spaCy model the reading names (default: en_core_web_sm).

    Raises:
        MissingDependency: spaCy is not installed.
        MissingModel: the model is not on this machine.
    """
    for entity in _load(reading.model or _DEFAULT)(reading.text).ents:
        if entity.label_ in _KINDS:
            yield Span(entity.start_char, entity.end_char, "ner", entity.label_)


@cache
def _load(model: str) -> Any:
    try:
        import spacy
    except ImportError as error:
        raise MissingDependency("the mask 'ner'", "spacy", "ner") from error
    try:
        return spacy.load(model)
    except OSError as error:
        raise MissingModel(model) from error
