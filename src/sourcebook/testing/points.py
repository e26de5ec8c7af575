"""Builds points and queries for the contract suites of vector stores."""

from collections.abc import Iterable
from uuid import NAMESPACE_URL, uuid5

from sourcebook.core.filters import EVERYTHING, Filter
from sourcebook.core.metadata import Metadata
from sourcebook.core.ports import VectorStore
from sourcebook.core.vectors import (
    IndexQuery,
    IndexSpec,
    Point,
    PointRef,
    ScoredPoint,
    SparseVector,
    Vector,
)

DIMENSIONS = 3
INDEX = "books_v1"
SPEC = IndexSpec(INDEX, DIMENSIONS)
EAST: Vector = (1.0, 0.0, 0.0)
NORTH: Vector = (0.0, 1.0, 0.0)
UP: Vector = (0.0, 0.0, 1.0)


def point_id(name: object) -> str:
    """Return the id of a point, from a short name."""
    return str(uuid5(NAMESPACE_URL, str(name)))


def point(
    name: object,
    dense: Vector = EAST,
    metadata: Metadata | None = None,
    sparse: SparseVector | None = None,
    version: str = "v1",
) -> Point:
    """Return a point named after its chunk."""
    ref = PointRef(point_id(name), f"chunk-{name}", f"document-{name}", version, f"digest-{name}")
    return Point(ref, metadata or {}, dense, sparse)


def query(dense: Vector = EAST, limit: int = 100, filter_: Filter = EVERYTHING) -> IndexQuery:
    """Return a query for more points than any small test has."""
    return IndexQuery(dense, limit, filter_)


def names(hits: Iterable[ScoredPoint]) -> list[str]:
    """Return the names of the points that were found, in order."""
    return [hit.ref.chunk_id.removeprefix("chunk-") for hit in hits]


async def filled(store: VectorStore, *points: Point) -> VectorStore:
    """Create the index with these points and return the store."""
    await store.create(SPEC)
    await store.upsert(INDEX, points)
    return store
