"""The embedded index, held to the contract of vector stores by way of a ledger."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sourcebook.core.ports import VectorStore
from sourcebook.testing.term_store_contract import TermStoreContract
from sourcebook.testing.vector_store_contract import VectorStoreContract
from tests.contract.mirrored_store import MirroredStore
from tests.ledgers import open_copied_ledger


class TestMirrorStore(VectorStoreContract, TermStoreContract):
    @pytest.mark.skip(reason="a mirror knows what was live: nobody has to name points to it")
    async def test_only_the_points_asked_for_are_looked_at(self, store: VectorStore) -> None: ...

    @pytest.fixture
    async def store(self, in_memory: Path) -> AsyncIterator[VectorStore]:
        async with open_copied_ledger(in_memory / "ledger.db") as ledger:
            yield MirroredStore(ledger)
