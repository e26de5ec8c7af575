"""Retries a failed call of an Agents SDK model, as long as another attempt can help."""

import asyncio
import json
import logging
import random
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import NoReturn, cast
from uuid import uuid4

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
    ResponseFunctionToolCall,
    ResponsePromptParam,
    ResponseTextDeltaEvent,
)

from sourcebook.core.errors import SourcebookError
from sourcebook.core.retry import RATE_LIMIT_BACKOFF, Backoff, retry
from sourcebook.providers.language_models.failures import (
    explain,
    is_rate_limited,
    is_transient,
    seconds_asked_for,
)
from sourcebook.providers.language_models.http_client import noting_end
from sourcebook.providers.language_models.reply_budget import (
    MAX_RATE_LIMIT_RETRIES,
    MAX_RETRIES,
    ReplyBudget,
)

log = logging.getLogger(__name__)

FAILURE_BACKOFF = Backoff(first_s=0.5)
BETWEEN_TURNS = "\n\n"


@dataclass(frozen=True, slots=True)
class RetryTiming:
    """How to wait between attempts."""

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[float, float], float] = random.uniform


class RetryingModel(Model):
    """Calls the wrapped model for one reply, with retries, within its budget.

    Text is passed to `say` at once; the SDK gets only the event that ends a turn. `own_choice` if
    the caller chose the model or its options, and may have chosen wrongly.
    """

    def __init__(
        self,
        inner: Model,
        name: str,
        budget: ReplyBudget,
        timing: RetryTiming,
        say: Callable[[str], None],
        *,
        own_choice: bool = False,
    ) -> None:
        self._inner = inner
        self._name = name
        self._budget = budget
        self._timing = timing
        self._say = say
        self._own_choice = own_choice
        self._call_ids: set[str] = set()
        self._failure: SourcebookError | None = None

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
        """Yield the final event of the first attempt that succeeds."""
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

        yield await self._reply(ask)

    async def _reply(
        self, ask: Callable[[], AsyncIterator[TResponseStreamEvent]]
    ) -> ResponseCompletedEvent:
        loop = asyncio.get_running_loop()
        try:
            with noting_end() as stream:
                end = await retry(
                    lambda: self._attempt(ask()),
                    self._wait_s,
                    deadline_s=self._budget.deadline_s,
                    sleep=self._sleep,
                    now_s=loop.time,
                )
        except Exception as error:  # noqa: BLE001 - what a server sends can break anything
            raise self._explained(error) from None
        self._budget.is_cut_off = stream.is_cut
        return end

    async def _attempt(self, events: AsyncIterator[TResponseStreamEvent]) -> ResponseCompletedEvent:
        follows, end = self._budget.has_text, None
        async with aclosing(cast(AsyncGenerator[TResponseStreamEvent], events)):
            async for event in events:
                if isinstance(event, ResponseTextDeltaEvent) and event.delta:
                    self._say((BETWEEN_TURNS if follows else "") + replace_surrogates(event.delta))
                    self._budget.has_text, follows = True, False
                    # A server that writes faster than we read would keep everybody else waiting.
                    await asyncio.sleep(0)
                elif isinstance(event, ResponseCompletedEvent):
                    end = event
        if end is None:
            raise ModelBehaviorError("the stream has no end")
        repair_tool_calls(end.response.output, self._call_ids)
        return end

    def _wait_s(self, error: Exception, _: int) -> float | None:
        """A backoff, after what the server asks for. None if there is no further attempt."""
        self._failure = self._explained(error)
        log.warning(
            "language_model_failed",
            extra={
                "model": self._name,
                "error": type(error).__name__,
                "status": getattr(error, "status_code", None),
            },
        )
        limited = is_rate_limited(error)
        at_most = MAX_RATE_LIMIT_RETRIES if limited else MAX_RETRIES
        if not is_transient(error) or not self._budget.take_retry(at_most):
            return None
        backoff = replace(
            RATE_LIMIT_BACKOFF if limited else FAILURE_BACKOFF, jitter=self._timing.jitter
        )
        # The retries of the whole reply count, not only those of this turn.
        return backoff.wait_s(self._budget.retries, seconds_asked_for(error) or 0.0)

    async def _sleep(self, seconds: float) -> None:
        self._budget.waiting_after = self._failure
        await self._timing.sleep(seconds)
        self._budget.waiting_after = None

    def _explained(self, error: Exception) -> SourcebookError:
        return explain(
            error, self._name, has_text=self._budget.has_text, own_choice=self._own_choice
        )


def repair_tool_calls(items: Iterable[object], known_ids: set[str]) -> None:
    """Give each tool call an id of its own, and arguments that are a JSON object."""
    for item in items:
        if isinstance(item, ResponseFunctionToolCall):
            if not item.call_id or item.call_id in known_ids:
                # Nine letters and digits: some servers take nothing else.
                item.call_id = uuid4().hex[:9]
            known_ids.add(item.call_id)
            item.arguments = json_object(item.arguments)


def json_object(text: str) -> str:
    """Return the first JSON object in the text; an empty one if there is none.

    Servers that number parallel calls alike make one call of them, with several objects.
    """
    try:
        found, _ = json.JSONDecoder().raw_decode(text.strip())
        if isinstance(found, dict):
            return replace_surrogates(json.dumps(found, ensure_ascii=False, allow_nan=False))
    except (ValueError, RecursionError):
        pass
    return "{}"


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which JSON can hold and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")
