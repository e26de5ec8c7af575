"""EmbeddedChroma: Chroma in this process, with its files in one folder.

Measured with 1.5.9: a second process with the same folder open goes on finding what the first has
deleted. So a folder belongs to one process, which a lock file enforces. Product telemetry does
nothing in this version; it is switched off all the same, and so is tracing.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from filelock import FileLock, Timeout

from sourcebook.core.errors import ConfigurationError, RetrievalUnavailable
from sourcebook.core.metadata import Metadata
from sourcebook.providers.vector_stores.chroma.client import (
    HNSW,
    ChromaBatch,
    ChromaCollection,
    ChromaFailed,
    ChromaRecord,
    CollectionMissing,
    CollectionTaken,
    GraphNotReady,
    Where,
)
from sourcebook.providers.vector_stores.local_folder import FreeSpace

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

_T = TypeVar("_T")

INSTALL = "pip install 'sourcebook[chroma]'"
LOCK_NAME = "sourcebook.lock"
THREADS = 4
DEFAULT_TIMEOUT_S = 60.0
COLLECTIONS_PAGE_SIZE = 500


class EmbeddedChroma:
    """Runs Chroma's blocking client in threads. `space` keeps writes from filling the disk."""

    def __init__(
        self,
        client: "ClientAPI",
        threads: ThreadPoolExecutor,
        space: FreeSpace,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> None:
        self._client = client
        self._threads = threads
        self._space = space
        self._timeout_s = timeout_s

    async def heartbeat(self) -> None:
        await self._run(self._client.count_collections)

    async def collections(self) -> list[ChromaCollection]:

        def listed() -> list[ChromaCollection]:
            found: list[ChromaCollection] = []
            while True:
                page = self._client.list_collections(COLLECTIONS_PAGE_SIZE, len(found))
                found += map(_described, page)
                if len(page) < COLLECTIONS_PAGE_SIZE:
                    return found

        return await self._run(listed)

    async def find(self, name: str) -> ChromaCollection:
        return await self._run(lambda: _described(self._named(name)))

    async def create(self, name: str, metadata: Metadata) -> ChromaCollection:
        return await self._run(lambda: self._create(name, metadata))

    async def drop(self, name: str) -> None:
        await self._run(lambda: self._client.delete_collection(name))

    async def upsert(self, collection: ChromaCollection, batch: ChromaBatch) -> None:

        def write() -> None:
            self._check_space()
            self._opened(collection).upsert(
                ids=list(batch.ids),
                embeddings=np.asarray(batch.vectors, dtype=np.float32),
                metadatas=[dict(metadata) for metadata in batch.metadatas],
            )

        await self._run(write)

    async def delete(self, collection: ChromaCollection, ids: Sequence[str]) -> None:
        await self._run(lambda: self._opened(collection).delete(ids=list(ids)))

    async def count(self, collection: ChromaCollection) -> int:
        return await self._run(lambda: int(self._opened(collection).count()))

    async def ids(self, collection: ChromaCollection, where: Where | None) -> list[str]:

        def passing() -> list[str]:
            return list(self._opened(collection).get(where=where, include=[])["ids"])

        return await self._run(passing)

    async def records(
        self,
        collection: ChromaCollection,
        ids: Sequence[str] | None = None,
        *,
        limit: int | None = None,
        vectors: bool = False,
    ) -> list[ChromaRecord]:
        include = ["metadatas", "documents", *(["embeddings"] if vectors else [])]

        def read() -> list[ChromaRecord]:
            wanted = None if ids is None else list(ids)
            found = self._opened(collection).get(ids=wanted, limit=limit, include=include)
            vectors = found["embeddings"]
            return [
                ChromaRecord(
                    record_id,
                    metadata or {},
                    document,
                    () if vectors is None else vectors[place],
                )
                for place, (record_id, metadata, document) in enumerate(
                    zip(found["ids"], found["metadatas"], found["documents"], strict=True)
                )
            ]

        return await self._run(read)

    async def nearest(
        self, collection: ChromaCollection, vector: Sequence[float], limit: int, where: Where | None
    ) -> list[ChromaRecord]:

        def search() -> list[ChromaRecord]:
            found = self._opened(collection).query(
                query_embeddings=np.asarray([vector], dtype=np.float32),
                n_results=limit,
                where=where,
                include=["metadatas", "documents", "distances"],
            )
            rows = zip(
                *(found[key][0] for key in ("ids", "metadatas", "documents", "distances")),
                strict=True,
            )
            return [
                ChromaRecord(record_id, metadata or {}, document, distance=distance)
                for record_id, metadata, document, distance in rows
            ]

        return await self._run(search)

    def _create(self, name: str, metadata: Metadata) -> ChromaCollection:
        self._check_space()
        created = self._client.create_collection(
            name,
            metadata=dict(metadata),
            configuration={"hnsw": dict(HNSW)},
            embedding_function=None,
        )
        return _described(created)

    def _named(self, name: str) -> "Collection":
        return self._client.get_collection(name, embedding_function=None)

    def _opened(self, collection: ChromaCollection) -> "Collection":
        # By name, as the client has no other way; one that was created anew has another id.
        found = self._named(collection.name)
        if str(found.id) != collection.id:
            raise CollectionMissing
        return found

    def _check_space(self) -> None:
        try:
            self._space.check()
        except RetrievalUnavailable as exc:
            raise ChromaFailed(f"is not written to: {exc.message}") from exc

    async def _run(self, work: Callable[[], _T]) -> _T:
        def translated() -> _T:
            with _foreign_errors():
                return work()

        try:
            async with asyncio.timeout(self._timeout_s):
                return await asyncio.get_running_loop().run_in_executor(self._threads, translated)
        except TimeoutError:
            raise ChromaFailed(f"took longer than {self._timeout_s:g} s: try again") from None
        except RuntimeError as exc:
            raise ChromaFailed("is closed") from exc


@asynccontextmanager
async def open_embedded_chroma(
    folder: Path, *, timeout_s: float = DEFAULT_TIMEOUT_S, min_free_bytes: int | None = None
) -> AsyncIterator[EmbeddedChroma]:
    """Open Chroma in a folder of ours, which is locked for this process."""
    with _threads() as threads, _owned(folder):
        async with _opened(folder, threads, migrations="apply") as client:
            space = (
                FreeSpace(folder) if min_free_bytes is None else FreeSpace(folder, min_free_bytes)
            )
            yield EmbeddedChroma(client, threads, space, timeout_s)


@asynccontextmanager
async def open_foreign_chroma(
    folder: Path, *, timeout_s: float = DEFAULT_TIMEOUT_S
) -> AsyncIterator[EmbeddedChroma]:
    """Open Chroma in another tool's folder, without migrating it to another version."""
    if not (folder / "chroma.sqlite3").is_file():
        raise ConfigurationError(
            f"There is no Chroma database in the folder {folder.name!r}: name the folder that holds"
            " its chroma.sqlite3"
        )
    with _threads() as threads:
        async with _opened(folder, threads, migrations="validate") as client:
            yield EmbeddedChroma(client, threads, FreeSpace(folder), timeout_s)


@contextmanager
def _threads() -> Iterator[ThreadPoolExecutor]:
    threads = ThreadPoolExecutor(THREADS, thread_name_prefix="chroma")
    try:
        yield threads
    finally:
        threads.shutdown(wait=False)


@contextmanager
def _owned(folder: Path) -> Iterator[None]:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Not bound to a thread: who closes may be another one than who opened.
        lock = FileLock(folder / LOCK_NAME, thread_local=False)
        lock.acquire(timeout=0)
    except Timeout:
        raise RetrievalUnavailable(
            "The Chroma folder is in use by another process, and would give stale answers to a"
            " second one. Stop that process, or run Chroma as a server"
        ) from None
    except OSError as exc:
        raise RetrievalUnavailable(
            f"The Chroma folder {folder.name!r} cannot be used: {exc.strerror}"
        ) from None
    try:
        yield
    finally:
        lock.release()


@asynccontextmanager
async def _opened(
    folder: Path, threads: ThreadPoolExecutor, migrations: str
) -> AsyncIterator["ClientAPI"]:
    loop = asyncio.get_running_loop()
    try:
        client = await loop.run_in_executor(threads, _connect, folder, migrations)
    except ChromaFailed as exc:
        raise RetrievalUnavailable(f"Chroma {exc.message} (opening its folder)") from exc
    try:
        yield client
    finally:
        # After all others of the queue: nothing may be running when the files are closed.
        await asyncio.shield(asyncio.ensure_future(_close(client, threads)))


async def _close(client: "ClientAPI", threads: ThreadPoolExecutor) -> None:
    await asyncio.to_thread(threads.shutdown)
    await asyncio.to_thread(client.close)


def _connect(folder: Path, migrations: str) -> "ClientAPI":
    try:
        # An optional library, and slow to import.
        import chromadb  # noqa: PLC0415
        from chromadb.config import Settings  # noqa: PLC0415
    except ImportError as exc:
        raise ConfigurationError(f"Chroma inside the service needs its library: {INSTALL}") from exc
    # All that it would otherwise read from the environment, or from an .env that is not its own.
    settings = Settings(
        _env_file=None,
        anonymized_telemetry=False,
        chroma_otel_collection_endpoint="",
        chroma_otel_granularity=None,
        chroma_api_impl="chromadb.api.rust.RustBindingsAPI",
        allow_reset=False,
        migrations=migrations,
    )
    with _foreign_errors():
        return chromadb.PersistentClient(str(folder), settings=settings)


@contextmanager
def _foreign_errors() -> Iterator[None]:
    """Translate what Chroma raises, panics included; its own messages hold paths."""
    try:
        yield
    except (ChromaFailed, CollectionMissing, CollectionTaken):
        raise
    except BaseException as exc:
        if not isinstance(exc, Exception) and type(exc).__name__ != "PanicException":
            raise
        raise _meaning(exc) from exc


def _meaning(error: BaseException) -> Exception:
    from chromadb.errors import NotFoundError, UniqueConstraintError  # noqa: PLC0415

    if isinstance(error, NotFoundError):
        return CollectionMissing()
    if isinstance(error, UniqueConstraintError) or "already exists" in str(error):
        return CollectionTaken()
    if GraphNotReady.REPORT in str(error):
        return GraphNotReady()
    return ChromaFailed(f"failed with {type(error).__name__}")


def _described(collection: "Collection") -> ChromaCollection:
    configuration = collection.configuration_json or {}
    engine = configuration.get("hnsw") or configuration.get("spann") or {}
    metadata = collection.metadata or {}
    # Older versions wrote the space into the metadata.
    space = engine.get("space") or metadata.get("hnsw:space") or "l2"
    dimensions = collection.get_model().dimension
    return ChromaCollection(str(collection.id), collection.name, metadata, str(space), dimensions)
