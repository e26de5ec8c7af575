"""The vectors of an adopted Qdrant collection: which is searched, and what its scores say."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qdrant_client import models

from sourcebook.core.errors import ConfigurationError

# Single precision, and what models make of "length one".
_TOLERANCE = 1e-2


@dataclass(frozen=True, slots=True)
class AdoptedVectors:
    """The vector that is searched; `name` is None if the collection's only one has none."""

    name: str | None
    dimensions: int
    distance: models.Distance

    @property
    def needs_unit_length(self) -> bool:
        """Tell whether scores are cosines only for vectors of length one."""
        return self.distance != models.Distance.COSINE

    def cosine(self, score: float) -> float:
        """The cosine that a score stands for, when the question's vector is of length one."""
        cosine = 1.0 - score * score / 2 if self.distance == models.Distance.EUCLID else score
        return max(-1.0, min(1.0, cosine))


def read_vectors(
    collection: str, info: models.CollectionInfo, wanted: str | None
) -> AdoptedVectors:
    """The vector of that name, or the only one; ConfigurationError if it cannot be searched."""
    name, params = _choose(collection, info.config.params.vectors, wanted)
    if params.multivector_config is not None:
        raise ConfigurationError(
            f"The collection {collection!r} keeps several vectors for each point, which cannot"
            " be searched here; name another of its vectors in 'fields: {vector: ...}'"
        )
    if params.distance == models.Distance.MANHATTAN:
        raise ConfigurationError(
            f"The collection {collection!r} compares by Manhattan distance, which says nothing"
            " of the cosine; use cosine, dot or Euclid"
        )
    return AdoptedVectors(name, params.size, params.distance)


def check_lengths(
    collection: str, vectors: AdoptedVectors, sample: Sequence[models.Record]
) -> None:
    """Refuse dot products and Euclidean distances of vectors that are not of length one."""
    if not vectors.needs_unit_length:
        return
    lengths = [math.hypot(*vector) for point in sample if (vector := _dense(point, vectors.name))]
    if any(abs(length - 1.0) > _TOLERANCE for length in lengths):
        raise ConfigurationError(
            f"The collection {collection!r} compares by {vectors.distance.value} vectors that are"
            " not of length one, so its scores say nothing of the cosine; fill it again with"
            " cosine distance or with vectors of length one"
        )


def _choose(
    collection: str,
    vectors: models.VectorParams | Mapping[str, models.VectorParams] | None,
    wanted: str | None,
) -> tuple[str | None, models.VectorParams]:
    if isinstance(vectors, models.VectorParams):
        if wanted:
            raise ConfigurationError(
                f"The collection {collection!r} has one vector without a name, none that is"
                f" called {wanted!r}; leave 'vector' out of its fields"
            )
        return None, vectors
    named = dict(vectors or {})
    if not named:
        raise ConfigurationError(f"The collection {collection!r} has no dense vectors to search")
    if wanted is None and len(named) == 1:
        wanted = next(iter(named))
    if wanted is None or wanted not in named:
        raise ConfigurationError(
            f"Say which vector of the collection {collection!r} to search, in"
            f" 'fields: {{vector: ...}}'. It has {sorted(named)}"
        )
    return wanted, named[wanted]


def _dense(point: models.Record, name: str | None) -> list[float]:
    found = point.vector.get(name or "") if isinstance(point.vector, dict) else point.vector
    numbers = found if isinstance(found, list) else []
    return [float(number) for number in numbers if isinstance(number, int | float)]
