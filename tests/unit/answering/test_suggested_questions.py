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
    definition_of,
    question_in,
    topic_in,
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
from sourcebook.search.books import LessonHeadings


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
        self.delay_s = 0.0
        self.error: AgentUnavailable | None = None
        self._answers = answers
        self._model = model

    async def ask(
        self, question: Question, deadline_s: float | None = None
    ) -> AsyncGenerator[AnswerEvent]:
        self.asked.append(question.text)
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


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("What is a Pod?", "What is a Pod?"),
        ("What is ownership", "What is ownership?"),
        ("How to `install` Rust", "How do I install Rust?"),
        ("3.2 How do nodes talk?", "How do nodes talk?"),
        ("Lesson 4: Why does it fall?", "Why does it fall?"),
        ("What's next?", None),
        ("Really?", None),
        ("How Deployments work", None),
        ("Pods", None),
        ("What is $HOME?", None),
        ("", None),
    ],
)
def test_a_heading_that_asks_is_a_question(heading: str, question: str | None) -> None:
    assert question_in(heading) == question


@pytest.mark.parametrize(
    ("heading", "topic"),
    [
        ("Lesson 2.2: Frames and Joints", "Frames and Joints"),
        ("**Joint** limits {#limits}", "Joint limits"),
        ("Introduction", None),
        ("Overview", None),
        ("Learning objectives", None),
        ("The Slice Type", "the Slice Type"),
        ("Installing the tools", None),
        ("Back up and restore", None),
        ("In function signatures", None),
        ("Long texts get several vectors", None),
        ("How it works", None),
        ("A heading that is much too long to be a thing", None),
        ("`rm -rf $HOME`", None),
        ("12", None),
        ("", None),
    ],
)
def test_a_short_heading_names_a_thing_unless_it_only_says_what_a_section_is_for(
    heading: str, topic: str | None
) -> None:
    assert topic_in(heading) == topic


@pytest.mark.parametrize(
    ("topic", "question"),
    [
        ("Joint limits", "What are Joint limits?"),
        ("Frames and Joints", "What are Frames and Joints?"),
        ("Ownership", "What is Ownership?"),
        ("a Pod", "What is a Pod?"),
        ("the types", "What are the types?"),
        ("Analysis", "What is Analysis?"),
        ("Postgres", "What is Postgres?"),
        ("Forward Kinematics", "What is Forward Kinematics?"),
        ("DNS", "What is DNS?"),
        ("REST APIs", "What are REST APIs?"),
        ("Topics", "What are Topics?"),
        ("Quality of Service", "What is Quality of Service?"),
    ],
)
def test_things_are_and_a_thing_is(topic: str, question: str) -> None:
    assert definition_of(topic) == question


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
