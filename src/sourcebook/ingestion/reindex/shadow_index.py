"""Fills a new index and keeps it up to date with the ledger while readers use the old one."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from sourcebook.core.collections import Collection
from sourcebook.core.point_ids import point_ids
from sourcebook.core.ports import Embedder, Ledger, VectorStore
from sourcebook.core.vectors import Embedding, Point
from sourcebook.core.writes import ChunkVersion
from sourcebook.ingestion.book.lessons import embedded_text
from sourcebook.ingestion.chunk_writer import ChunkWriter, EmbedResult, points_of_chunk
from sourcebook.ingestion.identity import hash_text, new_id
from sourcebook.ingestion.job_runner import JobReport
from sourcebook.ingestion.overload_retry import OverloadRetry

# The chunk id and version that a point belongs to.
Key: TypeAlias = tuple[str, str]

BATCH_SIZE = 256
ANY_TIME = float("inf")


class ShadowIndex:
    """Tracks which chunks the new index holds and writes those that it lacks."""

    def __init__(
        self,
        ledger: Ledger,
        store: VectorStore,
        embedder: Embedder,
        index_id: str,
        *,
        retry: OverloadRetry,
        report: JobReport,
    ) -> None:
        self._ledger = ledger
        self._store = store
        self._embedder = embedder
        self._index_id = index_id
        self._retry = retry
        self._report = report
        self._writer = ChunkWriter(ledger, store)
        self._points: Counter[Key] = Counter()
        self._caught_up_to = 0

    async def load(self) -> None:
        """Read what the index holds already."""
        refs = [ref async for batch in self._store.scan(self._index_id) for ref in batch]
        # Read after the points: a writer announces its points before it writes them. A write that
        # began while the index was live may still commit, so its points are left alone.
        pending = await self._ledger.garbage.abandoned_writes(ANY_TIME)
        announced = {point_id for write in pending for point_id in write.point_ids}
        ours = [ref for ref in refs if ref.id not in announced]
        self._points.update((ref.chunk_id, ref.version) for ref in ours)

    async def catch_up(self, collection: Collection) -> bool:
        """Write what is live now and return whether the index holds all of it.

        It is complete only if nothing was committed after the collection was read, which the
        ledger checks when the index is switched.
        """
        live = await self._ledger.documents.live(collection.id)
        held = self._points.keys()
        self._report.found(len(live), len(live & held))
        if not live <= held:
            async for batch in self._ledger.documents.walk(collection.id, self._caught_up_to):
                missing = [version for version in batch if _key(version) not in held]
                if missing:
                    await self._add(missing)
            # Again: chunks that were added meanwhile may have been written too.
            live = await self._ledger.documents.live(collection.id)
        await self._retire(held - live)
        self._caught_up_to = collection.revision
        return live <= held

    async def _add(self, chunks: Sequence[ChunkVersion]) -> None:
        for start in range(0, len(chunks), BATCH_SIZE):
            self._report.at(None)
            some = chunks[start : start + BATCH_SIZE]
            embedded = await self._embed(some)
            pairs = [(chunk, embedded.by_hash[chunk.text_hash]) for chunk in some]
            # In a thread: hundreds of them would hold up other requests.
            points = await asyncio.to_thread(_points, pairs)
            await self._store.upsert(self._index_id, points)
            for chunk, embedding in pairs:
                self._points[_key(chunk)] = len(embedding)
            self._report.add(
                chunks_created=len(some),
                chunks_embedded=embedded.fresh,
                chunks_reused=len(some) - embedded.fresh,
            )

    async def _embed(self, chunks: Sequence[ChunkVersion]) -> EmbedResult:
        texts = {chunk.text_hash: embedded_text_of(chunk) for chunk in chunks}
        return await self._retry.call(lambda: self._writer.embed(self._embedder, texts))

    async def _retire(self, gone: Iterable[Key]) -> None:
        """Leave the points of deleted chunks to the sweeper: a reader may still need them."""
        keys = list(gone)
        if not keys:
            return
        ids = [
            id_
            for chunk, version in keys
            for id_ in point_ids(chunk, version, self._points[chunk, version])
        ]
        await self._ledger.documents.announce(new_id(), self._index_id, ids)
        for key in keys:
            del self._points[key]


def embedded_text_of(version: ChunkVersion) -> str:
    """Return the text to embed: the chunk's own, or with its heading if it is part of a lesson."""
    text = version.chunk.text
    return text if hash_text(text) == version.text_hash else embedded_text(version.chunk)


def _points(pairs: Iterable[tuple[ChunkVersion, Embedding]]) -> list[Point]:
    return [p for chunk, embedding in pairs for p in points_of_chunk(chunk, embedding)]


def _key(version: ChunkVersion) -> Key:
    return version.chunk.id, version.version
