"""Chroma's own library, of a folder or a server: it blocks, so its calls run in threads.

`HttpClient` and `PersistentClient` wrap the API that is used here. The first asks the server three
times before anything is asked of it, waits for ever, and obeys the proxies of the environment.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TypeVar

import httpx
from chromadb.api import ServerAPI
from chromadb.api.models.Collection import Collection
from chromadb.config import DEFAULT_DATABASE, DEFAULT_TENANT, Settings, System
from chromadb.errors import ChromaError, NotFoundError
from filelock import FileLock, Timeout

from sourcebook.core.errors import ConfigurationError, RetrievalUnavailable, SourcebookError
from sourcebook.core.metadata import Metadata
from sourcebook.providers.vector_stores.chroma.settings import ChromaServerSettings

T = TypeVar("T")

LOCK_NAME = "sourcebook.lock"
THREADS = 8
FOLDER_TIMEOUT_S = 60.0
COLLECTIONS_PAGE_SIZE = 200
# Measured with 1.5.9 on 20,000 random vectors of 384 dimensions, the hardest case: its defaults
# find 36 % of the nearest ten, these all of them, in 20 ms instead of 16.
HNSW = {"space": "cosine", "ef_search": 1_000, "ef_construction": 200, "max_neighbors": 32}
# How Chroma reports, as an internal error like any other, that a graph is not built yet.
NO_GRAPH = "Nothing found on disk"

_STATUSES: Mapping[int, str] = {
    401: "refused the token: check it in the settings",
    403: "does not allow this with the token that it was given",
    429: "takes no more requests for now: try again in a while",
}


class CollectionMissing(Exception):
    """The collection does not exist, or no longer."""


class Chroma:
    """The collections of one database. Raises RetrievalUnavailable, and CollectionMissing."""

    def __init__(
        self,
        api: ServerAPI,
        threads: ThreadPoolExecutor,
        timeout_s: float,
        tenant: str = DEFAULT_TENANT,
        database: str = DEFAULT_DATABASE,
    ) -> None:
        self._api = api
        self._threads = threads
        self._timeout_s = timeout_s
        self._where = {"tenant": tenant, "database": database}

    async def run(self, doing: str, work: Callable[[], T]) -> T:
        """Run what calls the library in a thread, and translate what it raises."""

        def translated() -> T:
            with _foreign_errors(doing):
                return work()

        try:
            async with asyncio.timeout(self._timeout_s):
                return await asyncio.get_running_loop().run_in_executor(self._threads, translated)
        except TimeoutError:
            raise _failure(f"took longer than {self._timeout_s:g} s: try again", doing) from None
        except RuntimeError as exc:
            raise _failure("is closed", doing) from exc

    async def check(self) -> None:
        """Raise RetrievalUnavailable if the database is not there, or does not answer."""
        name, tenant = self._where["database"], self._where["tenant"]
        try:
            # Read, because anything may answer at a wrong address.
            await self.run("checking it", lambda: self._api.get_database(name, tenant)["id"])
        except CollectionMissing:
            raise _failure(
                "has no such tenant or database: check them in the settings", "checking it"
            ) from None

    async def collections(self) -> list[Collection]:
        """List all collections."""

        def listed() -> list[Collection]:
            found: list[Collection] = []
            while True:
                page = self._api.list_collections(COLLECTIONS_PAGE_SIZE, len(found), **self._where)
                found += map(self._opened, page)
                if len(page) < COLLECTIONS_PAGE_SIZE:
                    return found

        return await self.run("listing its collections", listed)

    async def find(self, name: str) -> Collection:
        """Return the collection of that name; CollectionMissing."""
        found = await self.run(
            f"looking for {name!r}", lambda: self._api.get_collection(name, **self._where)
        )
        return self._opened(found)

    async def create(self, name: str, metadata: Metadata) -> None:
        """Create a collection with cosine distance; one that exists stays as it is."""

        def create() -> None:
            self._api.create_collection(
                name,
                metadata=dict(metadata),
                configuration={"hnsw": dict(HNSW)},
                get_or_create=True,
                **self._where,
            )

        await self.check()
        await self.run(f"creating {name!r}", create)

    async def drop(self, name: str) -> None:
        """Remove a collection and all its records; CollectionMissing."""
        await self.run(
            f"dropping {name!r}", lambda: self._api.delete_collection(name, **self._where)
        )

    def _opened(self, model: object) -> Collection:
        return Collection(client=self._api, model=model, embedding_function=None)


@asynccontextmanager
async def open_server(settings: ChromaServerSettings) -> AsyncIterator[Chroma]:
    """Open a client of a server. Nothing is asked yet, so the server may be down."""
    system = System(
        _options(
            chroma_api_impl="chromadb.api.fastapi.FastAPI",
            chroma_server_host=settings.url,
            # The URL has it.
            chroma_server_http_port=0,
            chroma_server_headers=settings.headers(),
        )
    )
    api = system.instance(ServerAPI)
    api._session.close()
    headers = api.get_request_headers()
    threads = ThreadPoolExecutor(THREADS, thread_name_prefix="chroma")
    with httpx.Client(headers=headers, timeout=settings.timeout_s, trust_env=False) as session:
        api._session = session
        try:
            yield Chroma(api, threads, settings.timeout_s, settings.tenant, settings.database)
        finally:
            threads.shutdown(wait=False, cancel_futures=True)


@asynccontextmanager
async def open_own_folder(
    folder: Path, timeout_s: float = FOLDER_TIMEOUT_S
) -> AsyncIterator[Chroma]:
    """Open a folder of ours, which is locked for this process.

    Measured with 1.5.9: a second process with the folder open goes on finding what the first has
    deleted.
    """
    with _locked(folder):
        async with _opened_folder(folder, "apply", timeout_s) as chroma:
            yield chroma


@asynccontextmanager
async def open_foreign_folder(folder: Path) -> AsyncIterator[Chroma]:
    """Open another tool's folder, without migrating it to another version."""
    if not (folder / "chroma.sqlite3").is_file():
        raise ConfigurationError(
            f"There is no Chroma database in the folder {folder.name!r}: name the folder that holds"
            " its chroma.sqlite3"
        )
    async with _opened_folder(folder, "validate", FOLDER_TIMEOUT_S) as chroma:
        yield chroma


@asynccontextmanager
async def _opened_folder(folder: Path, migrations: str, timeout_s: float) -> AsyncIterator[Chroma]:
    system = System(
        _options(
            chroma_api_impl="chromadb.api.rust.RustBindingsAPI",
            is_persistent=True,
            persist_directory=str(folder),
            migrations=migrations,
        )
    )
    threads = ThreadPoolExecutor(THREADS, thread_name_prefix="chroma")
    chroma = Chroma(system.instance(ServerAPI), threads, timeout_s)

    def close() -> None:
        # After all others of the queue: nothing may be running when the files are closed.
        threads.shutdown()
        system.stop()

    def start() -> None:
        with _foreign_errors("opening its folder"):
            system.start()

    await asyncio.to_thread(start)
    try:
        yield chroma
    finally:
        await asyncio.shield(asyncio.ensure_future(asyncio.to_thread(close)))


def _options(**given: object) -> Settings:
    # All that it would otherwise read from the environment, or from an .env that is not its own.
    return Settings(
        _env_file=None,
        anonymized_telemetry=False,
        chroma_otel_collection_endpoint="",
        chroma_otel_granularity=None,
        chroma_client_auth_provider=None,
        allow_reset=False,
        **given,
    )


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
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


@contextmanager
def _foreign_errors(doing: str) -> Iterator[None]:
    """Translate what Chroma raises, panics included; its own messages hold paths."""
    try:
        yield
    except SourcebookError:
        raise
    except NotFoundError:
        raise CollectionMissing from None
    except BaseException as exc:
        if not isinstance(exc, Exception) and type(exc).__name__ != "PanicException":
            raise
        raise _failure(_reason(exc), doing) from exc


def _reason(error: BaseException) -> str:
    refusal = error.__context__ if isinstance(error.__context__, httpx.HTTPStatusError) else None
    status = int(error.code()) if isinstance(error, ChromaError) else 0
    status = refusal.response.status_code if refusal is not None else status
    if status in _STATUSES:
        return _STATUSES[status]
    if NO_GRAPH in str(error):
        return "has not got its graph ready: try again, or rebuild the index"
    if isinstance(error, httpx.TimeoutException):
        return "took too long: try again"
    if isinstance(error, httpx.TransportError):
        return "cannot be reached: check its address in the settings, and that it is running"
    if isinstance(error, json.JSONDecodeError | LookupError | TypeError | AttributeError):
        return "gave a reply that is not Chroma's: check its address"
    return f"failed with {f'status {status}' if refusal else type(error).__name__}"


def _failure(reason: str, doing: str) -> RetrievalUnavailable:
    return RetrievalUnavailable(f"Chroma {reason} ({doing})")
