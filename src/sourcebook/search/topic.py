"""The topic of a conversation, as far as it can be told without a language model."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Said:
    """One exchange so far."""

    question: str
    answer: str


def topic_of(earlier: Sequence[Said], message: str) -> str:
    """The text to search with for a follow-up; "" when there is nothing earlier."""
    return f"{earlier[-1].question} {message}" if earlier else ""
