"""A store that writes what it is given into a ledger, and finds it by the ledger's mirror."""

import json
import uuid
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from sourcebook.core.collections import Collection, Generation
from sourcebook.core.documents import Chunk, Document
from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.core.vectors import (
    Embedding,
    IndexQuery,
    IndexSpec,
    Point,
    PointRef,
    ScoredPoint,
    SparseVector,
    TermMatches,
    TermQuery,
)
from sourcebook.core.writes import ChunkVersion, DocumentVersion, Write
from sourcebook.providers.vector_stores.index_checks import check_dimensions, missing_index
from sourcebook.providers.vector_stores.mirror.store import MirrorStore
from sourcebook.providers.vector_stores.unit_vectors import check_sparse, unit_vector

MODEL = "revision"
EVERY = 10_000


class WrittenTerms:
    """An encoder for chunks whose texts are their terms, as JSON."""

    revision = "bm25"

    def document(self, text: str, fields: Sequence[str] = ()) -> SparseVector:
        terms = json.loads(text)["terms"]
        return SparseVector(*(tuple(part) for part in zip(*terms, strict=True))) if terms else NONE

    def query(self, text: str) -> TermQuery:
        return TermQuery(self.document(text), 1)

    def of_words(self, words: Sequence[str]) -> list[int | None]:
        return [None for _ in words]


NONE = SparseVector((), ())


class MirroredStore(VectorStore):
    """Implements `VectorStore`, as far as what a ledger keeps allows."""

    finds_terms = True

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._mirror = MirrorStore(ledger.mirrors, WrittenTerms())
        self._collections: dict[str, Collection] = {}
        self._refs: dict[tuple[str, str, str], list[PointRef]] = {}

    async def create(self, spec: IndexSpec) -> None:
        known = self._collections.get(spec.id)
        if known is not None:
            check_dimensions(known.generation.dimensions, spec)
            return
        generation = Generation(spec.id, "minilm", MODEL, spec.dimensions)
        collection = Collection(uuid.uuid4().hex, spec.id, {}, generation)
        self._collections[spec.id] = collection
        await self._ledger.collections.create(collection)

    async def drop(self, index_id: str) -> None:
        if self._collections.pop(index_id, None) is not None:
            await self._ledger.collections.delete(index_id)
        await self._mirror.drop(index_id)

    async def indexes(self) -> set[str]:
        return await self._mirror.indexes()

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        collection = self._collection(index_id)
        chunks: defaultdict[str, dict[str, Point]] = defaultdict(dict)
        for point in points:
            unit_vector(point.dense, collection.generation.dimensions)
            if point.sparse is not None:
                check_sparse(point.sparse)
            chunks[point.ref.document_id][point.ref.id] = point
        if not chunks:
            return
        versions, embeddings = [], {}
        for document_id, by_id in chunks.items():
            version, embedding = _version_of(document_id, [*by_id.values()])
            versions.append(version)
            embeddings[version.chunks[0].text_hash] = embedding
            first = version.chunks[0]
            key = index_id, first.chunk.id, first.version
            self._refs[key] = [point.ref for point in by_id.values()]
        await self._ledger.vectors.remember(MODEL, embeddings)
        write = Write(uuid.uuid4().hex, collection.id, index_id, tuple(versions), announced=False)
        await self._ledger.documents.commit(write)

    async def delete(self, index_id: str, point_ids: Sequence[str]) -> None:
        gone = {
            ref.document_id
            for (index, *_), refs in self._refs.items()
            for ref in refs
            if index == index_id and ref.id in point_ids
        }
        collection = self._collection(index_id)
        await self._ledger.documents.delete(collection.id, sorted(gone))

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        # Of what was written here, all that was not replaced is live.
        found = await self._mirror.search(index_id, replace(query, revision=None))
        return [point._replace(ref=self._ref(index_id, point.ref)) for point in found]

    async def match(self, index_id: str, query: IndexQuery) -> TermMatches:
        every = await self._mirror.search(index_id, replace(query, limit=EVERY))
        ids = {self._ref(index_id, point.ref).id: point.ref.id for point in every}
        ours = {known: id_ for id_, known in ids.items()}
        context = tuple(ids[id_] for id_ in query.context if id_ in ids)
        found = await self._mirror.match(index_id, replace(query, context=context))
        return TermMatches(
            tuple(point._replace(ref=self._ref(index_id, point.ref)) for point in found.nearest),
            {ours[id_]: score for id_, score in found.scores.items()},
            found.is_everything,
            {ours[id_]: cosine for id_, cosine in found.context.items()},
        )

    async def count(self, index_id: str) -> int:
        return await self._mirror.count(index_id)

    async def scan(self, index_id: str) -> AsyncIterator[Sequence[PointRef]]:
        self._collection(index_id)
        async for refs in self._mirror.scan(index_id):
            yield [self._ref(index_id, ref) for ref in refs]

    async def check(self) -> ServiceHealth:
        return await self._mirror.check()

    def _collection(self, index_id: str) -> Collection:
        if index_id not in self._collections:
            raise RetrievalUnavailable(missing_index(index_id))
        return self._collections[index_id]

    def _ref(self, index_id: str, ref: PointRef) -> PointRef:
        return self._refs[index_id, ref.chunk_id, ref.version][ref.ordinal or 0]


def _version_of(document_id: str, points: Sequence[Point]) -> tuple[DocumentVersion, Embedding]:
    first = points[0]
    sparse = first.sparse or NONE
    terms = [*zip(sparse.indices, sparse.values, strict=True)]
    text = json.dumps({"terms": terms, "salt": uuid.uuid4().hex})
    ref = first.ref
    chunk = Chunk(ref.chunk_id, document_id, 0, text, first.metadata)
    # A ledger takes each version once.
    version = ChunkVersion(chunk, uuid.uuid4().hex, uuid.uuid4().hex, len(points))
    document = Document(document_id, text, first.metadata)
    return (
        DocumentVersion(document, version.version, version.text_hash, (version,)),
        tuple(tuple(point.dense) for point in points),
    )
