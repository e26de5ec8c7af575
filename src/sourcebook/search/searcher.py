"""Finds the chunks nearest to a question, as the ledger was when the search began."""

from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook.core.collections import Collection
from sourcebook.core.documents import Hit
from sourcebook.core.filters import EVERYTHING, Filter
from sourcebook.core.models import EmbeddingModels
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.core.vectors import IndexQuery, ScoredPoint, Vector

# Dead points stay in the index for a moment; each further round looks this many times deeper.
WIDENING = 4


@dataclass(frozen=True, slots=True)
class Found:
    """The hits of a search, best first, and the collection they come from."""

    collection: Collection
    hits: tuple[Hit, ...]


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
        vector = await embedder.embed_query(question)
        hits = await self._nearest(collection, vector, limit, filter_)
        return Found(collection, tuple(hits))

    async def _nearest(
        self, collection: Collection, vector: Vector, limit: int, filter_: Filter
    ) -> list[Hit]:
        depth = limit
        while True:
            query = IndexQuery(dense=vector, limit=depth, filter=filter_)
            points = await self._store.search(collection.generation.index_id, query)
            hits = await self._live(collection, points, filter_)
            if len(hits) >= limit or len(points) < depth:
                return hits[:limit]
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
