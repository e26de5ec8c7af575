"""Declares the embedded index as a provider. It has no settings: the ledger has all it needs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import BaseModel, ConfigDict

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.ports import VectorStore
from sourcebook.providers.declaration import Opening, Provider


class MirrorSettings(BaseModel):
    """There is nothing to set."""

    model_config = ConfigDict(frozen=True, extra="ignore")


@asynccontextmanager
async def _open(settings: MirrorSettings, opening: Opening) -> AsyncIterator[VectorStore]:
    raise ConfigurationError(
        "The embedded index is part of the service, and nothing that a connection could be tried to"
    )
    yield


PROVIDER: Provider[MirrorSettings, VectorStore] = Provider(MirrorSettings, _open)
