"""Converts points to and from the form of a Qdrant server."""

from collections.abc import Iterator, Sequence

from qdrant_client import models

from sourcebook.core.vectors import Point, PointRef, ScoredPoint
from sourcebook.providers.vector_stores.payload import Payload, payload, point_ref
from sourcebook.providers.vector_stores.unit_vectors import check_sparse, unit_vector

DENSE = "dense"
SPARSE = "sparse"

MAX_BATCH_POINTS = 256
MAX_BATCH_BYTES = 4 * 1024 * 1024
# About what one number takes as JSON.
_NUMBER_BYTES = 12


def server_points(points: Sequence[Point], dimensions: int) -> list[models.PointStruct]:
    """Convert points; EmbeddingFailed if one of their vectors would poison the index.

    Of several points with one id the last is kept: the others would only be replaced.
    """
    return [_server_point(point, dimensions) for point in {p.ref.id: p for p in points}.values()]


def batches(
    points: Sequence[models.PointStruct], dimensions: int, max_points: int = MAX_BATCH_POINTS
) -> Iterator[list[models.PointStruct]]:
    """Split points into requests that no server finds too large."""
    batch: list[models.PointStruct] = []
    size = 0
    for point in points:
        point_size = dimensions * _NUMBER_BYTES + _size(point.payload or {})
        if batch and (len(batch) >= max_points or size + point_size > MAX_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(point)
        size += point_size
    if batch:
        yield batch


def scored(found: models.ScoredPoint) -> ScoredPoint:
    """Read a search result, whose score is the cosine."""
    # Single precision can end a hair beyond one.
    return ScoredPoint(server_ref(found), max(-1.0, min(1.0, found.score)))


def server_ref(found: models.ScoredPoint | models.Record) -> PointRef:
    """Read the reference from a point's payload."""
    return point_ref(str(found.id), found.payload or {})


def _server_point(point: Point, dimensions: int) -> models.PointStruct:
    vectors: dict[str, models.Vector] = {DENSE: unit_vector(point.dense, dimensions)}
    if point.sparse is not None:
        check_sparse(point.sparse)
        vectors[SPARSE] = models.SparseVector(
            indices=[*point.sparse.indices], values=[*point.sparse.values]
        )
    fields = payload(point.ref, point.metadata)
    return models.PointStruct(id=point.ref.id, vector=vectors, payload={**fields})


def _size(fields: Payload) -> int:
    return sum(len(key) + len(str(value)) for key, value in fields.items())
