"""Declares Chroma as two providers: embedded in this process, and as a server or Chroma Cloud."""

from urllib.parse import quote

import httpx2
from pydantic import BaseModel, TypeAdapter, ValidationError

from sourcebook.core.ports import VectorStore
from sourcebook.providers.declaration import Probed, ProbeFailed, Provider
from sourcebook.providers.vector_stores.chroma.settings import ChromaServerSettings, ChromaSettings


class _Named(BaseModel):
    name: str


_COLLECTIONS = TypeAdapter(tuple[_Named, ...])


async def probe_server(settings: ChromaServerSettings, client: httpx2.AsyncClient) -> Probed:
    """Ask for the heartbeat, which needs no token, and for the collections, which may.

    Over plain HTTP: the given client goes only where it may.
    """
    base, headers = f"{settings.url}/api/v2", settings.headers()
    (await client.get(f"{base}/heartbeat")).raise_for_status()
    tenant, name = quote(settings.tenant, safe=""), quote(settings.database, safe="")
    database = f"{base}/tenants/{tenant}/databases/{name}"
    # The server lists no collections, rather than an error, for a database that does not exist.
    (await client.get(database, headers=headers)).raise_for_status()
    listed = await client.get(f"{database}/collections", headers=headers)
    listed.raise_for_status()
    try:
        found = _COLLECTIONS.validate_json(listed.content)
    except ValidationError:
        raise ProbeFailed(
            "unknown",
            "What answers at that URL is not a Chroma server: check the URL and its port",
        ) from None
    names = tuple(sorted(collection.name for collection in found))
    return Probed(details={"collections": len(names)}, collections=names)


EMBEDDED: Provider[ChromaSettings, VectorStore] = Provider(
    ChromaSettings, "sourcebook.providers.vector_stores.chroma.store:open_folder_store"
)
SERVER: Provider[ChromaServerSettings, VectorStore] = Provider(
    ChromaServerSettings,
    "sourcebook.providers.vector_stores.chroma.store:open_server_store",
    probe_server,
)
