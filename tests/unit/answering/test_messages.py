"""A message that somebody pastes is found where it stands, whatever names and values it has."""

import pytest

from sourcebook.answering.messages import holds, pasted_messages
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
