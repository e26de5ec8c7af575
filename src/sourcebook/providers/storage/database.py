"""One database: how reads and writes begin, and how it migrates."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from pathlib import Path
from typing import Protocol, TypeVar

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from sourcebook.core.errors import ConfigurationError, Overloaded, RetrievalUnavailable
from sourcebook.core.metadata import JsonValue
from sourcebook.providers.storage.texts import as_storable

T = TypeVar("T")

MIGRATIONS = Path(__file__).parent / "migrations"
POOL_SIZE = 8
POOL_WAIT_S = 5.0

# What every engine is created with.
ENGINE_SETTINGS = {
    "pool_size": POOL_SIZE,
    "max_overflow": 0,
    "pool_timeout": POOL_WAIT_S,
    "hide_parameters": True,  # they hold people's texts, and errors end in logs
}


class Looking(Protocol):
    """How a database is read in the shortest way."""

    async def read(self, look: Callable[[Connection], T]) -> T:
        """What `look` finds; it must do nothing but read."""
        ...


class Database:
    """Gives out connections; `turn` is what a writer waits for before it begins."""

    def __init__(
        self,
        *,
        reading: AsyncEngine,
        looking: Looking,
        writing: AsyncEngine,
        turn: AbstractAsyncContextManager[None] | None = None,
    ) -> None:
        self._reading = reading
        self._looking = looking
        self._writing = writing
        self._turn = turn or nullcontext()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection with one snapshot of the data."""
        with _translated():
            async with self._reading.connect() as connection:
                yield connection

    async def read(self, look: Callable[[Connection], T]) -> T:
        """What `look` finds. The short way, for reads that need no snapshot of their own."""
        with _translated():
            return await self._looking.read(look)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that commits at the end, or leaves everything as it was."""
        with _translated():
            async with self._turn, self._writing.begin() as connection:
                yield connection

    async def migrate(self) -> None:
        """Bring the tables up to date, in one transaction."""
        try:
            async with self._writing.begin() as connection:
                await connection.run_sync(upgrade)
        except (SQLAlchemyError, OSError, TimeoutError) as error:
            raise ConfigurationError(
                "The ledger cannot be opened: the database could not be reached or is damaged"
                f" ({type(getattr(error, 'orig', error)).__name__}). Check that the data folder is"
                " writable and its ledger.db sound, or that SOURCEBOOK_LEDGER_URL is right"
            ) from error


@contextmanager
def _translated() -> Iterator[None]:
    """Turn the driver's errors into ours where they enter."""
    try:
        yield
    except PoolTimeout as error:
        raise Overloaded("Too many requests wait for the ledger; try again in a moment") from error
    except (SQLAlchemyError, OSError, TimeoutError) as error:
        raise RetrievalUnavailable(
            "The ledger (database) is not available; try again in a moment"
        ) from error


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring the tables to a revision."""
    # Alembic is only needed here, once per start.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    if connection.dialect.name == "postgresql":
        # Several replicas may start at once; the others wait here and find it done.
        connection.execute(text("SELECT pg_advisory_xact_lock(7274496211)"))
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS))
    command.upgrade(config, revision)


def to_json(value: JsonValue) -> str:
    """JSON as the ledger keeps it; what no database takes as text is escaped, as JSON allows."""
    return as_storable(
        json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    )
