"""Who only says hello gets a greeting; whoever asks something gets it looked up."""

import pytest

from sourcebook.answering.small_talk import reply_to_small_talk


@pytest.mark.parametrize(
    "said",
    [
        "hi", "Hi!", "Hello there!", "hey 👋", "Good morning", "GOOD EVENING!!", "hi, how are you?",
        "How are you doing today?", "how's it going", "how’s it going?", "thanks", "Thanks a lot!",
        "thank you so much", "Ok, thanks", "great, thank you for your help!", "ok", "Got it.",
        "bye", "Good bye", "see you later", "who are you?", "What can you do?", "help",
        "  hello \n", "hello :)",
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
