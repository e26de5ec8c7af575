"""TermIndexingStore: gives the points that are written to a store the terms of their chunks."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace

from sourcebook.core.collections import Collection
from sourcebook.core.health import ServiceHealth
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import ReadableStore, TermEncoder, TermStore, VectorStore
from sourcebook.core.vectors import (
    IndexQuery,
    IndexSpec,
    Point,
    PointRef,
    ScoredPoint,
    TermMatches,
)

# Where titles and headings of a chunk are; they count as weak fields.
TITLE_FIELDS = ("lesson_title", "title", "page_title", "section_title", "section_heading")
HEADING_FIELDS = ("headings", "section_titles")


def index_terms(store: VectorStore, encoder: TermEncoder) -> VectorStore:
    """Return the store, writing terms if it can find points by them."""
    if not isinstance(store, TermStore):
        return store
    if isinstance(store, ReadableStore):
        return ReadableTermIndexingStore(store, store, encoder)
    return TermIndexingStore(store, encoder)


class TermIndexingStore:
    """Wraps a store, so that no way of writing to it can forget the terms.

    Points with the terms of another encoder, or of none, count as outdated: they are found all the
    same, and a rebuild replaces them without embedding anything.
    """

    def __init__(self, store: TermStore, encoder: TermEncoder) -> None:
        self._store = store
        self._encoder = encoder

    async def create(self, spec: IndexSpec) -> None:
        await self._store.create(spec)

    async def drop(self, index_id: str) -> None:
        await self._store.drop(index_id)

    async def indexes(self) -> set[str]:
        return await self._store.indexes()

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        # In a thread: the terms of thousands of chunks would hold up other requests.
        whole = await asyncio.to_thread(lambda: [*self._with_terms(points)])
        await self._store.upsert(index_id, whole)

    async def delete(self, index_id: str, point_ids: Sequence[str]) -> None:
        await self._store.delete(index_id, point_ids)

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        return await self._store.search(index_id, query)

    async def match(self, index_id: str, query: IndexQuery) -> TermMatches:
        return await self._store.match(index_id, query)

    async def count(self, index_id: str) -> int:
        return await self._store.count(index_id)

    async def scan(self, index_id: str) -> AsyncIterator[Sequence[PointRef]]:
        async for refs in self._store.scan(index_id):
            yield [self._judged(ref) for ref in refs]

    async def check(self) -> ServiceHealth:
        return await self._store.check()

    def _with_terms(self, points: Sequence[Point]) -> Iterator[Point]:
        for point in points:
            content = point.content
            if content is None:
                yield point
                continue
            chunk, is_first = content.chunk.chunk, content.vector == 0
            sparse = None
            if is_first:
                sparse = self._encoder.document(chunk.text, [*titles(chunk.metadata)])
            ref = replace(point.ref, terms=self._encoder.revision)
            yield replace(point, ref=ref, sparse=sparse, vectors=content.chunk.vectors)

    def _judged(self, ref: PointRef) -> PointRef:
        if ref.foreign or ref.terms == self._encoder.revision:
            return ref
        return replace(ref, outdated=True)


class ReadableTermIndexingStore(TermIndexingStore):
    """Wraps a store on a server, which keeps whole chunks."""

    def __init__(self, store: TermStore, readable: ReadableStore, encoder: TermEncoder) -> None:
        super().__init__(store, encoder)
        self._readable = readable

    async def read(self, index_id: str, point_ids: Sequence[str]) -> list[Point]:
        return await self._readable.read(index_id, point_ids)

    async def describe(self, collections: Sequence[Collection]) -> None:
        await self._readable.describe(collections)

    async def described(self) -> list[Collection]:
        return await self._readable.described()

    async def namespaces(self) -> set[str]:
        return await self._readable.namespaces()

    def in_namespace(self, namespace: str) -> ReadableStore:
        return self._readable.in_namespace(namespace)


def titles(about: Metadata) -> Iterator[str]:
    """The titles and headings that a chunk stands under, each once."""
    found: dict[str, None] = {}
    for field in TITLE_FIELDS:
        value = about.get(field)
        if isinstance(value, str):
            found[value] = None
    for field in HEADING_FIELDS:
        values = about.get(field)
        for value in values if isinstance(values, list) else []:
            if isinstance(value, str):
                found[value] = None
    yield from found
