"""A service with a chat, of which tests make apps."""

import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from tests.memory_store import MemoryStore
from tests.surfaces.rag_v3.chat_service import Service


@pytest.fixture
def service(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> Service:
    return Service(ledger, store, models)
