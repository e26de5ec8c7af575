"""Decides whether a question is refused: the threshold, and what is said instead of an answer.

docs/decisions/0012 has the measurements.
"""

from collections.abc import Sequence

from sourcebook.answering.evidence import Passage
from sourcebook.answering.question_subject import asks_about_whole_text, subject_of
from sourcebook.answering.sentence_embedder import cosine
from sourcebook.answering.statements import Statement
from sourcebook.core.answers import NO_INFORMATION, NOTHING_FOUND, Question, not_in_selection
from sourcebook.core.vectors import Vector
from sourcebook.search.words import content_words

# A question is refused if the sufficiency of its evidence, from 0 to 1, is below this.
REFUSAL_THRESHOLD = 0.5
# Words in common count half of what similarity counts: the subject's name is on many pages.
COVERAGE_WEIGHT = 0.5
# Who tells a story first and then asks uses many words that no page has. Four in common are enough.
MAX_COUNTED_WORDS = 4
# What was found for its words alone, and is less than half as similar as the best, holds some of
# the question's words whatever is asked.
RELATED_SHARE = 0.5


def should_refuse(
    question: Question,
    understood: str,
    vector: Vector,
    passages: Sequence[Passage],
    statements: Sequence[Statement],
) -> bool:
    """Return whether the evidence is too weak for an answer.

    `understood` is the question as it reads without its conversation, and `vector` is its vector.
    """
    if question.selection is None:
        nearest = max(map(_similarity, passages))
        related = {one.number for one in passages if _similarity(one) >= RELATED_SHARE * nearest}
        statements = [one for one in statements if one.passage in related]
    elif asks_about_whole_text(understood):
        return False
    else:
        # A selection was not searched, so no score was measured yet.
        known = [one.vector for one in statements if one.vector is not None]
        nearest = max((cosine(vector, one) for one in known), default=0.0)
    return sufficiency(understood, nearest, statements) < REFUSAL_THRESHOLD


def _similarity(passage: Passage) -> float:
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
    asked = frozenset(content_words(question))
    if not asked:
        return similarity
    found = asked.intersection(word for one in statements for word in one.content)
    coverage = min(1.0, len(found) / min(MAX_COUNTED_WORDS, len(asked)))
    return (similarity + COVERAGE_WEIGHT * coverage) / (1 + COVERAGE_WEIGHT)
