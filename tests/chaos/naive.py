"""Naive writers, as one would write them at first. The checks must find each of them out."""

from collections.abc import Callable, Mapping, Sequence

from sourcebook.core.collections import Collection
from sourcebook.core.jobs import Fence
from sourcebook.core.vectors import Embedding
from sourcebook.core.writes import DocumentVersion, Write
from sourcebook.ingestion.chunk_writer import ChunkWriter, points_of
from sourcebook.ingestion.collection_documents import Ingestor
from sourcebook.ingestion.identity import new_id
from tests.chaos.world import Parts


class _Naive(ChunkWriter):
    async def _write(self, collection: Collection, documents: Sequence[DocumentVersion]) -> Write:
        index_id = collection.generation.index_id
        write = Write(new_id(), collection.id, index_id, tuple(documents))
        # The ledger takes no other write, but nobody learns of the points.
        await self._ledger.documents.announce(write.id, index_id, [])
        return write


class _DeletesFirst(_Naive):
    """Makes room for the new version before the new version is there."""

    async def write(
        self,
        collection: Collection,
        documents: Sequence[DocumentVersion],
        embeddings: Mapping[str, Embedding],
        fence: Fence | None = None,
    ) -> None:
        ids = [version.document.id for version in documents]
        await self._ledger.documents.delete(collection.id, ids)
        await super().write(collection, documents, embeddings)


class _FlipsFirst(_Naive):
    """Tells readers of points that are not there yet."""

    async def write(
        self,
        collection: Collection,
        documents: Sequence[DocumentVersion],
        embeddings: Mapping[str, Embedding],
        fence: Fence | None = None,
    ) -> None:
        write = await self._write(collection, documents)
        await self._ledger.documents.commit(write)
        await self._store.upsert(write.index_id, list(points_of(documents, embeddings)))


class _Unannounced(_Naive):
    """Writes points that nobody knows of if it never comes to the flip."""

    async def write(
        self,
        collection: Collection,
        documents: Sequence[DocumentVersion],
        embeddings: Mapping[str, Embedding],
        fence: Fence | None = None,
    ) -> None:
        write = await self._write(collection, documents)
        await self._store.upsert(write.index_id, list(points_of(documents, embeddings)))
        await self._ledger.documents.commit(write)


class _OneByOne(_Naive):
    """Takes a batch apart."""

    async def write(
        self,
        collection: Collection,
        documents: Sequence[DocumentVersion],
        embeddings: Mapping[str, Embedding],
        fence: Fence | None = None,
    ) -> None:
        for document in documents:
            await super().write(collection, [document], embeddings)


class _ClearsAtOnce(_Naive):
    """Deletes the old points itself, before it knows that the flip succeeds."""

    async def write(
        self,
        collection: Collection,
        documents: Sequence[DocumentVersion],
        embeddings: Mapping[str, Embedding],
        fence: Fence | None = None,
    ) -> None:
        ids = {version.document.id for version in documents}
        index_id = collection.generation.index_id
        async for batch in self._store.scan(index_id):
            old = [ref.id for ref in batch if ref.document_id in ids]
            await self._store.delete(index_id, old)
        await super().write(collection, documents, embeddings)


def _ingesting(writer: type[ChunkWriter]) -> Callable[[Parts], Ingestor]:
    def ingesting(parts: Parts) -> Ingestor:
        ingestor = parts.ingestor
        ingestor._writer = writer(parts.ledger, parts.store)
        return ingestor

    ingesting.__name__ = writer.__name__.removeprefix("_")
    return ingesting


# Those whose faults show without a crash.
VISIBLY_NAIVE: tuple[type[ChunkWriter], ...] = (_DeletesFirst, _FlipsFirst, _ClearsAtOnce)
NAIVE_WRITERS = tuple(
    _ingesting(writer)
    for writer in (_DeletesFirst, _FlipsFirst, _Unannounced, _OneByOne, _ClearsAtOnce)
)
