"""A model that fails: one error, in JSON or as the last event, and nothing is kept of it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager

import pytest

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import AgentRefused
from sourcebook.core.ports import Ledger
from sourcebook.providers.language_models.failures import (
    BROKE_OFF,
    NOTHING_USABLE,
    RATE_LIMITED,
    TOO_SLOW,
)
from tests.fakes import FakeEmbedder
from tests.llm_server import Act, Drip, Drop, Fail, Hang, Raw, Say, searching
from tests.memory_store import MemoryStore
from tests.surfaces.chat.agent_world import PATHS, AgentWorld, Reply, Shelves
from tests.surfaces.chat.chat_client import SESSION

Serving = Callable[..., AbstractAsyncContextManager[AgentWorld]]

SAID = "A node is one process of a robot."
# What only the operator can mend is not told to readers.
AWAY = str(AgentRefused.reader_message)
# What the model does, what is said about it, and how often it is asked.
FAILURES: dict[str, tuple[Sequence[Act], str, int]] = {
    "refuses the key": ([Fail(401)], AWAY, 1),
    "is not known": ([Fail(404)], AWAY, 1),
    "takes no more": ([Fail(429)] * 9, RATE_LIMITED, 5),
    "fails": ([Fail(500)] * 4, AWAY, 3),
    "fails in other ways": ([Fail(503), Drop(), Fail(500)] * 2, AWAY, 3),
    "is cut off": ([Drop()] * 4, BROKE_OFF, 3),
    "sends a page": ([Raw("<html>Welcome</html>", "text/html")] * 4, NOTHING_USABLE, 1),
    "sends a page as a stream": ([Raw("<html>Welcome</html>")] * 4, BROKE_OFF, 3),
    "sends half of an event": ([Raw('data: {"choices": [\n\n')] * 4, NOTHING_USABLE, 1),
    "says nothing": ([Say([])], NOTHING_USABLE, 1),
    "says blanks": ([Say([" ", "\n\n"])], NOTHING_USABLE, 1),
    "searches for ever": ([searching("node")] * 9, NOTHING_USABLE, 4),
    "fails after a search": ([searching("node"), *[Fail(500)] * 4], AWAY, 4),
}
# It has said something before: whoever streams has it already, and the model is not asked again.
BREAKING_OFF: dict[str, tuple[Sequence[Act], str]] = {
    "is cut off": ([Drop([f"{SAID} [1] ", "Nodes send"])], BROKE_OFF),
    "fails after a search": (
        [searching("node", top_k=1), Drop([f"{SAID} [1]\n\n", "And"])],
        BROKE_OFF,
    ),
}


@pytest.fixture
async def world(serving: Serving) -> AsyncIterator[AgentWorld]:
    async with serving() as world:
        yield world


@pytest.fixture
def serving(ledger: Ledger, store: MemoryStore, models: EmbeddingModels) -> Serving:
    return Shelves(ledger, store, models).serving


def assert_failed(world: AgentWorld, path: str, reply: Reply, message: str, said: str = "") -> None:
    """Said once, in the way of the path; nothing is kept, and nobody is kept waiting."""
    streamed = path == "/chat/stream"
    assert reply.status == (200 if streamed else 503)
    assert reply.error == ("agent_unavailable", message, None)
    assert reply.answer.strip() == (said if streamed else "")
    assert world.conversations.exchanges == []
    assert world.slots.taken == 0
    assert "canary" not in str(reply)


@pytest.mark.spec("004 Edge: agent failure")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("case", FAILURES)
async def test_a_model_that_fails_is_one_error(world: AgentWorld, path: str, case: str) -> None:
    script, message, calls = FAILURES[case]

    reply = await world.ask(path, script, session_id=SESSION)

    assert_failed(world, path, reply, message)
    assert len(world.model.requests) == calls


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("case", BREAKING_OFF)
async def test_a_model_that_breaks_off_is_an_error_after_what_was_said(
    world: AgentWorld, path: str, case: str
) -> None:
    script, message = BREAKING_OFF[case]

    reply = await world.ask(path, script, session_id=SESSION)

    assert_failed(world, path, reply, message, f"{SAID} [1]")
    assert len(world.model.requests) == len(script)


@pytest.mark.spec("004 FR-010")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("asked", "calls"), [("3", 5), ("60", 1)])
async def test_callers_learn_how_long_a_model_takes_no_more(
    world: AgentWorld, path: str, asked: str, calls: int
) -> None:
    reply = await world.ask(path, [Fail(429, {"Retry-After": asked})] * 9)

    assert reply.error == ("agent_unavailable", RATE_LIMITED, int(asked))
    assert len(world.model.requests) == calls


async def test_a_model_may_say_how_long_to_wait(world: AgentWorld) -> None:
    script: list[Act] = [Fail(429, {"Retry-After": "3"}), Fail(500), Say([f"{SAID} [1]"])]

    reply = await world.ask("/chat", script)

    assert reply.answer == f"{SAID} [1]"
    assert world.naps.taken_s[0] == 3.75
    assert len(world.model.requests) == 3


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("act", [Hang(), Drip(0.01), Say(["word "] * 9_999, pause_s=0.01)])
async def test_a_model_that_takes_too_long_is_given_up(
    serving: Serving, path: str, act: Act
) -> None:
    async with serving(timeout_s=0.5) as world:
        reply = await world.ask(path, [act] * 4, session_id=SESSION)

        assert_failed(world, path, reply, TOO_SLOW)
        assert len(world.model.requests) <= 1
        await asyncio.gather(*(request.gone.wait() for request in world.model.requests))


@pytest.mark.spec("004 Edge: embedding failure")
@pytest.mark.parametrize("path", PATHS)
async def test_what_fails_before_the_model_is_asked_is_json_on_both_paths(
    world: AgentWorld, embedder: FakeEmbedder, path: str
) -> None:
    embedder.failing = True

    reply = await world.ask(path, [Say([SAID])], session_id=SESSION)

    assert reply.status == 503
    assert reply.error is not None
    assert reply.error[0] == "embedding_failed"
    assert world.model.requests == []
    assert world.conversations.exchanges == []


@pytest.mark.parametrize("path", PATHS)
async def test_a_search_of_the_model_that_fails_is_the_error(
    world: AgentWorld, embedder: FakeEmbedder, path: str
) -> None:
    asking = asyncio.create_task(world.ask(path, [searching("arm")], session_id=SESSION))
    await world.model.request()
    embedder.failing = True
    reply = await asking

    assert reply.status == (200 if path == "/chat/stream" else 503)
    assert reply.error is not None
    assert reply.error[0] == "embedding_failed"
    assert len(world.model.requests) == 1
    assert world.conversations.exchanges == []
    assert world.slots.taken == 0
