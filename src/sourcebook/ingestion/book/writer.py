"""Embeds and writes groups of lessons concurrently while further ones are read."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from sourcebook.core.book_source import FileProblem
from sourcebook.core.collections import Collection
from sourcebook.core.errors import EmbeddingFailed, PoisonText, RateLimited, refuses_all
from sourcebook.core.jobs import Fence
from sourcebook.core.ports import Embedder
from sourcebook.ingestion.book.lessons import LessonDocument
from sourcebook.ingestion.chunk_writer import ChunkWriter
from sourcebook.ingestion.job_runner import JobReport
from sourcebook.ingestion.overload_retry import OverloadRetry

# More than one: the model must not be idle while a group is stored.
MAX_CONCURRENT_GROUPS = 3
# When as many lessons in a row cannot be embedded, the fault is the model's, not theirs.
MAX_FAILED_IN_A_ROW = 3


@dataclass(frozen=True, slots=True)
class WriteTarget:
    """Where lessons are written to: a collection, its model, and the fence of the job's lease."""

    collection: Collection
    embedder: Embedder
    fence: Fence


class BookWriter:
    """Embeds and stores groups of lessons; each group goes live in one step."""

    def __init__(
        self, writer: ChunkWriter, target: WriteTarget, retry: OverloadRetry, report: JobReport
    ) -> None:
        self._writer = writer
        self._target = target
        self._retry = retry
        self._report = report
        self._failed_in_a_row = 0
        # The first file of the group that was begun last, and whether further ones are being read.
        self._storing: str | None = None
        self._reading = True

    async def write(self, groups: AsyncIterator[list[LessonDocument]]) -> None:
        """Store all groups. When one fails, those in progress are finished and no others begun."""
        waiting: asyncio.Queue[list[LessonDocument] | None] = asyncio.Queue(
            maxsize=MAX_CONCURRENT_GROUPS
        )
        reader = asyncio.create_task(self._read_ahead(groups, waiting))
        storers = [
            asyncio.create_task(self._store_all(waiting)) for _ in range(MAX_CONCURRENT_GROUPS)
        ]
        try:
            await asyncio.gather(reader, *storers)
        except Exception:
            await _end(reader)
            _stop_storers(waiting)
            await asyncio.gather(*storers, return_exceptions=True)
            raise
        finally:
            for task in (reader, *storers):
                await _end(task)

    async def _store_all(self, waiting: "asyncio.Queue[list[LessonDocument] | None]") -> None:
        while (group := await waiting.get()) is not None:
            self._storing = _path(group[0])
            if not self._reading:
                self._report.at(self._storing)
            await self._store(group)

    async def _read_ahead(
        self,
        groups: AsyncIterator[list[LessonDocument]],
        waiting: "asyncio.Queue[list[LessonDocument] | None]",
    ) -> None:
        """Read groups. While that has to wait, the current file is one that is being embedded."""
        async for group in groups:
            self._reading = False
            self._report.at(self._storing or _path(group[0]))
            await waiting.put(group)
            self._reading = True
        self._reading = False
        for _ in range(MAX_CONCURRENT_GROUPS):
            await waiting.put(None)

    async def _store(self, group: list[LessonDocument]) -> None:
        try:
            await self._put(group)
        except RateLimited:
            raise
        except EmbeddingFailed as error:
            if refuses_all(error):
                raise
            if len(group) > 1:
                # One text that the model refuses must not keep the other lessons out.
                for lesson in group:
                    await self._store([lesson])
                return
            self._give_up(group[0], error)

    async def _put(self, group: Sequence[LessonDocument]) -> None:
        texts = {h: text for lesson in group for h, text in lesson.embedded.items()}
        to = self._target
        embedded = await self._retry.call(lambda: self._writer.embed(to.embedder, texts))
        versions = [lesson.version(embedded.by_hash) for lesson in group]
        await self._writer.write(to.collection, versions, embedded.by_hash, to.fence)
        self._failed_in_a_row = 0
        chunks = sum(len(lesson.chunks) for lesson in group)
        self._report.add(
            files_processed=len(group),
            files_left=-len(group),
            chunks_created=chunks,
            chunks_embedded=embedded.fresh,
            chunks_reused=chunks - embedded.fresh,
        )

    def _give_up(self, lesson: LessonDocument, error: EmbeddingFailed) -> None:
        if not isinstance(error, PoisonText):
            self._failed_in_a_row += 1
        if self._failed_in_a_row >= MAX_FAILED_IN_A_ROW:
            raise error
        self._report.warn(
            [FileProblem(_path(lesson), f"The file could not be embedded: {error.message}")]
        )
        self._report.add(files_failed=1, files_skipped=1, files_left=-1)


def _path(lesson: LessonDocument) -> str:
    return str(lesson.document.metadata["source_file"])


def _stop_storers(waiting: "asyncio.Queue[list[LessonDocument] | None]") -> None:
    """Drop the groups that nobody has begun: they are left for the next run."""
    while not waiting.empty():
        waiting.get_nowait()
    for _ in range(MAX_CONCURRENT_GROUPS):
        waiting.put_nowait(None)


async def _end(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.wait([task])
