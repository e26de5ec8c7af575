"""The Qdrant server store, held to the contract.

The client's in-memory mode stands for a server, asked directly and over HTTP. A real one is asked
too where SOURCEBOOK_TEST_QDRANT_URL names it (and SOURCEBOOK_TEST_QDRANT_API_KEY its key).
"""

import os
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from pydantic import SecretStr
from qdrant_client import AsyncQdrantClient

from sourcebook.core.ports import VectorStore
from sourcebook.providers.vector_stores.qdrant.connection import connected
from sourcebook.providers.vector_stores.qdrant.settings import QdrantSettings
from sourcebook.providers.vector_stores.qdrant.store import QdrantStore
from sourcebook.testing.term_store_contract import TermStoreContract
from sourcebook.testing.vector_store_contract import FilterContract, VectorStoreContract
from tests.qdrant_memory import one_at_a_time
from tests.qdrant_server import qdrant_server

SERVER_URL = os.environ.get("SOURCEBOOK_TEST_QDRANT_URL", "")
SERVER_KEY = os.environ.get("SOURCEBOOK_TEST_QDRANT_API_KEY", "")
NAMESPACE = "sourcebook-1a2b3c4d5e6f"
# The server stands in for a real one in this very process, which a busy machine slows down.
PATIENT_S = 120.0


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect")
class TestQdrantStoreInMemory(VectorStoreContract, TermStoreContract):
    @pytest.fixture
    async def store(self) -> AsyncIterator[VectorStore]:
        client = AsyncQdrantClient(":memory:")
        yield QdrantStore(one_at_a_time(client), NAMESPACE)
        await client.close()


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect")
class TestQdrantStoreWithoutPayloadIndexes(FilterContract):
    @pytest.fixture
    async def store(self) -> AsyncIterator[VectorStore]:
        client = AsyncQdrantClient(":memory:")
        yield QdrantStore(one_at_a_time(client), NAMESPACE, max_payload_indexes=0)
        await client.close()


class TestQdrantStoreOverRest(VectorStoreContract, TermStoreContract):
    @pytest.fixture
    async def store(self) -> AsyncIterator[VectorStore]:
        async with qdrant_server() as server:
            settings = QdrantSettings(url=server.url, timeout_s=PATIENT_S)
            async with connected(settings) as client:
                yield QdrantStore(client, NAMESPACE, timeout_s=PATIENT_S)


@pytest.mark.skipif(not SERVER_URL, reason="SOURCEBOOK_TEST_QDRANT_URL names no server")
@pytest.mark.parametrize("grpc", [False, True], ids=["rest", "grpc"])
class TestQdrantStoreAtAServer(VectorStoreContract, TermStoreContract):
    @pytest.fixture
    async def store(self, grpc: bool) -> AsyncIterator[VectorStore]:
        key = SecretStr(SERVER_KEY) if SERVER_KEY else None
        async with connected(QdrantSettings(url=SERVER_URL, api_key=key, grpc=grpc)) as client:
            store = QdrantStore(client, f"sourcebook-test-{uuid4().hex[:8]}")
            yield store
            for index_id in await store.indexes():
                await store.drop(index_id)
