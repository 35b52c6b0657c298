"""Names that a spaCy model finds: persons and organisations. Optional; never among the default masks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from renvoi.errors import MissingDependency, MissingModel
from renvoi.masks._reading import Reading, distinctive_forms
from renvoi.types import Span

_KINDS = frozenset({"PERSON", "PER", "ORG"})
_DEFAULT = "en_core_web_sm"
# General models take acts, courts and treaties for organisations; they name no case, and the rule needs them.
_OF_LAW = re.compile(
    r"\b(?:Articles?|Directives?|Regulations?|Decisions?|Conventions?|Treat(?:y|ies)|Charter|Statute|Agreements?|"
    r"Guidelines|Opinions?|Courts?|Advocates? General|Judges|Council|Union|Nations|Government|VAT|GDPR|EEA|EEC|EC|EU|"
    r"TFEU|TEU|ECHR|WTO)\b"
)


def ner(reading: Reading) -> Iterator[Span]:
    """Yield persons and organisations, by the spaCy model the reading names (default: en_core_web_sm).

    Institutions, courts and acts are left: they tell no case.

    Raises:
        MissingDependency: spaCy is not installed.
        MissingModel: the model is not on this machine.
    """
    for entity in _load(reading.model or _DEFAULT)(reading.text).ents:
        if entity.label_ in _KINDS and not _OF_LAW.search(entity.text) and distinctive_forms((entity.text,)):
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
