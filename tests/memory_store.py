"""MemoryStore: a vector store in dictionaries, which is written as one on a server is."""

import math
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import VectorStore
from sourcebook.core.vectors import (
    IndexQuery,
    IndexSpec,
    Point,
    PointRef,
    ScoredPoint,
    SparseVector,
    TermMatches,
)
from sourcebook.providers.vector_stores.index_checks import check_dimensions, missing_index
from sourcebook.providers.vector_stores.unit_vectors import check_sparse, unit_query, unit_vector

PAGE_SIZE = 1_000


@dataclass(frozen=True, slots=True)
class _StoredPoint:
    ref: PointRef
    metadata: Metadata
    unit: list[float]
    terms: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class _Index:
    spec: IndexSpec
    points: dict[str, _StoredPoint] = field(default_factory=dict)


class MemoryStore(VectorStore):
    """Searches exactly, by comparing every point; everything is gone with the process."""

    finds_terms = True

    def __init__(self) -> None:
        self._indexes: dict[str, _Index] = {}

    async def create(self, spec: IndexSpec) -> None:
        existing = self._indexes.setdefault(spec.id, _Index(spec)).spec
        check_dimensions(existing.dimensions, spec)

    async def drop(self, index_id: str) -> None:
        self._indexes.pop(index_id, None)

    async def indexes(self) -> set[str]:
        return set(self._indexes)

    async def upsert(self, index_id: str, points: Sequence[Point]) -> None:
        index = self._index(index_id)
        index.points.update({point.ref.id: _stored_point(point, index.spec) for point in points})

    async def delete(self, index_id: str, point_ids: Sequence[str]) -> None:
        points = self._index(index_id).points
        for point_id in point_ids:
            points.pop(point_id, None)

    async def search(self, index_id: str, query: IndexQuery) -> list[ScoredPoint]:
        index = self._index(index_id)
        wanted = unit_query(query.dense, index.spec.dimensions)
        found = [
            ScoredPoint(stored.ref, _cosine(wanted, stored.unit))
            for stored in index.points.values()
            if _is_asked_for(stored, query)
        ]
        return sorted(found, key=lambda hit: -hit.score)[: query.limit]

    async def match(self, index_id: str, query: IndexQuery) -> TermMatches:
        index = self._index(index_id)
        near = [] if query.by_terms_alone else await self.search(index_id, query)
        scores = _bm25(query, index)
        wanted = unit_query(query.dense, index.spec.dimensions)
        found = {(index.points[id_].ref.chunk_id, index.points[id_].ref.version) for id_ in scores}
        known = {point.ref.id for point in near}
        others = [
            ScoredPoint(stored.ref, _cosine(wanted, stored.unit))
            for id_, stored in index.points.items()
            if (stored.ref.chunk_id, stored.ref.version) in found and id_ not in known
        ]
        is_everything = len(near) < query.limit and len(scores) < query.limit
        context = [index.points[id_].unit for id_ in query.context if id_ in index.points]
        nearness = {
            point.ref.id: max(_cosine(unit, index.points[point.ref.id].unit) for unit in context)
            for point in (*near, *others)
            if context
        }
        return TermMatches((*near, *others), scores, is_everything, nearness)

    async def count(self, index_id: str) -> int:
        return len(self._index(index_id).points)

    async def scan(self, index_id: str) -> AsyncIterator[Sequence[PointRef]]:
        refs = [stored.ref for stored in self._index(index_id).points.values()]
        for start in range(0, len(refs), PAGE_SIZE):
            yield refs[start : start + PAGE_SIZE]

    async def check(self) -> ServiceHealth:
        return ServiceHealth("up", latency_ms=0.0)

    def _index(self, index_id: str) -> _Index:
        if index_id not in self._indexes:
            raise RetrievalUnavailable(missing_index(index_id))
        return self._indexes[index_id]


def _stored_point(point: Point, spec: IndexSpec) -> _StoredPoint:
    if point.sparse is not None:
        check_sparse(point.sparse)
    sparse = point.sparse or SparseVector((), ())
    terms = dict(zip(sparse.indices, sparse.values, strict=True))
    return _StoredPoint(point.ref, point.metadata, unit_vector(point.dense, spec.dimensions), terms)


def _bm25(query: IndexQuery, index: _Index) -> dict[str, float]:
    """Return the best BM25 scores by point id, best first, as engines weigh rare terms."""
    wanted = query.sparse or SparseVector((), ())
    with_terms = [stored for stored in index.points.values() if stored.terms]
    rarity = {}
    for term in wanted.indices:
        holders = sum(1 for stored in with_terms if term in stored.terms)
        rarity[term] = math.log(1 + (len(with_terms) - holders + 0.5) / (holders + 0.5))
    scores = {
        stored.ref.id: sum(
            weight * rarity[term] * stored.terms[term]
            for term, weight in zip(wanted.indices, wanted.values, strict=True)
            if term in stored.terms
        )
        for stored in with_terms
        if _is_asked_for(stored, query)
    }
    best = sorted((id_ for id_, score in scores.items() if score > 0), key=lambda id_: -scores[id_])
    return {id_: scores[id_] for id_ in best[: query.limit]}


def _is_asked_for(stored: _StoredPoint, query: IndexQuery) -> bool:
    among = not query.among or stored.ref.id in query.among
    return among and query.filter.matches(stored.metadata)


def _cosine(one: list[float], other: list[float]) -> float:
    return max(-1.0, min(1.0, sum(a * b for a, b in zip(one, other, strict=True))))
