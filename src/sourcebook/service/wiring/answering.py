"""Wires the answering use cases, and opens conversations and the language model."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    nullcontext,
    suppress,
)
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from sourcebook.answering.agent_writer import AgentWriter
from sourcebook.answering.chat_models import ChatModels
from sourcebook.answering.corpora import AdoptedCorpus, BookCorpus, Corpus, PostedCorpus
from sourcebook.answering.evidence_judge import ANSWER_THRESHOLD
from sourcebook.answering.extractive import ExtractiveWriter
from sourcebook.answering.feedback import DAY_S, Feedback, FeedbackRules
from sourcebook.answering.history import NoConversations
from sourcebook.answering.quoter import Quoter
from sourcebook.answering.rag_v3_chat import CHAT_TIMEOUT_S, Chatbot
from sourcebook.answering.retriever import RETRIEVAL_TIMEOUT_S, Retriever
from sourcebook.answering.sessions import ANSWER_TIMEOUT_S, Sessions
from sourcebook.answering.writers import Writer
from sourcebook.core.answers import Grounding
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import Unavailable
from sourcebook.core.health import Checkable
from sourcebook.core.meters import Meter
from sourcebook.core.ports import ConversationStore, Judge, LanguageModel, Reader
from sourcebook.providers.language_models.endpoint import BILLED_HOSTS
from sourcebook.providers.registry.registry import Registry
from sourcebook.search.posted_documents import PostedDocuments
from sourcebook.search.searcher import Searcher
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import Settings
from sourcebook.service.wiring.ingestion import BookParts, DocumentParts
from sourcebook.service.wiring.models import open_judge, open_language_model, open_reader
from sourcebook.service.wiring.provider_choices import language_model_choice
from sourcebook.service.wiring.roles import check_local, database_role
from sourcebook.service.wiring.watched_parts import WatchedLanguageModel

READER_DELAY_S = 2.0
ANY_MODEL = "*"
UNBILLED_PROVIDERS = frozenset({"ollama", "openai-compatible"})


@dataclass(frozen=True, slots=True)
class AnsweringParts:
    """The conversation store, whether it has its own database, and how many messages count.

    Without a language model, answers are quotations; with `falls_back`, also when it fails. What
    the `reader` finds less likely answered than `threshold` is refused. The
    timeouts are those of whole requests, of the chat (contract 004) and of the RAG contract's chat
    (003).
    """

    conversations: ConversationStore = field(default_factory=NoConversations)
    own_database: bool = False
    messages: int = 10
    language_model: LanguageModel | None = None
    chat_timeout_s: float = ANSWER_TIMEOUT_S
    api_chat_timeout_s: float = CHAT_TIMEOUT_S
    chat_models: ChatModels = field(default_factory=ChatModels)
    falls_back: bool = False
    reader: Reader | None = None
    threshold: float = ANSWER_THRESHOLD
    marks_unproven: bool = False
    grounding: Grounding = "strict"
    judge: Judge | None = None

    @property
    def writer(self) -> Writer:
        """The language model's writer, if there is a model; else the extractive one."""
        model = self.language_model
        if model is None:
            return ExtractiveWriter()
        return AgentWriter(model, self.chat_timeout_s - RETRIEVAL_TIMEOUT_S)

    async def warm_up(self) -> None:
        """Load the language model and the reader before the first question needs them.

        The reader a moment later: whoever starts a server wants it to answer soon, and who only
        wanted to see whether it starts has stopped it by then.
        """
        if self.language_model is not None:
            await self.language_model.check()
        if self.reader is not None:
            await asyncio.sleep(READER_DELAY_S)
            with suppress(Unavailable):
                await self.reader.load()

    def databases(self, ledger: Checkable) -> dict[str, Checkable]:
        """The databases by the names that health reports them under."""
        return named_databases(ledger, self.conversations if self.own_database else None)


@asynccontextmanager
async def open_answering(
    settings: Settings, folder: DataFolder, registry: Registry | None = None
) -> AsyncIterator[AnsweringParts]:
    """Open what the settings name, without connecting yet."""
    async with (
        open_conversations(settings, folder) as conversations,
        open_language_model(settings, folder, registry) as language_model,
        open_reader(settings, folder, registry) as reader,
        # What nobody writes, nobody judges.
        nullcontext()
        if language_model is None
        else open_judge(settings, folder, registry) as judge,
    ):
        yield AnsweringParts(
            conversations,
            own_database=settings.database_url is not None,
            messages=settings.max_conversation_history,
            language_model=language_model and WatchedLanguageModel(language_model),
            chat_timeout_s=settings.chat_timeout_s,
            api_chat_timeout_s=settings.api_chat_timeout_s,
            chat_models=chat_models(settings),
            falls_back=settings.llm_fallback == "extractive",
            reader=reader,
            threshold=settings.answer_threshold,
            marks_unproven=settings.unproven == "mark",
            grounding=settings.grounding,
            judge=judge,
        )


def _opened_judge(
    settings: Settings, folder: DataFolder, registry: Registry | None, *, needed: bool
) -> AbstractAsyncContextManager[Judge | None]:
    return open_judge(settings, folder, registry) if needed else nullcontext()


def assemble_sessions(
    searcher: Searcher,
    models: EmbeddingModels,
    book: BookParts,
    posted: DocumentParts,
    parts: AnsweringParts,
    *,
    adopted: Iterable[str] = (),
    feedback: Feedback | None = None,
    meter: Meter | None = None,
) -> Sessions:
    """Build the sessions: answers come from the book, posted documents and adopted collections."""
    corpora: list[Corpus] = [
        BookCorpus(book.collection, book.rules.book_id, book.rules.base_url),
        PostedCorpus(posted.collection),
        *(AdoptedCorpus(name) for name in adopted),
    ]
    return Sessions(
        models,
        Retriever(searcher, corpora, default_books=book.default_books),
        parts.writer,
        parts.conversations,
        messages=parts.messages,
        timeout_s=parts.chat_timeout_s,
        falls_back=parts.falls_back and parts.language_model is not None,
        reader=parts.reader,
        threshold=parts.threshold,
        marks_unproven=parts.marks_unproven,
        grounding=parts.grounding,
        judge=parts.judge,
        feedback=feedback,
        meter=meter,
    )


def feedback_rules(settings: Settings) -> FeedbackRules:
    """Say what the settings keep of readers' feedback, and for how long."""
    return FeedbackRules(
        keeps_unanswered=settings.keep_unanswered,
        takes_marks=settings.marks,
        max_age_s=settings.feedback_days * DAY_S,
    )


def assemble_chats(
    documents: PostedDocuments,
    models: EmbeddingModels,
    posted: DocumentParts,
    parts: AnsweringParts,
    meter: Meter | None = None,
) -> Chatbot:
    """Build the chat of contract 003, which answers from posted documents only."""
    return Chatbot(
        documents,
        parts.language_model,
        Quoter(PostedCorpus(posted.collection), models, parts.reader, parts.threshold),
        parts.conversations,
        models=parts.chat_models,
        messages=parts.messages,
        timeout_s=parts.api_chat_timeout_s,
        meter=meter,
    )


def chat_models(settings: Settings) -> ChatModels:
    """The models that a chat may name: the configured list, else any where none is billed."""
    names = settings.chat_models
    if names:
        return ChatModels(names, any_model=ANY_MODEL in names)
    choice = language_model_choice(settings)
    if choice is None or choice.provider.lower() not in UNBILLED_PROVIDERS:
        return ChatModels()
    host = urlsplit(str(choice.config.get("base_url", ""))).hostname
    return ChatModels(any_model=host not in BILLED_HOSTS)


def open_conversations(
    settings: Settings, folder: DataFolder
) -> AbstractAsyncContextManager[ConversationStore]:
    """Open the store without connecting: its database may become available later.

    Without DATABASE_URL it is the ledger's SQLite file, or one of its own beside an index whose
    ledger is in Postgres.
    """
    # SQLAlchemy is not needed by every command.
    from sourcebook.providers.storage.conversations import (  # noqa: PLC0415
        sql_conversations,
    )

    days = settings.conversation_retention_days
    check_local(settings, database_role("Conversations", settings.database_url, "DATABASE_URL"))
    if settings.database_url is not None:
        url = settings.database_url.get_secret_value()
        return sql_conversations.open_postgres_conversations(url, days)
    if settings.ledger_url is not None:
        return sql_conversations.open_sqlite_conversations(folder.conversations, days)
    return sql_conversations.open_sqlite_conversations(folder.ledger, days)


def named_databases(ledger: Checkable, conversations: Checkable | None) -> dict[str, Checkable]:
    """Name the databases as health reports them.

    `conversations` only if they have a database of their own: that is the one that spec 004 calls
    `database`.
    """
    if conversations is None:
        return {"database": ledger}
    return {"database": conversations, "ledger": ledger}
