"""Measures evidence without a reader, and says what is said instead of an answer.

docs/decisions/0012 has the measurements.
"""

from collections.abc import Sequence

from sourcebook.answering.evidence import Passage
from sourcebook.answering.question_subject import subject_of
from sourcebook.answering.statements import Quotable, Statement
from sourcebook.core.answers import (
    NO_INFORMATION,
    NOTHING_FOUND,
    Question,
    not_in_selection,
)
from sourcebook.search.words import content_words

# Without a reader, a question is refused if the sufficiency of its evidence is below this.
REFUSAL_THRESHOLD = 0.5
# Words in common count half of what similarity counts: the subject's name is on many pages.
COVERAGE_WEIGHT = 0.5
# Who tells a story first and then asks uses many words that no page has. Four in common are enough.
MAX_COUNTED_WORDS = 4
# What was found for its words alone, and is less than half as similar as the best, holds some of
# the question's words whatever is asked.
RELATED_SHARE = 0.5


def nearest_similarity(passages: Sequence[Passage]) -> float:
    """The cosine of the best passage; 0 if there is none."""
    return max(map(similarity_of, passages), default=0.0)


def related_statements(
    passages: Sequence[Passage], quotable: Sequence[Quotable]
) -> list[Statement]:
    """The statements of the passages that are at least half as similar as the best."""
    least = RELATED_SHARE * nearest_similarity(passages)
    related = {one.number for one in passages if similarity_of(one) >= least}
    return [one.statement for one in quotable if one.statement.passage in related]


def similarity_of(passage: Passage) -> float:
    return passage.score if passage.similarity is None else passage.similarity


def refusal_text(question: Question, passages: Sequence[Passage]) -> str:
    """What is said instead of an answer."""
    if question.selection is not None:
        return not_in_selection(subject_of(question.text))
    return NO_INFORMATION if passages else NOTHING_FOUND


def sufficiency(question: str, best_cosine: float, statements: Sequence[Statement]) -> float:
    """How likely the statements hold the answer, from 0 to 1. `best_cosine` is the best hit's.

    The vectors of single sentences were tried; they add nothing to the best hit's similarity.
    """
    similarity = min(1.0, max(0.0, best_cosine))
    if not content_words(question):
        return similarity
    return (similarity + COVERAGE_WEIGHT * coverage(question, statements)) / (1 + COVERAGE_WEIGHT)


def coverage(question: str, statements: Sequence[Statement]) -> float:
    """The share of the question's words that the statements hold; four in common are all."""
    asked = frozenset(content_words(question))
    if not asked:
        return 0.0
    found = asked.intersection(word for one in statements for word in one.content)
    return min(1.0, len(found) / min(MAX_COUNTED_WORDS, len(asked)))
