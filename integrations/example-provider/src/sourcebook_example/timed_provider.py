"""Declares the timed store."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import BaseModel, Field

from sourcebook.core.ports import VectorStore
from sourcebook.providers.declaration import Opening, Provider
from sourcebook.providers.vector_stores.memory import MemoryStore
from sourcebook_example.timed import TimedStore


class TimedSettings(BaseModel):
    """A key would be a `SecretStr` here: it is never shown again."""

    slow_ms: float = Field(100.0, gt=0, description="Slower searches are logged.")


@asynccontextmanager
async def open_timed(settings: TimedSettings, opening: Opening) -> AsyncIterator[VectorStore]:
    """Open the store while the context lasts. It may keep files in `opening.data_dir`."""
    yield TimedStore(MemoryStore(), settings.slow_ms)


PROVIDER = Provider(settings=TimedSettings, open=open_timed)
