"""The ledger in SQL: opens the database and assembles its parts."""

import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import func, select, text

from sourcebook.core.errors import DiskFull, Overloaded, RetrievalUnavailable
from sourcebook.core.health import HealthTimer, ServiceHealth
from sourcebook.core.statistics import IndexSize
from sourcebook.providers.storage.ledger import schema
from sourcebook.providers.storage.ledger.books import SqlBooks
from sourcebook.providers.storage.ledger.collections import SqlCollections
from sourcebook.providers.storage.ledger.database import Database
from sourcebook.providers.storage.ledger.documents import SqlDocuments
from sourcebook.providers.storage.ledger.embedding_cache import SqlEmbeddingCache
from sourcebook.providers.storage.ledger.feedback import SqlFeedback
from sourcebook.providers.storage.ledger.garbage import SqlGarbage
from sourcebook.providers.storage.ledger.jobs import SqlJobs
from sourcebook.providers.storage.ledger.mirrors import SqlMirrors
from sourcebook.providers.storage.ledger.postgres import open_postgres
from sourcebook.providers.storage.ledger.self_tests import SqlSelfTests
from sourcebook.providers.storage.ledger.sqlite import open_sqlite
from sourcebook.providers.storage.sql import insert_new


@dataclass(frozen=True, slots=True)
class SqlLedger:
    """Implements `Ledger`."""

    collections: SqlCollections
    documents: SqlDocuments
    vectors: SqlEmbeddingCache
    garbage: SqlGarbage
    jobs: SqlJobs
    books: SqlBooks
    self_tests: SqlSelfTests
    feedback: SqlFeedback
    mirrors: SqlMirrors
    database: Database

    async def installation(self) -> str:
        """Return the id of this installation, which the first call creates."""
        async with self.database.writing() as connection:
            fresh = {"only": 1, "id": uuid.uuid4().hex}
            await insert_new(connection, schema.installation, [fresh])
            return str(await connection.scalar(select(schema.installation.c.id)))

    async def size(self) -> IndexSize:
        """Count what readers can ask for. Two indexes are read, and no row of a chunk."""
        counted = func.count(), func.coalesce(func.sum(schema.collections.c.document_count), 0)
        live = select(*counted).where(schema.collections.c.state == "live")
        every = select(func.count()).select_from(schema.chunks)
        async with self.database.reading() as connection:
            collections, documents = (await connection.execute(live)).one()
            chunks = await connection.scalar(every) or 0
            # An index knows the dead ones, which are few; the living are all others.
            dead = await connection.scalar(every.where(schema.chunks.c.died_at_s.is_not(None))) or 0
        return IndexSize(collections, int(documents), chunks - dead)

    async def check(self) -> ServiceHealth:
        """Run a trivial query."""
        timer = HealthTimer()
        try:
            async with self.database.reading() as connection:
                await connection.execute(text("SELECT 1"))
        except Overloaded as error:
            return ServiceHealth(status="degraded", message=error.message)
        except RetrievalUnavailable as error:
            return ServiceHealth(status="down", message=error.message)
        if not self.database.has_room():
            return timer.report("degraded", DiskFull().message)
        return timer.report()


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
    """Open the ledger in a Postgres database; alone, or shared with other processes."""
    async with open_postgres(url, shared=shared) as database:
        yield _ledger(database, now_s)


def _ledger(database: Database, now_s: Callable[[], float]) -> SqlLedger:
    return SqlLedger(
        collections=SqlCollections(database, now_s),
        documents=SqlDocuments(database, now_s),
        vectors=SqlEmbeddingCache(database, now_s),
        garbage=SqlGarbage(database),
        jobs=SqlJobs(database, now_s),
        books=SqlBooks(database),
        self_tests=SqlSelfTests(database),
        feedback=SqlFeedback(database),
        mirrors=SqlMirrors(database),
        database=database,
    )
