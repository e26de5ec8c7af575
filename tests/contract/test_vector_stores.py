"""The vector stores that run here, held to the contract."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sourcebook.core.ports import VectorStore
from sourcebook.providers.vector_stores.memory import MemoryStore
from sourcebook.providers.vector_stores.qdrant_edge.store import QdrantEdgeStore
from sourcebook.testing.term_store_contract import TermStoreContract
from sourcebook.testing.vector_store_contract import FilterContract, VectorStoreContract


class TestMemoryStore(VectorStoreContract, TermStoreContract):
    @pytest.fixture
    def store(self) -> VectorStore:
        return MemoryStore()


class TestQdrantEdgeStore(VectorStoreContract, TermStoreContract):
    @pytest.fixture
    async def store(self, in_memory: Path) -> AsyncIterator[VectorStore]:
        async with QdrantEdgeStore(in_memory / "vectors") as store:
            yield store


class TestQdrantEdgeStoreWithoutPayloadIndexes(FilterContract):
    @pytest.fixture
    async def store(self, in_memory: Path) -> AsyncIterator[VectorStore]:
        async with QdrantEdgeStore(in_memory / "vectors", max_payload_indexes=0) as store:
            yield store
