"""Suggests a question that a book answers, built from its headings and tried before it is shown."""

import asyncio
import re
from collections.abc import AsyncGenerator, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Protocol

from sourcebook.answering.answer_events import gather_answer
from sourcebook.core.answers import AnswerEvent, Question
from sourcebook.core.errors import SourcebookError
from sourcebook.search.books import LessonHeadings

MAX_LESSONS = 12
MAX_TRIES = 12
# Each one takes a language model seconds, and may cost money.
MAX_TRIES_WITH_A_MODEL = 3
TIMEOUT_S = 10.0
MAX_QUESTION_LENGTH = 80
MAX_TOPIC_WORDS = 3
QUOTING = "extractive"

# Headings that say what a section is for, and not what it is about.
_GENERIC_WORDS = """
about abstract acknowledgements acknowledgments appendix background before begin changelog chapter
checklist conclusion contents contributing discussion example examples exercise exercises faq
further getting glossary goals home index introduction lesson license links module next note notes
objectives outcomes outline overview preface prerequisites quiz readme recap reading references
related requirements resources review see setup summary task tasks tips todo try tutorial usage
warning week welcome what's
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())
# Words with which a heading begins that names no thing: it tells what to do, or goes on.
_NO_THING_WORDS = """
add adopt ask avoid back build call change check choose clean configure connect create define delete
deploy enable explore find fix get give go handle import in install join keep know learn let look
make manage more move of on open other own pick post prepare put read remove restore run search send
set share show start stop store take test to train understand update upgrade use verify watch with
work write your
how what when where which who why
"""
_NO_THING = frozenset(_NO_THING_WORDS.split())
_NUMBERING = re.compile(
    r"(?:(?:lesson|chapter|module|part|section|unit|week|step)\s+)?\d+(?:\.\d+)*\s*[-–—:.)]*\s+",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"[`*]|\{#[^}]*\}|<[^>]*>")
_PLAIN = re.compile(r"[\w\s,.:;()/+#&'’?–—-]+")
_QUESTION = re.compile(r"(?:what|who|which|when|where|why|how) (?:is|are|was|do|does|can)\b", re.I)
_HOW_TO = re.compile(r"how to (\w.*)", re.IGNORECASE)
# One thing, although it ends in s; `APIs` are several.
_SINGULAR = re.compile(
    r"(?-i:(?!.*[A-Z]s$)).*(?:ss|us|is|os|\.js|postgres|kubernetes|news"
    r"|(?:am|an|at|hys|om|on|ot|ist|eth|opt)ics)|(?-i:[A-Z0-9]*S)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?:an?|the)\s", re.IGNORECASE)


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
                    answered, model = await self._try(candidate)
                    if answered:
                        return Suggestion(candidate.question)
                    tries += 1
                    if tries >= (MAX_TRIES if model == QUOTING else MAX_TRIES_WITH_A_MODEL):
                        break
        except (TimeoutError, SourcebookError):
            return fallback
        return fallback

    async def _try(self, candidate: Candidate) -> tuple[bool, str]:
        answer = await gather_answer(await self._chat.ask(Question(candidate.question)))
        cited = {citation.document_id for citation in answer.citations}
        return answer.facts.answered and candidate.document_id in cited, answer.facts.model


def candidates(lessons: Iterable[LessonHeadings]) -> Iterator[Candidate]:
    """Yield what could be asked: questions among the headings first, then what things are."""
    lessons = list(lessons)
    asked = _in_turn([_asked(lesson) for lesson in lessons])
    titles = _in_turn([_defined(lesson, [lesson.title or ""]) for lesson in lessons])
    headings = _in_turn([_defined(lesson, lesson.headings) for lesson in lessons])
    seen: set[str] = set()
    for candidate in chain(asked, titles, headings):
        if candidate.question not in seen and len(candidate.question) <= MAX_QUESTION_LENGTH:
            seen.add(candidate.question)
            yield candidate


def question_in(heading: str) -> str | None:
    """Return the question that a heading asks: as it stands, or for `How to …`."""
    text = _cleaned(heading)
    if not _PLAIN.fullmatch(text):
        return None
    if how := _HOW_TO.fullmatch(text.rstrip("?.: ")):
        return f"How do I {how[1]}?"
    if len(text.split()) > 2 and (text.endswith("?") or _QUESTION.match(text)):
        return text.rstrip("?.: ") + "?"
    return None


def topic_in(heading: str) -> str | None:
    """Return what a heading names: a short noun phrase, as far as that can be told."""
    text = _cleaned(heading).rstrip("?.:! ")
    article = _ARTICLE.match(text)
    words = (text[article.end() :] if article else text).split()
    if not 1 <= len(words) <= MAX_TOPIC_WORDS or not _PLAIN.fullmatch(text):
        return None
    first, last = words[0].lower(), words[-1].lower()
    if {first, last} & _GENERIC or first in _NO_THING or first.endswith("ing") or len(text) < 3:
        return None
    return text if article is None else article[0].lower() + " ".join(words)


def definition_of(topic: str) -> str:
    """Ask what a thing is, or what things are."""
    last = topic.rsplit(maxsplit=1)[-1]
    plural = " and " in topic or (last.lower().endswith("s") and not _SINGULAR.fullmatch(last))
    return f"What {'are' if plural else 'is'} {topic}?"


def _asked(lesson: LessonHeadings) -> list[Candidate]:
    questions = [question_in(heading) for heading in [lesson.title or "", *lesson.headings]]
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


def _cleaned(heading: str) -> str:
    text = " ".join(_MARKUP.sub("", heading).split())
    numbered = _NUMBERING.match(text)
    return text[numbered.end() :] if numbered else text
