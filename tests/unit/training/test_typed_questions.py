"""Questions for figures and persons are answered only by passages that have them."""

from random import Random

from training.question_rules import sentences_of
from training.sources import Passage
from training.typed_questions import TypedQuestion, typed_questions


def made(text: str) -> set[TypedQuestion]:
    passage = Passage(1, "docs", "a.md", 0, "Guide > Crane", text)
    return {
        one
        for seed in range(60)
        for one in typed_questions(passage, sentences_of(passage), Random(seed))
    }


def test_what_is_counted_is_asked_with_its_sentence() -> None:
    questions = made("The crane is yellow. It has four wheels on each side.")

    assert {one.sentence for one in questions if "wheels" in one.question} == {1}


def test_what_is_only_named_is_a_question_without_an_answer() -> None:
    questions = made("The crane is yellow. Oil all wheels before you lift the other parts.")

    assert {one.sentence for one in questions if "wheels" in one.question} == {None}


def test_a_price_is_never_missing_where_one_is_mentioned() -> None:
    silent = made("The crane lifts steel beams from lorries.")
    priced = made("The crane lifts steel beams. A day with it costs 300 euros.")

    def missing(questions: set[TypedQuestion]) -> bool:
        return any("cost" in one.question and one.sentence is None for one in questions)

    assert missing(silent)
    assert not missing(priced)
