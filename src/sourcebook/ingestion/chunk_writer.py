"""Writes versions of documents: embed, put the points beside the live ones, then flip."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sourcebook.core.collections import Collection
from sourcebook.core.errors import (
    EmbeddingFailed,
    IndexMoved,
    ModelChanged,
    NotFound,
    RetrievalUnavailable,
)
from sourcebook.core.jobs import Fence
from sourcebook.core.ports import Embedder, Ledger, VectorStore
from sourcebook.core.refusals import PoisonText
from sourcebook.core.vectors import Embedding, Point, PointRef, check_vector
from sourcebook.core.writes import ChunkVersion, DocumentVersion, Write
from sourcebook.ingestion.identity import digest, new_id, point_ids

# Each move is an emptying or a rebuild that somebody else finished, so they come to an end.
MAX_MOVES = 20
EMBEDDED_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Embedded:
    """Embeddings by text hash, and how many of them a model was called for."""

    by_hash: Mapping[str, Embedding]
    fresh: int


class ChunkWriter:
    """A reader sees the old version of a document or the new one, whole, at any moment."""

    def __init__(self, ledger: Ledger, store: VectorStore) -> None:
        self._ledger = ledger
        self._store = store

    async def embed(self, embedder: Embedder, texts: Mapping[str, str]) -> Embedded:
        """The embeddings of texts by their hash; only what is not remembered is embedded."""
        known = await self._ledger.vectors.recall(embedder.revision, list(texts))
        missing = [text_hash for text_hash in texts if text_hash not in known]
        if not missing:
            return Embedded(known, fresh=0)
        fresh: dict[str, Embedding] = {}
        # Many at a time: the embedder batches better than we could. What is done is kept.
        for start in range(0, len(missing), EMBEDDED_AT_ONCE):
            some = missing[start : start + EMBEDDED_AT_ONCE]
            try:
                fresh |= await self._embed_new(embedder, {h: texts[h] for h in some})
            except PoisonText as error:
                raise _named_among(list(texts), some, error) from error
        return Embedded({**known, **fresh}, fresh=len(missing))

    async def _embed_new(
        self, embedder: Embedder, texts: Mapping[str, str]
    ) -> Mapping[str, Embedding]:
        fresh = await embedder.embed_documents(list(texts.values()))
        if len(fresh) != len(texts) or not all(fresh):
            raise EmbeddingFailed(
                f"The embedder gave {len(fresh)} embeddings for {len(texts)} texts"
            )
        await asyncio.to_thread(_check, fresh, embedder.dimensions)
        embedded = dict(zip(texts, fresh, strict=True))
        await self._ledger.vectors.remember(embedder.revision, embedded)
        return embedded

    async def write(
        self,
        collection: Collection,
        documents: Sequence[DocumentVersion],
        embeddings: Mapping[str, Embedding],
        fence: Fence | None = None,
    ) -> None:
        """Make the documents live, all in one step; for a job, as long as it holds its lease."""
        # In a thread: a thousand documents would hold up other requests.
        points = await asyncio.to_thread(lambda: list(points_of(documents, embeddings)))
        index_id = collection.generation.index_id
        for _ in range(MAX_MOVES):
            write = Write(new_id(), collection.id, index_id, tuple(documents), fence)
            ids = [point.ref.id for point in points]
            await self._ledger.documents.announce(write.id, index_id, ids)
            try:
                await self._store.upsert(index_id, points)
                await self._ledger.documents.commit(write)
            except (IndexMoved, RetrievalUnavailable) as error:
                # An index that was replaced long ago is gone: the write must go to the new one.
                current = await self._index_after_move(collection)
                if current == index_id:
                    raise error
                index_id = current
            else:
                return
        raise RetrievalUnavailable(
            f"Collection {collection.name!r} is being re-indexed; try again in a moment"
        )

    async def _index_after_move(self, collection: Collection) -> str:
        current = await self._ledger.collections.by_id(collection.id)
        if current is None:
            raise NotFound(f"Collection {collection.name!r} was deleted in the meantime")
        moved = current.generation
        if moved.model_revision != collection.generation.model_revision:
            raise ModelChanged(
                f"Collection {collection.name!r} has changed to model {moved.model!r} in the"
                " meantime; send the documents again"
            )
        return moved.index_id


def _named_among(all_: list[str], asked: Sequence[str], error: PoisonText) -> PoisonText:
    """The same refusal, with the places that the texts have among all."""
    places = [all_.index(asked[position]) for position in error.positions]
    return PoisonText(error.message, places)


def _check(embeddings: Sequence[Embedding], dimensions: int) -> None:
    for embedding in embeddings:
        for vector in embedding:
            check_vector(vector, dimensions)


def points_of(
    documents: Sequence[DocumentVersion], embeddings: Mapping[str, Embedding]
) -> Iterator[Point]:
    """The points that stand for these versions in an index."""
    for document in documents:
        for chunk in document.chunks:
            yield from points_of_chunk(chunk, embeddings[chunk.text_hash])


def points_of_chunk(version: ChunkVersion, embedding: Embedding) -> Iterator[Point]:
    """One point for each vector of the chunk."""
    chunk = version.chunk
    chunk_digest = digest(chunk)
    ids = point_ids(chunk.id, version.version, len(embedding))
    for point_id, vector in zip(ids, embedding, strict=True):
        ref = PointRef(point_id, chunk.id, chunk.document_id, version.version, chunk_digest)
        yield Point(ref=ref, metadata=chunk.metadata, dense=vector)
