"""The use cases that routes may call."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sourcebook.core.providers import NoProviders, ProviderDirectory
from sourcebook.core.statistics import NoStatistics, StatisticsReader

if TYPE_CHECKING:
    from sourcebook.answering.feedback import Feedback
    from sourcebook.answering.rag_v3_chat import Chatbot
    from sourcebook.answering.sessions import Sessions
    from sourcebook.answering.starter_questions import StarterQuestions
    from sourcebook.answering.topics import TopicFinder
    from sourcebook.core.embedding_models import EmbeddingModels
    from sourcebook.core.health_monitor import HealthMonitor
    from sourcebook.core.ports import Judge, Reranker
    from sourcebook.ingestion.book.catalog import BookCatalog
    from sourcebook.ingestion.book.jobs import BookJobs
    from sourcebook.ingestion.book.uploads import BookUploads
    from sourcebook.ingestion.collection_documents import Ingestor
    from sourcebook.ingestion.posted.bulk_import import BulkImports
    from sourcebook.ingestion.posted.inbox import Inbox
    from sourcebook.ingestion.reindex.jobs import ReindexJobs
    from sourcebook.ingestion.upkeep.verifier import Verifier
    from sourcebook.search.books import Books
    from sourcebook.search.catalog import Catalog
    from sourcebook.search.collector import Collector
    from sourcebook.search.default_books import DefaultBooks
    from sourcebook.search.posted_documents import PostedDocuments
    from sourcebook.search.searcher import Searcher
    from sourcebook.surfaces.rate_limits import SharedWindows


@dataclass(frozen=True, slots=True)
class WebhookRules:
    """The secret that signs pushes, and the pushes that count.

    Without a `branch`, those to the default branch; without a `repository` (`owner/name`), those to
    any that has the secret.
    """

    secret: bytes
    branch: str | None = None
    repository: str | None = None


@dataclass(frozen=True, slots=True)
class BookRules:
    """Which book this service keeps, where its website is, and which webhook it accepts.

    Without a source of its own, the book is indexed only when somebody gives its folder.
    Questions that name no book are for `UseCases.default_books`: the kept one alone, if it stands
    `alone`, as with BOOK_ID.
    """

    book_id: str
    base_url: str | None = None
    webhook: WebhookRules | None = None
    has_source: bool = False
    alone: bool = False


def _without_model() -> "TopicFinder":
    from sourcebook.answering.topics import TopicFinder  # noqa: PLC0415 - a search needs none

    return TopicFinder()


@dataclass(frozen=True, slots=True)
class UseCases:
    """Everything that the surfaces need; the service wires it.

    `windows` are shared with other processes to count calls, if there are any.
    """

    catalog: "Catalog"
    searcher: "Searcher"
    ingestor: "Ingestor"
    models: "EmbeddingModels"
    reranker: "Reranker | None"
    monitor: "HealthMonitor"
    books: "Books"
    book_catalog: "BookCatalog"
    book_jobs: "BookJobs"
    book_uploads: "BookUploads"
    book_rules: BookRules
    default_books: "DefaultBooks"
    inbox: "Inbox"
    bulk_imports: "BulkImports"
    documents: "PostedDocuments"
    sessions: "Sessions"
    chats: "Chatbot"
    reindex_jobs: "ReindexJobs"
    verifier: "Verifier"
    starters: "StarterQuestions"
    feedback: "Feedback"
    providers: ProviderDirectory = field(default_factory=NoProviders)
    topics: "TopicFinder" = field(default_factory=_without_model)
    windows: "SharedWindows | None" = None
    statistics: StatisticsReader = field(default_factory=NoStatistics)
    judge: "Judge | None" = None

    @property
    def collector(self) -> "Collector":
        """Return what searches several collections; it needs nothing but the searcher."""
        from sourcebook.search.collector import Collector  # noqa: PLC0415 - a search has none

        return Collector(self.searcher)
