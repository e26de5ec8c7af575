"""A question is answered if the evidence is near to it in meaning or shares its words."""

import pytest

from sourcebook.answering.refusal import REFUSAL_THRESHOLD, sufficiency
from sourcebook.answering.statements import Statement

TEXT = "The default domain is 0, and any whole number from 0 to 101 is safe."
EVIDENCE = [Statement(1, 0, len(TEXT), TEXT, None)]


def enough(question: str, cosine: float) -> bool:
    return sufficiency(question, cosine, EVIDENCE) >= REFUSAL_THRESHOLD


def test_words_in_common_and_a_similar_passage_are_enough() -> None:
    assert enough("Which domain is the default?", 0.4)


@pytest.mark.spec("004 SC-006")
def test_a_passage_about_something_else_is_not_enough() -> None:
    assert not enough("Who won the chess championship in Reykjavik?", 0.4)
    assert not enough("Which domain is the default?", 0.1)


def test_a_long_story_before_the_question_does_not_count_against_it() -> None:
    story = "Yesterday my sister and thirty classmates quarrelled over laptops and batteries."
    assert enough(f"{story} Which whole number is a safe default domain?", 0.4)


def test_more_words_in_common_never_make_it_less() -> None:
    scores = [
        sufficiency(question, 0.4, EVIDENCE)
        for question in ("chess moon river", "chess moon domain", "chess default domain")
    ]
    assert scores == sorted(scores)


@pytest.mark.parametrize("cosine", [-1.0, 0.0, 1.0, 1.0001])
def test_the_result_lies_between_zero_and_one(cosine: float) -> None:
    for question in ("domain", "", "is it?"):
        assert 0.0 <= sufficiency(question, cosine, EVIDENCE) <= 1.0


def test_without_evidence_nothing_is_enough() -> None:
    assert sufficiency("Which domain?", 0.0, []) == 0.0
