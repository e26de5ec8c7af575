"""A suggested question comes from the book's headings and was answered before it is shown."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from sourcebook.answering.suggested_questions import (
    MAX_TRIES,
    MAX_TRIES_WITH_A_MODEL,
    QuestionSuggester,
    Suggestion,
    candidates,
)
from sourcebook.core.answers import (
    AnswerEvent,
    AnswerFacts,
    Citation,
    Finished,
    Question,
    SourcesUsed,
    TextPiece,
)
from sourcebook.core.errors import AgentUnavailable
from sourcebook.core.lesson_headings import LessonHeadings


class FakeBook:
    """A book of these lessons."""

    def __init__(self, *lessons: LessonHeadings) -> None:
        self._lessons = lessons

    async def some_headings(self, book_id: str, lessons: int) -> list[LessonHeadings]:
        return list(self._lessons[:lessons])


class FakeChat:
    """Answers some questions, each from one lesson, and refuses the others."""

    def __init__(self, answers: dict[str, str], model: str = "extractive") -> None:
        self.asked: list[str] = []
        self.books: set[str | None] = set()
        self.delay_s = 0.0
        self.error: AgentUnavailable | None = None
        self._answers = answers
        self._model = model

    async def ask(
        self, question: Question, deadline_s: float | None = None
    ) -> AsyncGenerator[AnswerEvent]:
        self.asked.append(question.text)
        self.books.update(question.book_ids or ())
        await asyncio.sleep(self.delay_s)
        if self.error is not None:
            raise self.error
        return self._events(self._answers.get(question.text))

    async def _events(self, document_id: str | None) -> AsyncGenerator[AnswerEvent]:
        yield TextPiece("It is so. [1]")
        citation = Citation(1, "u", "t", "h", "It is so.", 0.9, document_id=document_id)
        yield SourcesUsed((citation,) if document_id else ())
        yield Finished(AnswerFacts("general", self._model, 1.0, 5, document_id is not None))


def lesson(id_: str, title: str | None, *headings: str) -> LessonHeadings:
    return LessonHeadings(id_, title, headings)


def asked_of(*lessons: LessonHeadings) -> list[str]:
    return [candidate.question for candidate in candidates(lessons)]


def test_headings_that_ask_come_first_then_titles_then_other_headings() -> None:
    found = asked_of(
        lesson("a", "Pods", "Restart policy", "What is a Pod?"),
        lesson("b", "Nodes", "Overview", "Restart policy"),
    )

    assert found == [
        "What is a Pod?",
        "What are Pods?",
        "What are Nodes?",
        "What is Restart policy?",
    ]


async def test_the_first_question_that_the_book_answers_is_suggested() -> None:
    chat = FakeChat({"What are Nodes?": "b", "What is Restart policy?": "a"})
    book = FakeBook(lesson("a", "Pods", "Restart policy"), lesson("b", "Nodes"))

    suggested = await QuestionSuggester(book, chat).suggest("book")

    assert suggested == Suggestion(question="What are Nodes?")
    assert chat.asked == ["What are Pods?", "What are Nodes?"]


async def test_an_answer_from_another_lesson_is_not_good_enough() -> None:
    chat = FakeChat({"What are Pods?": "b"})

    suggested = await QuestionSuggester(FakeBook(lesson("a", "Pods")), chat).suggest("book")

    assert suggested == Suggestion(search="Pods")


@pytest.mark.parametrize(
    ("model", "tries"), [("extractive", MAX_TRIES), ("gpt", MAX_TRIES_WITH_A_MODEL)]
)
async def test_it_is_not_tried_for_ever(model: str, tries: int) -> None:
    chat = FakeChat({}, model)
    lessons = [lesson(str(n), f"Thing{n}", *(f"Part{n}x{k}" for k in range(5))) for n in range(12)]

    suggested = await QuestionSuggester(FakeBook(*lessons), chat).suggest("book")

    assert len(chat.asked) == tries
    assert suggested == Suggestion(search="Thing0")


async def test_a_slow_chat_is_given_up_and_a_search_is_suggested() -> None:
    chat = FakeChat({"What are Pods?": "a"})
    chat.delay_s = 10.0

    suggested = await QuestionSuggester(FakeBook(lesson("a", "Pods")), chat).suggest(
        "book", timeout_s=0.01
    )

    assert suggested == Suggestion(search="Pods")


async def test_a_chat_that_fails_leaves_a_search() -> None:
    chat = FakeChat({})
    chat.error = AgentUnavailable("away")

    suggested = await QuestionSuggester(FakeBook(lesson("a", "Pods")), chat).suggest("book")

    assert suggested == Suggestion(search="Pods")


@pytest.mark.parametrize("lessons", [[], [lesson("a", None)], [lesson("a", "Introduction")]])
async def test_a_book_without_headings_suggests_nothing(
    lessons: Sequence[LessonHeadings],
) -> None:
    assert await QuestionSuggester(FakeBook(*lessons), FakeChat({})).suggest("b") == Suggestion()
