"""Declares the store in memory."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import BaseModel, ConfigDict

from sourcebook.core.ports import VectorStore
from sourcebook.providers.declaring import Opening, Provider


class MemorySettings(BaseModel):
    """There is nothing to set."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@asynccontextmanager
async def _open(settings: MemorySettings, opening: Opening) -> AsyncIterator[VectorStore]:
    from sourcebook.providers.vector_stores.memory import MemoryStore  # noqa: PLC0415

    yield MemoryStore()


PROVIDER = Provider(settings=MemorySettings, open=_open)
