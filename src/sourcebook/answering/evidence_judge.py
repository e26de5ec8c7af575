"""Judges the evidence: how likely it answers the question, and how well each statement does.

With a reader by reading, without one by cosine and words in common: docs/decisions/0047.
"""

import asyncio
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook.answering.evidence import Passage
from sourcebook.answering.passage_reading import read_passages
from sourcebook.answering.proof.languages import is_english
from sourcebook.answering.question_subject import asks_about_whole_text
from sourcebook.answering.refusal import (
    REFUSAL_THRESHOLD,
    coverage,
    nearest_similarity,
    related_statements,
    sufficiency,
)
from sourcebook.answering.sentence_embedder import SentenceEmbedder, cosine
from sourcebook.answering.statements import Quotable, embed_statements, read_statements
from sourcebook.core.answers import Question
from sourcebook.core.errors import Unavailable
from sourcebook.core.ports import Judge, Reader
from sourcebook.core.readings import Signals
from sourcebook.core.vectors import Vector
from sourcebook.search.words import content_words

log = logging.getLogger(__name__)

# A question is refused if the probability that the evidence answers it is below this.
ANSWER_THRESHOLD = 0.5
# The best ones; what comes after them hardly ever holds the answer alone.
MAX_READ = 8
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


@dataclass(frozen=True, slots=True)
class Evidence:
    """The passages that a question is answered from, what they say, and what to make of it.

    Without a judgement nobody could read it, and nothing else may decide.
    """

    passages: tuple[Passage, ...]
    quotable: tuple[Quotable, ...]
    judgement: Judgement | None


class EvidenceJudge:
    """Judges by reading if there is a reader that knows the language, else by similarity.

    One judge is for one question: a reader that could not read its evidence is not asked again.
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
        self._reader = reader
        self._threshold = threshold

    async def evidence(
        self,
        question: Question,
        understood: str,
        passages: Sequence[Passage],
        *,
        only_by_reading: bool = False,
        deadline_s: float = math.inf,
    ) -> Evidence:
        """Read the passages once, and judge them.

        It is known before `deadline_s`, by the event loop's clock.
        """
        quotable = await asyncio.to_thread(read_statements, passages)
        case = Case(question, understood, passages, quotable)
        judgement = await self._by_reading(case, deadline_s)
        if judgement is None and not only_by_reading:
            judgement = await self._by_similarity(case)
        return Evidence(tuple(passages), quotable, judgement)

    async def _by_reading(self, case: Case, deadline_s: float) -> Judgement | None:
        """Return what comes of reading; None if there is no reader, or it fails."""
        if self._reader is None or not _is_readable(case.understood, case.passages):
            return None
        read = await self._read(case, self._reader, deadline_s)
        if read is None:
            return None
        probability = self._reader.calibration.probability(read.signals)
        enough = probability >= self._threshold or _is_about_whole_text(case)
        return Judgement(enough, _ranks(read.scores), probability)

    async def _read(self, case: Case, reader: Reader, deadline_s: float) -> "ReadEvidence | None":
        latest_s = deadline_s - JUDGING_TIME_S
        now_s = asyncio.get_running_loop().time
        try:
            async with asyncio.timeout_at(min(now_s() + LOADING_TIMEOUT_S, latest_s)):
                await reader.load()
            async with asyncio.timeout_at(min(now_s() + READING_TIMEOUT_S, latest_s)):
                return await read_evidence(case, reader, await self._similarity(case))
        except (Unavailable, TimeoutError) as error:
            log.warning("evidence_not_read", extra={"reason": str(error) or "timeout"})
            self._reader = None
            return None

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
        enough = likely >= REFUSAL_THRESHOLD or _is_about_whole_text(case)
        asked = frozenset(content_words(case.understood))
        return Judgement(enough, tuple(_similarity_rank(one, vector, asked) for one in quotable))


@dataclass(frozen=True, slots=True)
class ReadEvidence:
    """What speaks for an answer, and the reader's score of each statement that it has read."""

    signals: Signals
    scores: tuple[float | None, ...]


async def read_evidence(case: Case, reader: Reader, similarity: float) -> ReadEvidence:
    """Have the best passages read; `similarity` is the best cosine."""
    read = case.passages[:MAX_READ]
    readings = await read_passages(reader, case.understood, read, case.quotable)
    scores: dict[int, float] = {}
    said: list[list[float]] = []
    for reading in readings:
        scores |= reading.scores
        found = (score for n, score in reading.scores.items() if _says(case, n))
        said.append(sorted(found, reverse=True))
    best = max(said, key=lambda one: one[:1])
    relevance = max(one.relevance for one in readings)
    signals = Signals(
        relevance,
        best[0] if best else relevance,
        similarity,
        coverage(case.understood, related_statements(case.passages, case.quotable)),
        _lead(best),
    )
    return ReadEvidence(signals, tuple(scores.get(n) for n in range(len(case.quotable))))


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


def _is_about_whole_text(case: Case) -> bool:
    """Whether the question is what the text before the reader, a selection or a page, is about."""
    is_before_reader = case.question.selection is not None or case.question.on_page
    return is_before_reader and asks_about_whole_text(case.understood)


def _ranks(scores: Sequence[float | None]) -> tuple[float, ...]:
    """1 for the best statement, less for each logit that another is worse."""
    best = max((one for one in scores if one is not None), default=0.0)
    return tuple(0.0 if one is None else math.exp((one - best) / LOGITS_PER_E) for one in scores)


def _covered(asked: frozenset[str], words: frozenset[str]) -> float:
    return len(asked & words) / len(asked) if asked else 0.0


def _best_cosine(vector: Vector, quotable: Sequence[Quotable]) -> float:
    known = [one.statement.vector for one in quotable if one.statement.vector is not None]
    return max((cosine(vector, one) for one in known), default=0.0)


def _similarity_rank(one: Quotable, vector: Vector, asked: frozenset[str]) -> float:
    known = one.statement.vector
    similar = 0.0 if known is None else SIMILARITY_WEIGHT * cosine(vector, known)
    return similar + (1 - SIMILARITY_WEIGHT) * _covered(asked, one.content)
