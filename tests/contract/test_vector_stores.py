"""The vector stores that run here, held to the contract."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sourcebook.core.filters import OneOf
from sourcebook.core.ports import VectorStore
from sourcebook.providers.storage.ledger.sql_ledger import open_postgres_ledger
from sourcebook.testing.points import INDEX, filled, names, point, query
from sourcebook.testing.term_store_contract import TermStoreContract
from sourcebook.testing.vector_store_contract import VectorStoreContract
from tests.contract.mirrored_store import MirroredStore
from tests.ledgers import migrated_database, open_copied_ledger
from tests.memory_store import MemoryStore


class TestMemoryStore(VectorStoreContract, TermStoreContract):
    filters_are_exact = True

    @pytest.fixture
    def store(self) -> VectorStore:
        return MemoryStore()


class TestMirrorStore(VectorStoreContract, TermStoreContract):
    filters_are_exact = True

    @pytest.fixture
    async def store(self, in_memory: Path) -> AsyncIterator[VectorStore]:
        async with open_copied_ledger(in_memory / "ledger.db") as ledger:
            yield MirroredStore(ledger)

    @pytest.mark.skip(reason="a mirror knows what was live: nobody has to name points to it")
    async def test_only_the_points_asked_for_are_looked_at(self, store: VectorStore) -> None: ...


async def test_a_mirror_of_a_ledger_in_postgres_knows_what_filters_look_at(
    postgres_url: str,
) -> None:
    async with open_postgres_ledger(await migrated_database(postgres_url)) as ledger:
        store = MirroredStore(ledger)
        one, two = (point(tier, metadata={"tier": tier}) for tier in (1, 2))
        await filled(store, one, two)

        assert names(await store.search(INDEX, query(filter_=OneOf("tier", (2,))))) == ["2"]
