"""Opens everything in order and closes it in reverse: to serve, or for one command."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from sourcebook.answering.feedback import Feedback, FeedbackRules
from sourcebook.answering.starter_questions import StarterQuestions
from sourcebook.answering.suggested_questions import QuestionSuggester
from sourcebook.answering.topics import TopicFinder
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.health import ServiceLabel
from sourcebook.core.meters import Meter
from sourcebook.core.ports import Reranker
from sourcebook.core.providers import NoProviders, ProviderDirectory
from sourcebook.core.statistics import StatisticsReader
from sourcebook.ingestion.book.catalog import BookCatalog
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.upkeep.cache_sweeper import CacheLimits
from sourcebook.ingestion.upkeep.verifier import Verifier
from sourcebook.providers.registry.registry import Registry
from sourcebook.search.books import Books
from sourcebook.search.catalog import Catalog
from sourcebook.search.posted_documents import PostedDocuments
from sourcebook.search.reranking import HitReranker
from sourcebook.search.searcher import Searcher
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.models_file import ModelEntry
from sourcebook.service.config.settings import Settings, local_unless_told
from sourcebook.service.wiring.answering import (
    AnsweringParts,
    assemble_chats,
    assemble_sessions,
    feedback_rules,
    open_answering,
)
from sourcebook.service.wiring.background import (
    BackgroundParts,
    open_background,
    run_in_background,
)
from sourcebook.service.wiring.health_parts import build_monitor, label_services
from sourcebook.service.wiring.ingestion import (
    BookConfig,
    BookParts,
    DocumentParts,
    ReindexParts,
    assemble_book,
    assemble_documents,
    assemble_reindexing,
    book_config,
)
from sourcebook.service.wiring.models import (
    entries_or_bundled,
    open_models,
    open_reranker,
)
from sourcebook.service.wiring.provider_choices import EMBEDDED_STORE
from sourcebook.service.wiring.providers_in_use import index_folder, providers_in_use
from sourcebook.service.wiring.rate_limits import CheckedWindows, open_windows
from sourcebook.service.wiring.reading import open_book_to_read
from sourcebook.service.wiring.statistics import Statistics
from sourcebook.service.wiring.storage import Storage, open_storage
from sourcebook.service.wiring.watched_parts import WatchedIndex
from sourcebook.surfaces.use_cases import UseCases


@asynccontextmanager
async def open_use_cases(
    settings: Settings,
    folder: DataFolder,
    entries: Sequence[ModelEntry],
    meter: Meter | None = None,
    *,
    serves: bool = True,
) -> AsyncIterator[UseCases]:
    """Open everything that serving needs, or a command that writes. A crash is repaired first."""
    # It tests connections, and reading needs none.
    from sourcebook.service.providers.directory import service_directory  # noqa: PLC0415

    config, registry = book_config(settings, folder), Registry()
    async with AsyncExitStack() as stack:
        models = await open_models(settings, folder, entries, stack, registry)
        reranker = await open_reranker(settings, folder, stack, registry=registry)
        storage = await stack.enter_async_context(open_storage(settings, folder, registry))
        ledger, store = storage.ledger, storage.store
        # A job that is shared may run on another machine, where the folder is another one.
        own = settings.ledger_url is None or storage.provider == EMBEDDED_STORE
        config = replace(config, local_folders=own, listed=settings.lists_books if serves else True)
        # Without the reranker, which may cost money or seconds, and without the meter: nobody asks.
        for_tests = Searcher(
            ledger, store, models, terms=storage.terms, default_mode=storage.search_mode
        )
        book = assemble_book(ledger, store, models, config, meter, searcher=for_tests)
        posted = assemble_documents(ledger, store, models, settings.documents_collection, meter)
        reindexing = assemble_reindexing(ledger, store, models, meter)
        answering = await stack.enter_async_context(open_answering(settings, folder, registry))
        windows = await stack.enter_async_context(open_windows(settings, folder, ledger))
        place = BackgroundParts(
            ledger,
            store,
            book.book_jobs,
            book.book_collection,
            config.rules.book_id,
            (book.runner, posted.runner, reindexing.runner),
            answering.conversations,
            0.0 if config.source is None else config.reconcile_every_s,
            serves,
            CacheLimits(
                max_age_s=settings.embedding_cache_hours * 3_600,
                max_bytes=settings.embedding_cache_mb * 1_000_000,
            ),
            Feedback(ledger.feedback, book.default_books, feedback_rules(settings)),
        )
        background = open_background(settings, folder, place, shared=storage.shared)
        await stack.enter_async_context(background)
        await stack.enter_async_context(run_in_background(answering.warm_up()))
        index = WatchedIndex(store)
        used = providers_in_use(
            settings,
            folder,
            storage,
            models=models,
            entries=entries,
            reranker=reranker,
            answering=answering,
            index=index,
        )
        yield build_use_cases(
            storage,
            models,
            reranker,
            book,
            posted,
            answering=answering,
            reindexing=reindexing,
            windows=windows,
            providers=service_directory(settings, folder, used, registry),
            labels=label_services(
                settings,
                registry,
                models=models,
                entries=entries,
                reranker=reranker,
                answering=answering,
            ),
            index=index,
            meter=meter,
            rules=feedback_rules(settings),
            statistics=Statistics(
                ledger, models, reranker, folder, index_folder(settings, folder, storage.provider)
            ),
        )


def build_use_cases(
    storage: Storage,
    models: EmbeddingModels,
    reranker: Reranker | None,
    book: BookParts | None = None,
    posted: DocumentParts | None = None,
    *,
    answering: AnsweringParts | None = None,
    reindexing: ReindexParts | None = None,
    windows: CheckedWindows | None = None,
    providers: ProviderDirectory | None = None,
    labels: Mapping[str, ServiceLabel] | None = None,
    index: WatchedIndex | None = None,
    meter: Meter | None = None,
    rules: FeedbackRules | None = None,
    statistics: StatisticsReader | None = None,
) -> UseCases:
    """Build the use cases over an open storage. `labels` name what stands in each role.

    `rules` say what is kept of readers' feedback; without them, nothing is.
    """
    answering = answering or AnsweringParts()
    ledger, store, adopted = storage.ledger, storage.store, storage.adopted
    posted = posted or assemble_documents(ledger, store, models)
    book = book or assemble_book(ledger, store, models, BookConfig())
    reindexing = reindexing or assemble_reindexing(ledger, store, models)
    reranking = None if reranker is None else HitReranker(reranker)
    index = index or WatchedIndex(store)
    searcher = Searcher(
        ledger,
        index,
        models,
        reranking=reranking,
        adopted=adopted,
        meter=meter,
        terms=storage.terms,
        default_mode=storage.search_mode,
    )
    documents = PostedDocuments(ledger, searcher, posted.collection)
    books = Books(ledger, searcher, book.collection)
    feedback = Feedback(ledger.feedback, book.default_books, rules or FeedbackRules())
    # By quoting: to try questions out must cost nothing.
    quoting = assemble_sessions(searcher, models, book, posted, AnsweringParts(), adopted=adopted)
    return UseCases(
        catalog=Catalog(ledger, store, models, adopted=adopted),
        searcher=searcher,
        ingestor=Ingestor(ledger, store, models),
        models=models,
        reranker=reranker,
        monitor=build_monitor(
            storage,
            index,
            models=models,
            reranker=reranker,
            answering=answering,
            windows=windows,
            labels=labels or {},
        ),
        books=books,
        book_catalog=BookCatalog(ledger, book.collection),
        book_jobs=book.book_jobs,
        book_uploads=book.uploads,
        book_rules=book.rules,
        default_books=book.default_books,
        inbox=posted.inbox,
        bulk_imports=posted.bulk_imports,
        documents=documents,
        sessions=assemble_sessions(
            searcher,
            models,
            book,
            posted,
            answering,
            adopted=adopted,
            feedback=feedback,
            meter=meter,
        ),
        chats=assemble_chats(documents, models, posted, answering, meter),
        providers=providers or NoProviders(),
        topics=TopicFinder(answering.language_model),
        reindex_jobs=reindexing.jobs,
        verifier=Verifier(ledger, store, storage.terms),
        feedback=feedback,
        starters=StarterQuestions(books, QuestionSuggester(books, quoting)),
        windows=windows,
        statistics=statistics or Statistics(ledger, models, reranker),
        judge=answering.judge,
    )


@asynccontextmanager
async def open_to_write(settings: Settings, folder: DataFolder) -> AsyncIterator[UseCases]:
    """Open everything but the regular reconciliation: the book is indexed on demand."""
    alone = local_unless_told(settings).model_copy(update={"reconcile_minutes": 0.0})
    entries = entries_or_bundled(settings)
    async with open_use_cases(alone, folder, entries, serves=False) as use_cases:
        yield use_cases


@asynccontextmanager
async def open_to_read(settings: Settings, folder: DataFolder) -> AsyncIterator[UseCases]:
    """Open what reading needs."""
    settings, registry = local_unless_told(settings), Registry()
    async with (
        open_book_to_read(settings, folder, registry) as book,
        open_answering(settings, folder, registry) as answering,
    ):
        storage = book.storage
        posted = assemble_documents(
            storage.ledger, storage.store, book.models, settings.documents_collection
        )
        yield build_use_cases(
            storage,
            book.models,
            None,
            book.parts,
            posted,
            answering=answering,
            rules=feedback_rules(settings),
        )


@asynccontextmanager
async def open_without_models(settings: Settings, folder: DataFolder) -> AsyncIterator[UseCases]:
    """Open what looks at the ledger and deletes from it: nothing is searched or embedded."""
    config, models = book_config(settings, folder), EmbeddingModels([])
    async with open_storage(settings, folder) as storage:
        book = assemble_book(storage.ledger, storage.store, models, config)
        yield build_use_cases(storage, models, None, book, rules=feedback_rules(settings))
