"""Asks a scripted model, and tells what came of it."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sourcebook.core.errors import AgentUnavailable, SourcebookError
from sourcebook.core.prompts import Message, Prompt, SearchTool
from sourcebook.providers.language_models.agents_model import AgentsModel, open_agents_model
from sourcebook.providers.language_models.endpoint import Endpoint
from sourcebook.providers.language_models.retrying_model import RetryTiming
from tests.llm_server import TASK, Act, ScriptedModel

MODEL = "scripted-1"
KEY = "canary-model-key-4711"
PROMPT = Prompt("Answer from the evidence.", (Message("user", "What is ROS 2?"),))


@dataclass(slots=True)
class Naps:
    """Sleeps without waiting; takes half of what it may."""

    taken_s: list[float] = field(default_factory=list)
    ceilings_s: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.taken_s.append(seconds)

    def jitter(self, least_s: float, most_s: float) -> float:
        self.ceilings_s.append(most_s)
        return (least_s + most_s) / 2

    def timing(self) -> RetryTiming:
        return RetryTiming(self.sleep, self.jitter)


@dataclass(slots=True)
class Searches:
    """A search that finds what it is told to, and remembers what was asked."""

    found: str = "[3] ROS 2 is middleware."
    asked: list[tuple[str, int | None, Mapping[str, object] | None]] = field(default_factory=list)

    async def __call__(
        self, query: str, top_k: int | None, filters: Mapping[str, object] | None
    ) -> str:
        self.asked.append((query, top_k, filters))
        return self.found


@dataclass(frozen=True, slots=True)
class Reply:
    """The pieces, the message of the error that they ended with, and when to come again."""

    pieces: list[str]
    error: str | None = None
    retry_after_s: float | None = None


@asynccontextmanager
async def open_model(
    server: ScriptedModel, timing: RetryTiming | None = None
) -> AsyncIterator[AgentsModel]:
    endpoint = Endpoint(f"{server.url}/", MODEL, KEY)
    async with open_agents_model(endpoint, timing or Naps().timing()) as model:
        yield model


async def gather(
    model: AgentsModel,
    search: SearchTool | None = None,
    *,
    prompt: Prompt = PROMPT,
    timeout_s: float = 10.0,
) -> Reply:
    pieces: list[str] = []
    try:
        async for piece in model.reply(prompt, search, timeout_s=timeout_s):
            pieces.append(piece)
    except AgentUnavailable as error:
        return Reply(pieces, error.message, error.retry_after_s)
    except SourcebookError as error:
        return Reply(pieces, error.message)
    return Reply(pieces)


async def ask(
    script: Sequence[Act],
    search: SearchTool | None = None,
    *,
    timing: RetryTiming | None = None,
    timeout_s: float = 10.0,
    repeat_last: bool = False,
) -> tuple[Reply, ScriptedModel]:
    """The reply to a question, and the server that gave it. Nothing is left of them."""
    async with ScriptedModel(script, repeat_last=repeat_last) as server:
        async with open_model(server, timing) as model:
            before = client_tasks()
            reply = await gather(model, search, timeout_s=timeout_s)
            assert client_tasks() == before
        async with asyncio.timeout(1.0):
            await server.left_alone()
    return reply, server


def client_tasks() -> set[asyncio.Task[object]]:
    """The tasks that are not the server's.

    Nor those of a moment, in which the loop closes a generator that a library let go of.
    """
    return {
        task
        for task in asyncio.all_tasks()
        if task.get_name() != TASK and inspect.iscoroutine(task.get_coro())
    }
