"""Writes lessons into a collection: one group is read while others are embedded and written."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from sourcebook.core.books import FileProblem
from sourcebook.core.collections import Collection
from sourcebook.core.errors import EmbeddingFailed, RateLimited
from sourcebook.core.jobs import Fence
from sourcebook.core.ports import Embedder
from sourcebook.core.refusals import PoisonText, refuses_all
from sourcebook.ingestion.chunk_writer import ChunkWriter
from sourcebook.ingestion.lessons import Lesson
from sourcebook.ingestion.patience import Patience
from sourcebook.ingestion.reporting import Report

# While one group is stored, the model must not be idle.
GROUPS_AT_ONCE = 3
# So many lessons that cannot be embedded one after another: the fault is not theirs.
MAX_FAILED_IN_A_ROW = 3


@dataclass(frozen=True, slots=True)
class Target:
    """Where lessons are written to: a collection, its model, and the job's right to write."""

    collection: Collection
    embedder: Embedder
    fence: Fence


class BookWriter:
    """Embeds and stores groups of lessons, each group in one step."""

    def __init__(
        self, writer: ChunkWriter, target: Target, patience: Patience, report: Report
    ) -> None:
        self._writer = writer
        self._target = target
        self._patience = patience
        self._report = report
        self._failed_in_a_row = 0

    async def write(self, groups: AsyncIterator[list[Lesson]]) -> None:
        """Store all groups. When one fails, those that are begun are finished, and no others."""
        waiting: asyncio.Queue[list[Lesson] | None] = asyncio.Queue(maxsize=GROUPS_AT_ONCE)
        reader = asyncio.create_task(_read_ahead(groups, waiting))
        storers = [asyncio.create_task(self._store_all(waiting)) for _ in range(GROUPS_AT_ONCE)]
        try:
            await asyncio.gather(reader, *storers)
        except Exception:
            await _end(reader)
            _dismiss(waiting)
            await asyncio.gather(*storers, return_exceptions=True)
            raise
        finally:
            for task in (reader, *storers):
                await _end(task)

    async def _store_all(self, waiting: "asyncio.Queue[list[Lesson] | None]") -> None:
        while (group := await waiting.get()) is not None:
            await self._store(group)

    async def _store(self, group: list[Lesson]) -> None:
        try:
            await self._put(group)
        except RateLimited:
            raise
        except EmbeddingFailed as error:
            if refuses_all(error):
                raise
            if len(group) > 1:
                # One text that the model refuses must not keep the others out.
                for lesson in group:
                    await self._store([lesson])
                return
            self._give_up(group[0], error)

    async def _put(self, group: Sequence[Lesson]) -> None:
        texts = {h: text for lesson in group for h, text in lesson.embedded.items()}
        to = self._target
        embedded = await self._patience.call(lambda: self._writer.embed(to.embedder, texts))
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

    def _give_up(self, lesson: Lesson, error: EmbeddingFailed) -> None:
        if not isinstance(error, PoisonText):
            self._failed_in_a_row += 1
        if self._failed_in_a_row >= MAX_FAILED_IN_A_ROW:
            raise error
        path = str(lesson.document.metadata["source_file"])
        self._report.warn([FileProblem(path, f"The file could not be embedded: {error.message}")])
        self._report.add(files_failed=1, files_skipped=1, files_left=-1)


async def _read_ahead(
    groups: AsyncIterator[list[Lesson]], waiting: "asyncio.Queue[list[Lesson] | None]"
) -> None:
    async for group in groups:
        await waiting.put(group)
    for _ in range(GROUPS_AT_ONCE):
        await waiting.put(None)


def _dismiss(waiting: "asyncio.Queue[list[Lesson] | None]") -> None:
    """Send the storers home; what they have not begun is left for the next run."""
    while not waiting.empty():
        waiting.get_nowait()
    for _ in range(GROUPS_AT_ONCE):
        waiting.put_nowait(None)


async def _end(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.wait([task])
