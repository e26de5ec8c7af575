"""Opens everything in order and closes it in reverse."""

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass

from sourcebook.core.errors import ConfigurationError, SourcebookError
from sourcebook.core.models import EmbeddingModels
from sourcebook.core.monitor import Monitor
from sourcebook.core.ports import (
    Checkable,
    Embedder,
    Ledger,
    Reranker,
    VectorStore,
)
from sourcebook.ingestion.ingestor import Ingestor
from sourcebook.ingestion.rebuilder import Rebuilder
from sourcebook.ingestion.sweeper import Sweeper
from sourcebook.search.books import Books
from sourcebook.search.catalog import Catalog
from sourcebook.search.documents import Documents
from sourcebook.search.searcher import Searcher
from sourcebook.service.answering import (
    AnsweringParts,
    assemble_chats,
    assemble_sessions,
    open_answering,
)
from sourcebook.service.book import BookConfig, BookParts, assemble_book, book_config
from sourcebook.service.conversations import Purger
from sourcebook.service.data_folder import DataFolder
from sourcebook.service.documents import DocumentParts, assemble_documents
from sourcebook.service.models_file import ModelEntry, no_models, read_models_file
from sourcebook.service.reconciling import Reconciler
from sourcebook.service.settings import Settings
from sourcebook.surfaces.use_cases import UseCases

log = logging.getLogger(__name__)

SWEEP_EVERY_S = 30.0


@dataclass(frozen=True, slots=True)
class Engine:
    """The truth and its index."""

    ledger: Ledger
    store: VectorStore


@asynccontextmanager
async def open_engine(settings: Settings, folder: DataFolder) -> AsyncIterator[Engine]:
    """Open the ledger, in Postgres if the settings say so, and the embedded vector store."""
    # Each of these imports an SDK, and not every command needs them.
    from sourcebook.providers.storage import ledger as ledgers  # noqa: PLC0415
    from sourcebook.providers.vector_stores.qdrant_edge import QdrantEdgeStore  # noqa: PLC0415

    url = settings.ledger_url
    opening = (
        ledgers.open_sqlite_ledger(folder.ledger)
        if url is None
        else ledgers.open_postgres_ledger(url.get_secret_value())
    )
    async with opening as ledger, QdrantEdgeStore(folder.index) as store:
        yield Engine(ledger, store)


@asynccontextmanager
async def open_use_cases(
    settings: Settings, folder: DataFolder, entries: Sequence[ModelEntry]
) -> AsyncIterator[UseCases]:
    """Open all that serving needs. What a crash left behind is mended before anyone asks."""
    config = book_config(settings, folder)
    async with AsyncExitStack() as stack:
        models = EmbeddingModels(
            [await stack.enter_async_context(open_model(entry, folder)) for entry in entries]
        )
        reranker = await open_reranker_of(settings, folder, stack)
        engine = await stack.enter_async_context(open_engine(settings, folder))
        book = assemble_book(engine.ledger, engine.store, models, config)
        posted = assemble_documents(
            engine.ledger, engine.store, models, settings.documents_collection
        )
        answering = await stack.enter_async_context(open_answering(settings, folder))
        await mend(engine)
        await book.shelf.clear_abandoned()
        purging = Purger(answering.conversations).purge_for_ever()
        await stack.enter_async_context(_in_background(purging))
        await stack.enter_async_context(_in_background(answering.warm_up()))
        await stack.enter_async_context(_in_background(_sweep_for_ever(engine)))
        await stack.enter_async_context(_in_background(book.runner.run_for_ever()))
        await stack.enter_async_context(_in_background(posted.runner.run_for_ever()))
        if config.source is not None and config.reconcile_every_s:
            reconciler = Reconciler(book.desk, config.rules.book_id)
            looking = reconciler.look_for_ever(config.reconcile_every_s)
            await stack.enter_async_context(_in_background(looking))
        yield put_together(engine, models, reranker, book, posted, answering=answering)


def put_together(
    engine: Engine,
    models: EmbeddingModels,
    reranker: Reranker | None,
    book: BookParts | None = None,
    posted: DocumentParts | None = None,
    *,
    answering: AnsweringParts | None = None,
) -> UseCases:
    """The use cases over an open engine."""
    answering = answering or AnsweringParts()
    ledger, store = engine.ledger, engine.store
    posted = posted or assemble_documents(ledger, store, models)
    book = book or assemble_book(ledger, store, models, BookConfig())
    searcher = Searcher(ledger, store, models)
    documents = Documents(ledger, searcher, posted.collection)
    parts: dict[str, Checkable] = {"qdrant": store, **answering.probes(ledger)}
    for model in models:
        # The first model stands where spec 004 has Cohere.
        parts["cohere" if "cohere" not in parts else f"embedder:{model.id}"] = model
    if reranker is not None:
        parts["cross_encoder"] = reranker
    return UseCases(
        catalog=Catalog(ledger, store, models),
        searcher=searcher,
        ingestor=Ingestor(ledger, store, models),
        models=models,
        reranker=reranker,
        monitor=Monitor(parts),
        books=Books(ledger, searcher, book.collection),
        desk=book.desk,
        book_rules=book.rules,
        inbox=posted.inbox,
        loads=posted.loads,
        documents=documents,
        sessions=assemble_sessions(searcher, models, book, posted, answering),
        chats=assemble_chats(documents, models, posted, answering),
    )


def model_entries(settings: Settings) -> tuple[ModelEntry, ...]:
    """The models to load; none is right only if there is a cross-encoder."""
    if settings.embeddings_config is not None:
        return read_models_file(settings.embeddings_config)
    if settings.cross_encoder is None and settings.cross_encoder_path is None:
        raise no_models()
    return ()


@asynccontextmanager
async def open_model(
    entry: ModelEntry, folder: DataFolder, *, download: bool = False
) -> AsyncIterator[Embedder]:
    """Load one embedding model; a failure says which."""
    from sourcebook.providers.embedders.caching import CachingEmbedder  # noqa: PLC0415
    from sourcebook.providers.embedders.opening import open_embedder  # noqa: PLC0415

    async with AsyncExitStack() as stack:
        try:
            embedder = await stack.enter_async_context(
                open_embedder(
                    entry.id,
                    entry.path,
                    models_dir=folder.models,
                    provider=entry.provider,
                    query_prompt=entry.query_prompt,
                    document_prompt=entry.document_prompt,
                    download=download,
                )
            )
        except SourcebookError as error:
            raise ConfigurationError(
                f"Embedding model {entry.id!r} ({entry.path}) failed to load: {error.message}"
            ) from error
        log.info(
            "embedding_model_loaded",
            extra={"model": entry.id, "path": entry.path, "dimensions": embedder.dimensions},
        )
        yield CachingEmbedder(embedder)


async def open_reranker_of(
    settings: Settings, folder: DataFolder, stack: AsyncExitStack, *, download: bool = False
) -> Reranker | None:
    """Load the cross-encoder, if one is configured."""
    place = settings.cross_encoder_path or settings.cross_encoder
    if place is None:
        return None
    from sourcebook.providers.rerankers.opening import open_reranker  # noqa: PLC0415

    try:
        reranker = await stack.enter_async_context(
            open_reranker(str(place), models_dir=folder.models, download=download)
        )
    except SourcebookError as error:
        raise ConfigurationError(
            f"Cross-encoder {str(place)!r} failed to load: {error.message}"
        ) from error
    log.info("cross_encoder_loaded", extra={"model": reranker.name})
    return reranker


async def mend(engine: Engine) -> None:
    """Clear what a crash left, and bring back an index that is gone. Nothing is embedded."""
    # Indexes that are gone or damaged first: nothing could be cleared from those.
    for rebuilt in await Rebuilder(engine.ledger, engine.store).rebuild_missing():
        log.warning(
            "index_rebuilt", extra={"collection": rebuilt.collection, "points": rebuilt.points}
        )
    await Sweeper(engine.ledger, engine.store).sweep_all()
    await engine.ledger.jobs.let_all_go()


async def _sweep_for_ever(engine: Engine) -> None:
    sweeper = Sweeper(engine.ledger, engine.store)
    while True:
        await asyncio.sleep(SWEEP_EVERY_S)
        await sweeper.sweep()


@asynccontextmanager
async def _in_background(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def bundled_entries() -> tuple[ModelEntry, ...]:
    """The model that comes with Sourcebook."""
    return (ModelEntry(id="minilm", path="bundled:all-MiniLM-L6-v2"),)
