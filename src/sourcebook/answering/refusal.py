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
    ClosestPlace,
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
MAX_CLOSEST = 3
# Whoever asks about something else altogether is not sent anywhere.
MIN_CLOSE_SIMILARITY = 0.25


def nearest_similarity(passages: Sequence[Passage]) -> float:
    """The cosine of the best passage; 0 if there is none."""
    return max(map(_similarity, passages), default=0.0)


def related_statements(
    passages: Sequence[Passage], quotable: Sequence[Quotable]
) -> list[Statement]:
    """The statements of the passages that are at least half as similar as the best."""
    least = RELATED_SHARE * nearest_similarity(passages)
    related = {one.number for one in passages if _similarity(one) >= least}
    return [one.statement for one in quotable if one.statement.passage in related]


def _similarity(passage: Passage) -> float:
    return passage.score if passage.similarity is None else passage.similarity


def refusal_text(question: Question, passages: Sequence[Passage]) -> str:
    """What is said instead of an answer."""
    if question.selection is not None:
        return not_in_selection(subject_of(question.text))
    return NO_INFORMATION if passages else NOTHING_FOUND


def closest_places(
    question: Question,
    passages: Sequence[Passage],
    quotable: Sequence[Quotable] = (),
    ranks: Sequence[float] = (),
) -> tuple[ClosestPlace, ...]:
    """Where a reader may look on after a refusal, nearest first; nowhere beside a selection.

    Of a passage with several sections it is that of the statement with the highest rank.
    """
    if question.selection is not None:
        return ()
    least = max(MIN_CLOSE_SIMILARITY, RELATED_SHARE * nearest_similarity(passages))
    near = [one for one in passages if _similarity(one) >= least]
    best = _best_statements(quotable, ranks)
    places = (_place(passage, best.get(passage.number)) for passage in near)
    return tuple(dict.fromkeys(places))[:MAX_CLOSEST]


def _best_statements(quotable: Sequence[Quotable], ranks: Sequence[float]) -> dict[int, Statement]:
    """The statement of each passage that ranks highest, by the number of the passage."""
    ranked = [(rank, one.statement) for rank, one in zip(ranks, quotable, strict=False) if rank]
    ranked.sort(key=lambda pair: pair[0])
    return {statement.passage: statement for _, statement in ranked}


def _place(passage: Passage, nearest: Statement | None) -> ClosestPlace:
    source = passage.source
    if nearest is None:
        return ClosestPlace(source.title, source.heading, source.url)
    section = source.section_at(nearest.start)
    return ClosestPlace(source.title, section.heading, section.url)


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
