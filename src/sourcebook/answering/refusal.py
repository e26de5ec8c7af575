"""Whether the evidence is likely to hold the answer. docs/decisions/0012 has the measurements."""

from collections.abc import Sequence

from sourcebook.answering.statements import Statement
from sourcebook.search.words import content_words

# Words in common count half of what meaning counts: the subject's name is on many pages.
COVERAGE_WEIGHT = 0.5
# Who tells a story first and then asks uses many words that no page has. Four in common are enough.
MAX_COUNTED_WORDS = 4
# Below this a question is refused.
REFUSAL_THRESHOLD = 0.5


def sufficiency(question: str, best_cosine: float, statements: Sequence[Statement]) -> float:
    """From 0 to 1: how likely the statements hold the answer. `best_cosine` is the best hit's.

    The vectors of the sentences were tried and told nothing that the best hit's had not told.
    """
    similarity = min(1.0, max(0.0, best_cosine))
    asked = frozenset(content_words(question))
    if not asked:
        return similarity
    found = asked.intersection(word for one in statements for word in one.content)
    coverage = min(1.0, len(found) / min(MAX_COUNTED_WORDS, len(asked)))
    return (similarity + COVERAGE_WEIGHT * coverage) / (1 + COVERAGE_WEIGHT)
