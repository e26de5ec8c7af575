"""Declares the hashing embedder."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import BaseModel, Field

from sourcebook.core.ports import Embedder
from sourcebook.providers.declaring import Opening, Provider
from sourcebook_example.hashing import HashingEmbedder


class HashingSettings(BaseModel):
    """An embedder has a `path`: which model it is to run."""

    path: str = Field("words", description="Only a name: there is no model.")
    dimensions: int = Field(256, ge=16, le=4096, description="The length of the vectors.")


@asynccontextmanager
async def open_hashing(settings: HashingSettings, opening: Opening) -> AsyncIterator[Embedder]:
    """Open it for as long as the context lasts. A slow SDK is imported here, not above."""
    yield HashingEmbedder(opening.id, settings.path, settings.dimensions)


PROVIDER = Provider(settings=HashingSettings, open=open_hashing)
