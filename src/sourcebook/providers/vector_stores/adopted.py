"""AdoptedReader: searches a collection that another tool filled, whichever engine keeps it.

An engine may pass more than the filter does, so the filter is always applied again here, and the
engine is asked for more until enough chunks pass.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from sourcebook.core.documents import Chunk, Hit
from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.core.filters import EVERYTHING, Filter
from sourcebook.core.health import HealthTimer, ServiceHealth
from sourcebook.core.vectors import Vector
from sourcebook.providers.vector_stores.field_mapping import FieldMapping
from sourcebook.providers.vector_stores.unit_vectors import unit_query

# How many points are read to learn what the other tool calls its fields.
SAMPLE_SIZE = 64
# How far a search looks for chunks that pass what the engine cannot filter by.
MAX_DEPTH = 4_096
_DEEPER = 4
# Single precision, and what models make of "length one".
_LENGTH_TOLERANCE = 1e-2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A point that a search found; its chunk is None if it has no text."""

    chunk: Chunk | None
    cosine: float


class AdoptedSource(Protocol):
    """An engine's access to one adopted collection. Raises RetrievalUnavailable."""

    async def nearest(self, unit: list[float], depth: int, filter_: Filter) -> Sequence[Candidate]:
        """Return the nearest points, best first: of those that pass the filter, all."""
        ...

    async def count(self) -> int:
        """Count the points."""
        ...


@dataclass(frozen=True, slots=True)
class AdoptedReader:
    """An adopted collection: answers from the other tool's payloads, and never writes."""

    name: str
    model: str | None
    dimensions: int
    mapping: FieldMapping
    source: AdoptedSource
    max_depth: int = MAX_DEPTH

    async def nearest(self, vector: Vector, limit: int, filter_: Filter) -> list[Hit]:
        """Return the nearest chunks that pass the filter, best first."""
        wanted = unit_query(vector, self.dimensions)
        if limit < 1:
            return []
        depth = min(self.max_depth, limit if filter_ == EVERYTHING else limit * _DEEPER)
        while True:
            found = await self.source.nearest(wanted, depth, filter_)
            hits = [Hit(one.chunk, one.cosine) for one in found if one.chunk is not None]
            passing = [hit for hit in hits if filter_.matches(hit.chunk.metadata)]
            if len(passing) >= limit or len(found) < depth or depth >= self.max_depth:
                return passing[:limit]
            depth = min(self.max_depth, depth * _DEEPER)

    async def count(self) -> int:
        """Count the points."""
        return await self.source.count()

    async def check(self) -> ServiceHealth:
        """Check whether the collection is still there."""
        timer = HealthTimer()
        try:
            await self.source.count()
        except RetrievalUnavailable as exc:
            return ServiceHealth("down", message=exc.message)
        return timer.report()


def are_unit_vectors(vectors: Iterable[Sequence[float]]) -> bool:
    """Return whether dot products and Euclidean distances of these vectors give their cosine."""
    return all(abs(math.hypot(*vector) - 1.0) <= _LENGTH_TOLERANCE for vector in vectors)
