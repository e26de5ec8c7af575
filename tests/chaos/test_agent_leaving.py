"""Readers leave at any moment of an answer that a language model writes."""

import asyncio
from pathlib import Path

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.ports import Ledger
from sourcebook.surfaces.rate_limits import ConcurrencyLimit
from tests.chaos import LONG, dice
from tests.llm_server import Act, Drip, Drop, Fail, Hang, Say, searching
from tests.memory_store import MemoryStore
from tests.surfaces.chat.agent_world import NODE, PATHS, AgentWorld, Shelves
from tests.surfaces.chat.chat_client import SESSION, until
from tests.surfaces.chat.test_disconnect import reset
from tests.unit.providers.language_models.asking import client_tasks

LEAVERS = 500 if LONG else 100
AT_ONCE = 4
SAID = "A node is one process of a robot. [1] "
ACTS: list[Act] = [
    Say([SAID] * 20, pause_s=0.001),
    Say([SAID]),
    searching("arm"),
    searching("lidar", top_k=20),
    Hang(),
    Drip(0.001),
    Drop([SAID, "And"]),
    Fail(500),
]


async def test_readers_who_leave_at_any_moment_leave_nothing_behind(
    ledger: Ledger, store: MemoryStore, models: EmbeddingModels
) -> None:
    chance = dice(19)
    slots = ConcurrencyLimit(at_once=AT_ONCE, max_waiting=AT_ONCE, timeout_s=60.0)
    async with Shelves(ledger, store, models).serving(slots=slots) as world:
        assert (await world.ask("/chat", [Say([SAID])])).answer == SAID.rstrip()
        tasks, sockets = client_tasks(), _sockets()
        for number in range(LEAVERS):
            world.model.script = [chance.choice(ACTS) for _ in range(4)]
            begun = await world.server.begin(PATHS[number % 2], NODE | {"session_id": SESSION})
            # The queue is never full, or nothing would be tried but a refusal.
            await asyncio.sleep(chance.uniform(0.0, 0.06))
            reset(begun[1])
            await until(lambda: world.slots.waiting < AT_ONCE)
        await until(lambda: _idle(world))
        await until(lambda: client_tasks() <= tasks)

        # Connections to the model that are open wait for the next call, as many as were needed.
        assert world.model.open_connections <= AT_ONCE
        assert _sockets() <= sockets + 2 * AT_ONCE
        kept = [one.response for one in world.conversations.exchanges]
        assert all(answer and not answer.endswith("And") for answer in kept)
        assert (await world.ask("/chat", [Say([SAID])])).answer == SAID.rstrip()
        model = world.model
    async with asyncio.timeout(5.0):
        await model.left_alone()


def _idle(world: AgentWorld) -> bool:
    state = world.server.server.server_state
    # One connection is that of the test's own client.
    return not (state.tasks or world.slots.taken or world.slots.waiting) and (
        len(state.connections) <= 1
    )


def _sockets() -> int:
    """How many sockets this process has open."""
    return sum(one.is_socket() for one in Path("/proc/self/fd").iterdir())
