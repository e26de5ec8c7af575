"""The catalog of an installation on a Qdrant server: what its collections are.

It is a collection of its own, with one point for each collection, because servers before Qdrant
1.16 keep no metadata of collections. Metadata are JSON text, which no server rounds.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict
from uuid import NAMESPACE_URL, uuid5

from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError
from qdrant_client import AsyncQdrantClient, models

from sourcebook.core.collections import Collection, Generation
from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.providers.vector_stores.qdrant.connection import FAILURES, translated
from sourcebook.providers.vector_stores.qdrant.index import StrictLimits, strict_limits
from sourcebook.providers.vector_stores.qdrant.ownership import catalog_mark, catalog_of
from sourcebook.providers.vector_stores.qdrant.points import MAX_BATCH_POINTS, batches

PAGE_SIZE = 100
# A server keeps no point without a vector.
_VECTOR = [1.0]
_METADATA: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])


class _Generation(BaseModel):
    index_id: str
    model: str
    model_revision: str
    dimensions: int

    def read(self) -> Generation:
        return Generation(self.index_id, self.model, self.model_revision, self.dimensions)


class _Entry(BaseModel):
    """One collection, as the catalog has it."""

    collection_id: str
    name: str
    metadata: str
    generation: _Generation
    previous: _Generation | None = None

    def read(self) -> Collection:
        return Collection(
            id=self.collection_id,
            name=self.name,
            metadata=_METADATA.validate_json(self.metadata),
            generation=self.generation.read(),
            previous=None if self.previous is None else self.previous.read(),
        )


class Catalog:
    """Reads and writes the catalog of one namespace, within the limits of a strict server."""

    def __init__(self, client: AsyncQdrantClient, namespace: str, timeout_s: float) -> None:
        self._client = client
        self._namespace = namespace
        self._name = catalog_of(namespace)
        self._timeout_s = timeout_s

    async def collections(self) -> list[Collection]:
        """Return all collections of the catalog, by name."""
        entries = (await self._entries()).values()
        try:
            found = [_Entry.model_validate(entry).read() for entry in entries]
        except ValidationError as exc:
            raise RetrievalUnavailable(
                f"The catalog {self._name!r} on the Qdrant server is damaged: somebody changed it"
            ) from exc
        return sorted(found, key=lambda collection: collection.name)

    async def write(self, collections: Sequence[Collection]) -> None:
        """Make the catalog list exactly these collections; what it has already is not written."""
        wanted = {_point_id(one): _entry(one) for one in collections}
        known = await self._entries()
        changed = {id_: entry for id_, entry in wanted.items() if known.get(id_) != entry}
        gone = [*known.keys() - wanted.keys()]
        if changed:
            await self._create()
            await self._upsert(changed)
        for start in range(0, len(gone), MAX_BATCH_POINTS):
            some = models.PointIdsList(points=[*gone[start : start + MAX_BATCH_POINTS]])
            async with self._asking("writing"):
                await self._client.delete(self._name, some, wait=True)

    async def _upsert(self, entries: Mapping[str, dict[str, object]]) -> None:
        points = [
            models.PointStruct(id=id_, vector=_VECTOR, payload=entry)
            for id_, entry in entries.items()
        ]
        max_points = min(MAX_BATCH_POINTS, (await self._limits()).max_written or MAX_BATCH_POINTS)
        for batch in batches(points, len(_VECTOR), max_points):
            async with self._asking("writing"):
                await self._client.upsert(self._name, batch, wait=True)

    async def _limits(self) -> StrictLimits:
        async with self._asking("looking up"):
            return strict_limits(await self._client.get_collection(self._name))

    async def _entries(self) -> dict[str, dict[str, object]]:
        entries: dict[str, dict[str, object]] = {}
        offset: models.ExtendedPointId | None = None
        async with self._asking("reading"):
            if not await self._client.collection_exists(self._name):
                return {}
        limit = min(PAGE_SIZE, (await self._limits()).max_asked or PAGE_SIZE)
        while True:
            async with self._asking("reading"):
                found, offset = await self._client.scroll(
                    self._name, offset=offset, limit=limit, with_payload=True
                )
            entries |= {str(point.id): point.payload or {} for point in found}
            if offset is None:
                return entries

    async def _create(self) -> None:
        async with self._asking("creating"):
            if await self._client.collection_exists(self._name):
                return
            try:
                await self._client.create_collection(
                    self._name,
                    vectors_config=models.VectorParams(size=1, distance=models.Distance.DOT),
                    metadata=catalog_mark(self._namespace),
                )
            except FAILURES:
                # Another process may have been faster.
                if not await self._client.collection_exists(self._name):
                    raise

    def _asking(self, doing: str) -> AbstractAsyncContextManager[None]:
        missing = f"The catalog {self._name!r} is gone from the Qdrant server"
        return translated(f"{doing} the catalog {self._name!r}", missing, self._timeout_s)


def _point_id(collection: Collection) -> str:
    return str(uuid5(NAMESPACE_URL, collection.id))


def _entry(collection: Collection) -> dict[str, object]:
    entry = _Entry(
        collection_id=collection.id,
        name=collection.name,
        metadata=json.dumps(dict(collection.metadata), ensure_ascii=False),
        generation=_Generation(**asdict(collection.generation)),
        previous=None
        if collection.previous is None
        else _Generation(**asdict(collection.previous)),
    )
    return entry.model_dump(mode="json")
