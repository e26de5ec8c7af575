"""The topic of a follow-up: the subject goes with a question that leans on it, and no other."""

import pytest

from sourcebook.core.answers import Turn
from sourcebook.search.follow_ups import MAX_CARRIED_WORDS, contextualized_topic
from sourcebook.search.query_text import choose_query_text


def said(*questions: str) -> list[Turn]:
    return [Turn(question, "An answer about something else entirely.") for question in questions]


@pytest.mark.spec("000 First Message Query Strategy")
def test_nothing_earlier_is_no_topic_so_the_raw_message_is_searched() -> None:
    topic = contextualized_topic([], "What is  InstructLab?")

    assert topic == ""
    assert choose_query_text("What is  InstructLab?", topic, topic).text == "What is  InstructLab?"


@pytest.mark.spec("000 Pronoun Resolution via Topic Context")
@pytest.mark.spec("001 Pronoun Resolution via Topic Context")
def test_a_pronoun_brings_its_subject() -> None:
    topic = contextualized_topic(
        said("What is InstructLab?"), "Does it integrate with OpenShift AI?"
    )

    assert topic == "Does it integrate with OpenShift AI? InstructLab"


@pytest.mark.parametrize(
    "message",
    [
        "Is it treatable?",
        "What are the main symptoms?",
        "What about children?",
        "And for children?",
        "Tell me more.",
        "Why?",
        "Are there any benefits?",
        "Who told you that?",
    ],
)
def test_a_message_that_leans_on_what_was_said_brings_the_subject(message: str) -> None:
    assert (
        contextualized_topic(said("What is throat cancer?"), message) == f"{message} throat cancer"
    )


@pytest.mark.parametrize(
    "message",
    [
        "What is photosynthesis?",
        "How do bees make honey in winter?",
        "Who was Anne Bonny?",
        "Virtualization",
        "How is Bitcoin generated?",
        "What is mortadella and where is it from?",
        "What causes the northern lights to appear?",
        "I see a warning that comes up while installing packages",
    ],
)
def test_a_new_subject_is_not_burdened_with_the_old_one(message: str) -> None:
    assert contextualized_topic(said("What is throat cancer?"), message) == message


def test_a_new_subject_replaces_the_old_one() -> None:
    earlier = said("What is throat cancer?", "Is it treatable?", "Tell me about lung cancer.")

    assert (
        contextualized_topic(earlier, "What are its symptoms?")
        == "What are its symptoms? lung cancer"
    )


def test_questions_that_lean_on_the_subject_leave_it_standing() -> None:
    earlier = said("How was Netflix started?", "How did it grow?", "What about its rivals?")

    assert contextualized_topic(earlier, "Is it free?") == "Is it free? Netflix"


def test_words_that_the_message_has_are_not_said_twice() -> None:
    earlier = said("What was the Stanford Experiment?")

    assert (
        contextualized_topic(earlier, "Was the experiment ethical?")
        == "Was the experiment ethical? Stanford"
    )


def test_the_subject_is_what_something_is_of() -> None:
    earlier = said("What are the benefits of yoga?")

    assert contextualized_topic(earlier, "Does it reduce stress?") == "Does it reduce stress? yoga"


def test_a_long_question_gives_a_few_words_and_its_names_first() -> None:
    earlier = said("Which careful people would ever restore old volumes from IBM Cloud backups?")

    carried = contextualized_topic(earlier, "Is it free?").removeprefix("Is it free? ").split()

    assert len(carried) == MAX_CARRIED_WORDS
    assert {"IBM", "Cloud"} <= set(carried)


def test_earlier_questions_without_a_subject_bring_nothing() -> None:
    assert contextualized_topic(said("Hello!", "Why?"), "Is it free?") == "Is it free?"


@pytest.mark.parametrize("message", ["", "  ", "???", "🙂"])
def test_a_message_without_words_is_about_the_subject(message: str) -> None:
    assert contextualized_topic(said("What is taurine?"), message).split()[-1] == "taurine"
