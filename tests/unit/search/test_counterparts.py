"""A follow-up that names something else asks the question before about that."""

import pytest

from sourcebook.core.answers import Turn
from sourcebook.search.counterparts import ask_instead
from sourcebook.search.follow_ups import contextualized_topic


@pytest.mark.parametrize(
    ("question", "aside", "meant"),
    [
        ("How do I add cameras?", "And rules?", "How do I add rules?"),
        ("How do I add cameras to a wall?", "and rules", "How do I add rules to a wall?"),
        ("How can I set up security cameras?", "What about rules?", "How can I set up rules?"),
        ("How to add a camera?", "How about a rule?", "How to add a rule?"),
        ("Can I delete cameras?", "But what about rules?", "Can I delete rules?"),
        ("How do cameras work?", "And rules?", "How do rules work?"),
        ("What is a service?", "And an action?", "What is an action?"),
        ("What does a pilot do?", "And a captain?", "What does a captain do?"),
        ("What is the size of a berth?", "And the price?", "What is the price of a berth?"),
        ("What is the dose for adults?", "And for children?", "What is the dose for children?"),
        (
            "How is Redis set up on Linux?",
            "And on Windows?",
            "How is Redis set up on Windows?",
        ),
    ],
)
def test_what_is_named_takes_the_place_of_its_counterpart(
    question: str, aside: str, meant: str
) -> None:
    assert ask_instead(question, aside) == meant


@pytest.mark.parametrize(
    ("question", "aside"),
    [
        ("What is throat cancer?", "What about children?"),
        ("What is throat cancer?", "And for children?"),
        ("How do I install Redis?", "And Windows?"),
        ("How do I install Redis?", "And drivers?"),
        ("What is the default port?", "And the timeout?"),
        ("How do I add a camera?", "And rules?"),
        ("How do I add cameras?", "And thanks!"),
        ("How do I add cameras?", "What about errors?"),
        ("What is the lease?", "What about the second?"),
        ("How do I add cameras?", "And why?"),
        ("How do I add cameras?", "And its rules?"),
        ("How do I add cameras?", "And is it free?"),
        ("How do I add cameras?", "Rules?"),
        ("How do I use them?", "And rules?"),
        ("What are its limits?", "And rules?"),
        ("", "And rules?"),
    ],
)
def test_what_has_no_clear_counterpart_takes_no_place(question: str, aside: str) -> None:
    assert ask_instead(question, aside) is None


def test_the_question_before_is_asked_again_and_again() -> None:
    earlier = [Turn("How do I add cameras?", ""), Turn("And rules?", "")]

    assert contextualized_topic(earlier, "And zones?") == "How do I add zones?"
    assert contextualized_topic(earlier, "Are they free?") == "Are they free? add rules"


@pytest.mark.parametrize(
    ("third", "meant"),
    [
        ("And the leader?", "What is the leader?"),
        ("And a follower?", "What is a follower?"),
        ("And the price?", "And the price? quorum"),
        ("And the limits?", "And the limits? quorum"),
    ],
)
def test_after_one_counterpart_the_next_may_have_another_article(third: str, meant: str) -> None:
    earlier = [Turn("What is a node?", ""), Turn("And a quorum?", "")]

    assert contextualized_topic(earlier, third) == meant
    assert ask_instead("What is a quorum?", "And the leader?") is None


def test_a_question_that_leans_on_another_is_not_asked_again() -> None:
    earlier = [Turn("How do I add cameras?", ""), Turn("What are the limits?", "")]

    assert contextualized_topic(earlier, "And rules?") == "And rules? add cameras"
