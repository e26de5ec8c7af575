"""Contract of the conversation store. Inherit `ConversationContract` and supply two fixtures.

    class TestMyConversations(ConversationContract):
        @pytest.fixture
        def clock(self) -> Clock: ...

        @pytest.fixture
        def open_conversations(self, clock: Clock) -> OpenConversations: ...

`open_conversations` opens the same store each time, which is empty at first, keeps exchanges for
`RETENTION_DAYS` and tells the time by the clock.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import TypeAlias, get_args

import pytest

from sourcebook.core.conversations import Exchange, ExchangeMode
from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import JsonValue
from sourcebook.core.ports import ConversationStore
from tests.contract.lease_contract import Clock

RETENTION_DAYS = 30.0
RETENTION_S = RETENTION_DAYS * 86_400
MANY = 1_000

Sources: TypeAlias = tuple[dict[str, JsonValue], ...]
OpenConversations: TypeAlias = Callable[[], AbstractAsyncContextManager[ConversationStore]]


def exchange(session_id: str, created_at_s: float, query: str = "What is ROS 2?") -> Exchange:
    """Return an exchange that no store holds yet."""
    return Exchange(
        id=str(uuid.uuid4()),
        session_id=session_id,
        query=query,
        response="ROS 2 is a set of libraries [1].",
        sources=({"source_url": "https://example.org/ros", "relevance_score": 0.75},),
        mode="general",
        selected_text=None,
        chunks_retrieved=5,
        latency_ms=12.5,
        created_at_s=created_at_s,
    )


def new_session() -> str:
    """Return the id of a new session."""
    return str(uuid.uuid4())


class ConversationContract:
    """Exchanges are stored, read, deleted and expire."""

    @pytest.fixture
    async def store(
        self, open_conversations: OpenConversations
    ) -> AsyncIterator[ConversationStore]:
        async with open_conversations() as store:
            yield store

    async def test_an_exchange_comes_back_as_it_was(
        self, open_conversations: OpenConversations, clock: Clock
    ) -> None:
        session = new_session()
        general = exchange(session, clock.now_s - 1)
        selected = replace(
            exchange(session, clock.now_s, "Was heißt „Knoten“? 🤖\r\n"),
            mode="selected_text",
            selected_text="  Ein Knoten 🤖\r\nist ein Prozess.  ",
            sources=({"a": [1, 2.5, None, True, {"b": "ü"}]}, {}),
            chunks_retrieved=0,
        )
        async with open_conversations() as store:
            await store.add(general)
            await store.add(selected)

        async with open_conversations() as store:
            assert await store.latest(session, MANY) == [general, selected]

    async def test_every_mode_comes_back(self, store: ConversationStore, clock: Clock) -> None:
        session = f"api-chat:{'ü' * 128}"
        modes: tuple[ExchangeMode, ...] = get_args(ExchangeMode)
        kept = [
            replace(exchange(session, clock.now_s + place), mode=mode)
            for place, mode in enumerate(modes)
        ]
        for one in kept:
            await store.add(one)

        assert await store.latest(session, MANY) == kept

    async def test_without_exchanges_there_is_nothing(self, store: ConversationStore) -> None:
        assert await store.latest(new_session(), MANY) == []
        assert await store.forget(new_session()) == 0
        assert await store.purge() == 0

    async def test_sessions_do_not_see_one_another(
        self, store: ConversationStore, clock: Clock
    ) -> None:
        mine, other = new_session(), new_session()
        for session in (mine, other, mine.upper(), f" {mine}", ""):
            await store.add(exchange(session, clock.now_s, f"asked by {session!r}"))

        for session in (mine, other, mine.upper(), f" {mine}", ""):
            (found,) = await store.latest(session, MANY)
            assert found.query == f"asked by {session!r}"
        for session in ("%", f"{mine[:35]}_", mine[:35], f"{mine} "):
            assert await store.latest(session, MANY) == []

    async def test_the_newest_are_given_oldest_first(
        self, store: ConversationStore, clock: Clock
    ) -> None:
        session = new_session()
        ordered = [exchange(session, clock.now_s + n / 1_000_000) for n in range(8)]
        for kept in (*ordered[1::2], *ordered[::2]):
            await store.add(kept)

        ids = [kept.id for kept in ordered]
        for limit in (1, 3, 8, MANY):
            assert [found.id for found in await store.latest(session, limit)] == ids[-limit:]
        for limit in (0, -1):
            assert await store.latest(session, limit) == []

    async def test_of_the_same_moment_the_id_decides(
        self, store: ConversationStore, clock: Clock
    ) -> None:
        session = new_session()
        kept = [exchange(session, clock.now_s) for _ in range(20)]
        for one in kept:
            await store.add(one)

        ids = sorted(one.id for one in kept)
        assert [found.id for found in await store.latest(session, MANY)] == ids
        assert [found.id for found in await store.latest(session, 5)] == ids[-5:]

    async def test_adding_again_changes_nothing(
        self, store: ConversationStore, clock: Clock
    ) -> None:
        session = new_session()
        kept = exchange(session, clock.now_s)
        await store.add(kept)

        await store.add(replace(kept, response="another"))

        assert await store.latest(session, MANY) == [kept]

    async def test_what_no_database_takes_as_text_is_kept_as_an_escape(
        self, store: ConversationStore, clock: Clock
    ) -> None:
        session, odd, escaped = new_session(), "a\x00b\ud800c\udfffd", r"a\x00b\ud800c\udfffd"
        kept = replace(
            exchange(session, clock.now_s),
            query=odd,
            response=odd,
            selected_text=odd,
            mode="selected_text",
            sources=({odd: odd, "nested": [{"deep": [odd, 1]}]},),
        )

        await store.add(kept)

        sources: Sources = ({escaped: escaped, "nested": [{"deep": [escaped, 1]}]},)
        assert await store.latest(session, MANY) == [
            replace(kept, query=escaped, response=escaped, selected_text=escaped, sources=sources)
        ]

    @pytest.mark.parametrize("session", ["\x00", "a\ud800"])
    async def test_a_session_of_no_text_is_refused_and_has_nothing(
        self, store: ConversationStore, clock: Clock, session: str
    ) -> None:
        with pytest.raises(InvalidInput, match="session id"):
            await store.add(exchange(session, clock.now_s))

        assert await store.latest(session, MANY) == []
        assert await store.forget(session) == 0

    async def test_an_id_that_is_no_uuid_is_refused(
        self, store: ConversationStore, clock: Clock
    ) -> None:
        with pytest.raises(InvalidInput, match="must be a UUID"):
            await store.add(replace(exchange("s", clock.now_s), id="7"))

    async def test_a_session_is_removed_whole_and_alone(
        self, store: ConversationStore, clock: Clock
    ) -> None:
        mine, other = new_session(), new_session()
        for session in (mine, other, mine):
            await store.add(exchange(session, clock.now_s))

        assert await store.forget(mine) == 2

        assert await store.latest(mine, MANY) == []
        assert len(await store.latest(other, MANY)) == 1
        assert await store.forget(mine) == 0

    async def test_what_is_older_than_the_retention_does_not_exist(
        self, store: ConversationStore, clock: Clock
    ) -> None:
        session = new_session()
        kept = exchange(session, clock.now_s)
        await store.add(kept)
        begun_s = clock.now_s

        for age_s, exists in (
            (RETENTION_S - 1, True),
            (RETENTION_S, True),
            (RETENTION_S + 1, False),
            (RETENTION_S - 1, True),
        ):
            clock.now_s = begun_s + age_s
            assert await store.latest(session, MANY) == ([kept] if exists else []), age_s
        clock.now_s = begun_s + RETENTION_S + 1
        assert await store.forget(session) == 0
        clock.now_s = begun_s
        assert await store.latest(session, MANY) == []

    async def test_a_purge_deletes_what_does_not_exist_and_nothing_else(
        self, store: ConversationStore, clock: Clock
    ) -> None:
        session = new_session()
        edge_s = clock.now_s - RETENTION_S
        kept = [exchange(session, edge_s + age_s) for age_s in (-1, 0, 1)]
        for one in kept:
            await store.add(one)

        assert await store.purge() == 1
        assert await store.purge() == 0

        clock.now_s -= 1
        assert await store.latest(session, MANY) == kept[1:]

    async def test_many_may_ask_at_once(self, store: ConversationStore, clock: Clock) -> None:
        sessions = [new_session() for _ in range(10)]

        async def converse(session: str) -> int:
            for turn in range(5):
                await store.add(exchange(session, clock.now_s + turn))
                assert len(await store.latest(session, MANY)) == turn + 1
            return await store.forget(session)

        assert await asyncio.gather(*map(converse, sessions)) == [5] * 10

    async def test_a_store_that_can_be_used_is_up(self, store: ConversationStore) -> None:
        assert (await store.check()).status == "up"
