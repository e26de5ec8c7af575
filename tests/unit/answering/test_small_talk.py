"""Who only says hello gets a greeting; whoever asks something gets it looked up."""

import pytest

from sourcebook.answering.small_talk import (
    ABOUT_ME,
    is_assent,
    reply_to_small_talk,
    strip_courtesies,
)


@pytest.mark.parametrize(
    "said",
    [
        "hi", "Hi!", "Hello there!", "hey 👋", "Good morning", "GOOD EVENING!!", "hi, how are you?",
        "How are you doing today?", "how's it going", "how’s it going?", "thanks", "Thanks a lot!",
        "thank you so much", "Ok, thanks", "great, thank you for your help!", "ok", "Got it.",
        "bye", "Good bye", "see you later", "who are you?", "What can you do?", "help",
        "  hello \n", "hello :)", "hello hello", "hi guys", "sup", "thanks, bye", "👋", "👋🏽 🙂",
        "good evening to you", "السلام عليكم", "Hi there, I have a question",
    ],
)  # fmt: skip
def test_small_talk_is_answered_at_once(said: str) -> None:
    assert reply_to_small_talk(said)


@pytest.mark.parametrize(
    "said",
    [
        "hi, how do I publish a topic?", "Hello, what is ROS 2?", "help me install ROS",
        "thanks, and what is a node?", "What is hello world in ROS?", "how are nodes started",
        "what do you do when a node dies?", "ok computer", "How does this work with Gazebo?",
        "great expectations", "goodbye message of a node", "hi robot arm", "", "   ", "?", "🤖",
        "你好", "привет", "bonjour, qu'est-ce qu'un noeud ?", "مرحبا", "¿Cómo estás?", "hi " * 40,
        "high", "Is ROS cool?", "cool down the motors",
    ],
)  # fmt: skip
def test_whatever_may_be_a_question_is_looked_up(said: str) -> None:
    assert reply_to_small_talk(said) is None


def test_a_greeting_claims_nothing_and_cites_nothing() -> None:
    replies = [reply_to_small_talk(said) or "" for said in ("hi", "thanks", "bye", "who are you")]

    assert all("[" not in reply for reply in replies)
    assert len(set(replies)) == 4


def test_who_asks_how_this_works_means_what_the_conversation_is_about() -> None:
    assert reply_to_small_talk("How does this work?") == ABOUT_ME
    assert reply_to_small_talk("How does this work?", about_something=True) is None
    assert reply_to_small_talk("Thanks!", about_something=True)


@pytest.mark.parametrize(
    "said",
    ["Who are you?", "what are you", "What can you do?", "How do you work?", "Help", "Help me"],
)
def test_who_asks_about_the_service_means_it_whatever_was_asked_before(said: str) -> None:
    assert reply_to_small_talk(said, about_something=True) == ABOUT_ME


@pytest.mark.parametrize(
    ("message", "question"),
    [
        ("Hi, what is a node?", "what is a node?"),
        ("Hi there how do nodes work?", "how do nodes work?"),
        ("Please tell me what a node is", "what a node is"),
        ("Thanks! What is a service?", "What is a service?"),
        ("Good morning! I have a question: what is a topic?", "what is a topic?"),
        ("Could you please explain to me how nodes work, please?", "how nodes work"),
        # No courtesies, though they look like some.
        ("Nice values of processes?", "Nice values of processes?"),
        ("hi-res cameras?", "hi-res cameras?"),
        ("hello world program", "hello world program"),
        ("So far so good?", "So far so good?"),
        ("please", "please"),
        ("Hi, ?", "Hi, ?"),
    ],
)
def test_what_is_polite_is_taken_off_the_question(message: str, question: str) -> None:
    assert strip_courtesies(message) == question


@pytest.mark.parametrize(
    "said",
    ["yes", "Yes please!", "Sure", "please do.", "Yes, search the full documentation", "go ahead"],
)
def test_somebody_says_yes(said: str) -> None:
    assert is_assent(said)


@pytest.mark.parametrize("said", ["no", "yes but what is a node?", "yesterday", "", "search nodes"])
def test_somebody_says_something_else(said: str) -> None:
    assert not is_assent(said)
