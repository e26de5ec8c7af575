"""The embedders that run here, held to the contract."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from sourcebook.core.ports import Embedder
from sourcebook.providers.declaration import Opening
from sourcebook.providers.embedders.caching import CachingEmbedder
from sourcebook.providers.embedders.local_provider import LocalEmbedderSettings
from sourcebook.providers.embedders.openvino import open_openvino_embedder
from sourcebook.testing.embedder_contract import EmbedderContract
from tests.fakes import FakeEmbedder


class TestFakeEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return FakeEmbedder()


class TestCachingEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return CachingEmbedder(FakeEmbedder())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def minilm(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Embedder]:
    """The bundled model, loaded once for all its tests."""
    nowhere = tmp_path_factory.mktemp("none")
    settings = LocalEmbedderSettings.model_validate({"path": "bundled:all-MiniLM-L6-v2"})
    async with open_openvino_embedder(settings, Opening("minilm", nowhere, nowhere)) as embedder:
        yield embedder


@pytest.mark.asyncio(loop_scope="module")
class TestBundledModel(EmbedderContract):
    @pytest.fixture
    def embedder(self, minilm: Embedder) -> Embedder:
        return minilm
