"""Both providers keep the contracts that Sourcebook ships. Needs pytest-asyncio and Hypothesis."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sourcebook_example import exact_provider, hashing_provider

from sourcebook.core.ports import Embedder, VectorStore
from sourcebook.providers.declaration import Opening
from sourcebook.testing.embedder_contract import EmbedderContract
from sourcebook.testing.vector_store_contract import VectorStoreContract


@pytest.fixture
def opening(tmp_path: Path) -> Opening:
    return Opening("mine", data_dir=tmp_path, models_dir=tmp_path)


class TestHashingEmbedder(EmbedderContract):
    @pytest.fixture
    async def embedder(self, opening: Opening) -> AsyncIterator[Embedder]:
        settings = hashing_provider.HashingSettings()
        async with hashing_provider.PROVIDER.open(settings, opening) as embedder:
            yield embedder


class TestExactStore(VectorStoreContract):
    @pytest.fixture
    async def store(self, opening: Opening) -> AsyncIterator[VectorStore]:
        settings = exact_provider.ExactSettings()
        async with exact_provider.PROVIDER.open(settings, opening) as store:
            yield store
