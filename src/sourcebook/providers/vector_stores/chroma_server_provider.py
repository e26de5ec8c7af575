"""Declares the Chroma server and Chroma Cloud, which need no library of Chroma's."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2

from sourcebook.core.ports import VectorStore
from sourcebook.providers.declaring import Opening, Probed, ProbeFailed, Provider
from sourcebook.providers.vector_stores.chroma_server_replies import collections_in
from sourcebook.providers.vector_stores.chroma_settings import API, ChromaServerSettings


@asynccontextmanager
async def open_store(
    settings: ChromaServerSettings, opening: Opening
) -> AsyncIterator[VectorStore]:
    """The store, connected until it is left. Nothing is asked yet, so the server may be away."""
    # numpy is of no use to whoever only lists providers.
    from sourcebook.providers.vector_stores.chroma_server import open_chroma_server  # noqa: PLC0415
    from sourcebook.providers.vector_stores.chroma_store import ChromaStore  # noqa: PLC0415

    async with open_chroma_server(settings) as client:
        yield ChromaStore(client, opening.namespace)


async def probe(settings: ChromaServerSettings, client: httpx2.AsyncClient) -> Probed:
    """Ask for a sign of life, which needs no token, and for the collections, which may."""
    base, headers = f"{settings.url}{API}", settings.headers()
    (await client.get(f"{base}/heartbeat")).raise_for_status()
    database = f"{base}{settings.database_route}"
    # A database that does not exist has no collections either, as far as the server is concerned.
    (await client.get(database, headers=headers)).raise_for_status()
    listed = await client.get(f"{database}/collections", headers=headers)
    listed.raise_for_status()
    try:
        found = collections_in(listed.json())
    except ValueError:
        raise ProbeFailed(
            "unknown",
            "What answers at that URL is not a Chroma server: check the URL and its port",
        ) from None
    names = tuple(sorted(collection.name for collection in found))
    return Probed(details={"collections": len(names)}, collections=names)


PROVIDER: Provider[ChromaServerSettings, VectorStore] = Provider(
    ChromaServerSettings, open_store, probe
)
