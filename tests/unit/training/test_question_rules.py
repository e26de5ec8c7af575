"""Which written questions the reader is trained on, and which sentence answers them."""

import pytest
from training.question_rules import answer_shares, cleaned, is_grounded, sentences_of
from training.shares import clear_sentence
from training.sources import AskedQuestion, Passage

PASSAGE = Passage(
    7,
    "wren",
    "wren.md",
    0,
    "Wren > Battery",
    "The battery of Wren lasts three hours. A full charge takes ninety minutes."
    " Never charge it below the freezing point.",
)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("How long does the battery last?", "How long does the battery last?"),
        ("**2. How long does the battery last?**", "How long does the battery last?"),
        ("What is mentioned in the text about batteries?", None),
        ("What do these levels mean?", None),
        ("Explain how the battery is charged.", None),
        ("What is a charger? What is a battery for?", None),
        ("Battery why?", None),
    ],
)
def test_a_question_is_kept_if_it_can_be_understood_alone(written: str, kept: str | None) -> None:
    assert cleaned(written) == kept


def test_the_sentence_that_answers_is_the_one_that_says_the_same() -> None:
    shares = answer_shares("Charging it fully takes 90 minutes.", sentences_of(PASSAGE))

    assert clear_sentence(shares) == 1


def test_a_made_up_answer_has_no_sentence_and_is_not_grounded() -> None:
    sentences = sentences_of(PASSAGE)
    made_up = AskedQuestion(7, "Who invented it?", "It was invented by a clockmaker in Bern.")

    assert answer_shares(made_up.answer, sentences) == []
    assert not is_grounded(made_up, sentences)
    assert is_grounded(AskedQuestion(7, "How long?", "It lasts for three hours."), sentences)


def test_two_sentences_that_share_alike_leave_it_open_which_one_answers() -> None:
    assert clear_sentence([0.5, 0.45, 0.1]) is None
    assert clear_sentence([0.5, 0.3]) == 0
    assert clear_sentence([]) is None
