"""Measures answers: are the right questions refused, and do citations hold the known answer?"""

from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook.evaluation.questions import JudgedQuestion
from sourcebook.evaluation.runs import GivenAnswer, Outcome


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    count: int
    total: int

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return self.count / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """How good answers and refusals are.

    Precision: of all refusals, those of questions without an answer. Recall: of all questions
    without an answer, those refused. `gold_cited`: of all answers to questions whose answer is
    known, those with a citation that holds it, or stands in its lines.
    """

    refusal_precision: Share
    refusal_recall: Share
    gold_cited: Share


def score_answers(outcomes: Sequence[Outcome]) -> AnswerScores | None:
    """Return the scores; None if no question was answered or refused."""
    asked = [(one.question, one.answer) for one in outcomes if one.answer is not None]
    if not asked:
        return None
    refused = [question for question, answer in asked if not answer.answered]
    without_answer = [question for question, _ in asked if not question.has_answer]
    rightly = sum(not question.has_answer for question in refused)
    cited = [
        _cites(answer, question)
        for question, answer in asked
        if (question.answer is not None or question.places)
        and question.has_answer
        and answer.answered
    ]
    return AnswerScores(
        refusal_precision=Share(rightly, len(refused)),
        refusal_recall=Share(rightly, len(without_answer)),
        gold_cited=Share(sum(cited), len(cited)),
    )


def _cites(answer: GivenAnswer, question: JudgedQuestion) -> bool:
    gold = question.answer
    if gold is not None and any(_plain(gold) in _plain(quote) for quote in answer.quotes):
        return True
    return any(cited.overlaps(place) for cited in answer.places for place in question.places)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
