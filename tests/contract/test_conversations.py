"""The stores of conversations that run here, held to the contract."""

from pathlib import Path

import pytest

from sourcebook.providers.storage.conversations.sql_conversations import (
    open_postgres_conversations,
    open_sqlite_conversations,
)
from tests.contract.conversation_contract import (
    RETENTION_DAYS,
    ConversationContract,
    OpenConversations,
)
from tests.fakes import FakeClock
from tests.postgres import fresh_database


class TestSqliteConversations(ConversationContract):
    @pytest.fixture
    def open_conversations(self, tmp_path: Path, clock: FakeClock) -> OpenConversations:
        return lambda: open_sqlite_conversations(tmp_path / "ledger.db", RETENTION_DAYS, clock)


class TestPostgresConversations(ConversationContract):
    @pytest.fixture
    async def open_conversations(self, postgres_url: str, clock: FakeClock) -> OpenConversations:
        url = await fresh_database(postgres_url)
        return lambda: open_postgres_conversations(url, RETENTION_DAYS, clock)
