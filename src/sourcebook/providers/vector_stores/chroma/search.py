"""Searches Chroma: approximately and, where that finds too few, exactly.

Chroma's graph can lose sight of records: of 6,000 with the same vector it found 2,400. Fewer
records than were asked for are therefore only believed if there are no more that pass.
"""

import asyncio
import heapq
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from sourcebook.providers.vector_stores.chroma.client import (
    ChromaClient,
    ChromaCollection,
    ChromaRecord,
    GraphNotReady,
    Where,
)

PAGE_SIZE = 1_000
# Of 2,000 searches beside the first writes of 25 collections, 28 found no graph.
RETRY_BACKOFF_S = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


@dataclass(frozen=True, slots=True)
class ScoredRecord:
    """A record and its cosine similarity to the query."""

    record: ChromaRecord
    cosine: float


async def nearest(
    client: ChromaClient,
    collection: ChromaCollection,
    unit: Sequence[float],
    limit: int,
    where: Where | None,
) -> list[ScoredRecord]:
    """Return the nearest records that pass, best first."""
    asked = await _search_with_retries(client, collection, unit, limit, where)
    approximate = [record for record in asked if not record.is_gone]
    if len(approximate) < limit and await _passing(client, collection, where) > len(approximate):
        return await _exactly_nearest(client, collection, unit, limit, where)
    found = [
        ScoredRecord(record, cosine_of(record.distance, collection.space)) for record in approximate
    ]
    return _best(found, limit)


def cosine_of(distance: float, space: str) -> float:
    """Convert a distance to the cosine; Chroma's `l2` is squared, its `ip` one minus the product.

    For `l2` and `ip` only if the vectors are of length one.
    """
    return _in_range(1.0 - distance / 2 if space == "l2" else 1.0 - distance)


async def _search_with_retries(
    client: ChromaClient,
    collection: ChromaCollection,
    unit: Sequence[float],
    limit: int,
    where: Where | None,
) -> list[ChromaRecord]:
    for backoff_s in RETRY_BACKOFF_S:
        with suppress(GraphNotReady):
            return await client.nearest(collection, unit, limit, where)
        await asyncio.sleep(backoff_s)
    return await client.nearest(collection, unit, limit, where)


async def _exactly_nearest(
    client: ChromaClient,
    collection: ChromaCollection,
    unit: Sequence[float],
    limit: int,
    where: Where | None,
) -> list[ScoredRecord]:
    """Compare every record that passes."""
    best: list[ScoredRecord] = []
    ids = await client.ids(collection, where)
    for start in range(0, len(ids), PAGE_SIZE):
        asked = await client.records(collection, ids[start : start + PAGE_SIZE], vectors=True)
        page = [record for record in asked if not record.is_gone]
        best = _best([*best, *await asyncio.to_thread(_compared, page, unit)], limit)
    return best


async def _passing(client: ChromaClient, collection: ChromaCollection, where: Where | None) -> int:
    if where is None:
        return await client.count(collection)
    return len(await client.ids(collection, where))


def _compared(page: Sequence[ChromaRecord], unit: Sequence[float]) -> list[ScoredRecord]:
    if not page:
        return []
    vectors = np.asarray([record.vector for record in page], dtype=np.float64)
    lengths = np.maximum(np.linalg.norm(vectors, axis=1), np.finfo(np.float64).tiny)
    cosines = (vectors @ np.asarray(unit, dtype=np.float64)) / lengths
    return [
        ScoredRecord(record, _in_range(cosine))
        for record, cosine in zip(page, cosines.tolist(), strict=True)
    ]


def _in_range(cosine: float) -> float:
    # Single precision can end a hair beyond one.
    return max(-1.0, min(1.0, cosine))


def _best(found: list[ScoredRecord], limit: int) -> list[ScoredRecord]:
    return heapq.nlargest(limit, found, key=lambda one: one.cosine)
