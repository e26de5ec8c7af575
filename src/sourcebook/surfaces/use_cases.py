"""What routes may call, and how they get hold of it."""

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request

from sourcebook.answering.chats import Chats
from sourcebook.answering.sessions import Sessions
from sourcebook.answering.topics import Topics
from sourcebook.core.models import EmbeddingModels
from sourcebook.core.monitor import Monitor
from sourcebook.core.ports import Reranker
from sourcebook.core.providers import NoProviders, ProviderDirectory
from sourcebook.ingestion.book_desk import BookDesk
from sourcebook.ingestion.inbox import Inbox
from sourcebook.ingestion.ingestor import Ingestor
from sourcebook.ingestion.loads import Loads
from sourcebook.ingestion.reindexer import Reindexer
from sourcebook.search.books import Books
from sourcebook.search.catalog import Catalog
from sourcebook.search.collector import Collector
from sourcebook.search.documents import Documents
from sourcebook.search.searcher import Searcher
from sourcebook.surfaces.windows import SharedWindows


@dataclass(frozen=True, slots=True)
class WebhookRules:
    """What a push must show to be believed, and which branch counts; None for the default one."""

    secret: bytes
    branch: str | None = None


@dataclass(frozen=True, slots=True)
class BookRules:
    """Which book this service keeps, where its website is, and whether pushes are listened to."""

    book_id: str
    base_url: str | None = None
    webhook: WebhookRules | None = None


@dataclass(frozen=True, slots=True)
class UseCases:
    """Everything that the surfaces need; the service puts it together.

    `windows` are those that other processes count calls in too, if there are any.
    """

    catalog: Catalog
    searcher: Searcher
    ingestor: Ingestor
    models: EmbeddingModels
    reranker: Reranker | None
    monitor: Monitor
    books: Books
    desk: BookDesk
    book_rules: BookRules
    inbox: Inbox
    loads: Loads
    documents: Documents
    sessions: Sessions
    chats: Chats
    reindexing: Reindexer
    providers: ProviderDirectory = field(default_factory=NoProviders)
    topics: Topics = field(default_factory=Topics)
    windows: SharedWindows | None = None

    @property
    def collector(self) -> Collector:
        """Asks several collections: it needs nothing but the searcher."""
        return Collector(self.searcher)


async def use_cases(request: Request) -> UseCases:
    """The use cases of the app that serves this request. Async, or FastAPI would use a thread."""
    found = request.app.state.use_cases
    assert isinstance(found, UseCases)  # noqa: S101 - for the type checker
    return found


Using = Annotated[UseCases, Depends(use_cases)]
