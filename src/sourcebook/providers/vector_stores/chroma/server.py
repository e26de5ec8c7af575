"""ChromaServer: the client of a Chroma server's HTTP API, version 2.

Chroma's own client library blocks, has no timeout and obeys the environment, so it is not used.
"""

import asyncio
import sys
from array import array
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from urllib.parse import quote

import httpx2

from sourcebook.core.metadata import JsonValue, Metadata
from sourcebook.providers.outbound.client import open_client
from sourcebook.providers.outbound.json_server import (
    UNREACHABLE,
    CallFailed,
    JsonServer,
    StatusRefused,
)
from sourcebook.providers.vector_stores.chroma.client import (
    HNSW,
    ChromaBatch,
    ChromaCollection,
    ChromaFailed,
    ChromaRecord,
    CollectionMissing,
    CollectionTaken,
    GraphNotReady,
    Where,
)
from sourcebook.providers.vector_stores.chroma.server_replies import (
    collection_in,
    collections_in,
    count_in,
    database_in,
    found_in,
    ids_in,
    records_in,
)
from sourcebook.providers.vector_stores.chroma.settings import API, ChromaServerSettings

COLLECTIONS_PAGE_SIZE = 200
HEARTBEAT_TIMEOUT_S = 3.0

NO_DATABASE = "has no such tenant or database: check them in the settings"
_STATUSES: Mapping[int, str] = {
    401: "refused the token: check it in the settings",
    403: "does not allow this with the token that it was given",
    429: "takes no more requests for now: try again in a while",
}


class ChromaServer:
    """The collections of one database. Calls are not retried."""

    def __init__(self, client: httpx2.AsyncClient, settings: ChromaServerSettings) -> None:
        self._client = client
        self._url = f"{settings.url}{API}"
        self._server = JsonServer(client, self._url)
        self._database = settings.database_route
        self._all = f"{self._database}/collections"
        self._timeout_s = settings.timeout_s

    async def heartbeat(self) -> None:
        with _translated(NO_DATABASE):
            # Read, because anything may answer at a wrong address.
            database_in(
                await self._server.get(self._database, min(HEARTBEAT_TIMEOUT_S, self._timeout_s))
            )

    async def collections(self) -> list[ChromaCollection]:
        found: list[ChromaCollection] = []
        while True:
            page = f"?limit={COLLECTIONS_PAGE_SIZE}&offset={len(found)}"
            with _translated():
                listed = collections_in(await self._server.get(self._all + page, self._timeout_s))
            found += listed
            if len(listed) < COLLECTIONS_PAGE_SIZE:
                return found

    async def find(self, name: str) -> ChromaCollection:
        with _translated():
            return collection_in(await self._server.get(self._route(name), self._timeout_s))

    async def create(self, name: str, metadata: Metadata) -> ChromaCollection:
        body = {
            "name": name,
            "metadata": dict(metadata),
            "configuration": {"hnsw": dict(HNSW)},
            "get_or_create": False,
        }
        with _translated(NO_DATABASE):
            return collection_in(await self._server.post(self._all, body, self._timeout_s))

    async def drop(self, name: str) -> None:
        with _translated():
            await self._delete(self._route(name))

    async def upsert(self, collection: ChromaCollection, batch: ChromaBatch) -> None:
        body = {
            "ids": list(batch.ids),
            "embeddings": await asyncio.to_thread(_in_base64, batch.vectors),
            "metadatas": [dict(metadata) for metadata in batch.metadatas],
        }
        await self._ask(collection, "upsert", body)

    async def delete(self, collection: ChromaCollection, ids: Sequence[str]) -> None:
        await self._ask(collection, "delete", {"ids": list(ids)})

    async def count(self, collection: ChromaCollection) -> int:
        with _translated():
            route = self._route(collection.id, "count")
            return count_in(await self._server.get(route, self._timeout_s))

    async def ids(self, collection: ChromaCollection, where: Where | None) -> list[str]:
        body: dict[str, object] = {"include": [], **({} if where is None else {"where": where})}
        return ids_in(await self._ask(collection, "get", body))

    async def records(
        self,
        collection: ChromaCollection,
        ids: Sequence[str] | None = None,
        *,
        limit: int | None = None,
        vectors: bool = False,
    ) -> list[ChromaRecord]:
        include = ["metadatas", "documents", *(["embeddings"] if vectors else [])]
        body = {"ids": None if ids is None else list(ids), "limit": limit, "include": include}
        return records_in(await self._ask(collection, "get", body))

    async def nearest(
        self, collection: ChromaCollection, vector: Sequence[float], limit: int, where: Where | None
    ) -> list[ChromaRecord]:
        body = {
            "query_embeddings": [[*map(float, vector)]],
            "n_results": limit,
            "where": where,
            "include": ["metadatas", "documents", "distances"],
        }
        return found_in(await self._ask(collection, "query", body))

    async def _ask(
        self, collection: ChromaCollection, doing: str, body: Mapping[str, object]
    ) -> JsonValue:
        with _translated():
            route = self._route(collection.id, doing)
            return await self._server.post(route, body, self._timeout_s)

    async def _delete(self, route: str) -> None:
        try:
            async with asyncio.timeout(self._timeout_s):
                reply = await self._client.delete(f"{self._url}{route}")
        except TimeoutError:
            raise CallFailed(f"took longer than {self._timeout_s:g} s: try again") from None
        except httpx2.HTTPError:
            raise CallFailed(UNREACHABLE) from None
        if not reply.is_success:
            raise StatusRefused(reply.status_code)

    def _route(self, *parts: str) -> str:
        return "/".join((self._all, *(quote(part, safe="") for part in parts)))


@asynccontextmanager
async def open_chroma_server(settings: ChromaServerSettings) -> AsyncIterator[ChromaServer]:
    """Open a client that keeps its connections until it is left."""
    async with open_client(timeout_s=settings.timeout_s, headers=settings.headers()) as client:
        yield ChromaServer(client, settings)


def _in_base64(vectors: Sequence[Sequence[float]]) -> list[str]:
    single = (array("f", vector) for vector in vectors)
    return [b64encode(_little_endian(vector)).decode("ascii") for vector in single]


def _little_endian(vector: "array[float]") -> bytes:
    if sys.byteorder == "big":
        vector.byteswap()
    return vector.tobytes()


@contextmanager
def _translated(missing: str | None = None) -> Iterator[None]:
    """Translate errors; `missing` is the message if what is missing is not a collection."""
    try:
        yield
    except StatusRefused as exc:
        raise _meaning(exc, missing) from exc
    except CallFailed as exc:
        raise ChromaFailed(exc.message) from exc
    except ValueError as exc:
        raise ChromaFailed("gave a reply that is not Chroma's: check its address") from exc


def _meaning(refusal: StatusRefused, missing: str | None) -> Exception:
    # The server has both for an unknown database; what else it could object to is ours.
    if missing is not None and refusal.status in {400, 404}:
        return ChromaFailed(missing)
    if refusal.status == 404:
        return CollectionMissing()
    if refusal.status == 409:
        return CollectionTaken()
    if GraphNotReady.REPORT in refusal.said:
        return GraphNotReady()
    return ChromaFailed(_STATUSES.get(refusal.status, refusal.message))
