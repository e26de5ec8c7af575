"""The questions that a page offers: tried once for each state of the book."""

import asyncio

from sourcebook.answering.starter_questions import COUNT, StarterQuestions, State
from sourcebook.answering.suggested_questions import SAMPLE_QUESTIONS, QuestionSuggester
from sourcebook.search.default_books import SAMPLE_BOOK_ID
from tests.unit.answering.test_suggested_questions import FakeBook, FakeChat, lesson


class FakeState:
    """The state of a book, which a test can change."""

    def __init__(self, state: State) -> None:
        self.now = state

    async def state(self) -> State:
        return self.now


THINGS = [lesson(f"l{n}", f"Thing{n}") for n in range(8)]
ANSWERS = {f"What is Thing{n}?": f"l{n}" for n in range(8)}


async def test_each_lesson_gives_one_question_until_there_are_enough() -> None:
    chat = FakeChat(ANSWERS)
    starters = StarterQuestions(
        FakeState(("c", 1)), QuestionSuggester(FakeBook(lesson("l0", "Thing0", "Thing1")), chat)
    )

    assert await starters.questions("book") == ["What is Thing0?"]

    many = StarterQuestions(FakeState(("c", 1)), QuestionSuggester(FakeBook(*THINGS), chat))
    assert len(await many.questions("book")) == COUNT


async def test_readers_who_come_together_wait_for_the_same_search() -> None:
    chat = FakeChat(ANSWERS)
    state = FakeState(("c", 1))
    starters = StarterQuestions(state, QuestionSuggester(FakeBook(*THINGS), chat))

    first, second = await asyncio.gather(starters.questions("b"), starters.questions("b"))

    assert first == second
    assert len(chat.asked) == COUNT
    state.now = ("c", 2)
    await starters.questions("b")
    assert len(chat.asked) == 2 * COUNT


async def test_each_book_is_tried_once_however_readers_go_from_one_to_another() -> None:
    chat = FakeChat(ANSWERS)
    starters = StarterQuestions(FakeState(("c", 1)), QuestionSuggester(FakeBook(*THINGS), chat))

    for book in ("a", "b", "a", "b"):
        assert len(await starters.questions(book)) == COUNT

    assert len(chat.asked) == 2 * COUNT
    assert chat.books == {"a", "b"}


async def test_a_slow_book_gives_what_was_found_in_time() -> None:
    chat = FakeChat(ANSWERS)
    chat.delay_s = 10.0

    found = await QuestionSuggester(FakeBook(*THINGS), chat).several("b", COUNT, timeout_s=0.01)

    assert found == []


async def test_without_a_book_nothing_is_asked_and_the_sample_has_questions_of_its_own() -> None:
    chat = FakeChat(ANSWERS)
    suggester = QuestionSuggester(FakeBook(*THINGS), chat)

    assert await StarterQuestions(FakeState(None), suggester).questions(SAMPLE_BOOK_ID) == []
    sample = await StarterQuestions(FakeState(("c", 1)), suggester).questions(SAMPLE_BOOK_ID)
    assert sample == list(SAMPLE_QUESTIONS)
    assert chat.asked == []
