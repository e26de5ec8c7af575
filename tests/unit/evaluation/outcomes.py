"""Outcomes of an evaluation, made up."""

from collections.abc import Mapping, Sequence

from sourcebook.evaluation.questions import JudgedQuestion
from sourcebook.evaluation.runs import FoundHit, GivenAnswer, Outcome


def hit(document: str, *names: str, text: str = "text", title: str = "Title") -> FoundHit:
    return FoundHit(document, (*names, document), title, text, 0.5)


def outcome(
    found: Sequence[str],
    relevant: Mapping[str, int],
    *,
    id: str = "q",
    earlier: Sequence[str] = (),
    answer: GivenAnswer | None = None,
    gold: str | None = None,
    answerable: bool | None = None,
) -> Outcome:
    """What became of a question that found these documents."""
    question = JudgedQuestion(id, f"What is {id}?", relevant, gold, answerable, tuple(earlier))
    return Outcome(question, tuple(map(hit, found)), 1.0, answer)
