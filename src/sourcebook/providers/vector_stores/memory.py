"""MemoryStore: a vector store in dictionaries, for tests and for trying things out."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.core.metadata import Metadata
from sourcebook.core.vectors import IndexQuery, IndexSpec, Point, PointRef, ScoredPoint
from sourcebook.providers.vector_stores.unit_vectors import check_sparse, unit_query, unit_vector

PAGE_SIZE = 1_000


@dataclass(frozen=True, slots=True)
class _Kept:
    ref: PointRef
    metadata: Metadata
    unit: list[float]


@dataclass(frozen=True, slots=True)
class _Index:
    spec: IndexSpec
    points: dict[str, _Kept] = field(default_factory=dict)


class MemoryStore:
    """Searches exactly, by looking at every point; everything is gone with the process."""

    def __init__(self) -> None:
        self._indexes: dict[str, _Index] = {}

    async def create(self, spec: IndexSpec) -> None:
        """Create an empty index; creating one that exists with the same spec does nothing."""
        existing = self._indexes.setdefault(spec.id, _Index(spec)).spec
        if existing != spec:
            raise RetrievalUnavailable(
                f"Index {spec.id!r} exists with {existing.dimensions} dimensions,"
                f" not {spec.dimensions}; drop it first"
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
        index.points.update({point.ref.id: _kept(point, index.spec) for point in points})

    async def delete(self, index_id: str, point_ids: Sequence[str]) -> None:
        """Remove points by id; unknown ids are ignored."""
        points = self._index(index_id).points
        for point_id in point_ids:
            points.pop(point_id, None)

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        """The nearest points that pass the filter, best first."""
        index = self._index(index_id)
        wanted = unit_query(query.dense, index.spec.dimensions)
        found = [
            ScoredPoint(kept.ref, _cosine(wanted, kept.unit))
            for kept in index.points.values()
            if query.filter.matches(kept.metadata)
        ]
        return sorted(found, key=lambda hit: -hit.score)[: query.limit]

    async def count(self, index_id: str) -> int:
        """How many points the index holds, exactly."""
        return len(self._index(index_id).points)

    async def scan(self, index_id: str) -> AsyncIterator[Sequence[PointRef]]:
        """Walk over all points, in batches, in no particular order."""
        refs = [kept.ref for kept in self._index(index_id).points.values()]
        for start in range(0, len(refs), PAGE_SIZE):
            yield refs[start : start + PAGE_SIZE]

    async def check(self) -> ServiceHealth:
        """Memory is always there."""
        return ServiceHealth("up", latency_ms=0.0)

    def _index(self, index_id: str) -> _Index:
        if index_id not in self._indexes:
            raise RetrievalUnavailable(f"There is no index {index_id[:80]!r} in the vector store")
        return self._indexes[index_id]


def _kept(point: Point, spec: IndexSpec) -> _Kept:
    if point.sparse is not None:
        check_sparse(point.sparse)
    return _Kept(point.ref, point.metadata, unit_vector(point.dense, spec.dimensions))


def _cosine(one: list[float], other: list[float]) -> float:
    return max(-1.0, min(1.0, sum(a * b for a, b in zip(one, other, strict=True))))
