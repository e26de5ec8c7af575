"""The ledger: the SQL parts put together."""

import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select, text

from sourcebook.core.errors import Overloaded, RetrievalUnavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.providers.storage import schema
from sourcebook.providers.storage.attic import SqlAttic
from sourcebook.providers.storage.collections import SqlCollections
from sourcebook.providers.storage.database import Database
from sourcebook.providers.storage.documents import SqlDocuments
from sourcebook.providers.storage.embedding_cache import SqlEmbeddingCache
from sourcebook.providers.storage.inserting import insert_new
from sourcebook.providers.storage.jobs import SqlJobs
from sourcebook.providers.storage.postgres import open_postgres
from sourcebook.providers.storage.sqlite import open_sqlite


@dataclass(frozen=True, slots=True)
class SqlLedger:
    """Implements `Ledger`."""

    collections: SqlCollections
    documents: SqlDocuments
    vectors: SqlEmbeddingCache
    attic: SqlAttic
    jobs: SqlJobs
    database: Database

    async def installation(self) -> str:
        """The id of this installation, given by whoever asks first."""
        async with self.database.writing() as connection:
            fresh = {"only": 1, "id": uuid.uuid4().hex}
            await insert_new(connection, schema.installation, [fresh])
            return str(await connection.scalar(select(schema.installation.c.id)))

    async def check(self) -> ServiceHealth:
        """Ask the database for one row."""
        started_s = time.perf_counter()
        try:
            async with self.database.reading() as connection:
                await connection.execute(text("SELECT 1"))
        except Overloaded as error:
            return ServiceHealth(status="degraded", message=error.message)
        except RetrievalUnavailable as error:
            return ServiceHealth(status="down", message=error.message)
        return ServiceHealth(status="up", latency_ms=(time.perf_counter() - started_s) * 1000)


@asynccontextmanager
async def open_sqlite_ledger(
    path: Path, now_s: Callable[[], float] = time.time
) -> AsyncIterator[SqlLedger]:
    """Open the ledger in a SQLite file."""
    async with open_sqlite(path) as database:
        yield _ledger(database, now_s)


@asynccontextmanager
async def open_postgres_ledger(
    url: str, now_s: Callable[[], float] = time.time, *, shared: bool = False
) -> AsyncIterator[SqlLedger]:
    """Open the ledger in a Postgres database, alone or beside others that share it too."""
    async with open_postgres(url, shared=shared) as database:
        yield _ledger(database, now_s)


def _ledger(database: Database, now_s: Callable[[], float]) -> SqlLedger:
    return SqlLedger(
        collections=SqlCollections(database, now_s),
        documents=SqlDocuments(database, now_s),
        vectors=SqlEmbeddingCache(database),
        attic=SqlAttic(database),
        jobs=SqlJobs(database, now_s),
        database=database,
    )
