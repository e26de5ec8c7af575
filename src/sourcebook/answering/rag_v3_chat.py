"""Replies to chat messages (contract 003), on retrieved chunks if that is asked for."""

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TypeAlias

from sourcebook.answering.answer_clock import AnswerClock
from sourcebook.answering.chat_context import (
    HEADING,
    MAX_LISTED,
    Extract,
    asks_for_documents,
    list_titles,
    with_context,
)
from sourcebook.answering.chat_models import ChatModels
from sourcebook.answering.history import SAVE_TIMEOUT_S, ConversationHistory
from sourcebook.answering.pictures import PictureFilter
from sourcebook.answering.quoter import Quoter
from sourcebook.answering.reply_limits import limit_reply
from sourcebook.answering.retriever import EMBEDDING_SHARE, RETRIEVAL_TIMEOUT_S
from sourcebook.answering.small_talk import reply_to_small_talk
from sourcebook.core.answers import NO_INFORMATION, NOTHING_FOUND, Turn
from sourcebook.core.conversations import Exchange
from sourcebook.core.documents import DocumentHeader, Hit
from sourcebook.core.errors import AgentTimeout, AgentUnavailable, ReplyCutOff, RetrievalDelayed
from sourcebook.core.metadata import JsonValue, Metadata
from sourcebook.core.meters import Meter, NoMeter
from sourcebook.core.ports import ConversationStore, LanguageModel
from sourcebook.core.prompts import Message, Prompt, Sampling
from sourcebook.core.search_modes import SearchMode
from sourcebook.core.text import is_blank
from sourcebook.search.follow_ups import contextualized_topic, points_back
from sourcebook.search.posted_documents import DocumentQuery, PostedDocuments

log = logging.getLogger(__name__)

# A session of spec 004 is a UUID, so no id with this in front can name one.
NAMESPACE = "api-chat:"
CHAT_TIMEOUT_S = 120.0
MAX_PREVIEW_LENGTH = 200
DEFAULT_MAX_TOKENS = 4_096
REFUSALS = frozenset({NO_INFORMATION, NOTHING_FOUND})
NO_LANGUAGE_MODEL = (
    "No language model is configured, so there is nobody to chat with; configure one, or send"
    " useRag: true for an answer in the words of the documents"
)

# A retrieved chunk in the words of the contract, as clients see it and history keeps it.
RagSource: TypeAlias = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Lookup:
    """How many chunks to retrieve, of which documents, and what to search by."""

    top_k: int = 5
    wanted: DocumentQuery = field(default_factory=DocumentQuery)
    mode: SearchMode | None = None


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A message in a conversation. Without `lookup` nothing is retrieved.

    `earlier` is what was said before; None if the client leaves that to us. `model` is another
    model than the configured one.
    """

    message: str
    conversation_id: str
    earlier: tuple[Message, ...] | None = None
    system: str = ""
    lookup: Lookup | None = None
    temperature: float | None = None
    max_tokens: int = DEFAULT_MAX_TOKENS
    sampling: Sampling = field(default_factory=Sampling)
    model: str | None = None


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What was replied, and all that was retrieved for it, best first.

    `cut_off` is True if the time, or the model's limit of tokens, was over before it was done.
    """

    id: str
    conversation_id: str
    text: str
    model: str
    rag_used: bool
    sources: tuple[RagSource, ...]
    cut_off: bool = False


@dataclass(frozen=True, slots=True)
class _Retrieved:
    """What was retrieved, and with which query; the list of documents only if asked for."""

    query: str = ""
    hits: tuple[Hit, ...] = ()
    inventory: str | None = None

    @property
    def extracts(self) -> list[Extract]:
        """What the model gets to read."""
        chunks = [Extract(_text(hit.chunk.metadata, "title"), hit.chunk.text) for hit in self.hits]
        return chunks if self.inventory is None else [Extract(HEADING, self.inventory), *chunks]


class Chatbot:
    """Retrieves, has the reply written, and saves the exchange. No sentence is dropped."""

    def __init__(
        self,
        documents: PostedDocuments,
        language_model: LanguageModel | None,
        quoter: Quoter,
        conversations: ConversationStore,
        *,
        models: ChatModels | None = None,
        messages: int = 10,
        timeout_s: float = CHAT_TIMEOUT_S,
        retrieval_timeout_s: float = RETRIEVAL_TIMEOUT_S,
        meter: Meter | None = None,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        self._documents = documents
        self._language_model = language_model
        self._quoter = quoter
        self._models = models or ChatModels()
        self._history = ConversationHistory(conversations, messages)
        self.timeout_s = timeout_s
        self._retrieval_timeout_s = retrieval_timeout_s
        self._meter = meter or NoMeter()
        self._now_s = now_s

    def choose_model(self, asked: str) -> str | None:
        """The model to reply with; None for the configured one. InvalidInput if it may not."""
        model = self._language_model
        return None if model is None else self._models.choose(asked, model.name)

    async def reply(self, chat: ChatRequest, deadline_s: float | None = None) -> ChatReply:
        """The reply to the message. What cannot be retrieved is an error, never left out.

        It is there by `deadline_s`, by the event loop's clock; without one, `timeout_s` from now.
        """
        if deadline_s is None:
            deadline_s = asyncio.get_running_loop().time() + self.timeout_s
        clock = AnswerClock(self._meter, "api_chat")
        with clock.counting_failures():
            reply = await self._reply(chat, deadline_s, clock)
        clock.end("refused" if reply.text in REFUSALS else "answered")
        return reply

    async def _reply(self, chat: ChatRequest, deadline_s: float, clock: AnswerClock) -> ChatReply:
        started_s = time.monotonic()
        model = self._language_model
        if model is None and chat.lookup is None:
            raise AgentUnavailable(NO_LANGUAGE_MODEL)
        earlier = await self._earlier(chat)
        with clock.stage("retrieval"):
            found = None if chat.lookup is None else await self._look_up(chat, earlier, chat.lookup)
        cut_off = False
        with clock.stage("generation"):
            if model is not None:
                prompt = _prompt(chat, earlier, found)
                # The last of the time is for saving the exchange.
                text, cut_off = await _written(model, prompt, deadline_s - SAVE_TIMEOUT_S)
            else:
                text = await self._quoted(chat.message, earlier, found or _Retrieved())
        reply = ChatReply(
            id=str(uuid.uuid4()),
            conversation_id=chat.conversation_id,
            text=text,
            model=self._quoter.model if model is None else chat.model or model.name,
            rag_used=found is not None,
            sources=() if found is None else tuple(rag_source(hit) for hit in found.hits),
            cut_off=cut_off,
        )
        await self._keep(chat, reply, started_s)
        return reply

    async def _look_up(
        self, chat: ChatRequest, earlier: Sequence[Message], lookup: Lookup
    ) -> _Retrieved:
        query, previous = self._understood(chat.message, _asked_before(earlier))
        now_s = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(self._retrieval_timeout_s):
                found = await self._documents.search(
                    query,
                    lookup.top_k,
                    0.0,
                    lookup.wanted,
                    previous=previous,
                    mode=lookup.mode,
                    embed_by_s=now_s + EMBEDDING_SHARE * self._retrieval_timeout_s,
                )
                if not asks_for_documents(chat.message):
                    return _Retrieved(query, found.hits)
                headers, total = await self._documents.list(lookup.wanted, MAX_LISTED)
        except TimeoutError:
            raise RetrievalDelayed(
                f"The search took longer than {self._retrieval_timeout_s:g} s;"
                " try again in a moment"
            ) from None
        inventory = list_titles([_name(header) for header in headers], total)
        return _Retrieved(query, found.hits, inventory)

    def _understood(self, message: str, asked: Sequence[str]) -> tuple[str, str]:
        """What to search with, and what was asked before, unless its words are carried over."""
        previous = asked[-1] if asked else ""
        # A model reads the conversation itself, so the message is enough.
        if self._language_model is not None or not asked or not points_back(message):
            return message, previous
        return contextualized_topic([Turn(text, "") for text in asked], message), ""

    async def _quoted(self, message: str, earlier: Sequence[Message], found: _Retrieved) -> str:
        if found.inventory is not None:
            return f"{HEADING}:\n{found.inventory}"
        reply = reply_to_small_talk(message, about_something=bool(_asked_before(earlier)))
        if reply is not None:
            return reply
        return PictureFilter().without_pictures(await self._quoter.answer(found.query, found.hits))

    async def _earlier(self, chat: ChatRequest) -> tuple[Message, ...]:
        """What was said before: what the client says of it, or else what was kept."""
        if chat.earlier is not None:
            return chat.earlier
        return _messages(await self._history.recent(_session_id(chat)) or ())

    async def _keep(self, chat: ChatRequest, reply: ChatReply, started_s: float) -> None:
        await self._history.save(
            Exchange(
                id=reply.id,
                session_id=_session_id(chat),
                query=chat.message,
                response=reply.text,
                sources=reply.sources,
                mode="rag" if reply.rag_used else "plain",
                selected_text=None,
                chunks_retrieved=len(reply.sources),
                latency_ms=(time.monotonic() - started_s) * 1000,
                created_at_s=self._now_s(),
            )
        )


def _asked_before(earlier: Sequence[Message]) -> list[str]:
    said = [message.content for message in earlier if message.role == "user"]
    return [text for text in said if reply_to_small_talk(text) is None]


def _prompt(chat: ChatRequest, earlier: Sequence[Message], found: _Retrieved | None) -> Prompt:
    return Prompt(
        chat.system if found is None else with_context(found.extracts, chat.system),
        (*earlier, Message("user", chat.message)),
        temperature=chat.temperature,
        max_tokens=chat.max_tokens,
        sampling=chat.sampling,
        model=chat.model,
    )


async def _written(model: LanguageModel, prompt: Prompt, deadline_s: float) -> tuple[str, bool]:
    """What the model says, and whether it was cut off: some text is worth more than an error."""
    said: list[str] = []
    timeout_s = max(0.0, deadline_s - asyncio.get_running_loop().time())
    try:
        async with aclosing(limit_reply(model.reply(prompt, timeout_s=timeout_s))) as pieces:
            async for piece in pieces:
                said.append(piece)
    except (AgentTimeout, ReplyCutOff) as error:
        if is_blank("".join(said)):
            raise
        log.warning("answer_cut_off", extra={"reason": error.message})
        return "".join(said).strip(), True
    return "".join(said).strip(), False


def rag_source(hit: Hit) -> RagSource:
    """A retrieved chunk: where it comes from, how near it is, and how it begins."""
    about = hit.chunk.metadata
    return {
        "text": hit.chunk.text[:MAX_PREVIEW_LENGTH],
        "score": hit.score,
        "source": _text(about, "source"),
        "title": _text(about, "title"),
        "documentId": hit.chunk.document_id,
    }


def _session_id(chat: ChatRequest) -> str:
    return NAMESPACE + chat.conversation_id


def _messages(exchanges: Sequence[Exchange]) -> tuple[Message, ...]:
    return tuple(
        message
        for exchange in exchanges
        for message in (
            Message("user", exchange.query),
            Message("assistant", exchange.response),
        )
    )


def _name(header: DocumentHeader) -> str:
    about = header.metadata
    return _text(about, "title") or _text(about, "path") or header.id


def _text(about: Metadata, field: str) -> str:
    # The collection may hold documents that came by another contract, with metadata of any type.
    value = about.get(field)
    return value if isinstance(value, str) else ""
