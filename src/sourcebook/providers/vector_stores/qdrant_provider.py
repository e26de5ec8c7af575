"""The declaration of the Qdrant server and Qdrant Cloud; opening it imports the client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import httpx2
from pydantic import BaseModel, ConfigDict, ValidationError

from sourcebook.core.ports import VectorStore
from sourcebook.providers.declaring import Opening, Probed, ProbeFailed, Provider
from sourcebook.providers.vector_stores.qdrant_ownership import check_namespace
from sourcebook.providers.vector_stores.qdrant_settings import QdrantSettings

if TYPE_CHECKING:
    from sourcebook.providers.vector_stores.qdrant_server import QdrantStore


class _Named(BaseModel):
    name: str


class _Collections(BaseModel):
    collections: tuple[_Named, ...]


class _Listed(BaseModel):
    """The server's reply, as far as we read it."""

    model_config = ConfigDict(extra="ignore")

    result: _Collections


@asynccontextmanager
async def open_store(settings: QdrantSettings, opening: Opening) -> AsyncIterator["QdrantStore"]:
    """The store, connected until it is left."""
    # The client is large; processes that open no server must not load it.
    from sourcebook.providers.vector_stores.qdrant_connection import connected  # noqa: PLC0415
    from sourcebook.providers.vector_stores.qdrant_server import QdrantStore  # noqa: PLC0415

    namespace = check_namespace(opening.namespace)
    async with connected(settings) as client:
        yield QdrantStore(client, namespace, timeout_s=settings.timeout_s)


async def probe(settings: QdrantSettings, client: httpx2.AsyncClient) -> Probed:
    """List the collections, over plain HTTP: the given client goes only where it may."""
    key = settings.api_key
    headers = {} if key is None else {"api-key": key.get_secret_value()}
    response = await client.get(f"{settings.url}/collections", headers=headers)
    response.raise_for_status()
    try:
        listed = _Listed.model_validate_json(response.content)
    except ValidationError:
        raise ProbeFailed(
            "unknown", "What answers at that URL is not a Qdrant server: check the URL and its port"
        ) from None
    names = tuple(sorted(named.name for named in listed.result.collections))
    return Probed(details={"collections": len(names)}, collections=names)


PROVIDER: Provider[QdrantSettings, VectorStore] = Provider(QdrantSettings, open_store, probe)
