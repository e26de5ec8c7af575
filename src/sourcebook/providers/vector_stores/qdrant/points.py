"""Converts points to and from the form of a Qdrant server."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from qdrant_client import models

from sourcebook.core.point_ids import point_ids
from sourcebook.core.vectors import Point, PointRef, ScoredPoint
from sourcebook.providers.vector_stores.qdrant.plain_payload import (
    reference,
    vectors_in,
    whole_payload,
)
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
    last = {point.ref.id: point for point in points}
    return [_server_point(point, dimensions) for point in last.values()]


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


def server_id(point_id: str) -> models.ExtendedPointId:
    """Return a point's id as the server has it; other tools may number theirs."""
    return int(point_id) if point_id.isdecimal() else point_id


def server_ref(found: models.ScoredPoint | models.Record) -> PointRef:
    """Read the reference from a point's payload."""
    return reference(str(found.id), found.payload or {})


def siblings_of(found: models.ScoredPoint) -> list[str]:
    """Return the ids of all points of the chunk that a point stands for."""
    ref = server_ref(found)
    vectors = vectors_in(found.payload or {})
    count = vectors if isinstance(vectors, int) else 1
    return [] if ref.foreign else point_ids(ref.chunk_id, ref.version, count)


def among(ids: Iterable[str]) -> models.Filter:
    """Return a filter that only these points pass."""
    return models.Filter(must=[models.HasIdCondition(has_id=[*map(server_id, ids)])])


def dense_vector(found: models.Record) -> list[float]:
    """Read the dense vector of a point that was read with its vectors."""
    vectors = found.vector if isinstance(found.vector, dict) else {}
    dense = vectors.get(DENSE)
    return (
        [value for value in dense if isinstance(value, float | int)]
        if isinstance(dense, list)
        else []
    )


def _server_point(point: Point, dimensions: int) -> models.PointStruct:
    vectors: dict[str, models.Vector] = {DENSE: unit_vector(point.dense, dimensions)}
    if point.sparse is not None:
        check_sparse(point.sparse)
        vectors[SPARSE] = models.SparseVector(
            indices=[*point.sparse.indices], values=[*point.sparse.values]
        )
    return models.PointStruct(id=point.ref.id, vector=vectors, payload=whole_payload(point))


def _size(fields: Mapping[str, object]) -> int:
    return sum(len(key) + len(str(value)) for key, value in fields.items())
