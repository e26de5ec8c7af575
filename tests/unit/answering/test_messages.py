"""A message that somebody pastes is found where it stands, whatever names and values it has."""

import pytest

from sourcebook.answering.messages import asked_code, holds, pasted_messages
from sourcebook.search.words import read_words

SAID = "Error: the channel(s) 'foo' are not declared in bridge.yaml"


@pytest.mark.parametrize(
    "question",
    [
        SAID,
        "Error: the channel(s) 'lidar', 'sonar' are not declared in bridge.yaml",
        "I get the error: the channel(s) 'lidar' are not declared in bridge.yaml",
        "What does `the channel(s) 'lidar' are not declared in bridge.yaml` mean?",
    ],
)
def test_a_pasted_message_is_found(question: str) -> None:
    (message,) = pasted_messages(question)

    assert holds(read_words(SAID), message)


def test_a_message_may_have_words_that_ask() -> None:
    said = "Error when opening bridge.yaml: no such file, which is needed"

    (message,) = pasted_messages(said)

    assert holds(read_words(f"It ends with\n{said}\nand stops."), message)


@pytest.mark.parametrize(
    "question",
    [
        "Why are the channels that are not declared in bridge.yaml an error?",
        "What does 'channel' mean?",
        "channels not declared",
    ],
)
def test_a_question_and_a_few_words_are_no_message(question: str) -> None:
    assert pasted_messages(question) == []


@pytest.mark.parametrize(
    "question",
    [
        "Error: the bridge cannot be reached, are all of its channels declared",
        "declared channels of the bridge are not in the yaml error",
    ],
)
def test_another_message_with_the_same_words_is_not_it(question: str) -> None:
    (message,) = pasted_messages(question)

    assert not holds(read_words(SAID), message)


@pytest.mark.parametrize(
    "question",
    ["F12", "What does F12 mean?", "error f12", "What is the error code `F12`?", "Fault F12!"],
)
def test_a_question_may_be_about_a_code_alone(question: str) -> None:
    code = asked_code(question)

    assert code is not None
    assert code.search("F12: Drum motor overload")
    assert not code.search("F120: Flame not detected")


@pytest.mark.parametrize("question", ["How do I clear F12?", "What is a node?", "F12 or F13?", ""])
def test_other_questions_are_not_about_a_code_alone(question: str) -> None:
    assert asked_code(question) is None
