"""Suggests questions that a book answers, from its headings, each tried before it is shown."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import Protocol

from sourcebook.answering.answer_events import gather_answer
from sourcebook.core.answers import AnswerEvent, Question
from sourcebook.core.errors import SourcebookError
from sourcebook.core.heading_questions import definition_of, question_in, task_in, topic_in
from sourcebook.core.lesson_headings import LessonHeadings

MAX_LESSONS = 12
MAX_TRIES = 12
# Each one takes a language model seconds, and may cost money.
MAX_TRIES_WITH_A_MODEL = 3
TIMEOUT_S = 10.0
MAX_QUESTION_LENGTH = 80
QUOTING = "extractive"
# The sample book answers each of these; a test asks them.
SAMPLE_QUESTIONS = (
    "How far can Wren's knee bend?",
    "How does Wren stop safely?",
    "Can I compile the TensorRT model on my desktop and just copy it to the Jetson?",
    "Why does a callback that sleeps make the others late?",
)


class Chat(Protocol):
    """What answers questions."""

    async def ask(
        self, question: Question, deadline_s: float | None = None
    ) -> AsyncGenerator[AnswerEvent]:
        """Answer a question."""
        ...


class Headings(Protocol):
    """A book whose headings can be read."""

    async def some_headings(self, book_id: str, lessons: int) -> list[LessonHeadings]:
        """The headings of so many lessons."""
        ...


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A question that the book answers, or else something to search it for."""

    question: str | None = None
    search: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question, and the lesson that should answer it."""

    question: str
    document_id: str


class QuestionSuggester:
    """Asks the chat what a book's headings suggest, until it answers from the right lesson."""

    def __init__(self, books: Headings, chat: Chat) -> None:
        self._books = books
        self._chat = chat

    async def suggest(self, book_id: str, timeout_s: float = TIMEOUT_S) -> Suggestion:
        """Return the first question that is answered; the same one for the same book."""
        lessons = await self._books.some_headings(book_id, MAX_LESSONS)
        fallback = Suggestion(search=next(_topics(lessons), None))
        tries = 0
        try:
            async with asyncio.timeout(timeout_s):
                for candidate in candidates(lessons):
                    answered, model = await self._try(candidate, book_id)
                    if answered:
                        return Suggestion(candidate.question)
                    tries += 1
                    if tries >= (MAX_TRIES if model == QUOTING else MAX_TRIES_WITH_A_MODEL):
                        break
        except (TimeoutError, SourcebookError):
            return fallback
        return fallback

    async def several(self, book_id: str, count: int, timeout_s: float = TIMEOUT_S) -> list[str]:
        """Return up to so many questions that are answered, one for each lesson."""
        found: dict[str, str] = {}
        try:
            async with asyncio.timeout(timeout_s):
                lessons = await self._books.some_headings(book_id, MAX_LESSONS)
                for candidate in islice(candidates(lessons), 2 * MAX_TRIES):
                    if len(found) == count:
                        break
                    if candidate.document_id in found:
                        continue
                    if (await self._try(candidate, book_id))[0]:
                        found[candidate.document_id] = candidate.question
        except (TimeoutError, SourcebookError):
            pass
        return list(found.values())

    async def _try(self, candidate: Candidate, book_id: str) -> tuple[bool, str]:
        question = Question(candidate.question, book_ids=(book_id,))
        answer = await gather_answer(await self._chat.ask(question))
        cited = {citation.document_id for citation in answer.citations}
        return answer.facts.answered and candidate.document_id in cited, answer.facts.model


def candidates(lessons: Iterable[LessonHeadings]) -> Iterator[Candidate]:
    """Yield what could be asked: questions among the headings first, then tasks, then things."""
    lessons = list(lessons)
    asked = _in_turn([_asked(lesson, question_in) for lesson in lessons])
    tasks = _in_turn([_asked(lesson, task_in) for lesson in lessons])
    titles = _in_turn([_defined(lesson, [lesson.title or ""]) for lesson in lessons])
    headings = _in_turn([_defined(lesson, lesson.headings) for lesson in lessons])
    seen: set[str] = set()
    for candidate in chain(asked, tasks, titles, headings):
        if candidate.question not in seen and len(candidate.question) <= MAX_QUESTION_LENGTH:
            seen.add(candidate.question)
            yield candidate


def _asked(lesson: LessonHeadings, read: Callable[[str], str | None]) -> list[Candidate]:
    questions = [read(heading) for heading in [lesson.title or "", *lesson.headings]]
    return [Candidate(question, lesson.document_id) for question in questions if question]


def _defined(lesson: LessonHeadings, headings: Iterable[str]) -> list[Candidate]:
    topics = [topic_in(heading) for heading in headings]
    return [Candidate(definition_of(topic), lesson.document_id) for topic in topics if topic]


def _topics(lessons: Iterable[LessonHeadings]) -> Iterator[str]:
    """What to search for: the first thing that a title or a heading names."""
    for lesson in lessons:
        for heading in [lesson.title or "", *lesson.headings]:
            if (topic := topic_in(heading)) is not None:
                yield topic


def _in_turn(lists: list[list[Candidate]]) -> Iterator[Candidate]:
    """The first of each list, then the second of each."""
    for row in zip_longest(*lists):
        yield from (candidate for candidate in row if candidate is not None)
