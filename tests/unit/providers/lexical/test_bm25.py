"""The weights of terms."""

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.lexical.bm25 import FIELD_WEIGHT, Bm25Encoder

ENCODER = Bm25Encoder()


def weights(text: str, *fields: str) -> dict[int, float]:
    vector = ENCODER.document(text, fields)
    return dict(zip(vector.indices, vector.values, strict=True))


def weight(term: str, text: str, *fields: str) -> float:
    """Return the weight in a text of what a question of this one word asks for."""
    (dimension,) = ENCODER.query(term).vector.indices
    return weights(text, *fields).get(dimension, 0.0)


def test_a_term_that_a_text_repeats_counts_more_and_less_each_time() -> None:
    once, twice, often = (weight("robot", "robot " * n + "arm " * (20 - n)) for n in (1, 2, 3))
    assert once < twice < often
    assert often - twice < twice - once


def test_a_term_counts_less_in_a_long_text() -> None:
    assert weight("robot", "robot" + " arm" * 400) < weight("robot", "robot arm")


def test_a_title_makes_its_words_terms_of_the_text_weakly() -> None:
    by_title = weight("gripper", "robot arm", "The Gripper")
    assert 0 < by_title < weight("gripper", "robot gripper")
    assert FIELD_WEIGHT < 1


def test_a_word_of_text_and_title_counts_more_than_in_the_text_alone() -> None:
    assert weight("arm", "robot arm", "The Arm") > weight("arm", "robot arm")


def test_a_question_has_each_term_once() -> None:
    query = ENCODER.query("robot robot robots")
    assert query.words == 1
    assert len(query.vector.indices) == len({*query.vector.indices}) == 2  # and the pair


def test_a_question_of_stop_words_has_no_terms() -> None:
    assert ENCODER.query("What is it?").vector.indices == ()


def test_an_empty_text_has_no_terms() -> None:
    assert ENCODER.document("").indices == ()


def test_a_text_with_half_a_surrogate_has_terms() -> None:
    assert ENCODER.document("robot \ud800x").indices


def test_the_revision_names_the_language() -> None:
    assert Bm25Encoder("german").revision != ENCODER.revision


def test_an_unknown_language_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigurationError, match=r"'klingon'.*english"):
        Bm25Encoder("klingon")


def test_words_that_do_not_belong_together_have_the_terms_that_each_has_alone() -> None:
    words = ["volcanoes", "volcano", "ﬁsch", "вулканы", "kubectl"]
    alone = [ENCODER.query(word).vector.indices for word in words]

    assert [(term,) for term in ENCODER.of_words(words)] == alone
    assert ENCODER.of_words(["the", "volcanoes"])[0] is None
