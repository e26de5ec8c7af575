"""Words are compared as a reader compares them: by meaning, not by spelling."""

import pytest

from sourcebook.answering.names import names
from sourcebook.answering.words import content_words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The nodes communicate.", "a node communicates"),
        ("1,000 messages", "1000 messages"),
        ("ROS2 in 10ms", "ROS 2 in 10 ms"),
        ("two robots", "2 robots"),
        ("The robot’s arm", "robot's arm"),
        ("**Nodes** `talk`", "nodes talk"),
    ],
)
def test_spelling_makes_no_difference(one: str, other: str) -> None:
    assert content_words(one) == content_words(other)


def test_versions_are_not_rounded() -> None:
    assert content_words("Python 3.10") != content_words("Python 3.1")


def test_small_words_and_denials_carry_no_content() -> None:
    assert content_words("It is not the one that they never had, without any of it.") == ()


def test_what_code_names_is_a_name_wherever_it_stands() -> None:
    assert names("ROS_DOMAIN_ID is read by rclpy.init, /cmd_vel by MoveIt2.") == (
        ("ros", "domain", "id"),
        ("rclpi", "init"),
        ("cmd", "vel"),
        ("moveit", "2"),
    )


def test_a_capital_letter_makes_a_name_except_where_a_sentence_begins() -> None:
    assert names("Robots run on the Jetson, e.g. at home. They and/or Gazebo use GPUs.") == (
        ("jetson",),
        ("gazebo",),
        ("gpus",),
    )


@pytest.mark.parametrize(
    "text", ["A: " + "(" * 4_000 + " Zz " * 1_400, "x\n" + "*" * 5_000 + "Aa " * 1_600]
)
def test_names_behind_a_row_of_signs_are_read_to_the_end(text: str) -> None:
    # It would take minutes if the signs were looked at for every name.
    assert names(text)
