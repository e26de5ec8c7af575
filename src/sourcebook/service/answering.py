"""What answers need besides search: where conversations are kept, and who writes."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sourcebook.answering.agent import AgentWriter
from sourcebook.answering.chats import Chats
from sourcebook.answering.diary import NoConversations
from sourcebook.answering.extractive import ExtractiveWriter
from sourcebook.answering.quoting import Quoter
from sourcebook.answering.retrieval import Retriever
from sourcebook.answering.sessions import Sessions
from sourcebook.answering.shelves import AdoptedShelf, BookShelf, PostedShelf, Shelf
from sourcebook.answering.writers import Writer
from sourcebook.core.models import EmbeddingModels
from sourcebook.core.ports import Checkable, ConversationStore, LanguageModel
from sourcebook.search.documents import Documents
from sourcebook.search.searcher import Searcher
from sourcebook.service.book import BookParts
from sourcebook.service.conversations import named_databases, open_conversations
from sourcebook.service.data_folder import DataFolder
from sourcebook.service.documents import DocumentParts
from sourcebook.service.language_model import open_language_model
from sourcebook.service.settings import Settings


@dataclass(frozen=True, slots=True)
class AnsweringParts:
    """Where conversations are kept, in a database of their own or not, and how much counts.

    Without a language model, answers are quotations.
    """

    conversations: ConversationStore = field(default_factory=NoConversations)
    own_database: bool = False
    messages: int = 10
    language_model: LanguageModel | None = None

    @property
    def writer(self) -> Writer:
        """The language model, if there is one; else the writer that quotes."""
        model = self.language_model
        return ExtractiveWriter() if model is None else AgentWriter(model)

    def probes(self, ledger: Checkable) -> dict[str, Checkable]:
        """What health asks, by the names of specification 004: the model stands for Gemini."""
        model = self.language_model
        return self.databases(ledger) | ({} if model is None else {"gemini": model})

    async def warm_up(self) -> None:
        """Have the language model loaded before the first question asks for it."""
        if self.language_model is not None:
            await self.language_model.check()

    def databases(self, ledger: Checkable) -> dict[str, Checkable]:
        """The databases by the names that health knows them by."""
        return named_databases(ledger, self.conversations if self.own_database else None)


@asynccontextmanager
async def open_answering(settings: Settings, folder: DataFolder) -> AsyncIterator[AnsweringParts]:
    """Open what the settings name. Nothing is connected to yet."""
    async with (
        open_conversations(settings, folder) as conversations,
        open_language_model(settings) as language_model,
    ):
        yield AnsweringParts(
            conversations,
            own_database=settings.database_url is not None,
            messages=settings.max_conversation_history,
            language_model=language_model,
        )


def assemble_sessions(
    searcher: Searcher,
    models: EmbeddingModels,
    book: BookParts,
    posted: DocumentParts,
    parts: AnsweringParts,
    *,
    adopted: Iterable[str] = (),
) -> Sessions:
    """The use case over an open engine: answers come from the book and from all that is beside.

    That is the documents that tools posted, and the collections that other tools keep.
    """
    shelves: list[Shelf] = [
        BookShelf(book.collection, book.rules.book_id, book.rules.base_url),
        PostedShelf(posted.collection),
        *(AdoptedShelf(name) for name in adopted),
    ]
    return Sessions(
        models,
        Retriever(searcher, shelves),
        parts.writer,
        parts.conversations,
        messages=parts.messages,
    )


def assemble_chats(
    documents: Documents, models: EmbeddingModels, posted: DocumentParts, parts: AnsweringParts
) -> Chats:
    """The use case of contract 003's chat, which speaks of posted documents only."""
    return Chats(
        documents,
        parts.language_model,
        Quoter(PostedShelf(posted.collection), models),
        parts.conversations,
        messages=parts.messages,
    )
