"""The ledgers that run here, held to the contract."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sourcebook.core.ports import Ledger
from sourcebook.providers.storage.ledger.sql_ledger import open_postgres_ledger
from tests.contract.bulk_import_contract import BulkImportContract
from tests.contract.job_contract import JobContract
from tests.contract.ledger_contract import LedgerContract
from tests.contract.ledger_values import OpenLedger
from tests.fakes import FakeClock
from tests.ledgers import migrated_database, open_copied_ledger


class TestSqliteLedger(LedgerContract):
    @pytest.fixture
    async def ledger(self, tmp_path: Path) -> AsyncIterator[Ledger]:
        async with open_copied_ledger(tmp_path / "ledger.db") as ledger:
            yield ledger

    @pytest.fixture
    def open_ledger(self, tmp_path: Path) -> OpenLedger:
        return lambda: open_copied_ledger(tmp_path / "ledger.db")


class TestPostgresLedger(LedgerContract):
    @pytest.fixture
    async def ledger(self, postgres_url: str) -> AsyncIterator[Ledger]:
        async with open_postgres_ledger(await migrated_database(postgres_url)) as ledger:
            yield ledger

    @pytest.fixture
    def open_ledger(self, postgres_url: str) -> OpenLedger:
        url = asyncio.run(migrated_database(postgres_url))
        return lambda: open_postgres_ledger(url)


class TestSqliteJobs(JobContract):
    @pytest.fixture
    async def ledger(self, tmp_path: Path, clock: FakeClock) -> AsyncIterator[Ledger]:
        async with open_copied_ledger(tmp_path / "ledger.db", clock) as ledger:
            yield ledger


class TestPostgresJobs(JobContract):
    @pytest.fixture
    async def ledger(self, postgres_url: str, clock: FakeClock) -> AsyncIterator[Ledger]:
        async with open_postgres_ledger(await migrated_database(postgres_url), clock) as ledger:
            yield ledger


class TestSqliteLoads(BulkImportContract):
    @pytest.fixture
    def open_ledger(self, tmp_path: Path, clock: FakeClock) -> OpenLedger:
        return lambda: open_copied_ledger(tmp_path / "ledger.db", clock)


class TestPostgresLoads(BulkImportContract):
    @pytest.fixture
    async def open_ledger(self, postgres_url: str, clock: FakeClock) -> OpenLedger:
        url = await migrated_database(postgres_url)
        return lambda: open_postgres_ledger(url, clock)
