"""Whether the evidence is likely to hold the answer to a question."""

from collections.abc import Sequence

from sourcebook.answering.evidence import Statement
from sourcebook.answering.words import content_words
from sourcebook.core.vectors import Vector

# Below this a question is refused.
ENOUGH = 0.5


def sufficiency(
    question: str,
    best_cosine: float,
    statements: Sequence[Statement],
    question_vector: Vector | None,
) -> float:
    """From 0 to 1: how likely the statements hold the answer. `best_cosine` is the best hit's."""
    asked = frozenset(content_words(question))
    found = frozenset(word for one in statements for word in content_words(one.text))
    coverage = len(asked & found) / len(asked) if asked else 0.0
    return min(1.0, max(0.0, 0.5 * best_cosine + 0.5 * coverage))
