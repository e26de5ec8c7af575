"""Judges the evidence: how likely it answers the question, and how well each statement does.

With a reader by reading, without one by cosine and words in common: docs/decisions/0047.
"""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, islice, takewhile
from typing import TypeVar

from sourcebook.answering.answered_questions import answers_in_text, is_heading_with_answer
from sourcebook.answering.evidence import Passage, by_number, renumbered
from sourcebook.answering.introductions import asks_about_book, introduction
from sourcebook.answering.messages import asked_code, holds, pasted_messages
from sourcebook.answering.passage_reading import read_passages
from sourcebook.answering.proof.languages import is_english
from sourcebook.answering.question_kinds import compared_sides, sides_of
from sourcebook.answering.question_subject import asks_about_whole_text
from sourcebook.answering.refusal import (
    REFUSAL_THRESHOLD,
    coverage,
    nearest_similarity,
    related_statements,
    sufficiency,
)
from sourcebook.answering.sentence_embedder import SentenceEmbedder, cosine
from sourcebook.answering.side_matter import SideMatter
from sourcebook.answering.statements import Quotable, embed_statements, read_statements
from sourcebook.answering.wrapped_readers import RememberingReader
from sourcebook.core.answers import Question
from sourcebook.core.errors import Unavailable
from sourcebook.core.ports import Judge, Reader
from sourcebook.core.readings import Signals
from sourcebook.core.vectors import Vector
from sourcebook.search.words import content_words

_T = TypeVar("_T")

log = logging.getLogger(__name__)

# A question is refused if the probability that the evidence answers it is below this.
ANSWER_THRESHOLD = 0.5
# The best ones; what comes after them hardly ever holds the answer alone.
MAX_READ = 8
# To choose passages, a logit of relevance is worth so much of a search's score. If that takes
# longer than this, or than this share of the time that is left, the nearest ones are taken.
SCORE_PER_LOGIT = 0.005
CHOOSING_TIMEOUT_S = 8.0
CHOOSING_SHARE = 0.25
# Then cosine and words in common decide, and worse: rather wait on a busy machine. Before the first
# question, the reader has to be loaded.
READING_TIMEOUT_S = 12.0
LOADING_TIMEOUT_S = 15.0
# Kept for judging without a reader, before an answer's deadline.
JUDGING_TIME_S = 2.0
# Of so many passages most must be English for the reader, which knows nothing else.
LANGUAGE_PASSAGES = 3
LANGUAGE_CHARACTERS = 500
# So many statements of a passage come next after its best.
NEXT_STATEMENTS = 3
# A statement that is so many logits worse than the best has a rank of 1/e.
LOGITS_PER_E = 4.0
# A statement with all of the question's words is worth so many more: the reader learned to do
# without them, and may miss the plainest answer. What its heading has said, it need not repeat.
# Of 714 questions, mostly in other words, seven more get the right sentence than by its own words.
LOGITS_OF_WORDS = 4.0
# By how much what holds a message that was pasted, or answers the very question, is better.
LOGITS_OF_MESSAGE = 2.0
# By how much what is beside the subject is worse, such as a changelog, and how much less it speaks
# for an answer.
LOGITS_OF_SIDE_MATTER = 6.0
DOUBT_OF_SIDE_MATTER = 2.0
# So much of what stands under a heading that is the message.
SENTENCES_ON_MESSAGE = 4
# Without a reader: how much meaning counts against words in common with the question.
SIMILARITY_WEIGHT = 0.75


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether the evidence is enough, and a rank for each statement, from 0 to 1.

    `probability` is there if a reader has read the evidence.
    """

    is_enough: bool
    ranks: tuple[float, ...]
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A question, as it reads without its conversation, and what may answer it."""

    question: Question
    understood: str
    passages: Sequence[Passage]
    quotable: Sequence[Quotable]


class EvidenceJudge:
    """Judges by reading if there is a reader that knows the language, else by similarity.

    One judge is for one question: a reader that could not read its evidence is not asked again, and
    none reads the same twice.
    """

    def __init__(
        self,
        embedder: SentenceEmbedder,
        reader: Reader | None = None,
        threshold: float = ANSWER_THRESHOLD,
        claims: Judge | None = None,
    ) -> None:
        self.embedder = embedder
        # What judges the sentences of an answer.
        self.claims = claims
        self._reader = None if reader is None else RememberingReader(reader)
        self._threshold = threshold

    async def judge(
        self, case: Case, *, only_by_reading: bool = False, deadline_s: float = math.inf
    ) -> Judgement | None:
        """What to make of the evidence; None if it cannot be read, and nothing else may decide.

        It is known before `deadline_s`, by the event loop's clock.
        """
        if _is_readable(case.understood, case.passages):
            read = await self._reading(partial(self._by_reading, case), deadline_s)
            if read is not None:
                return read
        return None if only_by_reading else await self._by_similarity(case)

    def looks_at(self, count: int) -> int:
        """How many passages are worth a look for so many to answer from."""
        return count if self._reader is None else max(count, MAX_READ)

    async def nearest(
        self, question: str, passages: Sequence[Passage], count: int, deadline_s: float = math.inf
    ) -> tuple[Passage, ...]:
        """So many of the passages, which come in order: a little by what the reader makes of them.

        The first ones if it cannot read them, or not soon.
        """
        if len(passages) <= count or not _is_readable(question, passages):
            return tuple(passages[:count])
        quotable = await asyncio.to_thread(read_statements, passages)
        left_s = deadline_s - asyncio.get_running_loop().time()
        readings = None
        with suppress(TimeoutError):
            async with asyncio.timeout(min(CHOOSING_TIMEOUT_S, CHOOSING_SHARE * left_s)):
                readings = await self._reading(
                    lambda reader: read_passages(reader, question, passages, quotable), deadline_s
                )
        if readings is None:
            return tuple(passages[:count])
        # What comes before by anything else than its score stays before.
        scores = accumulate((one.score for one in passages), min)
        weighed = [
            score + SCORE_PER_LOGIT * reading.relevance
            for score, reading in zip(scores, readings, strict=True)
        ]
        best_first = sorted(range(len(passages)), key=lambda place: -weighed[place])
        return renumbered(passages[place] for place in best_first[:count])

    async def _reading(
        self, read: Callable[[Reader], Awaitable[_T]], deadline_s: float
    ) -> _T | None:
        """What comes of reading; None if there is no reader, or it fails."""
        if self._reader is None:
            return None
        latest_s = deadline_s - JUDGING_TIME_S
        now_s = asyncio.get_running_loop().time
        try:
            async with asyncio.timeout_at(min(now_s() + LOADING_TIMEOUT_S, latest_s)):
                await self._reader.load()
            async with asyncio.timeout_at(min(now_s() + READING_TIMEOUT_S, latest_s)):
                return await read(self._reader)
        except (Unavailable, TimeoutError) as error:
            log.warning("evidence_not_read", extra={"reason": str(error) or "timeout"})
            self._reader = None
            return None

    async def _by_reading(self, case: Case, reader: Reader) -> Judgement:
        read = await read_evidence(case, reader, await self._similarity(case))
        probability = reader.calibration.probability(read.signals)
        needed = (1 + self._threshold) / 2 if _lacks_a_side(case) else self._threshold
        holding = _holding_message(case) | answers_in_text(
            case.understood, case.passages, case.quotable
        )
        enough = (
            probability >= needed
            or bool(holding)
            or _is_about_whole_text(case)
            or is_heading_with_answer(case.understood, case.quotable)
        )
        return Judgement(enough, _ranks(case, read, holding), probability)

    async def _similarity(self, case: Case) -> float:
        if case.question.selection is None:
            return nearest_similarity(case.passages)
        # A selection was not searched, so no score was measured yet.
        vector, quotable = await embed_statements(case.understood, case.quotable, self.embedder)
        return _best_cosine(vector, quotable)

    async def _by_similarity(self, case: Case) -> Judgement:
        vector, quotable = await embed_statements(case.understood, case.quotable, self.embedder)
        if case.question.selection is None:
            nearest = nearest_similarity(case.passages)
        else:
            nearest = _best_cosine(vector, quotable)
        likely = sufficiency(case.understood, nearest, related_statements(case.passages, quotable))
        enough = (
            (likely >= REFUSAL_THRESHOLD and not _lacks_a_side(case))
            or _is_about_whole_text(case)
            or bool(_holding_message(case))
        )
        asked = frozenset(content_words(case.understood))
        return Judgement(enough, tuple(_similarity_rank(one, vector, asked) for one in quotable))


@dataclass(frozen=True, slots=True)
class ReadEvidence:
    """What speaks for an answer, and the reader's score of each statement that it has read.

    `beside` are the places of those that are beside the subject.
    """

    signals: Signals
    scores: tuple[float | None, ...]
    beside: frozenset[int]


async def read_evidence(case: Case, reader: Reader, similarity: float) -> ReadEvidence:
    """Have the best passages read; `similarity` is the best cosine."""
    read = case.passages[:MAX_READ]
    readings = await read_passages(reader, case.understood, read, case.quotable)
    beside = _beside_the_subject(case)
    scores: dict[int, float] = {}
    relevant: list[float] = []
    said: list[list[float]] = []
    for reading in readings:
        scores |= reading.scores
        is_beside = bool(reading.scores) and beside.issuperset(reading.scores)
        relevant.append(reading.relevance - DOUBT_OF_SIDE_MATTER * is_beside)
        doubted = {
            n: score - DOUBT_OF_SIDE_MATTER * (n in beside) for n, score in reading.scores.items()
        }
        said.append(sorted((doubted[n] for n in doubted if _says(case, n)), reverse=True))
    best = max(said, key=lambda one: one[:1])
    signals = Signals(
        max(relevant),
        best[0] if best else max(relevant),
        similarity,
        coverage(case.understood, related_statements(case.passages, case.quotable)),
        _lead(best),
    )
    return ReadEvidence(signals, tuple(scores.get(n) for n in range(len(case.quotable))), beside)


def _beside_the_subject(case: Case) -> frozenset[int]:
    """The places of what is beside the subject, unless the question may be about that.

    A reader who asks about a page or a selection, or has found nothing else, wants that.
    """
    if case.question.selection is not None or case.question.on_page:
        return frozenset()
    side_matter = SideMatter(case.understood)
    if all(map(side_matter.holds, case.passages)):
        return frozenset()
    return side_matter.places(case.passages, case.quotable)


def _says(case: Case, place: int) -> bool:
    return case.quotable[place].kind not in {"heading", "header"}


def _lead(scores: Sequence[float]) -> float:
    """By how much the first score is above those that come next.

    Where the subject is there and what is asked is not, many statements answer a little.
    """
    after = scores[1 : 1 + NEXT_STATEMENTS]
    return scores[0] - sum(after) / len(after) if after else 0.0


def _is_readable(question: str, passages: Sequence[Passage]) -> bool:
    """Whether the question and most of the best passages look like English."""
    first = passages[:LANGUAGE_PASSAGES]
    english = sum(is_english(passage.text[:LANGUAGE_CHARACTERS]) for passage in first)
    return is_english(question) and 2 * english >= len(first) > 0


def _lacks_a_side(case: Case) -> bool:
    """Whether the question compares something with what no passage speaks of."""
    sides = compared_sides(case.understood)
    if sides is None:
        return False
    texts = [f"{one.source.title}\n{one.source.heading}\n{one.text}" for one in case.passages]
    stems = [frozenset(content_words(text)) for text in texts]
    return not all(any(map(side.is_touched, texts, stems)) for side in sides)


def _holding_message(case: Case) -> frozenset[int]:
    """The places of the statements that hold a message which somebody has pasted.

    Of a heading that does, what stands under it tells of the message.
    """
    messages = pasted_messages(case.understood)
    held = [
        place
        for place, one in enumerate(case.quotable)
        if any(holds(one.statement.words, message) for message in messages)
    ]
    held += _heading_of_code(case)
    return frozenset(one for place in held for one in _telling_of(case.quotable, place))


def _heading_of_code(case: Case) -> list[int]:
    """The place of the heading that has the code which is asked for, if only one has it."""
    code = asked_code(case.understood)
    headings = [
        place
        for place, one in enumerate(case.quotable)
        if code and one.kind == "heading" and code.search(one.shown)
    ]
    return headings if len(headings) == 1 else []


def _telling_of(quotable: Sequence[Quotable], place: int) -> Iterable[int]:
    heading = quotable[place]
    if heading.kind != "heading":
        return [place]
    passage = heading.statement.passage
    under = takewhile(
        lambda at: quotable[at].kind != "heading" and quotable[at].statement.passage == passage,
        range(place + 1, len(quotable)),
    )
    return islice(under, SENTENCES_ON_MESSAGE)


def _is_about_whole_text(case: Case) -> bool:
    """Whether the question is what a text before the reader is about, or a book with its words.

    The text is a selection or a page.
    """
    if case.question.selection is not None or case.question.on_page:
        return asks_about_whole_text(case.understood)
    return asks_about_book(case.understood) and introduction(case.passages) is not None


def _ranks(case: Case, read: ReadEvidence, holding: frozenset[int]) -> tuple[float, ...]:
    """1 for the best statement, less for each logit that another is worse.

    Those that are `holding` a pasted message, or the answer to the question as the text itself asks
    it, come before all others.
    """
    asked = frozenset(content_words(case.understood))
    words_above = _words_above(case)
    points = [
        None
        if score is None
        else score
        + LOGITS_OF_WORDS * _covered(asked, one.content | above)
        - LOGITS_OF_SIDE_MATTER * (place in read.beside)
        for place, (one, above, score) in enumerate(
            zip(case.quotable, words_above, read.scores, strict=True)
        )
    ]
    best = max((one for one in points if one is not None), default=0.0)
    if holding:
        best += LOGITS_OF_MESSAGE
        points = [best if place in holding else one for place, one in enumerate(points)]
    return tuple(0.0 if one is None else math.exp((one - best) / LOGITS_PER_E) for one in points)


def _words_above(case: Case) -> list[frozenset[str]]:
    """What each statement need not repeat: the words of its page's title and section's heading.

    For a comparison there are none: under "Topics and services" it is for each statement to say
    which of them it tells of.
    """
    if sides_of(case.understood) is not None:
        return [frozenset()] * len(case.quotable)
    known = by_number(case.passages)
    names = [_names_above(known[one.statement.passage], one) for one in case.quotable]
    words = {one: frozenset(content_words(one)) for one in set(names)}
    return [words[one] for one in names]


def _names_above(passage: Passage, one: Quotable) -> str:
    source = passage.source
    return f"{source.title} {source.section_at(one.statement.start).heading}"


def _covered(asked: frozenset[str], words: frozenset[str]) -> float:
    return len(asked & words) / len(asked) if asked else 0.0


def _best_cosine(vector: Vector, quotable: Sequence[Quotable]) -> float:
    known = [one.statement.vector for one in quotable if one.statement.vector is not None]
    return max((cosine(vector, one) for one in known), default=0.0)


def _similarity_rank(one: Quotable, vector: Vector, asked: frozenset[str]) -> float:
    known = one.statement.vector
    similar = 0.0 if known is None else SIMILARITY_WEIGHT * cosine(vector, known)
    return similar + (1 - SIMILARITY_WEIGHT) * _covered(asked, one.content)
