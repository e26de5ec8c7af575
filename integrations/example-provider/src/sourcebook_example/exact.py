"""A vector store in dictionaries that compares the question with every point."""

import math
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from sourcebook.core.errors import EmbeddingFailed, RetrievalUnavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.core.ports import VectorStore
from sourcebook.core.vectors import (
    IndexQuery,
    IndexSpec,
    Point,
    PointRef,
    ScoredPoint,
    Vector,
    check_vector,
)


@dataclass(frozen=True, slots=True)
class _Index:
    dimensions: int
    points: dict[str, Point] = field(default_factory=dict)


class ExactStore(VectorStore):
    """Has every method that a vector store must have; everything is gone with the process."""

    def __init__(self, page_size: int) -> None:
        self._page_size = page_size
        self._indexes: dict[str, _Index] = {}

    async def create(self, spec: IndexSpec) -> None:
        """Create an empty index; creating one that exists with the same spec does nothing."""
        existing = self._indexes.setdefault(spec.id, _Index(spec.dimensions))
        if existing.dimensions != spec.dimensions:
            raise RetrievalUnavailable(
                f"Index {spec.id!r} has {existing.dimensions} dimensions, not {spec.dimensions}"
            )

    async def drop(self, index_id: str) -> None:
        """Remove an index; removing one that does not exist does nothing."""
        self._indexes.pop(index_id, None)

    async def indexes(self) -> set[str]:
        """The ids of all indexes."""
        return set(self._indexes)

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        """Add points, all or none; a point with a known id is replaced."""
        index = self._index(index_id)
        for point in points:
            check_vector(point.dense, index.dimensions)
        index.points.update({point.ref.id: point for point in points})

    async def delete(self, index_id: str, point_ids: Sequence[str]) -> None:
        """Remove points by id; unknown ids are ignored."""
        index = self._index(index_id)
        for point_id in point_ids:
            index.points.pop(point_id, None)

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        """The nearest points that pass the filter, best first."""
        index = self._index(index_id)
        try:
            check_vector(query.dense, index.dimensions)
        except EmbeddingFailed as error:
            raise RetrievalUnavailable(error.message) from error
        found = [
            ScoredPoint(point.ref, _cosine(query.dense, point.dense))
            for point in index.points.values()
            if query.filter.matches(point.metadata)
        ]
        return sorted(found, key=lambda hit: -hit.score)[: query.limit]

    async def count(self, index_id: str) -> int:
        """How many points the index holds, exactly."""
        return len(self._index(index_id).points)

    async def scan(self, index_id: str) -> AsyncIterator[Sequence[PointRef]]:
        """Walk over all points, in batches, in no particular order."""
        refs = [point.ref for point in self._index(index_id).points.values()]
        for start in range(0, len(refs), self._page_size):
            yield refs[start : start + self._page_size]

    async def check(self) -> ServiceHealth:
        """There is nothing that could be away."""
        return ServiceHealth("up")

    def _index(self, index_id: str) -> _Index:
        if index_id not in self._indexes:
            raise RetrievalUnavailable(f"There is no index {index_id[:80]!r}")
        return self._indexes[index_id]


def _cosine(one: Vector, other: Vector) -> float:
    dot = sum(a * b for a, b in zip(one, other, strict=True))
    return max(-1.0, min(1.0, dot / (math.hypot(*one) * math.hypot(*other))))
