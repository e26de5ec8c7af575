"""Conversations are read and kept as long as that works, and missed when it does not."""

import asyncio
import logging
from dataclasses import replace

import pytest

from sourcebook.answering.diary import Diary, NoConversations
from sourcebook.core.conversations import Exchange
from sourcebook.core.errors import HistoryUnavailable
from tests.fakes import MemoryConversations

SESSION = "11111111-1111-4111-8111-111111111111"
EXCHANGE = Exchange("1", SESSION, "What is ROS?", "A library.", (), "general", None, 1, 5.0, 0.0)


class SilentConversations(MemoryConversations):
    """Never answers."""

    async def add(self, exchange: Exchange) -> None:
        await asyncio.Event().wait()

    async def latest(self, session_id: str, limit: int) -> list[Exchange]:
        await asyncio.Event().wait()
        return []


async def test_earlier_exchanges_come_oldest_first() -> None:
    conversations = MemoryConversations()
    conversations.exchanges = [replace(EXCHANGE, id=str(n)) for n in range(3)]

    earlier = await Diary(conversations, 10).earlier(SESSION)

    assert earlier is not None
    assert [one.id for one in earlier] == ["0", "1", "2"]


@pytest.mark.spec("004 FR-014")
async def test_ten_messages_are_five_exchanges() -> None:
    conversations = MemoryConversations()
    conversations.exchanges = [replace(EXCHANGE, id=str(n)) for n in range(30)]

    earlier = await Diary(conversations, 10).earlier(SESSION)

    assert earlier is not None
    assert [one.id for one in earlier] == ["25", "26", "27", "28", "29"]


@pytest.mark.parametrize(("session_id", "messages"), [(None, 10), (SESSION, 0)])
async def test_where_nothing_counts_nothing_is_read(session_id: str | None, messages: int) -> None:
    conversations = MemoryConversations()
    conversations.exchanges = [EXCHANGE]

    assert await Diary(conversations, messages).earlier(session_id) == ()
    assert conversations.read == 0


async def test_a_database_that_is_away_costs_only_the_history(
    caplog: pytest.LogCaptureFixture,
) -> None:
    conversations = MemoryConversations()
    conversations.away = True
    diary = Diary(conversations, 10)

    with caplog.at_level(logging.WARNING):
        assert await diary.earlier(SESSION) is None
        assert await diary.keep(EXCHANGE) == "unavailable"

    assert [record.message for record in caplog.records] == [
        "history_unreadable",
        "history_not_kept",
    ]
    assert SESSION not in caplog.text


async def test_a_database_that_never_answers_is_not_waited_for() -> None:
    diary = Diary(SilentConversations(), 10, reading_s=0.01, keeping_s=0.01)

    assert await diary.earlier(SESSION) is None
    assert await diary.keep(EXCHANGE) == "unavailable"


async def test_what_is_kept_is_there() -> None:
    conversations = MemoryConversations()

    assert await Diary(conversations, 10).keep(EXCHANGE) == "saved"
    assert conversations.exchanges == [EXCHANGE]


async def test_where_no_conversations_are_kept_none_are() -> None:
    nowhere = NoConversations()
    diary = Diary(nowhere, 10)

    assert await diary.earlier(SESSION) is None
    assert await diary.keep(EXCHANGE) == "unavailable"
    assert await nowhere.forget(SESSION) == 0
    assert await nowhere.purge() == 0
    assert (await nowhere.check()).status == "down"
    with pytest.raises(HistoryUnavailable):
        await nowhere.latest(SESSION, 10)
