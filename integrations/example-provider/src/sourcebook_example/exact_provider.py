"""Declares the exact store."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import BaseModel, Field

from sourcebook.core.ports import VectorStore
from sourcebook.providers.declaration import Opening, Provider
from sourcebook_example.exact import ExactStore


class ExactSettings(BaseModel):
    """A key would be a `SecretStr` here: it is never shown again."""

    page_size: int = Field(1000, gt=0, description="How many points a page of a walk has.")


@asynccontextmanager
async def open_exact(settings: ExactSettings, opening: Opening) -> AsyncIterator[VectorStore]:
    """Open the store while the context lasts. It may keep files in `opening.data_dir`."""
    yield ExactStore(settings.page_size)


PROVIDER = Provider(settings=ExactSettings, open=open_exact)
