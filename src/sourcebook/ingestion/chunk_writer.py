"""Embeds and writes new versions of documents; readers see the old or the new one, whole."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Chunk, Document, Span
from sourcebook.core.errors import (
    EmbeddingFailed,
    IndexMoved,
    ModelChanged,
    NotFound,
    PoisonText,
    RetrievalDelayed,
    RetrievalUnavailable,
)
from sourcebook.core.jobs import Fence
from sourcebook.core.point_ids import point_ids
from sourcebook.core.ports import Embedder, Ledger, VectorStore
from sourcebook.core.vectors import Embedding, Point, PointRef, check_vector
from sourcebook.core.writes import ChunkVersion, DocumentVersion, Write
from sourcebook.ingestion.embedded_parts import split_parts
from sourcebook.ingestion.identity import digest, hash_text, new_id
from sourcebook.text.kept_segments import pack_segments, segments_of_chunks
from sourcebook.text.spans import cut_out

# The index moves when the collection is emptied or rebuilt meanwhile, which happens rarely.
MAX_MOVES = 20
EMBED_BATCH_SIZE = 1_000


@dataclass(frozen=True, slots=True)
class EmbedResult:
    """Embeddings by text hash; `fresh` is how many of them were not cached."""

    by_hash: Mapping[str, Embedding]
    fresh: int


class ChunkWriter:
    """Writes the points of new versions beside the live ones, then makes them live at once."""

    def __init__(self, ledger: Ledger, store: VectorStore) -> None:
        self._ledger = ledger
        self._store = store

    async def embed(self, embedder: Embedder, texts: Mapping[str, str]) -> EmbedResult:
        """Embed texts, given by their hash; cached embeddings are reused."""
        known = await self._ledger.vectors.reuse(embedder.revision, list(texts))
        missing = [text_hash for text_hash in texts if text_hash not in known]
        if not missing:
            return EmbedResult(known, fresh=0)
        fresh: dict[str, Embedding] = {}
        # Large batches: the embedder knows best how to batch. Each is cached once it is done.
        for start in range(0, len(missing), EMBED_BATCH_SIZE):
            some = missing[start : start + EMBED_BATCH_SIZE]
            try:
                fresh |= await self._embed_new(embedder, {h: texts[h] for h in some})
            except PoisonText as error:
                raise _positions_among(list(texts), some, error) from error
        return EmbedResult({**known, **fresh}, fresh=len(missing))

    async def _embed_new(
        self, embedder: Embedder, texts: Mapping[str, str]
    ) -> Mapping[str, Embedding]:
        fresh = await _embed_parts(embedder, list(texts.values()))
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
        """Make the documents live in one step; a job must still hold its lease (`fence`)."""
        # A store that finds what the ledger has needs none. In a thread: a thousand documents would
        # hold up other requests.
        points = (
            None
            if self._store.reads_ledger
            else await asyncio.to_thread(lambda: [*points_of(documents, embeddings)])
        )
        documents = await asyncio.to_thread(lambda: [*map(with_statements, documents)])
        index_id = collection.generation.index_id
        for _ in range(MAX_MOVES):
            write = Write(
                new_id(), collection.id, index_id, tuple(documents), fence, points is not None
            )
            try:
                if points is not None:
                    ids = [point.ref.id for point in points]
                    await self._ledger.documents.announce(write.id, index_id, ids)
                    await self._store.upsert(index_id, points)
                await self._ledger.documents.commit(write)
            except (IndexMoved, RetrievalUnavailable) as error:
                # The index was replaced, perhaps dropped already: write to the new one.
                current = await self._index_after_move(collection)
                if current == index_id:
                    raise error
                index_id = current
            else:
                return
        raise RetrievalDelayed(
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


def new_version(
    document: Document,
    chunks: Sequence[Chunk],
    text_hashes: Sequence[str],
    embeddings: Mapping[str, Embedding],
) -> DocumentVersion:
    """Build a version that can go live; `text_hashes` are those of the embedded texts."""
    version = new_id()
    return DocumentVersion(
        document,
        version,
        hash_text(document.text),
        tuple(
            ChunkVersion(chunk, version, text_hash, len(embeddings[text_hash]))
            for chunk, text_hash in zip(chunks, text_hashes, strict=True)
        ),
    )


def with_statements(version: DocumentVersion) -> DocumentVersion:
    """Read what each chunk says in the whole document: answers look it up."""
    source = version.document.text
    # A document of the collections contract is one chunk, which says nothing of its place.
    all_ = Span(0, len(source))
    extents = [one.chunk.extent.spans if one.chunk.extent else (all_,) for one in version.chunks]
    # What was imported may stand in another order, or nowhere.
    spans = [one if _are_in_order(one, len(source)) else () for one in extents]
    segments = segments_of_chunks(source, spans)
    return replace(
        version,
        chunks=tuple(
            # Or not where it says.
            replace(row, statements=pack_segments(found, row.chunk.text))
            if cut_out(source, here) == row.chunk.text
            else row
            for row, here, found in zip(version.chunks, spans, segments, strict=True)
        ),
    )


def _are_in_order(spans: Sequence[Span], length: int) -> bool:
    places = [0, *chain.from_iterable((one.start, one.end) for one in spans), length]
    return all(one <= two for one, two in pairwise(places))


def points_of(
    documents: Sequence[DocumentVersion], embeddings: Mapping[str, Embedding]
) -> Iterator[Point]:
    """Yield the points of these versions."""
    for document in documents:
        for chunk in document.chunks:
            yield from points_of_chunk(chunk, embeddings[chunk.text_hash])


def points_of_chunk(version: ChunkVersion, embedding: Embedding) -> Iterator[Point]:
    """Yield one point for each vector of the chunk."""
    chunk = version.chunk
    chunk_digest = digest(chunk)
    ids = point_ids(chunk.id, version.version, len(embedding))
    for ordinal, (point_id, vector) in enumerate(zip(ids, embedding, strict=True)):
        ref = PointRef(
            point_id,
            chunk.id,
            chunk.document_id,
            version.version,
            chunk_digest,
            ordinal=ordinal,
        )
        yield Point(ref, chunk.metadata, vector, chunk=chunk, vectors=len(embedding))


async def _embed_parts(embedder: Embedder, texts: Sequence[str]) -> list[Embedding]:
    """Embed texts; the embedding of one that has parts holds the vectors of all its parts."""
    parts = [split_parts(text) for text in texts]
    owners = [number for number, some in enumerate(parts) for _ in some]
    try:
        vectors = await embedder.embed_documents(list(chain.from_iterable(parts)))
    except PoisonText as error:
        places = sorted({owners[position] for position in error.positions})
        raise PoisonText(error.message, places) from error
    if len(vectors) != len(owners) or not all(vectors):
        raise EmbeddingFailed(
            f"The embedder gave {len(vectors)} embeddings for {len(owners)} texts"
        )
    left = iter(vectors)
    return [_joined([*islice(left, len(some))]) for some in parts]


def _joined(parts: Sequence[Embedding]) -> Embedding:
    """Join the vectors of parts: the first of each, so that searches know them, then the rest."""
    return (*(part[0] for part in parts), *chain.from_iterable(part[1:] for part in parts))


def _positions_among(all_: list[str], asked: Sequence[str], error: PoisonText) -> PoisonText:
    """Translate the positions in one batch into positions among all texts."""
    places = [all_.index(asked[position]) for position in error.positions]
    return PoisonText(error.message, places)


def _check(embeddings: Sequence[Embedding], dimensions: int) -> None:
    for embedding in embeddings:
        for vector in embedding:
            check_vector(vector, dimensions)
