"""TermIndexingStore: gives the points that are written to a store the terms of their chunks."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace

from sourcebook.core.health import ServiceHealth
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import TermEncoder, VectorStore
from sourcebook.core.vectors import (
    IndexQuery,
    IndexSpec,
    Point,
    PointRef,
    ScoredPoint,
    TermMatches,
)

log = logging.getLogger(__name__)

OTHER_TERMS = (
    "Chunks are indexed with the words of another SOURCEBOOK_LANGUAGE or release, so that searches"
    " miss some of them. Stop the service and run `sourcebook rebuild`; it embeds nothing"
)
# Where titles and headings of a chunk are; they count as weak fields.
TITLE_FIELDS = ("lesson_title", "title", "page_title", "section_title", "section_heading")
HEADING_FIELDS = ("headings", "section_titles")


class TermIndexingStore(VectorStore):
    """Wraps the store of a provider, so that no way of writing to it can forget the terms.

    Points with the terms of another encoder, as for another language, are found by meaning, but not
    by all of their words. A rebuild replaces them without embedding anything.
    """

    def __init__(self, store: VectorStore, encoder: TermEncoder) -> None:
        self._store = store
        self._encoder = encoder
        # A store of another package may declare nothing, and then it has no ability.
        self.finds_terms = bool(getattr(store, "finds_terms", False))
        self.reads_ledger = bool(getattr(store, "reads_ledger", False))
        self._warned: set[str] = set()

    async def create(self, spec: IndexSpec) -> None:
        await self._store.create(spec)

    async def drop(self, index_id: str) -> None:
        await self._store.drop(index_id)

    async def indexes(self) -> set[str]:
        return await self._store.indexes()

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        if self.finds_terms:
            # In a thread: the terms of thousands of chunks would hold up other requests.
            points = await asyncio.to_thread(lambda: [*self._with_terms(points)])
        await self._store.upsert(index_id, points)

    async def delete(self, index_id: str, point_ids: Sequence[str]) -> None:
        await self._store.delete(index_id, point_ids)

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        return await self._store.search(index_id, query)

    async def match(self, index_id: str, query: IndexQuery) -> TermMatches:
        found = await self._store.match(index_id, query)
        self._check_terms(index_id, found.nearest)
        return found

    async def count(self, index_id: str) -> int:
        return await self._store.count(index_id)

    def scan(self, index_id: str) -> AsyncIterator[Sequence[PointRef]]:
        return self._store.scan(index_id)

    async def check(self) -> ServiceHealth:
        return await self._store.check()

    def _with_terms(self, points: Sequence[Point]) -> Iterator[Point]:
        for point in points:
            chunk = point.chunk
            if chunk is None:
                yield point
                continue
            sparse = None
            if not point.ref.ordinal:
                sparse = self._encoder.document(chunk.text, [*titles(chunk.metadata)])
            yield replace(
                point, ref=replace(point.ref, terms=self._encoder.revision), sparse=sparse
            )

    def _check_terms(self, index_id: str, found: Sequence[ScoredPoint]) -> None:
        """Say once of an index that it was written with other terms than questions have now."""
        if index_id in self._warned:
            return
        written = {point.ref.terms for point in found if not point.ref.foreign}
        if written - {self._encoder.revision}:
            self._warned.add(index_id)
            log.warning("index_has_other_terms", extra={"index": index_id, "reason": OTHER_TERMS})


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
