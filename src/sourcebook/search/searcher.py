"""Finds the chunks nearest to a question, as the ledger was when the search began."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Hit
from sourcebook.core.filters import EVERYTHING, Filter
from sourcebook.core.models import EmbeddingModels
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.core.vectors import IndexQuery, ScoredPoint, Vector

# Dead points stay in the index for a moment; each further round looks this many times deeper.
WIDENING = 4


@dataclass(frozen=True, slots=True)
class Times:
    """How long each stage of a search took; `rounds` is how often the index was asked."""

    embedding_ms: float = 0.0
    index_ms: float = 0.0
    ledger_ms: float = 0.0
    rounds: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """The hits of a search, best first, and the collection they come from."""

    collection: Collection
    hits: tuple[Hit, ...]
    times: Times = Times()


class Searcher:
    """Embeds the question and looks it up."""

    def __init__(self, ledger: Ledger, store: VectorStore, models: EmbeddingModels) -> None:
        self._ledger = ledger
        self._store = store
        self._models = models

    async def search(
        self, collection_name: str, question: str, limit: int, filter_: Filter = EVERYTHING
    ) -> Found:
        """The `limit` nearest chunks that pass the filter."""
        collection = await self._ledger.collections.get(collection_name)
        embedder = self._models.for_reading(collection)
        if not collection.count:
            return Found(collection, ())
        started_s = time.perf_counter()
        vector = await embedder.embed_query(question)
        embedding_ms = _ms_since(started_s)
        hits, times = await self._nearest(collection, vector, limit, filter_)
        return Found(collection, tuple(hits), replace(times, embedding_ms=embedding_ms))

    async def _nearest(
        self, collection: Collection, vector: Vector, limit: int, filter_: Filter
    ) -> tuple[list[Hit], Times]:
        depth = limit
        times = Times()
        while True:
            query = IndexQuery(dense=vector, limit=depth, filter=filter_)
            started_s = time.perf_counter()
            points = await self._store.search(collection.generation.index_id, query)
            index_ms = _ms_since(started_s)
            hits = await self._live(collection, points, filter_)
            times = replace(
                times,
                index_ms=times.index_ms + index_ms,
                ledger_ms=times.ledger_ms + _ms_since(started_s) - index_ms,
                rounds=times.rounds + 1,
            )
            if len(hits) >= limit or len(points) < depth:
                return hits[:limit], times
            depth *= WIDENING

    async def _live(
        self, collection: Collection, points: Sequence[ScoredPoint], filter_: Filter
    ) -> list[Hit]:
        """The points whose chunk was live at our revision, each chunk once, by its best point."""
        refs = [point.ref for point in points]
        chunks = await self._ledger.documents.chunks_at(collection.id, collection.revision, refs)
        best: dict[tuple[str, str], Hit] = {}
        for point in points:
            key = point.ref.chunk_id, point.ref.version
            chunk = chunks.get(key)
            # The index is only an index: what leaves has passed the filter on the ledger's data.
            if chunk is not None and key not in best and filter_.matches(chunk.metadata):
                best[key] = Hit(chunk, cosine=point.score)
        return list(best.values())


def _ms_since(started_s: float) -> float:
    return (time.perf_counter() - started_s) * 1000
