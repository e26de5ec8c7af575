"""Searches a Chroma collection: approximately and, where that finds too few, exactly.

Chroma's graph can lose sight of records: of 6,000 with the same vector it found 2,400. Fewer
records than were asked for are therefore only believed if there are no more that pass.
"""

import heapq
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from chromadb.api.models.Collection import Collection
from chromadb.errors import InternalError

from sourcebook.core.metadata import Metadata
from sourcebook.providers.vector_stores.chroma.client import NO_GRAPH
from sourcebook.providers.vector_stores.chroma.filters import Where

PAGE_SIZE = 1_000
# Of 2,000 searches beside the first writes of 25 collections, 28 found no graph.
RETRY_BACKOFF_S = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


@dataclass(frozen=True, slots=True)
class Record:
    """A record, with what was asked for: its vector, or its cosine similarity to a query."""

    id: str
    metadata: Metadata
    document: str | None
    vector: Sequence[float] = ()
    cosine: float = 0.0


def nearest(
    collection: Collection, unit: Sequence[float], limit: int, where: Where | None
) -> list[Record]:
    """Return the nearest records that pass, best first. Blocks."""
    found = _approximately(collection, unit, limit, where)
    ids = record_ids(collection, where) if len(found) < limit else []
    if len(ids) > len(found):
        found = []
        for start in range(0, len(ids), PAGE_SIZE):
            page = read(collection, ids=ids[start : start + PAGE_SIZE])
            found = _best([*found, *_compared(page, unit)], limit)
    return _best(found, limit)


def record_ids(collection: Collection, where: Where | None = None) -> list[str]:
    """Return the ids of all records that pass. Blocks.

    They are read by their ids: pages by position would skip some while others are deleted.
    """
    return list(collection.get(where=where, include=[])["ids"])


def read(collection: Collection, *, vectors: bool = True, **some: object) -> list[Record]:
    """Read some records. Blocks."""
    include = ["metadatas", "documents", *(["embeddings"] if vectors else [])]
    found = collection.get(include=include, **some)
    rows = zip(
        found["ids"],
        found["metadatas"],
        found["documents"],
        found["embeddings"] if vectors else [()] * len(found["ids"]),
        strict=True,
    )
    return [
        Record(record_id, metadata or {}, document, vector)
        for record_id, metadata, document, vector in rows
        if not _is_gone(metadata, document)
    ]


def cosine_of(distance: float, space: str) -> float:
    """Convert a distance to the cosine; Chroma's `l2` is squared, its `ip` one minus the product.

    For `l2` and `ip` only if the vectors are of length one.
    """
    return _in_range(1.0 - distance / 2 if space == "l2" else 1.0 - distance)


def space_of(collection: Collection) -> str:
    """Return by what a collection compares."""
    configuration = collection.configuration_json or {}
    engine = configuration.get("hnsw") or configuration.get("spann") or {}
    # Older versions wrote the space into the metadata.
    return str(engine.get("space") or (collection.metadata or {}).get("hnsw:space") or "l2")


def _approximately(
    collection: Collection, unit: Sequence[float], limit: int, where: Where | None
) -> list[Record]:
    found = _query(collection, unit, limit, where)
    space = space_of(collection)
    rows = zip(
        *(found[key][0] for key in ("ids", "metadatas", "documents", "distances")), strict=True
    )
    return [
        Record(record_id, metadata or {}, document, cosine=cosine_of(distance, space))
        for record_id, metadata, document, distance in rows
        if not _is_gone(metadata, document)
    ]


def _query(
    collection: Collection, unit: Sequence[float], limit: int, where: Where | None
) -> dict[str, list[list[object]]]:
    for backoff_s in (*RETRY_BACKOFF_S, None):
        try:
            found: dict[str, list[list[object]]] = collection.query(
                query_embeddings=np.asarray([unit], dtype=np.float32),
                n_results=limit,
                where=where,
                include=["metadatas", "documents", "distances"],
            )
        except InternalError as exc:
            if backoff_s is None or NO_GRAPH not in str(exc):
                raise
            time.sleep(backoff_s)
        else:
            break
    return found


def _compared(page: Sequence[Record], unit: Sequence[float]) -> list[Record]:
    if not page:
        return []
    vectors = np.asarray([record.vector for record in page], dtype=np.float64)
    lengths = np.maximum(np.linalg.norm(vectors, axis=1), np.finfo(np.float64).tiny)
    cosines = (vectors @ np.asarray(unit, dtype=np.float64)) / lengths
    return [
        Record(one.id, one.metadata, one.document, cosine=_in_range(cosine))
        for one, cosine in zip(page, cosines.tolist(), strict=True)
    ]


def _is_gone(metadata: Metadata | None, document: str | None) -> bool:
    """True if it was deleted while it was being read: its vector goes last."""
    return not metadata and document is None


def _in_range(cosine: float) -> float:
    # Single precision can end a hair beyond one.
    return max(-1.0, min(1.0, cosine))


def _best(found: Iterable[Record], limit: int) -> list[Record]:
    return heapq.nlargest(limit, found, key=lambda one: one.cosine)
