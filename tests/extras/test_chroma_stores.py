"""The contract of vector stores, on Chroma inside the process and on a real Chroma server."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from sourcebook.core.ports import VectorStore
from sourcebook.testing.vector_store_contract import VectorStoreContract
from tests.extras.chroma_stores import folder_store, server_store


class TestEmbeddedChroma(VectorStoreContract):
    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[VectorStore]:
        async with folder_store(tmp_path / "chroma") as store:
            yield store


class TestChromaServer(VectorStoreContract):
    @pytest.fixture
    async def store(self, chroma_url: str) -> AsyncIterator[VectorStore]:
        # One server for all tests, and a namespace for each.
        async with server_store(chroma_url, f"test-{uuid4().hex}") as store:
            yield store
