"""Where conversations are kept by the settings, how databases are named, and the daily purge."""

import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

from sourcebook.core.conversations import Exchange
from sourcebook.core.errors import ConfigurationError, HistoryUnavailable
from sourcebook.core.health import ServiceHealth
from sourcebook.providers.storage.ledger.sql_ledger import open_sqlite_ledger
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import load_settings
from sourcebook.service.wiring.answering import named_databases, open_conversations
from sourcebook.service.wiring.background import PURGE_INTERVAL_S, PURGE_RETRY_INTERVAL_S, Purger
from sourcebook.surfaces.health.results import overall
from tests.contract.conversation_contract import exchange
from tests.postgres import fresh_database

UP, DOWN = ServiceHealth("up"), ServiceHealth("down")


class FakeConversations:
    """Purges what it is told to, or fails."""

    def __init__(self, *purges: int | Exception) -> None:
        self._purges = list(purges)
        self.health = UP

    async def add(self, exchange: Exchange) -> None: ...

    async def latest(self, session_id: str, limit: int) -> list[Exchange]:
        return []

    async def forget(self, session_id: str) -> int:
        return 0

    async def purge(self) -> int:
        done = self._purges.pop(0)
        if isinstance(done, Exception):
            raise done
        return done

    async def check(self) -> ServiceHealth:
        return self.health


def variables(monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    for name, value in values.items():
        monkeypatch.setenv(name, value)


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def test_without_a_setting_they_are_in_the_file_of_the_ledger(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    async with open_sqlite_ledger(folder.ledger) as ledger:
        async with open_conversations(load_settings(), folder) as store:
            await store.add(exchange("s", 4_000_000_000.0))
            assert len(await store.latest("s", 5)) == 1
        assert await ledger.collections.all() == []

    assert files_in(tmp_path) == {"ledger.db"}


async def test_beside_a_ledger_in_postgres_they_have_a_file_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables(monkeypatch, SOURCEBOOK_LEDGER_URL="postgresql://u:p@127.0.0.1:1/ledger")

    async with open_conversations(load_settings(), DataFolder(tmp_path)) as store:
        assert (await store.check()).status == "up"

    assert files_in(tmp_path) == {"conversations.db"}


@pytest.mark.spec("004 FR-013")
async def test_with_a_database_they_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres_url: str
) -> None:
    variables(monkeypatch, DATABASE_URL=await fresh_database(postgres_url))
    settings, folder = load_settings(), DataFolder(tmp_path)

    async with open_conversations(settings, folder) as store:
        await store.add(exchange("s", 4_000_000_000.0))
    async with open_conversations(settings, folder) as store:
        assert len(await store.latest("s", 5)) == 1

    assert files_in(tmp_path) == set()


@pytest.mark.parametrize("url", ["sqlite:///canary.db", "mysql://u:canary@h/db", "canary"])
async def test_a_database_that_is_not_postgres_is_refused_by_the_name_of_its_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    variables(monkeypatch, DATABASE_URL=url)

    with pytest.raises(ConfigurationError, match="DATABASE_URL") as caught:
        async with open_conversations(load_settings(), DataFolder(tmp_path)):
            pass

    assert "LEDGER" not in caught.value.message
    assert "canary" not in caught.value.message


async def test_a_database_that_is_away_is_no_reason_not_to_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables(monkeypatch, DATABASE_URL="postgresql://u:canary@127.0.0.1:1/db")

    async with open_conversations(load_settings(), DataFolder(tmp_path)) as store:
        health = await store.check()
        with pytest.raises(HistoryUnavailable):
            await store.latest("s", 5)

    assert health.status == "down"
    assert health.message is not None
    assert "canary" not in health.message
    assert "127.0.0.1" not in health.message


def test_the_defaults_are_those_of_the_specification() -> None:
    settings = load_settings()

    assert settings.database_url is None
    assert settings.max_conversation_history == 10
    assert settings.conversation_retention_days == 30


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_CONVERSATION_HISTORY", "-1"),
        ("MAX_CONVERSATION_HISTORY", "101"),
        ("MAX_CONVERSATION_HISTORY", "2.5"),
        ("CONVERSATION_RETENTION_DAYS", "0"),
        ("CONVERSATION_RETENTION_DAYS", "0.99"),
        ("CONVERSATION_RETENTION_DAYS", "nan"),
        ("CONVERSATION_RETENTION_DAYS", "inf"),
    ],
)
def test_what_makes_no_sense_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    variables(monkeypatch, **{name: value})

    with pytest.raises(ConfigurationError, match=name):
        load_settings()


def test_days_may_be_parts_of_days_and_the_url_is_never_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    variables(monkeypatch, CONVERSATION_RETENTION_DAYS="1.5", DATABASE_URL="postgresql://canary")

    settings = load_settings()

    assert settings.conversation_retention_days == 1.5
    assert "canary" not in repr(settings)


@pytest.mark.parametrize(
    ("ledger", "conversations", "status"),
    [
        (UP, None, "healthy"),
        (DOWN, None, "unhealthy"),
        (UP, UP, "healthy"),
        (UP, DOWN, "degraded"),
        (UP, ServiceHealth("degraded"), "degraded"),
        (DOWN, UP, "unhealthy"),
    ],
)
async def test_without_conversations_the_service_is_degraded_without_the_ledger_unhealthy(
    ledger: ServiceHealth, conversations: ServiceHealth | None, status: str
) -> None:
    own = None if conversations is None else _checkable(conversations)
    parts = named_databases(_checkable(ledger), own)
    found = {name: await part.check() for name, part in parts.items()}

    assert overall(found, ledger_reachable=True) == status
    assert found["database"] == (conversations or ledger)


def _checkable(health: ServiceHealth) -> FakeConversations:
    store = FakeConversations()
    store.health = health
    return store


@pytest.mark.parametrize(
    ("purges", "waits"),
    [
        ([0, 7], [PURGE_INTERVAL_S, PURGE_INTERVAL_S]),
        ([HistoryUnavailable("It is away"), 7], [PURGE_RETRY_INTERVAL_S, PURGE_INTERVAL_S]),
        ([ValueError("a bug"), 7], [PURGE_RETRY_INTERVAL_S, PURGE_INTERVAL_S]),
    ],
)
async def test_a_purge_comes_again_in_a_day_and_soon_if_it_failed(
    purges: Sequence[int | Exception], waits: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    purger = Purger(FakeConversations(*purges))

    with caplog.at_level(logging.INFO):
        assert [await purger.purge(), await purger.purge()] == waits

    assert caplog.messages[-1] == "conversations_purged"
    assert len(caplog.messages) == (1 if purges[0] == 0 else 2)
