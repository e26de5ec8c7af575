"""The ledgers that run here, held to the contract."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sourcebook.core.ports import Ledger
from sourcebook.providers.storage.ledger import open_sqlite_ledger
from sourcebook.testing.ledger_contract import LedgerContract, OpenLedger


class TestSqliteLedger(LedgerContract):
    @pytest.fixture
    async def ledger(self, tmp_path: Path) -> AsyncIterator[Ledger]:
        async with open_sqlite_ledger(tmp_path / "ledger.db") as ledger:
            yield ledger

    @pytest.fixture
    def open_ledger(self, tmp_path: Path) -> OpenLedger:
        return lambda: open_sqlite_ledger(tmp_path / "ledger.db")
