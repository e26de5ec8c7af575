"""A heading asks a question, names a thing, or only says what its section is for."""

import pytest

from sourcebook.core.heading_questions import (
    definition_of,
    is_generic,
    question_in,
    task_in,
    topic_in,
)


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("What is a Pod?", "What is a Pod?"),
        ("What is ownership", "What is ownership?"),
        ("How to `install` Rust", "How do I install Rust?"),
        ("3.2 How do nodes talk?", "How do nodes talk?"),
        ("Lesson 4: Why does it fall?", "Why does it fall?"),
        ("What's next?", None),
        ("Really?", None),
        ("How Deployments work", None),
        ("Pods", None),
        ("What is $HOME?", None),
        ("", None),
    ],
)
def test_a_heading_that_asks_is_a_question(heading: str, question: str | None) -> None:
    assert question_in(heading) == question


@pytest.mark.parametrize(
    ("heading", "topic"),
    [
        ("Lesson 2.2: Frames and Joints", "Frames and Joints"),
        ("**Joint** limits {#limits}", "Joint limits"),
        ("Introduction", None),
        ("Overview", None),
        ("Learning objectives", None),
        ("The Slice Type", "the Slice Type"),
        ("Installing the tools", None),
        ("Back up and restore", None),
        ("In function signatures", None),
        ("Long texts get several vectors", None),
        ("How it works", None),
        ("A heading that is much too long to be a thing", None),
        ("`rm -rf $HOME`", None),
        ("12", None),
        ("", None),
    ],
)
def test_a_short_heading_names_a_thing_unless_it_only_says_what_a_section_is_for(
    heading: str, topic: str | None
) -> None:
    assert topic_in(heading) == topic


@pytest.mark.parametrize(
    ("topic", "question"),
    [
        ("Joint limits", "What are Joint limits?"),
        ("Frames and Joints", "What are Frames and Joints?"),
        ("Ownership", "What is Ownership?"),
        ("a Pod", "What is a Pod?"),
        ("the types", "What are the types?"),
        ("Analysis", "What is Analysis?"),
        ("Postgres", "What is Postgres?"),
        ("Forward Kinematics", "What is Forward Kinematics?"),
        ("DNS", "What is DNS?"),
        ("REST APIs", "What are REST APIs?"),
        ("Topics", "What are Topics?"),
        ("Quality of Service", "What is Quality of Service?"),
    ],
)
def test_things_are_and_a_thing_is(topic: str, question: str) -> None:
    assert definition_of(topic) == question


@pytest.mark.parametrize(
    ("heading", "generic"),
    [
        ("Summary", True),
        ("Further reading", True),
        ("2.1 Before you begin", True),
        ("Overview of the scheduling framework", False),
        ("Joints", False),
        ("Install kubeadm", False),
        ("***", True),
    ],
)
def test_a_short_heading_of_a_common_kind_is_generic(heading: str, generic: bool) -> None:
    assert is_generic(heading) == generic


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("Deploy your site", "How do I deploy my site?"),
        ("Create a Page", "How do I create a Page?"),
        ("Congratulations!", None),
        ("Install", None),
        ("Should I use it?", None),
    ],
)
def test_a_heading_that_tells_what_to_do_is_asked_for(heading: str, question: str | None) -> None:
    assert task_in(heading) == question


def test_an_exclamation_names_no_thing() -> None:
    assert topic_in("Congratulations!") is None
