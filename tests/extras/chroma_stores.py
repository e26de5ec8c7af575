"""Opens Chroma stores for tests: in a folder, or at a server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sourcebook.providers.vector_stores.chroma.client import open_own_folder, open_server
from sourcebook.providers.vector_stores.chroma.settings import ChromaServerSettings
from sourcebook.providers.vector_stores.chroma.store import ChromaStore


def server_settings(url: str, **more: object) -> ChromaServerSettings:
    return ChromaServerSettings.model_validate({"url": url, **more})


@asynccontextmanager
async def folder_store(folder: Path, namespace: str = "sourcebook") -> AsyncIterator[ChromaStore]:
    async with open_own_folder(folder) as client:
        yield ChromaStore(client, namespace)


@asynccontextmanager
async def server_store(url: str, namespace: str, **more: object) -> AsyncIterator[ChromaStore]:
    async with open_server(server_settings(url, **more)) as client:
        yield ChromaStore(client, namespace)
