"""Checks vectors and scales them to length one, so that a dot product is the cosine."""

import math

from sourcebook.core.errors import EmbeddingFailed, RetrievalUnavailable
from sourcebook.core.vectors import SparseVector, Vector, check_vector

MAX_SPARSE_INDEX = 2**32
# Less than single precision can tell. Embedders give unit vectors, so few need scaling.
UNIT_TOLERANCE = 1e-7


def unit_vector(vector: Vector, dimensions: int) -> list[float]:
    """Scale in double precision: engines use single, where tiny vectors would become zero."""
    check_vector(vector, dimensions)
    norm = math.hypot(*vector)
    if abs(norm - 1.0) < UNIT_TOLERANCE:
        return [*vector]
    return [value / norm for value in vector]


def unit_query(vector: Vector, dimensions: int) -> list[float]:
    """Scale the vector of a query; RetrievalUnavailable if it does not fit the index."""
    try:
        return unit_vector(vector, dimensions)
    except EmbeddingFailed as exc:
        raise RetrievalUnavailable(
            f"The query's vector does not fit the index: {exc.message}"
        ) from exc


def check_sparse(sparse: SparseVector) -> None:
    """Refuse sparse vectors that engines accept silently and then score wrongly."""
    if len(sparse.indices) != len(sparse.values):
        raise EmbeddingFailed(
            f"The sparse vector has {len(sparse.indices)} indices and {len(sparse.values)} values"
        )
    if len(set(sparse.indices)) != len(sparse.indices):
        raise EmbeddingFailed("The sparse vector names a dimension twice")
    if not all(0 <= index < MAX_SPARSE_INDEX for index in sparse.indices):
        raise EmbeddingFailed("The sparse vector names a dimension that does not fit in 32 bits")
    if not all(math.isfinite(value) for value in sparse.values):
        raise EmbeddingFailed("The sparse vector holds a weight that is not finite")
