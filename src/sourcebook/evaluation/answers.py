"""Measures answers: are the right questions refused, and do citations hold the known answer?"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sourcebook.evaluation.questions import AnswerPlace, JudgedQuestion
from sourcebook.evaluation.runs import CitedQuote, GivenAnswer, Outcome


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    count: int
    total: int

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return self.count / self.total if self.total else None


class Verdict(StrEnum):
    """What an answer or a refusal is worth."""

    RIGHT = "right"
    NOT_CITED = "not cited"
    WRONGLY_REFUSED = "wrongly refused"
    RIGHTLY_REFUSED = "rightly refused"
    WRONGLY_ANSWERED = "wrongly answered"
    # The set says that there is an answer, and not which.
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """How good answers and refusals are.

    Precision: of all refusals, those of questions without an answer. Recall: of all questions
    without an answer, those refused. `gold_cited`: of all answers to questions whose answer is
    known, those with citations that hold it, or the words or the greater part of the lines of one
    of its places, of a comparison for each side. `right`: the same of all such questions, also of
    those that were refused. `on_place`: of the characters that such answers cite, those on lines
    of a place, so that who quotes more does not win by that alone.
    """

    refusal_precision: Share
    refusal_recall: Share
    gold_cited: Share
    right: Share
    on_place: Share


def judge(outcome: Outcome) -> Verdict | None:
    """Return what the answer is worth; None if the question was only searched for."""
    question, answer = outcome.question, outcome.answer
    if answer is None:
        return None
    if not question.has_answer:
        return Verdict.WRONGLY_ANSWERED if answer.answered else Verdict.RIGHTLY_REFUSED
    if not answer.answered:
        return Verdict.WRONGLY_REFUSED
    if not question.knows_where:
        return Verdict.ANSWERED
    return Verdict.RIGHT if _cites(answer, question) else Verdict.NOT_CITED


def score_answers(outcomes: Sequence[Outcome]) -> AnswerScores | None:
    """Return the scores; None if no question was answered or refused."""
    count = Counter(verdict for one in outcomes if (verdict := judge(one)) is not None)
    if not count:
        return None
    known = sum(one.question.knows_where for one in outcomes if one.answer is not None)
    rightly, right = count[Verdict.RIGHTLY_REFUSED], count[Verdict.RIGHT]
    return AnswerScores(
        refusal_precision=Share(rightly, rightly + count[Verdict.WRONGLY_REFUSED]),
        refusal_recall=Share(rightly, rightly + count[Verdict.WRONGLY_ANSWERED]),
        gold_cited=Share(right, right + count[Verdict.NOT_CITED]),
        right=Share(right, known),
        on_place=_on_place(outcomes),
    )


def _on_place(outcomes: Sequence[Outcome]) -> Share:
    cited = [
        (quote, one.question.places)
        for one in outcomes
        if one.question.places and one.answer is not None and one.answer.answered
        for quote in one.answer.quotes
    ]
    on_place = sum(_characters_on(places, quote) for quote, places in cited)
    return Share(on_place, sum(len(quote.text) for quote, _ in cited))


def _characters_on(places: Sequence[AnswerPlace], quote: CitedQuote) -> int:
    """How many characters of a quote stand on lines of a place."""
    if quote.lines is None:
        return 0
    lines = {line for place in places for line in place.lines.shared(quote.lines)}
    texts = enumerate(quote.text.splitlines(keepends=True), quote.lines.first)
    return sum(len(text) for line, text in texts if line in lines)


def _cites(answer: GivenAnswer, question: JudgedQuestion) -> bool:
    gold = question.answer
    if gold is not None and any(_plain(gold) in _plain(quote.text) for quote in answer.quotes):
        return True
    found = {place.side for place in question.places if _tells(answer, place)}
    sides = {place.side for place in question.places} - {None}
    return None in found or (bool(found) and sides <= found)


def _tells(answer: GivenAnswer, place: AnswerPlace) -> bool:
    """Whether it quotes the words of a place, or the greater part of its lines."""
    quoted = [
        (quote, shared)
        for quote in answer.quotes
        if quote.lines is not None and (shared := place.lines.shared(quote.lines))
    ]
    if place.words is not None:
        words = re.compile(rf"(?<![^\W_]){re.escape(_plain(place.words))}(?![^\W_])")
        return any(words.search(_plain(quote.text)) for quote, _ in quoted)
    lines = {line for _, shared in quoted for line in shared}
    return 2 * len(lines) > place.lines.last - place.lines.first + 1


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
