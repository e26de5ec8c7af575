"""What a reader makes of a question and a passage, and the probability that it is answered."""

import math
from dataclasses import dataclass

from sourcebook.core.documents import Span


@dataclass(frozen=True, slots=True)
class ReadablePassage:
    """A passage for a reader: what it stands under, its text, and the parts that may answer."""

    heading: str
    text: str
    parts: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader makes of a passage, as logits: its relevance, and how well each part answers.

    A part without a single token has no score.
    """

    relevance: float
    answers: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for an answer in the evidence.

    The best passage's relevance and the best part's score, as logits; the best passage's cosine;
    the share of the question's words that the evidence holds; and by how many logits the best part
    is better than the parts of its passage that come next.
    """

    relevance: float
    answer: float
    similarity: float
    coverage: float
    lead: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """The weights of the signals, fitted where the reader was trained."""

    bias: float
    relevance: float
    answer: float
    similarity: float
    coverage: float
    lead: float = 0.0

    def probability(self, signals: Signals) -> float:
        """How likely the evidence answers the question, from 0 to 1."""
        logit = (
            self.bias
            + self.relevance * signals.relevance
            + self.answer * signals.answer
            + self.similarity * signals.similarity
            + self.coverage * signals.coverage
            + self.lead * signals.lead
        )
        return logistic(logit)


def logistic(logit: float) -> float:
    """The probability that a logit stands for, from 0 to 1."""
    # Of the two equal forms, the one whose power cannot overflow.
    if logit >= 0:
        return 1.0 / (1.0 + math.exp(-logit))
    return math.exp(logit) / (1.0 + math.exp(logit))
