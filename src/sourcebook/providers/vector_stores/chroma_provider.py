"""Declares the embedded Chroma: a folder of its own inside the data folder."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import BaseModel, ConfigDict, Field

from sourcebook.core.ports import VectorStore
from sourcebook.providers.declaring import Opening, Provider
from sourcebook.providers.vector_stores.qdrant_edge_provider import folder_inside

DEFAULT_FOLDER = "chroma"


class ChromaSettings(BaseModel):
    """Where it keeps its files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(
        DEFAULT_FOLDER,
        min_length=1,
        title="Folder",
        description="A folder inside the data folder. Only one process can have it open.",
    )


@asynccontextmanager
async def open_store(settings: ChromaSettings, opening: Opening) -> AsyncIterator[VectorStore]:
    """The store, open until it is left."""
    # numpy and the lock are of no use to whoever only lists providers.
    from sourcebook.providers.vector_stores.chroma_embedded import (  # noqa: PLC0415
        open_embedded_chroma,
    )
    from sourcebook.providers.vector_stores.chroma_store import ChromaStore  # noqa: PLC0415

    async with open_embedded_chroma(folder_inside(opening.data_dir, settings.path)) as client:
        yield ChromaStore(client, opening.namespace)


PROVIDER: Provider[ChromaSettings, VectorStore] = Provider(ChromaSettings, open_store)
