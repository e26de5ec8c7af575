"""From a question to a stream of events, and what is remembered of it."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import NoReturn
from uuid import UUID

import pytest

from sourcebook.answering.answer_events import gather_answer
from sourcebook.answering.citations import citation_json
from sourcebook.answering.corpora import BookCorpus
from sourcebook.answering.evidence import Passage
from sourcebook.answering.extractive import ExtractiveWriter
from sourcebook.answering.retriever import Retrieved, Retriever
from sourcebook.answering.sessions import Sessions
from sourcebook.answering.small_talk import ABOUT_ME
from sourcebook.answering.writers import Brief, Writer
from sourcebook.core.answers import (
    NO_INFORMATION,
    NOTHING_FOUND,
    Answer,
    AnswerEvent,
    Finished,
    PlacesFound,
    Question,
    SourcesUsed,
    TextPiece,
)
from sourcebook.core.conversations import Exchange
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import (
    AgentTimeout,
    AgentUnavailable,
    HistoryUnavailable,
    ModelNotLoaded,
    ReplyCutOff,
    RetrievalUnavailable,
)
from sourcebook.core.ports import ConversationStore, Ledger, Reader
from sourcebook.core.readings import ReadablePassage, Reading
from sourcebook.search.query_text import FIRST, FOLLOW_UP
from sourcebook.search.searcher import Searcher
from tests.books import BOOK, BookWorld
from tests.fakes import FakeEmbedder, MemoryConversations
from tests.memory_store import MemoryStore
from tests.unit.answering.passages import GAZEBO, ROS, passage
from tests.unit.answering.readers import FakeReader
from tests.unit.answering.writers import FailingWriter, HangingWriter, SayingWriter
from tests.unit.ingestion.chunking.texts import line_of

SESSION = "11111111-1111-4111-8111-111111111111"
NODE = "What is a node?"
NODE_SAID = "A node is a process that performs computation."
TOPICS_SAID = "Nodes exchange messages over topics."
BOTH_SAID = f"{NODE_SAID} {TOPICS_SAID}"


class FixedRetriever(Retriever):
    """Finds what the test put there. Remembers what it was asked for."""

    def __init__(self, *passages: Passage) -> None:
        self.passages = passages
        self.asked: list[str] = []
        self.previous: list[str] = []
        self.away = False

    async def retrieve(self, question: Question, text: str) -> Retrieved:
        """All of it."""
        self.asked.append(text)
        self.previous.append(question.previous)
        if self.away:
            raise RetrievalUnavailable("The fake store is away")
        return Retrieved(self.passages[: question.top_k], ("book",))


class ForbiddenRetriever(Retriever):
    """Must not be asked."""

    def __init__(self) -> None:
        """Nothing to look into."""

    async def retrieve(self, question: Question, text: str) -> NoReturn:
        """Fail the test."""
        raise AssertionError("Something was looked up")


class UnreadableConversations(MemoryConversations):
    """Must not be read."""

    async def latest(self, session_id: str, limit: int) -> NoReturn:
        """Fail the test."""
        raise AssertionError("The conversation was read")


def sessions(
    *,
    retriever: Retriever | None = None,
    writer: Writer | None = None,
    conversations: ConversationStore | None = None,
    timeout_s: float = 30.0,
    reader: Reader | None = None,
) -> Sessions:
    return Sessions(
        EmbeddingModels([FakeEmbedder()]),
        retriever or FixedRetriever(passage(1, ROS), passage(2, GAZEBO)),
        writer or ExtractiveWriter(),
        conversations or MemoryConversations(),
        timeout_s=timeout_s,
        reader=reader,
        now_s=lambda: 123.0,
    )


async def events_of(asking: Sessions, question: Question) -> list[AnswerEvent]:
    return [event async for event in await asking.ask(question)]


async def answer_of(asking: Sessions, question: Question) -> Answer:
    return await gather_answer(await asking.ask(question))


def exchange(query: str, response: str = "Something.") -> Exchange:
    return Exchange("1", SESSION, query, response, (), "general", None, 1, 5.0, 0.0)


@pytest.mark.spec("004 US1.1")
async def test_text_comes_before_sources_and_these_before_the_end() -> None:
    writer = SayingWriter(BOTH_SAID)

    events = await events_of(sessions(writer=writer), Question(NODE))

    assert [type(event) for event in events] == [TextPiece, TextPiece, SourcesUsed, Finished]
    finished = events[-1]
    assert isinstance(finished, Finished)
    assert finished.facts.answered
    assert (finished.facts.model, finished.facts.mode) == ("puppet", "general")
    assert finished.facts.chunks_retrieved == 2
    assert finished.facts.query_time_ms >= 0
    assert finished.facts.query_strategy == FIRST
    assert finished.facts.history == "none"


async def test_whoever_asks_for_progress_learns_of_sources_before_the_text_that_cites_them() -> (
    None
):
    asking = sessions(writer=SayingWriter(BOTH_SAID))

    found, *events = await events_of(asking, Question(NODE, progress=True))

    assert isinstance(found, PlacesFound)
    assert [place.title for place in found.places] == ["Title 1", "Title 2"]
    kinds = [type(event) for event in events]
    assert kinds == [SourcesUsed, TextPiece, SourcesUsed, TextPiece, SourcesUsed, Finished]
    cited = [event.citations for event in events if isinstance(event, SourcesUsed)]
    # The second sentence makes the quote of the first longer.
    assert cited[0] != cited[1]
    assert cited[1] == cited[2] == (await answer_of(asking, Question(NODE))).citations


async def test_progress_says_nothing_of_places_where_nothing_was_searched() -> None:
    asking = sessions(retriever=ForbiddenRetriever())

    events = await events_of(asking, Question(NODE, selection=ROS, progress=True))

    assert not any(isinstance(event, PlacesFound) for event in events)


async def test_a_question_is_searched_and_each_passage_read_once() -> None:
    retriever = FixedRetriever(*(passage(n, f"Wind {n} blows.") for n in range(1, 6)))
    reader = FakeReader({"blows": 4.0})

    await answer_of(sessions(retriever=retriever, reader=reader), Question("What is wind?"))

    assert len(retriever.asked) == 1
    assert len(reader.read_passages) == 5


async def test_a_stream_begins_before_anything_is_read() -> None:
    class UnreadReader(FakeReader):
        async def read(self, question: str, passages: Sequence[ReadablePassage]) -> list[Reading]:
            raise AssertionError("The client was not told anything yet")

    retriever = FixedRetriever(
        *(passage(number, f"Wind {number} blows.") for number in range(1, 7))
    )
    asking = sessions(retriever=retriever, reader=UnreadReader({}))

    async with aclosing(await asking.ask(Question("Who blows?", top_k=5, progress=True))) as events:
        assert isinstance(await anext(events), PlacesFound)


@pytest.mark.spec("004 US1.4")
@pytest.mark.spec("004 SC-006")
@pytest.mark.parametrize(
    ("passages", "question", "text"),
    [
        ((), NODE, NOTHING_FOUND),
        ((passage(1, ROS, score=0.05),), "Which cheese do Swiss farmers eat?", NO_INFORMATION),
    ],
)
async def test_a_refusal_has_the_form_of_an_answer_without_sources(
    passages: tuple[Passage, ...], question: str, text: str
) -> None:
    events = await events_of(sessions(retriever=FixedRetriever(*passages)), Question(question))

    assert events[:2] == [TextPiece(text), SourcesUsed(())]
    assert isinstance(events[2], Finished)
    assert not events[2].facts.answered
    assert events[2].facts.chunks_retrieved == len(passages)


async def test_a_streamed_answer_is_the_gathered_one() -> None:
    asking = sessions()
    events = await events_of(asking, Question(NODE))

    whole = await answer_of(asking, Question(NODE))

    said = "".join(event.content for event in events if isinstance(event, TextPiece))
    assert whole.text == said.rstrip()
    assert SourcesUsed(whole.citations) in events


LESSON = """---
title: Nodes
---

# Nodes

Intro 👩‍🚀 of the chapter.

## Basics

A node is a process{/* of
the kernel */} that performs computation. {/* Mind
the gap. */}Nodes exchange messages over topics.

> A node may
> have a timer. <!-- or two -->

- Every node has a name.
"""


@pytest.mark.spec("004 SC-003")
@pytest.mark.spec("004 FR-005")
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("extension", ["md", "mdx"])
@pytest.mark.parametrize(
    "question",
    [NODE, "Which messages do nodes exchange?", "Has a node a timer?", "Has every node a name?"],
)
async def test_every_quote_from_a_book_stands_in_its_file_where_the_citation_says(
    ledger: Ledger,
    store: MemoryStore,
    models: EmbeddingModels,
    newline: str,
    extension: str,
    question: str,
) -> None:
    world = BookWorld(ledger, store, models)
    path = f"module-1-ros2/chapter-1-nodes/01-nodes.{extension}"
    source = LESSON.replace("\n", newline)
    world.source.write(path, source)
    await world.ingest()
    retriever = Retriever(Searcher(ledger, store, models), [BookCorpus("book", BOOK)])
    asking = Sessions(models, retriever, ExtractiveWriter(), MemoryConversations())

    answer = await answer_of(asking, Question(question))

    assert answer.facts.answered
    for citation in answer.citations:
        assert citation.start is not None
        assert citation.end is not None
        assert source[citation.start : citation.end] == citation.quote != ""
        assert citation.file == path
        assert citation.url.startswith("/?book=robots#/read/")
        if citation.first_line is not None:
            assert citation.first_line == line_of(source, citation.start)
            assert citation.last_line == line_of(source, citation.end - 1)


# Selected text.


@pytest.mark.spec("004 US2.3")
@pytest.mark.spec("004 SC-005")
@pytest.mark.parametrize("question", [NODE, "Which cheese do Swiss farmers eat?"])
async def test_a_selection_is_all_that_is_looked_at(question: str) -> None:
    conversations = UnreadableConversations()
    conversations.exchanges = [exchange("What is ROS 2?")]
    asking = sessions(retriever=ForbiddenRetriever(), conversations=conversations)

    answer = await answer_of(asking, Question(question, SESSION, selection=ROS))

    assert answer.facts.mode == "selected_text"
    assert answer.facts.chunks_retrieved == 0
    assert answer.facts.query_strategy is None
    assert all(one.url == "selected_text" for one in answer.citations)


@pytest.mark.spec("004 US2.1")
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
async def test_what_a_selection_cites_can_be_highlighted_in_it(newline: str) -> None:
    selection = f"👩‍🚀 Intro.\n\n{ROS}\n\nThe end. 🤖".replace("\n", newline)

    answer = await answer_of(
        sessions(retriever=ForbiddenRetriever()), Question(NODE, None, selection)
    )

    [citation] = answer.citations
    told = citation_json(citation)
    assert selection[citation.start : citation.end] == told["chunk_text"] == ROS
    assert citation.statement is not None
    assert selection[citation.statement.start : citation.statement.end] == NODE_SAID
    assert (told["line_start"], told["line_end"]) == (3, 3)


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
async def test_the_title_of_a_selection_is_not_quoted(gap: str) -> None:
    selection = f"What a node is{gap}{NODE_SAID} Nodes exchange messages over topics."

    answer = await answer_of(
        sessions(retriever=ForbiddenRetriever()), Question(NODE, None, selection)
    )

    assert answer.text == f"{BOTH_SAID} [1]"


async def test_an_answer_from_a_selection_is_kept_with_the_selection() -> None:
    conversations = UnreadableConversations()
    asking = sessions(retriever=ForbiddenRetriever(), conversations=conversations)

    await answer_of(asking, Question(NODE, SESSION, selection=ROS))

    [kept] = conversations.exchanges
    assert (kept.mode, kept.selected_text) == ("selected_text", ROS)


# Conversations.


async def test_an_exchange_is_kept_as_it_was_shown() -> None:
    conversations = MemoryConversations()

    answer = await answer_of(sessions(conversations=conversations), Question(NODE, SESSION))

    [kept] = conversations.exchanges
    assert UUID(kept.id).version == 4
    assert (kept.session_id, kept.query, kept.response) == (SESSION, NODE, answer.text)
    assert list(kept.sources) == [citation_json(one) for one in answer.citations]
    assert kept.sources
    assert (kept.mode, kept.selected_text, kept.chunks_retrieved) == ("general", None, 2)
    assert (kept.latency_ms, kept.created_at_s) == (answer.facts.query_time_ms, 123.0)
    assert answer.facts.history == "saved"


async def test_a_refusal_is_kept_too() -> None:
    conversations = MemoryConversations()
    asking = sessions(retriever=FixedRetriever(), conversations=conversations)

    await answer_of(asking, Question(NODE, SESSION))

    assert [(one.response, list(one.sources)) for one in conversations.exchanges] == [
        (NOTHING_FOUND, [])
    ]


async def test_without_a_session_nothing_is_read_or_kept() -> None:
    conversations = UnreadableConversations()

    answer = await answer_of(sessions(conversations=conversations), Question(NODE))

    assert conversations.exchanges == []
    assert answer.facts.history == "none"


@pytest.mark.spec("004 FR-014")
async def test_a_follow_up_is_looked_up_with_its_topic(caplog: pytest.LogCaptureFixture) -> None:
    conversations = MemoryConversations()
    retriever = FixedRetriever(passage(1, ROS))
    asking = sessions(retriever=retriever, conversations=conversations)

    with caplog.at_level(logging.INFO, "sourcebook.search.query_text"):
        first = await answer_of(asking, Question(NODE, SESSION))
        second = await answer_of(asking, Question("What does it perform?", SESSION))
        third = await answer_of(asking, Question(NODE, SESSION.replace("1", "2")))

    strategies = [answer.facts.query_strategy for answer in (first, second, third)]
    assert strategies == [FIRST, FOLLOW_UP, FIRST]
    assert retriever.asked[0] == retriever.asked[2] == NODE
    assert "node" in retriever.asked[1]
    assert [record.message for record in caplog.records] == [
        f"Query strategy: {strategy}" for strategy in strategies
    ]


async def test_a_follow_up_with_a_subject_is_searched_beside_what_was_found_before() -> None:
    retriever = FixedRetriever(passage(1, ROS))
    asking = sessions(retriever=retriever, conversations=MemoryConversations())

    await answer_of(asking, Question(NODE, SESSION))
    await answer_of(asking, Question("Do publishers send messages?", SESSION))
    await answer_of(asking, Question("Do they block?", SESSION))

    # The words of the subject are carried into the last one, so nothing else need be.
    assert retriever.previous == ["", NODE, ""]
    assert retriever.asked[1] == "Do publishers send messages?"


async def test_a_greeting_makes_the_next_question_no_follow_up() -> None:
    conversations = MemoryConversations()
    retriever = FixedRetriever(passage(1, ROS))
    asking = sessions(retriever=retriever, conversations=conversations)

    await answer_of(asking, Question("hi", SESSION))
    answer = await answer_of(asking, Question(NODE, SESSION))

    assert answer.facts.query_strategy == FIRST
    assert retriever.asked == [NODE]


async def test_a_database_that_is_away_costs_no_answer() -> None:
    conversations = MemoryConversations()
    conversations.away = True

    answer = await answer_of(sessions(conversations=conversations), Question(NODE, SESSION))

    assert NODE_SAID in answer.text
    assert answer.citations
    assert answer.facts.history == "unavailable"


async def test_a_conversation_that_could_not_be_read_is_told_even_if_this_was_kept() -> None:
    class Recovering(MemoryConversations):
        async def latest(self, session_id: str, limit: int) -> list[Exchange]:
            raise HistoryUnavailable("The fake database is away")

    conversations = Recovering()

    answer = await answer_of(sessions(conversations=conversations), Question(NODE, SESSION))

    assert answer.facts.history == "unavailable"
    assert len(conversations.exchanges) == 1


async def test_an_answer_that_cannot_be_kept_says_so() -> None:
    class Full(MemoryConversations):
        async def add(self, exchange: Exchange) -> None:
            raise HistoryUnavailable("The fake disk is full")

    answer = await answer_of(sessions(conversations=Full()), Question(NODE, SESSION))

    assert NODE_SAID in answer.text
    assert answer.facts.history == "unavailable"


async def test_a_session_is_read_and_forgotten() -> None:
    conversations = MemoryConversations()
    asking = sessions(conversations=conversations)
    await answer_of(asking, Question(NODE, SESSION))

    assert [one.query for one in await asking.conversation(SESSION, 20)] == [NODE]
    assert await asking.forget(SESSION) == 1
    assert await asking.conversation(SESSION, 20) == []


# Small talk.


async def test_a_greeting_is_answered_without_looking_anything_up() -> None:
    conversations = UnreadableConversations()
    writer = SayingWriter("never")
    asking = sessions(retriever=ForbiddenRetriever(), conversations=conversations, writer=writer)

    answer = await answer_of(asking, Question("Hello there!", SESSION))

    assert answer.text.startswith("Hello!")
    assert answer.citations == ()
    assert (answer.facts.chunks_retrieved, answer.facts.query_strategy) == (0, None)
    assert answer.facts.history == "saved"
    assert [(one.query, list(one.sources)) for one in conversations.exchanges] == [
        ("Hello there!", [])
    ]
    assert writer.briefs == []


@pytest.mark.spec("000 Follow-up Message Query Strategy")
async def test_how_this_works_is_asked_of_the_topic_once_there_is_one() -> None:
    retriever = FixedRetriever(passage(1, ROS))
    asking = sessions(retriever=retriever, conversations=MemoryConversations())
    how = Question("How does this work?", SESSION)

    first = await answer_of(asking, how)
    await answer_of(asking, Question(NODE, SESSION))
    second = await answer_of(asking, how)
    thanked = await answer_of(asking, Question("Thanks!", SESSION))

    assert first.text == ABOUT_ME
    assert (second.facts.query_strategy, second.facts.chunks_retrieved) == (FOLLOW_UP, 1)
    assert thanked.facts.query_strategy is None
    assert retriever.asked[0] == NODE
    assert "node" in retriever.asked[1].lower()


async def test_who_only_said_hello_may_still_ask_what_this_is() -> None:
    asking = sessions(retriever=ForbiddenRetriever(), conversations=MemoryConversations())

    await answer_of(asking, Question("hello", SESSION))
    answer = await answer_of(asking, Question("What can you do?", SESSION))

    assert answer.text == ABOUT_ME


@pytest.mark.parametrize("asked", ["Who are you?", "What can you do?", "How do you work?", "Help"])
async def test_who_asks_about_the_service_in_a_conversation_still_means_it(asked: str) -> None:
    conversations = MemoryConversations()
    conversations.exchanges = [exchange(NODE)]
    asking = sessions(retriever=ForbiddenRetriever(), conversations=conversations)

    answer = await answer_of(asking, Question(asked, SESSION))

    assert (answer.text, answer.citations) == (ABOUT_ME, ())


async def test_what_was_asked_in_a_conversation_stays_part_of_it() -> None:
    conversations = MemoryConversations()
    conversations.exchanges = [exchange(NODE), exchange("How does this work?")]
    writer = SayingWriter("never")
    asking = sessions(conversations=conversations, writer=writer)

    await answer_of(asking, Question("What does it perform?", SESSION))

    assert [turn.question for turn in writer.briefs[0].earlier] == [NODE, "How does this work?"]


async def test_a_greeting_needs_no_model() -> None:
    asking = Sessions(
        EmbeddingModels([]), ForbiddenRetriever(), ExtractiveWriter(), MemoryConversations()
    )

    assert (await answer_of(asking, Question("hi"))).text
    with pytest.raises(ModelNotLoaded):
        await asking.ask(Question(NODE))


# What goes wrong.


async def test_what_fails_while_it_is_looked_up_fails_before_there_is_a_stream() -> None:
    retriever = FixedRetriever()
    retriever.away = True
    conversations = MemoryConversations()

    with pytest.raises(RetrievalUnavailable):
        await sessions(retriever=retriever, conversations=conversations).ask(
            Question(NODE, SESSION)
        )

    assert conversations.exchanges == []


@pytest.mark.parametrize("heard", [1, 2, 3])
async def test_a_stream_that_is_closed_half_way_keeps_nothing_and_ends_the_writer(
    heard: int,
) -> None:
    conversations = MemoryConversations()
    writer = SayingWriter(f"{NODE_SAID} ", f"{TOPICS_SAID} ", NODE_SAID)
    asking = sessions(writer=writer, conversations=conversations)

    stream = await asking.ask(Question(NODE, SESSION))
    for _ in range(heard):
        assert isinstance(await anext(stream), TextPiece)
    await stream.aclose()

    assert conversations.exchanges == []
    assert writer.ended == 1


async def test_a_stream_that_nobody_listened_to_leaves_nothing_behind() -> None:
    conversations = MemoryConversations()
    writer = SayingWriter(NODE_SAID)

    stream = await sessions(writer=writer, conversations=conversations).ask(Question(NODE, SESSION))
    await stream.aclose()

    assert (conversations.exchanges, writer.briefs) == ([], [])


async def test_an_answer_of_which_the_sources_were_not_heard_is_not_kept() -> None:
    conversations = MemoryConversations()
    stream = await sessions(conversations=conversations).ask(Question(NODE, SESSION))

    async for event in stream:
        if isinstance(event, SourcesUsed):
            break
    await stream.aclose()

    assert conversations.exchanges == []


async def test_a_listener_that_is_cancelled_ends_the_writer() -> None:
    conversations = MemoryConversations()
    writer = HangingWriter(BOTH_SAID)
    asking = sessions(writer=writer, conversations=conversations)
    heard = asyncio.Event()

    async def listen() -> None:
        async with aclosing(await asking.ask(Question(NODE, SESSION))) as stream:
            async for _ in stream:
                heard.set()

    listening = asyncio.create_task(listen())
    await heard.wait()
    listening.cancel()
    await asyncio.wait([listening])

    assert listening.cancelled()
    assert writer.ended == 1
    assert conversations.exchanges == []


async def test_a_writer_that_fails_half_way_fails_the_stream_and_nothing_is_kept() -> None:
    conversations = MemoryConversations()
    writer = FailingWriter(AgentUnavailable("The fake model is away"), BOTH_SAID)
    asking = sessions(writer=writer, conversations=conversations)
    stream = await asking.ask(Question(NODE, SESSION))

    assert await anext(stream) == TextPiece(f"{NODE_SAID} [1]")
    with pytest.raises(AgentUnavailable, match="The fake model is away"):
        await anext(stream)

    assert conversations.exchanges == []
    assert writer.ended == 1


async def test_a_writer_that_hangs_is_given_up_in_time() -> None:
    conversations = MemoryConversations()
    writer = HangingWriter("Half a sentence")
    asking = sessions(writer=writer, conversations=conversations, timeout_s=2.2)

    with pytest.raises(AgentTimeout, match=r"longer than 2\.2 s"):
        await answer_of(asking, Question(NODE, SESSION))

    assert writer.ended == 1
    assert conversations.exchanges == []


@pytest.mark.parametrize(
    "stopped", [AgentTimeout("The fake model is slow"), TimeoutError(), ReplyCutOff("At its limit")]
)
async def test_what_was_checked_in_time_is_the_answer_and_marked_as_cut_off(
    stopped: Exception,
) -> None:
    conversations = MemoryConversations()
    writer = FailingWriter(stopped, BOTH_SAID)
    asking = sessions(writer=writer, conversations=conversations)

    answer = await answer_of(asking, Question(NODE, SESSION))

    assert (answer.text, answer.facts.cut_off) == (f"{NODE_SAID} [1]", True)
    assert [citation.number for citation in answer.citations] == [1]
    assert answer.facts.history == "saved"
    assert [kept.response for kept in conversations.exchanges] == [answer.text]
    assert writer.ended == 1


async def test_the_log_tells_after_how_long_an_answer_was_cut_off(
    caplog: pytest.LogCaptureFixture,
) -> None:
    writer = FailingWriter(AgentTimeout("The fake model is slow"), BOTH_SAID)

    with caplog.at_level(logging.WARNING):
        await answer_of(sessions(writer=writer, timeout_s=600.0), Question(NODE))

    (logged,) = [vars(record) for record in caplog.records if record.message == "answer_cut_off"]
    assert logged["after_s"] < 600.0
    assert "timeout_s" not in logged


async def test_a_deadline_may_come_before_the_timeout() -> None:
    passed_s = asyncio.get_running_loop().time()

    with pytest.raises(AgentTimeout):
        await gather_answer(await sessions().ask(Question(NODE), passed_s))


async def test_an_answer_that_is_whole_is_not_marked_as_cut_off() -> None:
    answer = await answer_of(sessions(writer=SayingWriter(BOTH_SAID)), Question(NODE))

    assert not answer.facts.cut_off


async def test_all_of_an_answer_is_written_in_one_task() -> None:
    tasks = set()

    class TaskWriter(SayingWriter):
        """Remembers who drives it: a client of a model may belong to its task."""

        async def write(self, brief: Brief) -> AsyncGenerator[str]:
            async for piece in super().write(brief):
                tasks.add(asyncio.current_task())
                yield piece

    writer = TaskWriter(f"{NODE_SAID} ", f"{TOPICS_SAID} ", NODE_SAID)

    assert (await answer_of(sessions(writer=writer), Question(NODE))).facts.answered
    assert tasks == {asyncio.current_task()}


async def test_a_stream_without_an_end_is_no_answer() -> None:
    async def broken() -> AsyncGenerator[AnswerEvent]:
        yield TextPiece("Half")

    with pytest.raises(AgentUnavailable):
        await gather_answer(broken())


@pytest.mark.spec("004 SC-003")
async def test_single_characters_and_wrong_numbers_give_the_same_answer_as_a_whole_text() -> None:
    text = f"{NODE_SAID[:-1]} [7]. Nodes eat cheese [1]. {TOPICS_SAID}"

    whole = await answer_of(sessions(writer=SayingWriter(text)), Question(NODE))
    dripped = await answer_of(sessions(writer=SayingWriter(*text)), Question(NODE))

    assert whole.text == dripped.text == f"{NODE_SAID} [1] {TOPICS_SAID} [1]"
    assert whole.citations == dripped.citations
    assert whole.citations[0].quote == BOTH_SAID


@pytest.mark.spec("004 US2.2")
async def test_who_says_yes_to_the_offer_gets_the_documentation_searched() -> None:
    conversations = MemoryConversations()
    asking = sessions(conversations=conversations)
    refused = await answer_of(asking, Question(NODE, SESSION, selection="The crank lifts water."))

    answer = await answer_of(asking, Question("Yes please", SESSION))

    assert not refused.facts.answered
    assert answer.facts.answered
    assert answer.facts.query_strategy == "follow-up (contextualized topic)"


async def test_a_courtesy_does_not_blur_a_question() -> None:
    asking = sessions()

    plain = await answer_of(asking, Question(NODE))
    polite = await answer_of(asking, Question(f"Hi there! Please tell me {NODE}"))

    assert polite.text == plain.text
    assert plain.facts.answered


@pytest.mark.parametrize(
    "bounds", [{"hardware_tier": 1}, {"book_ids": ("robots",)}, {"collections": ("robotics",)}]
)
async def test_what_was_answered_under_other_bounds_is_not_told_to_the_writer(
    bounds: Mapping[str, object],
) -> None:
    conversations = MemoryConversations()
    writer = SayingWriter("x")
    await conversations.add(exchange("What is ROS?", "A secret of tier 4."))
    asking = sessions(writer=writer, conversations=conversations)

    await answer_of(asking, Question(NODE, SESSION, **bounds))  # type: ignore[arg-type]
    await answer_of(asking, Question(NODE, SESSION))

    bound, unbound = writer.briefs
    assert "secret" not in str(bound.earlier)
    assert "secret" in str(unbound.earlier)
