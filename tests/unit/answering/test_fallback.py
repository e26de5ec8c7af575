"""A model that fails before it has said anything is replaced by quotes, and the reader is told."""

import asyncio

import pytest

from sourcebook.answering.agent_writer import AgentWriter
from sourcebook.answering.answer_events import gather_answer
from sourcebook.answering.fallback import QUOTING_TIME_S, STOPPING_TIME_S
from sourcebook.answering.history import SAVE_TIMEOUT_S
from sourcebook.answering.sessions import Sessions
from sourcebook.answering.writers import Writer
from sourcebook.core.answers import NO_INFORMATION, Answer, Question, TextPiece
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import (
    AgentTimeout,
    AgentUnavailable,
    ReplyCutOff,
    RetrievalUnavailable,
    SourcebookError,
)
from sourcebook.service.wiring.watched_parts import WatchedLanguageModel
from tests.fakes import FakeEmbedder, FakeLanguageModel, MemoryConversations
from tests.unit.answering.passages import ROS, passage
from tests.unit.answering.readers import FakeReader
from tests.unit.answering.test_sessions import (
    NODE,
    NODE_SAID,
    SESSION,
    FixedRetriever,
    ForbiddenRetriever,
)
from tests.unit.answering.writers import FailingWriter, HangingWriter, SayingWriter

AWAY = AgentUnavailable("The fake model is away")
CHEESE = "Which cheese do Swiss farmers eat?"


class FailingModel(FailingWriter):
    """Like a language model, it is asked whatever the evidence is."""

    refuses = True


class HangingModel(HangingWriter):
    refuses = True


def falling_back(
    writer: Writer,
    *,
    retriever: FixedRetriever | ForbiddenRetriever | None = None,
    conversations: MemoryConversations | None = None,
    reader: FakeReader | None = None,
) -> Sessions:
    return Sessions(
        EmbeddingModels([FakeEmbedder()]),
        retriever or FixedRetriever(passage(1, ROS)),
        writer,
        conversations or MemoryConversations(),
        falls_back=True,
        reader=reader,
    )


async def answer_of(asking: Sessions, question: Question) -> Answer:
    return await gather_answer(await asking.ask(question))


@pytest.mark.parametrize(
    "failure",
    [
        AWAY,
        AgentUnavailable("The fake model takes no more requests", 60.0),
        AgentTimeout("The fake model is slow"),
        ReplyCutOff("The fake model was stopped"),
    ],
)
@pytest.mark.parametrize("unsaid", [(), ("A node is",), ("Nodes cost 40 dollars each. ",)])
async def test_a_model_that_fails_before_a_checked_sentence_is_replaced_by_quotes(
    failure: SourcebookError, unsaid: tuple[str, ...]
) -> None:
    writer = FailingModel(failure, *unsaid)
    conversations = MemoryConversations()
    asking = falling_back(writer, conversations=conversations)

    answer = await answer_of(asking, Question(NODE, SESSION))

    assert answer.text == f"{ROS} [1]"
    assert [citation.quote for citation in answer.citations] == [ROS]
    assert (answer.facts.answered, answer.facts.chunks_retrieved) == (True, 1)
    assert (answer.facts.model, answer.facts.fallback) == ("extractive", "extractive")
    assert answer.facts.warning is not None
    assert answer.facts.warning.startswith(f"{failure.message}. ")
    assert "quotes" in answer.facts.warning
    assert not answer.facts.cut_off
    assert [kept.response for kept in conversations.exchanges] == [answer.text]
    assert writer.ended == 1


async def test_what_was_read_for_the_model_is_not_read_again_for_quotes() -> None:
    reader = FakeReader({"process": 3.0})

    answer = await answer_of(falling_back(FailingModel(AWAY), reader=reader), Question(NODE))

    assert answer.facts.fallback == "extractive"
    assert answer.text.startswith(ROS)
    assert len(reader.read_passages) == 1


async def test_a_refusal_without_the_model_is_marked_as_well() -> None:
    asking = falling_back(FailingModel(AWAY), retriever=FixedRetriever(passage(1, ROS, score=0.05)))

    answer = await answer_of(asking, Question(CHEESE))

    assert (answer.text, answer.facts.answered) == (NO_INFORMATION, False)
    assert (answer.facts.model, answer.facts.fallback) == ("extractive", "extractive")


async def test_a_selection_is_quoted_without_looking_anywhere_else() -> None:
    asking = falling_back(FailingModel(AWAY), retriever=ForbiddenRetriever())

    answer = await answer_of(asking, Question(NODE, selection=ROS))

    assert answer.text == f"{ROS} [1]"
    assert (answer.facts.mode, answer.facts.fallback) == ("selected_text", "extractive")


async def test_what_is_out_already_is_not_replaced() -> None:
    stream = await falling_back(FailingModel(AWAY, f"{NODE_SAID} Nodes")).ask(Question(NODE))

    assert await anext(stream) == TextPiece(f"{NODE_SAID} [1]")
    with pytest.raises(AgentUnavailable):
        await anext(stream)


async def test_an_answer_that_was_cut_off_after_a_sentence_stays_the_models() -> None:
    slow = FailingModel(AgentTimeout("The fake model is slow"), f"{NODE_SAID} Nodes")

    answer = await answer_of(falling_back(slow), Question(NODE))

    assert (answer.text, answer.facts.cut_off) == (f"{NODE_SAID} [1]", True)
    assert (answer.facts.model, answer.facts.fallback, answer.facts.warning) == (
        "puppet",
        None,
        None,
    )


@pytest.mark.parametrize(
    ("said", "text"),
    [(f"{NODE_SAID} [1]", f"{NODE_SAID} [1]"), (NO_INFORMATION, NO_INFORMATION)],
)
async def test_a_model_that_works_is_believed_as_ever(said: str, text: str) -> None:
    answer = await answer_of(falling_back(SayingWriter(said)), Question(NODE))

    assert answer.text == text
    assert (answer.facts.model, answer.facts.fallback) == ("puppet", None)


async def test_what_fails_beside_the_model_is_an_error_as_ever() -> None:
    away = FailingModel(RetrievalUnavailable("The fake store is away"))

    with pytest.raises(RetrievalUnavailable):
        await answer_of(falling_back(away), Question(NODE))


async def test_without_the_fallback_a_model_that_fails_is_an_error() -> None:
    asking = Sessions(
        EmbeddingModels([FakeEmbedder()]),
        FixedRetriever(passage(1, ROS)),
        FailingModel(AWAY),
        MemoryConversations(),
    )

    with pytest.raises(AgentUnavailable):
        await answer_of(asking, Question(NODE))


async def test_a_model_that_hangs_is_given_up_while_there_is_time_to_quote() -> None:
    writer = HangingModel()
    begun_s = asyncio.get_running_loop().time()
    deadline_s = begun_s + SAVE_TIMEOUT_S + QUOTING_TIME_S + 0.05

    answer = await gather_answer(await falling_back(writer).ask(Question(NODE), deadline_s))

    assert answer.text == f"{ROS} [1]"
    assert answer.facts.fallback == "extractive"
    assert writer.ended == 1


async def test_a_model_is_told_to_stop_before_it_is_given_up() -> None:
    writer = SayingWriter(NODE_SAID)
    deadline_s = asyncio.get_running_loop().time() + 30.0

    await gather_answer(await falling_back(writer).ask(Question(NODE), deadline_s))

    reserved_s = SAVE_TIMEOUT_S + QUOTING_TIME_S + STOPPING_TIME_S
    assert [brief.deadline_s for brief in writer.briefs] == [pytest.approx(deadline_s - reserved_s)]


async def test_health_still_tells_that_the_model_failed() -> None:
    model = WatchedLanguageModel(FakeLanguageModel([AWAY]))

    answer = await answer_of(falling_back(AgentWriter(model)), Question(NODE))

    assert answer.facts.fallback == "extractive"
    assert (await model.check()).status == "degraded"
