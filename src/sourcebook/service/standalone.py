"""Opens a data folder without serving it: for one command, or for a program of somebody else's."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from sourcebook.service.answering import open_answering
from sourcebook.service.background import mend
from sourcebook.service.book import assemble_book, book_config
from sourcebook.service.data_folder import DataFolder
from sourcebook.service.engine import open_engine
from sourcebook.service.models import entries_or_bundled
from sourcebook.service.resources import open_models, open_use_cases, put_together
from sourcebook.service.settings import Settings
from sourcebook.surfaces.use_cases import UseCases


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
        models = await open_models(settings, folder, entries_or_bundled(settings), stack)
        engine = await stack.enter_async_context(open_engine(settings, folder))
        if not engine.shared:
            await mend(engine.ledger, engine.store)
        book = assemble_book(engine.ledger, engine.store, models, config)
        answering = await stack.enter_async_context(open_answering(settings, folder))
        yield put_together(engine, models, None, book, answering=answering)
