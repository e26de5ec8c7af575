"""The vector stores that run here, held to the contract."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sourcebook.core.ports import VectorStore
from sourcebook.providers.vector_stores.memory import MemoryStore
from sourcebook.testing.term_store_contract import TermStoreContract
from sourcebook.testing.vector_store_contract import VectorStoreContract
from tests.contract.mirrored_store import MirroredStore
from tests.ledgers import open_copied_ledger


class TestMemoryStore(VectorStoreContract, TermStoreContract):
    @pytest.fixture
    def store(self) -> VectorStore:
        return MemoryStore()


class TestMirrorStore(VectorStoreContract, TermStoreContract):
    @pytest.fixture
    async def store(self, in_memory: Path) -> AsyncIterator[VectorStore]:
        async with open_copied_ledger(in_memory / "ledger.db") as ledger:
            yield MirroredStore(ledger)

    @pytest.mark.skip(reason="a mirror knows what was live: nobody has to name points to it")
    async def test_only_the_points_asked_for_are_looked_at(self, store: VectorStore) -> None: ...
