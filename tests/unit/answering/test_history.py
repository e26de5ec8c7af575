"""Conversations are read and saved as long as that works; the newest part that fits is used."""

import asyncio
import logging
from dataclasses import replace

import pytest

from sourcebook.answering.history import ConversationHistory, NoConversations, newest_that_fit
from sourcebook.core.conversations import Exchange
from sourcebook.core.errors import HistoryUnavailable
from tests.contract.conversation_contract import exchange
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

    earlier = await ConversationHistory(conversations, 10).recent(SESSION)

    assert earlier is not None
    assert [one.id for one in earlier] == ["0", "1", "2"]


@pytest.mark.spec("004 FR-014")
async def test_ten_messages_are_five_exchanges() -> None:
    conversations = MemoryConversations()
    conversations.exchanges = [replace(EXCHANGE, id=str(n)) for n in range(30)]

    earlier = await ConversationHistory(conversations, 10).recent(SESSION)

    assert earlier is not None
    assert [one.id for one in earlier] == ["25", "26", "27", "28", "29"]


@pytest.mark.parametrize(("session_id", "messages"), [(None, 10), (SESSION, 0)])
async def test_where_nothing_counts_nothing_is_read(session_id: str | None, messages: int) -> None:
    conversations = MemoryConversations()
    conversations.exchanges = [EXCHANGE]

    assert await ConversationHistory(conversations, messages).recent(session_id) == ()
    assert conversations.read == 0


async def test_a_database_that_is_away_costs_only_the_history(
    caplog: pytest.LogCaptureFixture,
) -> None:
    conversations = MemoryConversations()
    conversations.away = True
    history = ConversationHistory(conversations, 10)

    with caplog.at_level(logging.WARNING):
        assert await history.recent(SESSION) is None
        assert await history.save(EXCHANGE) == "unavailable"

    assert [record.message for record in caplog.records] == [
        "history_unreadable",
        "history_not_kept",
    ]
    assert SESSION not in caplog.text


async def test_a_database_that_never_answers_is_not_waited_for() -> None:
    history = ConversationHistory(
        SilentConversations(), 10, read_timeout_s=0.01, save_timeout_s=0.01
    )

    assert await history.recent(SESSION) is None
    assert await history.save(EXCHANGE) == "unavailable"


async def test_what_is_kept_is_there() -> None:
    conversations = MemoryConversations()

    assert await ConversationHistory(conversations, 10).save(EXCHANGE) == "saved"
    assert conversations.exchanges == [EXCHANGE]


async def test_where_no_conversations_are_kept_none_are() -> None:
    nowhere = NoConversations()
    history = ConversationHistory(nowhere, 10)

    assert await history.recent(SESSION) is None
    assert await history.save(EXCHANGE) == "unavailable"
    assert await nowhere.forget(SESSION) == 0
    assert await nowhere.purge() == 0
    assert (await nowhere.check()).status == "down"
    with pytest.raises(HistoryUnavailable):
        await nowhere.latest(SESSION, 10)


def conversation(*lengths: int) -> list[Exchange]:
    """Exchanges of so many characters each, half of them the question's."""
    return [
        replace(exchange("s", n), query="q" * (length // 2), response="r" * (length - length // 2))
        for n, length in enumerate(lengths)
    ]


@pytest.mark.parametrize(
    ("messages", "taken"), [(0, 0), (1, 0), (2, 1), (3, 1), (10, 5), (13, 6), (14, 7), (100, 7)]
)
@pytest.mark.spec("004 FR-014")
def test_so_many_messages_count_two_for_each_exchange(messages: int, taken: int) -> None:
    exchanges = conversation(*[10] * 7)

    assert newest_that_fit(exchanges, messages=messages) == tuple(exchanges[7 - taken :])


@pytest.mark.parametrize(
    ("tokens", "taken"), [(0, 0), (9, 0), (10, 1), (29, 1), (30, 2), (59, 2), (60, 3)]
)
def test_so_many_tokens_count_four_characters_for_each(tokens: int, taken: int) -> None:
    exchanges = conversation(120, 80, 40)

    assert newest_that_fit(exchanges, messages=10, tokens=tokens) == tuple(exchanges[3 - taken :])


def test_eight_thousand_tokens_fit_unless_told_otherwise() -> None:
    fitting, too_much = conversation(16_000, 16_000), conversation(16_000, 16_001)

    assert newest_that_fit(fitting, messages=10) == tuple(fitting)
    assert newest_that_fit(too_much, messages=10) == tuple(too_much[1:])


def test_there_are_no_gaps() -> None:
    exchanges = conversation(4, 4_000, 4)

    assert newest_that_fit(exchanges, messages=10, tokens=100) == tuple(exchanges[2:])


def test_an_exchange_about_a_selection_counts_without_the_selection() -> None:
    (about_selection,) = conversation(40)
    about_selection = replace(about_selection, mode="selected_text", selected_text="x" * 10_000)

    assert newest_that_fit([about_selection], messages=2, tokens=10) == (about_selection,)


def test_of_nothing_there_is_nothing() -> None:
    assert newest_that_fit([], messages=10) == ()
