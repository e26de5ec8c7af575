"""Opens a data folder without serving it: for one command, or for a program of somebody else's."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from sourcebook.core.models import EmbeddingModels
from sourcebook.service.answering import open_answering
from sourcebook.service.book import assemble_book, book_config
from sourcebook.service.data_folder import DataFolder
from sourcebook.service.models_file import ModelEntry, read_models_file
from sourcebook.service.resources import (
    bundled_entries,
    mend,
    open_engine,
    open_model,
    open_use_cases,
    put_together,
)
from sourcebook.service.settings import Settings
from sourcebook.surfaces.use_cases import UseCases


def entries_or_bundled(settings: Settings) -> tuple[ModelEntry, ...]:
    """The configured models, else the one that comes with Sourcebook."""
    config = settings.embeddings_config
    return bundled_entries() if config is None else read_models_file(config)


@asynccontextmanager
async def open_to_write(settings: Settings, folder: DataFolder) -> AsyncIterator[UseCases]:
    """Everything but the regular looks at the book: it is indexed when somebody says so."""
    alone = settings.model_copy(update={"reconcile_minutes": 0.0})
    async with open_use_cases(alone, folder, entries_or_bundled(settings)) as use_cases:
        yield use_cases


@asynccontextmanager
async def open_to_read(settings: Settings, folder: DataFolder) -> AsyncIterator[UseCases]:
    """What reading needs. Jobs that wait go on waiting: whoever only reads has no sources."""
    config = book_config(settings, folder)
    async with AsyncExitStack() as stack:
        entries = entries_or_bundled(settings)
        models = EmbeddingModels(
            [await stack.enter_async_context(open_model(entry, folder)) for entry in entries]
        )
        engine = await stack.enter_async_context(open_engine(settings, folder))
        await mend(engine)
        book = assemble_book(engine.ledger, engine.store, models, config)
        answering = await stack.enter_async_context(open_answering(settings, folder))
        yield put_together(engine, models, None, book, answering=answering)
