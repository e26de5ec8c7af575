"""Opens everything in order and closes it in reverse."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from sourcebook.answering.topics import Topics
from sourcebook.core.models import EmbeddingModels
from sourcebook.core.monitor import Monitor
from sourcebook.core.ports import Checkable, Reranker
from sourcebook.core.providers import NoProviders, ProviderDirectory
from sourcebook.ingestion.ingestor import Ingestor
from sourcebook.providers.registry.registry import Registry
from sourcebook.search.books import Books
from sourcebook.search.catalog import Catalog
from sourcebook.search.documents import Documents
from sourcebook.search.reranking import Reranking
from sourcebook.search.searcher import Searcher
from sourcebook.service.answering import (
    AnsweringParts,
    assemble_chats,
    assemble_sessions,
    open_answering,
)
from sourcebook.service.background import Workplace, in_background, open_background
from sourcebook.service.book import BookConfig, BookParts, assemble_book, book_config
from sourcebook.service.data_folder import DataFolder
from sourcebook.service.documents import DocumentParts, assemble_documents
from sourcebook.service.engine import Engine, open_engine
from sourcebook.service.in_use import parts_in_use
from sourcebook.service.models import open_model, open_reranker_of
from sourcebook.service.models_file import ModelEntry
from sourcebook.service.provider_directory import service_directory
from sourcebook.service.rate_limits import CheckedWindows, open_windows
from sourcebook.service.reindexing import ReindexParts, assemble_reindexing
from sourcebook.service.settings import Settings
from sourcebook.surfaces.use_cases import UseCases


@asynccontextmanager
async def open_use_cases(
    settings: Settings, folder: DataFolder, entries: Sequence[ModelEntry]
) -> AsyncIterator[UseCases]:
    """Open all that serving needs. What a crash left behind is mended before anyone asks."""
    config, registry = book_config(settings, folder), Registry()
    async with AsyncExitStack() as stack:
        models = await open_models(settings, folder, entries, stack, registry)
        reranker = await open_reranker_of(settings, folder, stack, registry=registry)
        engine = await stack.enter_async_context(open_engine(settings, folder, registry))
        ledger, store = engine.ledger, engine.store
        book = assemble_book(ledger, store, models, config)
        posted = assemble_documents(ledger, store, models, settings.documents_collection)
        reindexing = assemble_reindexing(ledger, store, models)
        answering = await stack.enter_async_context(open_answering(settings, folder))
        windows = await stack.enter_async_context(open_windows(settings, ledger))
        place = Workplace(
            ledger,
            store,
            book.desk,
            book.shelf,
            config.rules.book_id,
            (book.runner, posted.runner, reindexing.runner),
            answering.conversations,
            0.0 if config.source is None else config.reconcile_every_s,
        )
        await stack.enter_async_context(open_background(settings, place, shared=engine.shared))
        await stack.enter_async_context(in_background(answering.warm_up()))
        used = parts_in_use(
            settings,
            folder,
            engine,
            models=models,
            entries=entries,
            reranker=reranker,
            answering=answering,
        )
        yield put_together(
            engine,
            models,
            reranker,
            book,
            posted,
            answering=answering,
            reindexing=reindexing,
            windows=windows,
            providers=service_directory(settings, folder, used, registry),
        )


async def open_models(
    settings: Settings,
    folder: DataFolder,
    entries: Sequence[ModelEntry],
    stack: AsyncExitStack,
    registry: Registry | None = None,
) -> EmbeddingModels:
    """Load the embedding models, for as long as the stack lasts."""
    return EmbeddingModels(
        [
            await stack.enter_async_context(open_model(settings, entry, folder, registry=registry))
            for entry in entries
        ]
    )


def put_together(
    engine: Engine,
    models: EmbeddingModels,
    reranker: Reranker | None,
    book: BookParts | None = None,
    posted: DocumentParts | None = None,
    *,
    answering: AnsweringParts | None = None,
    reindexing: ReindexParts | None = None,
    windows: CheckedWindows | None = None,
    providers: ProviderDirectory | None = None,
) -> UseCases:
    """The use cases over an open engine."""
    answering = answering or AnsweringParts()
    ledger, store, adopted = engine.ledger, engine.store, engine.adopted
    posted = posted or assemble_documents(ledger, store, models)
    book = book or assemble_book(ledger, store, models, BookConfig())
    reindexing = reindexing or assemble_reindexing(ledger, store, models)
    reranking = None if reranker is None else Reranking(reranker)
    searcher = Searcher(ledger, store, models, reranking=reranking, adopted=adopted)
    documents = Documents(ledger, searcher, posted.collection)
    return UseCases(
        catalog=Catalog(ledger, store, models, adopted=adopted),
        searcher=searcher,
        ingestor=Ingestor(ledger, store, models),
        models=models,
        reranker=reranker,
        monitor=Monitor(_probes(engine, models, reranker, answering, windows)),
        books=Books(ledger, searcher, book.collection),
        desk=book.desk,
        book_rules=book.rules,
        inbox=posted.inbox,
        loads=posted.loads,
        documents=documents,
        sessions=assemble_sessions(searcher, models, book, posted, answering, adopted=adopted),
        chats=assemble_chats(documents, models, posted, answering),
        providers=providers or NoProviders(),
        topics=Topics(answering.language_model),
        reindexing=reindexing.reindexer,
        windows=windows,
    )


def _probes(
    engine: Engine,
    models: EmbeddingModels,
    reranker: Reranker | None,
    answering: AnsweringParts,
    windows: CheckedWindows | None,
) -> dict[str, Checkable]:
    """What health asks, by the names it knows them by."""
    parts: dict[str, Checkable] = {"qdrant": engine.store, **answering.probes(engine.ledger)}
    for model in models:
        # The first model stands where spec 004 has Cohere.
        parts["cohere" if "cohere" not in parts else f"embedder:{model.id}"] = model
    if reranker is not None:
        parts["cross_encoder"] = reranker
    if windows is not None:
        parts["redis"] = windows
    return parts | {f"adopted:{name}": adopted for name, adopted in engine.adopted.items()}
