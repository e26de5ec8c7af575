"""A chat gets a reply: on what was retrieved or not, from a model or without one."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from typing import NoReturn
from uuid import UUID

import pytest

from sourcebook.answering.chat_context import CLOSING, HEADING, NONE_YET, OPENING
from sourcebook.answering.corpora import PostedCorpus
from sourcebook.answering.quoter import Quoter
from sourcebook.answering.rag_v3_chat import (
    NAMESPACE,
    NO_LANGUAGE_MODEL,
    Chatbot,
    ChatRequest,
    Lookup,
)
from sourcebook.answering.small_talk import ABOUT_ME
from sourcebook.core.answers import NO_INFORMATION, NOTHING_FOUND
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import (
    AgentTimeout,
    AgentUnavailable,
    EmbeddingFailed,
    ReplyCutOff,
    RetrievalUnavailable,
)
from sourcebook.core.ports import LanguageModel, Ledger
from sourcebook.core.posted_documents import PostedDocument
from sourcebook.core.prompts import Message, Prompt, SearchTool
from sourcebook.core.search_modes import SearchMode
from sourcebook.ingestion.posted.inbox import Inbox
from sourcebook.search.explanation import FoundHits
from sourcebook.search.posted_documents import DocumentQuery, PostedDocuments
from sourcebook.search.searcher import Searcher
from sourcebook.service.wiring.ingestion import assemble_documents
from tests.fakes import FakeClock, FakeEmbedder, FakeLanguageModel, MemoryConversations
from tests.memory_store import MemoryStore

ARM_SAYS = "The arm lifts up to 3 kg."
ARM = PostedDocument("nas", "/arm.md", "The arm", ARM_SAYS, tags=("manual",))
LEG = PostedDocument("web", "/leg.md", "The leg", "The leg walks over stairs.")
ASKED = "The arm lifts up to how many kg?"
SAID = "The arm lifts 3 kg. It may be made of cheese."
PLAIN = ChatRequest(ASKED, "c1")
GROUNDED = ChatRequest(ASKED, "c1", lookup=Lookup())


class SilentDocuments(PostedDocuments):
    """Never comes back from a search."""

    def __init__(self) -> None:
        """Nothing to look into."""

    async def search(
        self,
        question: str,
        limit: int,
        least_score: float,
        wanted: DocumentQuery,
        *,
        previous: str = "",
        mode: SearchMode | None = None,
        embed_by_s: float | None = None,
    ) -> FoundHits:
        await asyncio.Event().wait()
        return FoundHits()


class ForbiddenDocuments(PostedDocuments):
    """Must not be searched."""

    def __init__(self) -> None:
        """Nothing to look into."""

    async def search(
        self,
        question: str,
        limit: int,
        least_score: float,
        wanted: DocumentQuery,
        *,
        previous: str = "",
        mode: SearchMode | None = None,
        embed_by_s: float | None = None,
    ) -> NoReturn:
        raise AssertionError("Something was looked up")


class TimedModel(FakeLanguageModel):
    """Remembers how much time it was given."""

    timeout_s = 0.0

    async def reply(
        self, prompt: Prompt, search: SearchTool | None = None, *, timeout_s: float = 25.0
    ) -> AsyncGenerator[str]:
        self.timeout_s = timeout_s
        assert search is None
        yield "Yes."


@dataclass
class Desk:
    """Where chats are answered."""

    inbox: Inbox
    documents: PostedDocuments
    quoter: Quoter
    conversations: MemoryConversations
    clock: FakeClock

    def chats(
        self,
        model: LanguageModel | None = None,
        documents: PostedDocuments | None = None,
        retrieval_timeout_s: float = 5.0,
    ) -> Chatbot:
        return Chatbot(
            documents or self.documents,
            model,
            self.quoter,
            self.conversations,
            retrieval_timeout_s=retrieval_timeout_s,
            now_s=self.clock,
        )


@pytest.fixture
async def desk(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels, clock: FakeClock
) -> Desk:
    posted = assemble_documents(ledger, store, models)
    return Desk(
        posted.inbox,
        PostedDocuments(ledger, Searcher(ledger, store, models), posted.collection),
        Quoter(PostedCorpus(posted.collection), models),
        MemoryConversations(),
        clock,
    )


@pytest.fixture
async def stocked(desk: Desk) -> Desk:
    for posting in (ARM, LEG):
        await desk.inbox.put(posting)
    return desk


@pytest.mark.spec("003 2.3")
async def test_without_rag_the_model_gets_the_conversation_and_nothing_else(stocked: Desk) -> None:
    model = FakeLanguageModel([SAID])
    earlier = (Message("user", "Hi"), Message("assistant", "Hello"))
    chat = replace(PLAIN, earlier=earlier, system="Be brief.", temperature=0.5, max_tokens=99)

    reply = await stocked.chats(model, ForbiddenDocuments()).reply(chat)

    assert model.prompts == [Prompt("Be brief.", (*earlier, Message("user", ASKED)), 0.5, 99)]
    assert (reply.text, reply.model, reply.conversation_id) == (SAID, "fake-model", "c1")
    assert (reply.rag_used, reply.sources) == (False, ())


@pytest.mark.spec("003 2.3")
async def test_with_rag_the_chunks_stand_before_the_system_prompt(stocked: Desk) -> None:
    model = FakeLanguageModel(["The arm lifts 3 kg. ", "It may be made of cheese.\n"])

    reply = await stocked.chats(model).reply(replace(GROUNDED, system="Be brief."))

    assert model.prompts[0].instructions == (
        f"{OPENING}\n[Source: The arm]\n{ARM_SAYS}\n\n[Source: The leg]\n{LEG.text}\n{CLOSING}"
        "\n\nBe brief."
    )
    # Not a sentence is dropped here, whatever the model says.
    assert reply.text == SAID
    assert reply.rag_used
    assert [source["title"] for source in reply.sources] == ["The arm", "The leg"]
    first = dict(reply.sources[0])
    assert 0.0 < float(str(first.pop("score"))) <= 1.0
    assert first == {
        "text": ARM_SAYS,
        "source": "nas",
        "title": "The arm",
        "documentId": ARM.document_id,
    }


async def test_the_search_is_for_the_message_and_within_the_filters(
    stocked: Desk, embedder: FakeEmbedder
) -> None:
    chats = stocked.chats(FakeLanguageModel(["a"], ["b"]))
    earlier = (Message("user", "What is the leg?"),)

    one = await chats.reply(replace(GROUNDED, earlier=earlier, lookup=Lookup(top_k=1)))
    web = await chats.reply(replace(GROUNDED, lookup=Lookup(wanted=DocumentQuery(source="web"))))

    assert set(embedder.queries) == {ASKED}
    assert [source["title"] for source in one.sources] == ["The arm"]
    assert [source["title"] for source in web.sources] == ["The leg"]


class RecordingDocuments(PostedDocuments):
    """Finds nothing. Remembers what was searched for, and after what."""

    def __init__(self) -> None:
        self.searched: list[tuple[str, str]] = []

    async def search(
        self,
        question: str,
        limit: int,
        least_score: float,
        wanted: DocumentQuery,
        *,
        previous: str = "",
        mode: SearchMode | None = None,
        embed_by_s: float | None = None,
    ) -> FoundHits:
        self.searched.append((question, previous))
        return FoundHits()


@pytest.mark.parametrize(
    ("message", "searched"),
    [
        ("What does it weigh?", ("What does it weigh? leg", "")),
        ("Which motors turn joints?", ("Which motors turn joints?", "What is the leg?")),
    ],
)
async def test_without_a_model_a_follow_up_knows_what_was_asked_before(
    desk: Desk, message: str, searched: tuple[str, str]
) -> None:
    documents = RecordingDocuments()
    chats = desk.chats(documents=documents)

    await chats.reply(replace(GROUNDED, message="What is the leg?"))
    await chats.reply(replace(GROUNDED, message=message))

    assert documents.searched == [("What is the leg?", ""), searched]


async def test_with_a_model_the_message_is_searched_as_it_is(desk: Desk) -> None:
    documents = RecordingDocuments()
    chats = desk.chats(FakeLanguageModel(["a"], ["b"]), documents)

    await chats.reply(replace(GROUNDED, message="What is the leg?"))
    await chats.reply(replace(GROUNDED, message="What does it weigh?"))

    assert documents.searched[1] == ("What does it weigh?", "What is the leg?")


async def test_a_source_shows_the_first_200_characters(desk: Desk) -> None:
    await desk.inbox.put(replace(ARM, text="arm " * 100))

    reply = await desk.chats(FakeLanguageModel([SAID])).reply(GROUNDED)

    assert reply.sources[0]["text"] == "arm " * 50


async def test_rag_was_used_even_if_nothing_was_found(desk: Desk) -> None:
    model = FakeLanguageModel(["I cannot tell."])

    reply = await desk.chats(model).reply(GROUNDED)

    assert model.prompts[0].instructions == f"{OPENING}\n{CLOSING}"
    assert (reply.rag_used, reply.sources) == (True, ())


async def test_what_cannot_be_retrieved_is_an_error_and_no_ungrounded_answer(
    stocked: Desk, embedder: FakeEmbedder
) -> None:
    model = FakeLanguageModel([SAID])
    embedder.failing = True

    with pytest.raises(EmbeddingFailed):
        await stocked.chats(model).reply(GROUNDED)

    assert model.prompts == []
    assert stocked.conversations.exchanges == []


async def test_a_search_that_never_ends_is_given_up(desk: Desk) -> None:
    chats = desk.chats(FakeLanguageModel([SAID]), SilentDocuments(), retrieval_timeout_s=0.01)

    with pytest.raises(RetrievalUnavailable, match="longer than"):
        await chats.reply(GROUNDED)


async def test_the_model_has_all_of_the_time_but_for_saving_and_no_tool(desk: Desk) -> None:
    model = TimedModel()

    await desk.chats(model).reply(PLAIN)
    whole_s = model.timeout_s
    await desk.chats(model).reply(PLAIN, asyncio.get_running_loop().time() + 10.0)

    assert 110.0 < whole_s <= 118.0
    assert 5.0 < model.timeout_s <= 8.0


@pytest.mark.parametrize("stopped", [AgentTimeout("too slow"), ReplyCutOff("at its limit")])
async def test_a_reply_that_is_cut_off_is_marked_and_kept(desk: Desk, stopped: Exception) -> None:
    model = FakeLanguageModel(["The arm ", "lifts", stopped])

    reply = await desk.chats(model).reply(PLAIN)

    assert (reply.text, reply.cut_off) == ("The arm lifts", True)
    assert [kept.response for kept in desk.conversations.exchanges] == ["The arm lifts"]


@pytest.mark.parametrize("chat", [PLAIN, GROUNDED])
async def test_a_model_that_fails_is_an_error_and_nothing_is_kept(
    desk: Desk, chat: ChatRequest
) -> None:
    model = FakeLanguageModel(["The arm", AgentUnavailable("broke off")])

    with pytest.raises(AgentUnavailable, match="broke off"):
        await desk.chats(model).reply(chat)

    assert model.open == 0
    assert desk.conversations.exchanges == []


async def test_without_a_model_nobody_chats(desk: Desk) -> None:
    with pytest.raises(AgentUnavailable) as caught:
        await desk.chats(documents=ForbiddenDocuments()).reply(PLAIN)

    assert caught.value.message == NO_LANGUAGE_MODEL


async def test_without_a_model_an_answer_quotes_and_cites_its_place_among_the_sources(
    stocked: Desk,
) -> None:
    chats = stocked.chats()

    reply = await chats.reply(GROUNDED)
    other = await chats.reply(replace(GROUNDED, message="What does the leg walk over?"))

    assert (reply.text, reply.model) == (f"{ARM_SAYS} [1]", "extractive")
    assert reply.rag_used
    assert len(reply.sources) == 2
    assert other.text == "The leg walks over stairs. [1]"


async def test_a_marker_counts_the_sources_and_not_the_citations(desk: Desk) -> None:
    heading = PostedDocument("nas", "/index.md", "Index", f"# {ASKED}")
    for posting in (heading, ARM):
        await desk.inbox.put(posting)

    reply = await desk.chats().reply(GROUNDED)

    assert [source["title"] for source in reply.sources] == ["Index", "The arm"]
    assert reply.text == f"{ARM_SAYS} [2]"


async def test_without_a_model_what_is_not_known_is_refused(desk: Desk) -> None:
    nothing = await desk.chats().reply(GROUNDED)
    await desk.inbox.put(LEG)
    unknown = await desk.chats().reply(replace(GROUNDED, message="Who painted the Mona Lisa?"))

    assert nothing.text == NOTHING_FOUND
    assert (unknown.text, len(unknown.sources)) == (NO_INFORMATION, 1)


async def test_without_a_model_a_greeting_is_greeted(stocked: Desk) -> None:
    reply = await stocked.chats().reply(replace(GROUNDED, message="Hi"))

    assert reply.text.startswith("Hello!")
    assert reply.rag_used


HOW = replace(GROUNDED, message="How does this work?")


@pytest.mark.parametrize(
    ("earlier", "is_about_something"),
    [((), False), ((Message("user", "Hi"),), False), ((Message("user", ASKED),), True)],
)
async def test_without_a_model_how_this_works_is_asked_of_what_was_asked_before(
    stocked: Desk, earlier: tuple[Message, ...], is_about_something: bool
) -> None:
    reply = await stocked.chats().reply(replace(HOW, earlier=earlier))

    assert (reply.text == ABOUT_ME) is not is_about_something


async def test_without_a_model_how_this_works_is_asked_of_a_conversation_that_was_kept(
    stocked: Desk,
) -> None:
    chats = stocked.chats()

    first = await chats.reply(HOW)
    await chats.reply(GROUNDED)
    second = await chats.reply(HOW)

    assert first.text == ABOUT_ME
    assert second.text == f"{ARM_SAYS} [1]"


@pytest.mark.parametrize("asked", ["What documents do you have?", "list files"])
async def test_who_asks_for_the_documents_gets_their_list(stocked: Desk, asked: str) -> None:
    model = FakeLanguageModel(["Two."])
    chat = replace(GROUNDED, message=asked)

    told = await stocked.chats(model).reply(chat)
    quoted = await stocked.chats().reply(chat)

    block = model.prompts[0].instructions
    assert block.startswith(f"{OPENING}\n[Source: {HEADING}]\n- The arm\n- The leg\n\n[Source: ")
    assert told.text == "Two."
    assert quoted.text == f"{HEADING}:\n- The arm\n- The leg"
    assert quoted.rag_used
    assert len(told.sources) == 2


async def test_the_list_is_within_the_filters_and_may_be_empty(desk: Desk) -> None:
    chat = ChatRequest(
        "What documents do you have?", "c1", lookup=Lookup(wanted=DocumentQuery(source="web"))
    )

    before = await desk.chats().reply(chat)
    for posting in (ARM, LEG):
        await desk.inbox.put(posting)

    assert before.text == f"{HEADING}:\n{NONE_YET}"
    assert (await desk.chats().reply(chat)).text == f"{HEADING}:\n- The leg"


async def test_without_rag_there_is_no_list(stocked: Desk) -> None:
    model = FakeLanguageModel(["None."])

    await stocked.chats(model).reply(ChatRequest("What documents do you have?", "c1"))

    assert model.prompts[0].instructions == ""


@pytest.mark.spec("003 3.1")
async def test_a_chat_is_kept_with_its_sources(stocked: Desk) -> None:
    chats = stocked.chats(FakeLanguageModel([SAID], ["Hello."]))

    grounded = await chats.reply(GROUNDED)
    plain = await chats.reply(PLAIN)

    first, second = stocked.conversations.exchanges
    assert (first.id, first.session_id) == (grounded.id, f"{NAMESPACE}c1")
    assert UUID(first.id).version == 4
    assert (first.query, first.response, first.mode) == (ASKED, SAID, "rag")
    assert (tuple(first.sources), first.chunks_retrieved) == (grounded.sources, 2)
    assert first.created_at_s == stocked.clock.now_s
    assert (second.id, second.mode, tuple(second.sources)) == (plain.id, "plain", ())


async def test_a_conversation_goes_on_from_what_was_kept(desk: Desk) -> None:
    model = FakeLanguageModel(["Hello."], ["Again."], ["Other."], ["Own."])
    chats = desk.chats(model)

    await chats.reply(ChatRequest("Hi", "c1"))
    await chats.reply(ChatRequest("Go on", "c1"))
    await chats.reply(ChatRequest("Go on", "c2"))
    await chats.reply(ChatRequest("Go on", "c1", earlier=()))

    contents = [[message.content for message in prompt.messages] for prompt in model.prompts]
    assert contents == [["Hi"], ["Hi", "Hello.", "Go on"], ["Go on"], ["Go on"]]
    assert [message.role for message in model.prompts[1].messages] == ["user", "assistant", "user"]


async def test_a_conversation_is_none_of_the_other_contract(desk: Desk) -> None:
    session = "0b8a3c1e-6f2d-4c5b-9a7e-1234567890ab"

    await desk.chats(FakeLanguageModel([SAID])).reply(replace(PLAIN, conversation_id=session))

    assert await desk.conversations.latest(session, 10) == []


async def test_without_the_database_of_conversations_the_reply_still_comes(desk: Desk) -> None:
    model = FakeLanguageModel([SAID])
    desk.conversations.away = True

    reply = await desk.chats(model).reply(PLAIN)

    assert reply.text == SAID
    assert [message.content for message in model.prompts[0].messages] == [ASKED]
