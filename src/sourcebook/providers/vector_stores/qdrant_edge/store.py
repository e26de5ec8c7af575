"""QdrantEdgeStore: a vector store in this process, with one folder for each index."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from sourcebook.core.errors import DiskFull, RetrievalUnavailable
from sourcebook.core.health import HealthTimer, ServiceHealth
from sourcebook.core.vectors import (
    IndexQuery,
    IndexSpec,
    Point,
    PointRef,
    ScoredPoint,
    TermMatches,
)
from sourcebook.providers.declaration import Opening
from sourcebook.providers.vector_stores.local_folder import MIN_FREE_BYTES, FreeSpace, folder_inside
from sourcebook.providers.vector_stores.qdrant_edge.settings import QdrantEdgeSettings

if TYPE_CHECKING:
    from sourcebook.providers.vector_stores.qdrant_edge.folder import IndexFolder
    from sourcebook.providers.vector_stores.qdrant_edge.index import OpenIndex

log = logging.getLogger(__name__)
_T = TypeVar("_T")

THREADS = 4
# Filters name any field they like; beyond this many, further fields are searched unindexed.
MAX_PAYLOAD_INDEXES = 64
PAGE_SIZE = 1_000
# An open index takes 40 MB of memory, most of which the system can take back, and opening one that
# is small holds the process for some 60 ms.
MAX_OPEN_INDEXES = 64


@asynccontextmanager
async def open_store(
    settings: QdrantEdgeSettings, opening: Opening
) -> AsyncIterator["QdrantEdgeStore"]:
    """Open the store in its folder inside the data folder."""
    async with QdrantEdgeStore(folder_inside(opening.data_dir, settings.path)) as store:
        yield store


class QdrantEdgeStore:
    """An embedded vector store, open while it is entered. Only one process can have it open.

    Point ids must be UUIDs. The engine works in threads; see `shard` for why writes
    of more than a few thousand points at once still pause the process.
    """

    def __init__(
        self,
        root: Path,
        *,
        max_payload_indexes: int = MAX_PAYLOAD_INDEXES,
        min_free_bytes: int = MIN_FREE_BYTES,
        max_open_indexes: int = MAX_OPEN_INDEXES,
    ) -> None:
        self._root = root
        self._space = FreeSpace(root, min_free_bytes)
        self._max_payload_indexes = max_payload_indexes
        self._max_open_indexes = max_open_indexes
        self._folder: IndexFolder | None = None
        self._threads: ThreadPoolExecutor | None = None

    async def __aenter__(self) -> Self:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="qdrant-edge")
        try:
            self._folder = await self._run(self._open_folder)
        except BaseException:
            self._threads.shutdown(wait=False)
            self._threads = None
            raise
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        folder, threads = self._opened(), self._threads
        self._folder = None
        try:
            await self._run(folder.close)
        finally:
            self._threads = None
            if threads is not None:
                threads.shutdown(wait=False)

    async def create(self, spec: IndexSpec) -> None:
        folder = self._opened()
        await self._run(self._space.check)
        await self._run(folder.create, spec)

    async def drop(self, index_id: str) -> None:
        await self._run(self._opened().drop, index_id)

    async def indexes(self) -> set[str]:
        return await self._run(self._opened().ids)

    async def damaged(self) -> set[str]:
        """The indexes that turned out to be damaged when they were opened."""
        return await self._run(self._opened().broken)

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        """Add points, all or none; a point with a known id is replaced. Durable on return."""
        await self._run(self._space.check)
        await self._write(index_id, lambda index: index.upsert(points))

    async def delete(self, index_id: str, point_ids: Sequence[str]) -> None:
        """Remove points by id; unknown ids are ignored. Durable on return."""
        await self._write(index_id, lambda index: index.delete(point_ids))

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        return await self._use(index_id, lambda index: index.search(query))

    async def match(self, index_id: str, query: IndexQuery) -> TermMatches:
        return await self._use(index_id, lambda index: index.match(query))

    async def count(self, index_id: str) -> int:
        return await self._use(index_id, lambda index: index.count())

    async def scan(self, index_id: str) -> AsyncIterator[Sequence[PointRef]]:
        offset: str | None = None
        while True:
            refs, offset = await self._page(index_id, offset)
            if refs:
                yield refs
            if offset is None:
                return

    async def check(self) -> ServiceHealth:
        """Check that the store is open, its indexes are intact and the disk has space."""
        timer = HealthTimer()
        try:
            broken = await self._run(self._opened().broken)
        except RetrievalUnavailable as exc:
            return ServiceHealth("down", message=exc.message)
        if broken:
            message = f"{len(broken)} damaged: `sourcebook rebuild` writes them anew"
            return timer.report("degraded", f"Indexes that cannot be opened: {message}")
        if not self._space.enough:
            return timer.report("degraded", DiskFull().message)
        return timer.report()

    def _open_folder(self) -> "IndexFolder":
        # The engine's library is large; processes that open no store must not load it.
        from sourcebook.providers.vector_stores.qdrant_edge.folder import (  # noqa: PLC0415
            IndexFolder,
        )

        folder = IndexFolder(self._root, self._max_payload_indexes, self._max_open_indexes)
        folder.open()
        return folder

    def _opened(self) -> "IndexFolder":
        if self._folder is None:
            raise RetrievalUnavailable("The vector store is not open")
        return self._folder

    async def _page(self, index_id: str, offset: str | None) -> tuple[list[PointRef], str | None]:
        return await self._use(index_id, lambda index: index.page(offset, PAGE_SIZE))

    async def _use(self, index_id: str, call: Callable[["OpenIndex"], _T]) -> _T:
        """Call something with an open index, in a thread: it may have to be opened first."""
        folder = self._opened()

        def use() -> _T:
            with folder.using(index_id) as index:
                return call(index)

        return await self._run(use)

    async def _run(self, call: Callable[..., _T], *args: object) -> _T:
        if self._threads is None:
            raise RetrievalUnavailable("The vector store is not open")
        return await asyncio.get_running_loop().run_in_executor(self._threads, call, *args)

    async def _write(self, index_id: str, call: Callable[["OpenIndex"], None]) -> None:
        def write(index: "OpenIndex") -> bool:
            call(index)
            return index.needs_tidying

        if await self._use(index_id, write) and self._threads is not None:
            self._threads.submit(_tidy, self._opened(), index_id)


def _tidy(folder: "IndexFolder", index_id: str) -> None:
    try:
        with folder.using(index_id) as index:
            index.tidy()
    except RetrievalUnavailable as exc:
        log.warning("index_not_tidied", extra={"index_id": index_id, "reason": exc.message})
