"""Turns the marks of readers into questions of a question set."""

from collections import Counter
from collections.abc import Iterable, Sequence

from sourcebook.core.feedback import Mark, question_key
from sourcebook.evaluation.questions import JudgedQuestion


def judged_by(marks: Iterable[Mark]) -> list[JudgedQuestion]:
    """Return each question once, in the order of its first mark, with what the marks agree on.

    A source is relevant if more readers called a hit from it, or an answer that cites it, right
    than called the hit wrong. An answer that is wrong says nothing about its sources: they may be
    the right ones.
    """
    groups: dict[str, list[Mark]] = {}
    for mark in sorted(marks, key=lambda one: one.marked_at_s):
        groups.setdefault(question_key("", mark.question), []).append(mark)
    return [_judged(key, group) for key, group in groups.items()]


def _judged(key: str, marks: Sequence[Mark]) -> JudgedQuestion:
    votes: Counter[str] = Counter()
    answerable = 0
    for mark in marks:
        is_right = mark.verdict == "right"
        if mark.about == "hit" or (mark.about == "answer" and is_right):
            votes.update(dict.fromkeys(mark.sources, 1 if is_right else -1))
        if mark.about == "refusal":
            answerable += -1 if is_right else 1
        elif is_right:
            answerable += 1
    return JudgedQuestion(
        id=key[:12],
        text=marks[-1].question.strip(),
        relevant={source: int(count > 0) for source, count in votes.items() if count},
        answerable=None if answerable == 0 else answerable > 0,
    )
