"""Declares a Qdrant server or Qdrant Cloud as a provider."""

import httpx2
from pydantic import BaseModel, ConfigDict, ValidationError

from sourcebook.core.ports import VectorStore
from sourcebook.providers.declaration import Probed, ProbeFailed, Provider
from sourcebook.providers.vector_stores.qdrant.settings import QdrantSettings


class _Named(BaseModel):
    name: str


class _Collections(BaseModel):
    collections: tuple[_Named, ...]


class _Listed(BaseModel):
    """The part of the server's reply that we read."""

    model_config = ConfigDict(extra="ignore")

    result: _Collections


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


PROVIDER: Provider[QdrantSettings, VectorStore] = Provider(
    QdrantSettings, "sourcebook.providers.vector_stores.qdrant.store:open_store", probe
)
