"""Remembers what the points of an open index stand for.

A point's chunk, document and version follow from its id, and reading them from the engine takes
longer than finding the point does: 20 microseconds each, in which the process stands still.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

import qdrant_edge as engine

from sourcebook.core.vectors import PointRef
from sourcebook.providers.vector_stores.payload import (
    REF_KEYS,
    VECTORS_KEY,
    point_ref,
    sibling_ids,
)

# About 20 MB. Beyond it all are forgotten, and those that are found again are read again.
MAX_KNOWN = 30_000
PointId: TypeAlias = UUID | str | int


@dataclass(frozen=True, slots=True)
class KnownPoint:
    """What a point stands for, and the ids of all points of its chunk."""

    ref: PointRef
    siblings: tuple[str, ...]


class KnownPoints:
    """The points that were found lately, for several threads at once."""

    def __init__(self, limit: int = MAX_KNOWN) -> None:
        self._limit = limit
        self._known: dict[PointId, KnownPoint] = {}
        self._writes = 0
        self._lock = threading.Lock()

    def read(
        self, shard: engine.EdgeShard, point_ids: Sequence[PointId]
    ) -> Mapping[PointId, KnownPoint]:
        """What these points stand for; one that was deleted meanwhile is left out."""
        with self._lock:
            writes = self._writes
            known = {id_: self._known[id_] for id_ in point_ids if id_ in self._known}
        unknown = [id_ for id_ in point_ids if id_ not in known]
        if not unknown:
            return known
        wanted = [*REF_KEYS, VECTORS_KEY]
        new = {
            record.id: _known_point(record)
            for record in shard.retrieve(unknown, with_payload=wanted, with_vector=False)
        }
        with self._lock:
            # What was read may be older than what somebody has written since.
            if writes == self._writes:
                self._remember(new)
        return known | new

    def forget(self, point_ids: Iterable[str]) -> None:
        """Forget points that were written or deleted."""
        with self._lock:
            self._writes += 1
            for id_ in point_ids:
                self._known.pop(UUID(id_), None)

    def _remember(self, new: Mapping[PointId, KnownPoint]) -> None:
        if len(self._known) + len(new) > self._limit:
            self._known.clear()
        self._known.update(new)


def _known_point(record: engine.Record) -> KnownPoint:
    fields = record.payload or {}
    ref = point_ref(str(record.id), fields)
    return KnownPoint(ref, tuple(sibling_ids(ref, fields.get(VECTORS_KEY))))
