"""Whoever goes away takes the call of the model along: its connection, the slot, the answer."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.surfaces.rate_limits import ConcurrencyLimit
from tests.llm_server import Act, Drip, Hang, Say, searching
from tests.memory_store import MemoryStore
from tests.surfaces.chat.agent_world import NODE, PATHS, AgentWorld, Shelves
from tests.surfaces.chat.chat_client import PATIENCE_S, SESSION, until
from tests.surfaces.chat.test_disconnect import reset
from tests.unit.providers.language_models.asking import client_tasks

SAID = "A node is one process of a robot. [1] "
ENDLESS = Say([SAID] * 9_999, pause_s=0.01)
ASKED = NODE | {"session_id": SESSION}


@pytest.fixture
async def world(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> AsyncIterator[AgentWorld]:
    slots = ConcurrencyLimit(at_once=1, max_waiting=1, timeout_s=60.0)
    async with Shelves(ledger, store, models).serving(slots=slots) as world:
        yield world


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "script", [[Hang()], [Drip(0.01)], [ENDLESS], [searching("arm"), Hang()]], ids=str
)
async def test_leaving_ends_the_call_of_the_model(
    world: AgentWorld, path: str, script: list[Act]
) -> None:
    await world.ask(path, [Say([SAID])])
    tasks = client_tasks()
    world.model.script = list(script)
    _, writer = await world.server.begin(path, ASKED)
    # The request before was the first one.
    request = await world.model.request(len(script))
    assert world.slots.taken == 1

    reset(writer)

    # The model would go on for much longer than this, and has 10 s to do so.
    async with asyncio.timeout(PATIENCE_S):
        await request.gone.wait()
    await until(lambda: world.slots.taken == 0)
    await until(lambda: client_tasks() <= tasks)
    assert world.conversations.exchanges == []


async def test_leaving_after_the_first_sentence_keeps_none_of_it(world: AgentWorld) -> None:
    world.model.script = [ENDLESS]
    reader, writer = await world.server.begin("/chat/stream", ASKED)
    await reader.readuntil(b'{"type":"chunk"')
    request = await world.model.request()

    reset(writer)

    async with asyncio.timeout(PATIENCE_S):
        await request.gone.wait()
    await until(lambda: world.slots.taken == 0)
    assert world.conversations.exchanges == []


@pytest.mark.parametrize("path", PATHS)
async def test_the_slot_of_somebody_who_left_serves_the_next(world: AgentWorld, path: str) -> None:
    world.model.script = [Hang()]
    _, writer = await world.server.begin(path, ASKED)
    await world.model.request()
    waiting = asyncio.create_task(world.client.post(path, json=ASKED))
    await until(lambda: world.slots.waiting == 1)
    world.model.script = [Say([SAID])]

    reset(writer)

    assert SAID.strip() in (await waiting).text
    assert [one.response for one in world.conversations.exchanges] == [SAID.strip()]
