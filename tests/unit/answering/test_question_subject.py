"""What a question is about, in a few words that fit into a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.answering.question_subject import (
    MAX_SUBJECT_LENGTH,
    asks_about_whole_text,
    subject_of,
)
from tests.fuzz.profile import trying


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("What is a quaternion?", "a quaternion"),
        ("what's a quaternion", "a quaternion"),
        ("What’s ROS 2?!", "ROS 2"),
        ("Who wrote Gazebo?", '"Who wrote Gazebo"'),
        ("How do I publish a topic?", '"How do I publish a topic"'),
        ("Who designed the harbour?", '"Who designed the harbour"'),
        ("When did the war end?", '"When did the war end"'),
        ("Is the harbour deep?", '"Is the harbour deep"'),
        ("What was designed in 1890?", '"What was designed in 1890"'),
        ("What is the pier made of?", '"What is the pier made of"'),
        ("Tell me who runs the harbour", '"who runs the harbour"'),
        ("Who is the captain of the harbour?", "the captain of the harbour"),
        ("How many joints does the arm have?", '"How many joints does the arm have"'),
        ("Can you tell me about Isaac Sim?", "Isaac Sim"),
        ("Could you please explain inverse kinematics", "inverse kinematics"),
        ("Please explain to me the launch files.", "the launch files"),
        ("What does the text say about grippers?", "grippers"),
        ("Tell me about   DDS\nand QoS.", "DDS and QoS"),
        ("So, what are services?", "services"),
        ("quaternions", "quaternions"),
        ("Isaac Sim?", "Isaac Sim"),
        ("Whatever", "Whatever"),
        ("Island robots?", "Island robots"),
        ("Doing laundry", "Doing laundry"),
        ("What is it?", '"What is it"'),
        ("What?", '"What"'),
        ("why is that?", '"why is that"'),
        ("Explainability of robots?", "Explainability of robots"),
        ("¿Qué es un nodo?", "¿Qué es un nodo"),
        ("???", "that"),
        ("", "that"),
    ],
)
def test_a_question_is_about_what_is_left_without_the_asking(question: str, topic: str) -> None:
    assert subject_of(question) == topic


@trying(short=300, long=20_000)
@given(
    st.one_of(
        st.text(max_size=400), st.text(st.sampled_from("what is are do so, ?.\n"), max_size=300)
    )
)
def test_a_topic_is_never_empty_and_never_long(question: str) -> None:
    topic = subject_of(question)

    assert topic.strip() == topic != ""
    assert len(topic) <= MAX_SUBJECT_LENGTH
    assert "\n" not in topic


@pytest.mark.parametrize("unit", ["what ", "so, ", " ", "?", "w", ". ", "can you "])
def test_a_long_question_gives_a_short_topic(unit: str) -> None:
    assert len(subject_of(unit * 20_000 + "robots")) <= MAX_SUBJECT_LENGTH


@pytest.mark.parametrize(
    "question",
    [
        "What is this about?", "Summarize this", "please explain this passage",
        "What does it mean?",
        "tl;dr", "What is the main point?", "Hi, what is this text about?",
    ],
)  # fmt: skip
def test_some_questions_are_about_the_whole_of_a_text(question: str) -> None:
    assert asks_about_whole_text(question)


@pytest.mark.parametrize("question", ["What is a node?", "Explain nodes", "What does spin mean?"])
def test_a_question_with_a_subject_is_not(question: str) -> None:
    assert not asks_about_whole_text(question)
