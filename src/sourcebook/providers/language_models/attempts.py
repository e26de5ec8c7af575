"""A model of the Agents SDK that is asked again when it fails, as long as that can help."""

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import NoReturn, cast

from agents import (
    AgentOutputSchemaBase,
    Handoff,
    Model,
    ModelBehaviorError,
    ModelSettings,
    ModelTracing,
    Tool,
    TResponseInputItem,
)
from agents.items import TResponseStreamEvent
from openai.types.responses import (
    ResponseCompletedEvent,
    ResponsePromptParam,
    ResponseTextDeltaEvent,
)

from sourcebook.providers.language_models.budget import Budget
from sourcebook.providers.language_models.failures import explain, may_pass, seconds_asked_for
from sourcebook.providers.language_models.mending import encodable, mend_calls

log = logging.getLogger(__name__)

FIRST_WAIT_S = 0.5
BETWEEN_TURNS = "\n\n"


@dataclass(frozen=True, slots=True)
class Pace:
    """How long an attempt may take to begin, and how the time between two attempts is chosen."""

    begin_within_s: float = 12.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[float, float], float] = random.uniform


class PersistentModel(Model):
    """Asks the model inside, for one reply, and keeps to its budget.

    Text goes to `say` at once. The SDK gets what it decides by: how a turn ended.
    """

    def __init__(
        self, inner: Model, name: str, budget: Budget, pace: Pace, say: Callable[[str], None]
    ) -> None:
        self._inner = inner
        self._name = name
        self._budget = budget
        self._pace = pace
        self._say = say
        self._call_ids: set[str] = set()

    async def get_response(self, *_: object, **__: object) -> NoReturn:
        """Refuse: replies are streamed."""
        raise NotImplementedError

    async def stream_response(  # noqa: PLR0917 - as the SDK has it
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: AgentOutputSchemaBase | None,
        handoffs: list[Handoff],
        tracing: ModelTracing,
        *,
        previous_response_id: str | None,
        conversation_id: str | None,
        prompt: ResponsePromptParam | None,
    ) -> AsyncIterator[TResponseStreamEvent]:
        """The end of the first attempt that succeeds."""
        offered = tools if self._budget.begin_turn() else []

        def ask() -> AsyncIterator[TResponseStreamEvent]:
            return self._inner.stream_response(
                system_instructions,
                input,
                model_settings,
                offered,
                output_schema,
                handoffs,
                tracing,
                previous_response_id=previous_response_id,
                conversation_id=conversation_id,
                prompt=prompt,
            )

        yield await self._ask_again_and_again(ask)

    async def _ask_again_and_again(
        self, ask: Callable[[], AsyncIterator[TResponseStreamEvent]]
    ) -> ResponseCompletedEvent:
        while True:
            try:
                return await self._attempt(ask())
            except Exception as error:  # noqa: BLE001 - what a far side sends can break anything
                await self._pause(error)

    async def _attempt(self, events: AsyncIterator[TResponseStreamEvent]) -> ResponseCompletedEvent:
        follows, end = self._budget.has_text, None
        async with (
            asyncio.timeout(self._pace.begin_within_s) as beginning,
            aclosing(cast(AsyncGenerator[TResponseStreamEvent], events)),
        ):
            async for event in events:
                beginning.reschedule(None)
                if isinstance(event, ResponseTextDeltaEvent) and event.delta:
                    self._say((BETWEEN_TURNS if follows else "") + encodable(event.delta))
                    self._budget.has_text, follows = True, False
                    # A server that writes faster than we read would keep everybody else waiting.
                    await asyncio.sleep(0)
                elif isinstance(event, ResponseCompletedEvent):
                    end = event
        if end is None:
            raise ModelBehaviorError("the stream has no end")
        mend_calls(end.response.output, self._call_ids)
        return end

    async def _pause(self, error: Exception) -> None:
        """Wait before the next attempt; AgentUnavailable if there is none."""
        failure = explain(error, self._name, has_text=self._budget.has_text)
        log.warning(
            "language_model_failed",
            extra={
                "model": self._name,
                "error": type(error).__name__,
                "status": getattr(error, "status_code", None),
            },
        )
        if not may_pass(error) or not self._budget.take_retry():
            raise failure from None
        wait_s = self._wait_s(error)
        if wait_s >= self._budget.left_s:
            raise failure from None
        self._budget.waiting_after = failure
        await self._pace.sleep(wait_s)
        self._budget.waiting_after = None

    def _wait_s(self, error: Exception) -> float:
        """As long as the far side asks for; else any part of a limit that doubles."""
        asked_s = seconds_asked_for(error)
        if asked_s is not None:
            return asked_s
        return self._pace.jitter(0.0, FIRST_WAIT_S * 2 ** (self._budget.retries - 1))
