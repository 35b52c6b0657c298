"""BERTScore by hand, and against the authors' package where it is installed."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from renvoi.describe.bertscore import greedy_f1, relevant_pairs, score_pairs
from renvoi.embed.tokens import TokenEncoder, Tokens
from renvoi.errors import BadInput, RenvoiError
from renvoi.types import Query, Task


def tokens(vectors: list[list[float]], special: int = 0) -> Tokens:
    """Return tokens of length 1, the first `special` of which do not count."""
    array = np.asarray(vectors, np.float32)
    counts = np.arange(len(array)) >= special
    return Tokens(array / np.linalg.norm(array, axis=1, keepdims=True), counts)


def test_every_token_counts_with_the_one_most_like_it() -> None:
    one, other = tokens([[1, 0], [0, 1]]), tokens([[1, 0], [1, 1], [1, 0]])

    recall, precision = (1 + 0.5**0.5 + 1) / 3, (1 + 0.5**0.5) / 2
    assert greedy_f1(one, other) == pytest.approx(2 * precision * recall / (precision + recall))
    assert greedy_f1(other, one) == pytest.approx(greedy_f1(one, other))


def test_special_tokens_can_be_met_but_do_not_count() -> None:
    one, other = tokens([[0, 1], [1, 0]], special=1), tokens([[1, 1], [0, 1], [1, 0]], special=2)

    assert greedy_f1(one, other) == pytest.approx(1.0)


def test_a_text_without_tokens_is_like_nothing() -> None:
    assert greedy_f1(tokens([[1, 0]], special=1), tokens([[1, 0]])) == 0.0


def test_pairs_are_scored_in_their_order_whatever_their_lengths() -> None:
    class Lengths(TokenEncoder):
        def __init__(self) -> None:
            pass

        def encode(self, texts: list[str]) -> list[Tokens]:  # type: ignore[override]
            return [tokens([[1, 0] if word == "a" else [0, 1] for word in text.split()]) for text in texts]

    pairs = [("a", "b"), ("a b a", "a a"), ("b", "b")] * 7

    scores = score_pairs(Lengths(), pairs)

    assert scores == pytest.approx([0, 2 * (2 / 3) / (5 / 3), 1] * 7)


def test_the_pairs_are_of_relevant_documents_that_are_held() -> None:
    corpus = pl.DataFrame({"id": ["d1", "d2"], "text": ["one", "two"]})
    qrels = pl.DataFrame({"query_id": ["q", "q", "q"], "doc_id": ["d1", "d2", "d3"], "relevance": [1, 0, 1]})

    assert relevant_pairs(Task("par_par", (Query("q", "?"),), corpus, qrels)).row(0) == ("q", "d1", "?", "one")


def test_the_packaged_model_has_no_vectors_of_tokens() -> None:
    with pytest.raises(BadInput, match="no vectors of tokens"):
        TokenEncoder("embedded")


def test_a_model_that_is_not_here_is_one_line() -> None:
    with pytest.raises(RenvoiError) as error:
        TokenEncoder("no/such-model")

    assert "\n" not in str(error.value)
