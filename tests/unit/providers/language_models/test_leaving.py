"""Whoever stops listening ends the upstream call: no task, no connection, no search goes on."""

import asyncio
import random

import pytest

from tests.llm_server import Act, Drip, Hang, Say, ScriptedModel, searching
from tests.unit.providers.language_models.asking import (
    PROMPT,
    Searches,
    client_tasks,
    gather,
    open_model,
)

ENDLESS = Say(["a"] * 100_000, pause_s=0.01)


async def test_closing_the_reply_closes_the_connection() -> None:
    async with ScriptedModel([ENDLESS]) as server, open_model(server) as model:
        before = client_tasks()
        reply = model.reply(PROMPT)
        assert await anext(reply) == "a"

        await reply.aclose()

        assert client_tasks() == before
        async with asyncio.timeout(1.0):
            await server.requests[0].gone.wait()


@pytest.mark.parametrize("act", [Hang(), Drip(0.01), ENDLESS], ids=lambda act: type(act).__name__)
async def test_cancelling_the_listener_closes_the_connection(act: Hang | Drip | Say) -> None:
    async with ScriptedModel([act]) as server, open_model(server) as model:
        before = client_tasks()
        listening = asyncio.create_task(gather(model))
        request = await server.request()

        listening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await listening

        assert client_tasks() == before
        async with asyncio.timeout(1.0):
            await request.gone.wait()


async def test_cancelling_the_listener_ends_its_search() -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def endless(*_: object) -> str:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.05)  # as if it had to put something back
            ended.set()
        return ""

    async with ScriptedModel([searching("x")]) as server, open_model(server) as model:
        before = client_tasks()
        listening = asyncio.create_task(gather(model, endless))
        await began.wait()

        listening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await listening

        assert ended.is_set()
        assert client_tasks() == before


async def test_a_reply_that_nobody_listened_to_asks_nothing() -> None:
    async with ScriptedModel([ENDLESS]) as server, open_model(server) as model:
        await model.reply(PROMPT).aclose()

    assert server.requests == []


async def test_listeners_that_leave_at_any_moment_leave_nothing_behind() -> None:
    chance = random.Random(7)  # noqa: S311 - nothing secret about it
    acts: list[Act] = [Say(["a"] * 20, pause_s=0.001), searching("x"), Hang(), Drip(0.001)]

    async with ScriptedModel() as server:
        async with open_model(server) as model:
            before = client_tasks()
            for _ in range(100):
                server.script = [chance.choice(acts) for _ in range(4)]
                listening = asyncio.create_task(gather(model, Searches()))
                await asyncio.sleep(chance.uniform(0, 0.03))
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)
                assert client_tasks() == before
        async with asyncio.timeout(1.0):
            await server.left_alone()
