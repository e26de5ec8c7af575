"""`book.ask`: an answer in somebody's own program, at once or piece by piece."""

from dataclasses import fields, replace

import pytest

from sourcebook.core.answers import NO_INFORMATION, Finished, SourcesUsed, TextPiece
from sourcebook.core.errors import AgentUnavailable, InvalidInput
from sourcebook.library import AnswerSource, Book, BookAnswer
from sourcebook.surfaces.chat.schemas import ChatMetadataOut, CitationOut
from sourcebook.surfaces.use_cases import UseCases
from tests.surfaces.chat.fake_sessions import CITATION, FACTS, FakeSessions

SESSION = "0b8a3c1e-6f2d-4c5b-9a7e-1234567890ab"
QUESTION = "What is a node?"


@pytest.fixture
def sessions() -> FakeSessions:
    return FakeSessions()


@pytest.fixture
def book(use_cases: UseCases, sessions: FakeSessions) -> Book:
    return Book(replace(use_cases, sessions=sessions))  # type: ignore[arg-type]


async def test_an_answer_has_its_text_and_what_it_stands_on(book: Book) -> None:
    answer = await book.ask(QUESTION)

    assert (answer.text, answer.answered) == ("A node is one process. [1]", True)
    assert (answer.model, answer.mode, answer.history) == ("extractive", "general", "none")
    assert answer.collections == ("book",)
    (source,) = answer.sources
    assert (source.number, source.chunk_text) == (1, CITATION.quote)
    assert (source.source_file, source.line_start, source.char_start) == (
        CITATION.file,
        CITATION.first_line,
        CITATION.start,
    )


async def test_the_pieces_come_first_and_the_whole_answer_last(book: Book) -> None:
    *pieces, last = [part async for part in book.ask_stream(QUESTION)]

    assert pieces == ["A node is ", "one process. [1]"]
    assert last == await book.ask(QUESTION)


async def test_a_refusal_is_an_answer_without_sources(book: Book, sessions: FakeSessions) -> None:
    facts = replace(FACTS, answered=False)
    sessions.story = (TextPiece(NO_INFORMATION), SourcesUsed(()), Finished(facts))

    answer = await book.ask(QUESTION)

    assert (answer.text, answer.answered, answer.sources) == (NO_INFORMATION, False, ())


async def test_an_answer_that_is_cut_off_says_so(book: Book, sessions: FakeSessions) -> None:
    whole = await book.ask(QUESTION)
    facts = replace(FACTS, cut_off=True)
    sessions.story = (TextPiece("A node."), SourcesUsed((CITATION,)), Finished(facts))

    assert (whole.cut_off, (await book.ask(QUESTION)).cut_off) == (False, True)


async def test_an_answer_without_the_model_says_so(book: Book, sessions: FakeSessions) -> None:
    facts = replace(
        FACTS,
        fallback="extractive",
        warning="The model is away.",
        failure="The model refused the key.",
    )
    sessions.story = (TextPiece("A node."), SourcesUsed((CITATION,)), Finished(facts))

    answer = await book.ask(QUESTION)

    assert (answer.fallback, answer.warning) == ("extractive", "The model refused the key.")


async def test_everything_that_is_given_binds_the_question(
    book: Book, sessions: FakeSessions, use_cases: UseCases
) -> None:
    await book.ask(
        QUESTION, hardware_tier=2, selection="S", session_id=SESSION, top_k=7, collections=["a"]
    )
    await book.ask(QUESTION)

    bound, plain = sessions.asked
    assert (bound.hardware_tier, bound.selection, bound.session_id, bound.top_k) == (
        2,
        "S",
        SESSION,
        7,
    )
    assert (plain.hardware_tier, plain.selection, plain.session_id) == (None, None, None)
    assert (bound.collections, plain.collections) == (("a",), None)
    assert bound.book_ids == plain.book_ids == (use_cases.book_rules.book_id,)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"question": " "}, "The question is empty"),
        ({"selection": " "}, "The selection is empty"),
        ({"selection": "x" * 10_001}, "10000 at most"),
        ({"session_id": "mine"}, "UUID of version 4"),
        ({"top_k": 0}, "top_k"),
        ({"hardware_tier": 5}, "hardware_tier"),
        ({"collections": []}, "collections"),
        ({"collections": "robotics"}, r"must be a list of names, such as \['robotics'\]"),
    ],
)
async def test_what_cannot_be_asked_says_why(
    book: Book, sessions: FakeSessions, given: dict[str, object], says: str
) -> None:
    asked = {"question": QUESTION, **given}

    with pytest.raises(InvalidInput, match=says):
        await book.ask(**asked)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=says):
        await anext(book.ask_stream(**asked))  # type: ignore[arg-type]
    assert sessions.asked == []


async def test_what_fails_on_the_way_is_raised_where_it_was_asked(
    book: Book, sessions: FakeSessions
) -> None:
    sessions.story = (TextPiece("A node "), AgentUnavailable("too slow"))

    with pytest.raises(AgentUnavailable):
        await book.ask(QUESTION)
    stream = book.ask_stream(QUESTION)
    assert await anext(stream) == "A node "
    with pytest.raises(AgentUnavailable):
        await anext(stream)


def test_an_answer_has_what_the_http_contract_has() -> None:
    names = {field.name for field in fields(BookAnswer)}

    assert names == ChatMetadataOut.model_fields.keys() | {"text", "sources", "mode"}
    assert [field.name for field in fields(AnswerSource)] == [
        field.name for field in fields(CitationOut)
    ]
