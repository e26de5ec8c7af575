"""What a question set learns from the marks of readers."""

from collections.abc import Sequence

import pytest

from sourcebook.core.feedback import Mark, MarkedThing, Verdict
from sourcebook.evaluation.marks import judged_by


def mark(
    about: MarkedThing,
    verdict: Verdict,
    *sources: str,
    question: str = "How far?",
    at_s: float = 0.0,
) -> Mark:
    return Mark(f"{about}{verdict}{at_s}", question, about, verdict, at_s, "", sources)


RIGHT, WRONG = mark("answer", "right", "a.md"), mark("answer", "wrong", "a.md")
GOOD_HIT, BAD_HIT = mark("hit", "right", "a.md"), mark("hit", "wrong", "a.md")


@pytest.mark.parametrize(
    ("marks", "relevant", "answerable"),
    [
        ([RIGHT], {"a.md": 1}, True),
        ([WRONG], {}, None),
        ([GOOD_HIT], {"a.md": 1}, True),
        ([BAD_HIT], {"a.md": 0}, None),
        ([GOOD_HIT, BAD_HIT], {}, True),
        ([RIGHT, GOOD_HIT, BAD_HIT], {"a.md": 1}, True),
        ([mark("refusal", "right")], {}, False),
        ([mark("refusal", "wrong")], {}, True),
        ([mark("refusal", "right"), RIGHT], {"a.md": 1}, None),
    ],
)
def test_a_question_is_judged_by_what_its_marks_agree_on(
    marks: Sequence[Mark], relevant: dict[str, int], answerable: bool | None
) -> None:
    (judged,) = judged_by(marks)

    assert (judged.relevant, judged.answerable) == (relevant, answerable)


def test_ways_of_writing_a_question_are_one_question_in_the_latest_words() -> None:
    first = mark("hit", "right", "a.md", question="how far ?", at_s=1.0)
    other = mark("hit", "right", "c.md", question="How near?", at_s=2.0)
    latest = mark("hit", "right", "b.md", question="How far?", at_s=3.0)

    judged = judged_by([latest, other, first])

    assert [(one.text, set(one.relevant)) for one in judged] == [
        ("How far?", {"a.md", "b.md"}),
        ("How near?", {"c.md"}),
    ]
