"""Writes replies with a model of any OpenAI-compatible server, run by the OpenAI Agents SDK."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import openai
from agents import (
    Agent,
    AgentsException,
    ModelSettings,
    OpenAIChatCompletionsModel,
    RunConfig,
    Runner,
    RunResultStreaming,
    TResponseInputItem,
    set_tracing_disabled,
)

from sourcebook.core.errors import AgentTimeout, AgentUnavailable, ReplyCutOff, SourcebookError
from sourcebook.core.health import HealthTimer, ServiceHealth
from sourcebook.core.prompts import Prompt, Sampling, SearchTool
from sourcebook.providers.language_models.endpoint import Endpoint
from sourcebook.providers.language_models.failures import (
    BROKE_OFF,
    NOTHING_USABLE,
    STOPPED,
    TOO_SLOW,
    explain,
)
from sourcebook.providers.language_models.http_client import TIMEOUT, open_http_client
from sourcebook.providers.language_models.reply_budget import (
    CANCEL_TIMEOUT_S,
    MAX_TURNS,
    ReplyBudget,
)
from sourcebook.providers.language_models.retrying_model import RetryingModel, RetryTiming
from sourcebook.providers.language_models.search_tool import ReplySearches

log = logging.getLogger(__name__)

HEALTH_TIMEOUT_S = 2.0
# A server may lack the list of models, and complete prompts all the same.
_NO_SUCH_ROUTE = frozenset({404, 405, 501})
# It is there, and may take prompts.
_REFUSED = frozenset({400, 429})
LISTS_NO_MODELS = "its server lists no models, so only calls tell whether it knows this one"


@asynccontextmanager
async def open_agents_model(
    endpoint: Endpoint, timing: RetryTiming | None = None
) -> AsyncIterator["AgentsModel"]:
    """Hold the connections for as long as the context lasts. Nothing is sent yet."""
    set_tracing_disabled(True)
    async with open_http_client(endpoint) as http:
        # The key is not the SDK's business: our HTTP client adds it.
        client = openai.AsyncOpenAI(
            base_url=endpoint.base_url,
            api_key="unused",
            http_client=http,
            timeout=TIMEOUT,
            max_retries=0,
        )
        yield AgentsModel(endpoint, client, timing or RetryTiming())


class AgentsModel:
    """Writes replies. Between them it keeps nothing but connections."""

    def __init__(self, endpoint: Endpoint, client: openai.AsyncOpenAI, timing: RetryTiming) -> None:
        self._endpoint = endpoint
        self._client = client
        self._timing = timing

    @property
    def name(self) -> str:
        """The model's name, as answers carry it."""
        return self._endpoint.model

    async def check(self) -> ServiceHealth:
        """Ask for the list of models, which costs nothing."""
        timer = HealthTimer()
        try:
            async with asyncio.timeout(HEALTH_TIMEOUT_S):
                await self._client.models.with_raw_response.list()
        except (TimeoutError, openai.APIError) as error:
            if _has_status(error, _NO_SUCH_ROUTE):
                return timer.report("up", LISTS_NO_MODELS)
            message = explain(error, self.name).message
            is_there = _has_status(error, _REFUSED)
            return timer.report("degraded" if is_there else "down", message)
        return timer.report()

    async def reply(
        self, prompt: Prompt, search: SearchTool | None = None, *, timeout_s: float = 25.0
    ) -> AsyncGenerator[str]:
        """Stream the reply; raises AgentUnavailable, ReplyCutOff, or what the search raised."""
        budget = ReplyBudget(asyncio.get_running_loop().time() + timeout_s)
        searching = None if search is None else ReplySearches(search, budget)
        # A queue of our own: the SDK drops what is in its queue when a run fails.
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        run = self._start(prompt, budget, searching, pieces)
        is_usable = False
        try:
            while (piece := await _next(pieces, budget)) is not None:
                is_usable = is_usable or not piece.isspace()
                yield piece
            _raise_failure(run, budget, is_usable)
        finally:
            await _end(run, searching)

    def _start(
        self,
        prompt: Prompt,
        budget: ReplyBudget,
        searching: ReplySearches | None,
        pieces: asyncio.Queue[str | None],
    ) -> RunResultStreaming:
        """Start the SDK's run in its own task; None in the queue marks its end."""
        name = prompt.model or self.name
        model = RetryingModel(
            OpenAIChatCompletionsModel(name, self._client),
            name,
            budget,
            self._timing,
            pieces.put_nowait,
            own_choice=prompt.model is not None or prompt.sampling != Sampling(),
        )
        agent = Agent[None](
            name="Sourcebook",
            instructions=prompt.instructions,
            model=model,
            model_settings=settings_for(self._endpoint, prompt),
            tools=[] if searching is None else [searching.tool()],
        )
        messages: list[TResponseInputItem] = [
            {"role": message.role, "content": message.content} for message in prompt.messages
        ]
        run = Runner.run_streamed(
            agent,
            messages,
            max_turns=MAX_TURNS,
            run_config=RunConfig(
                tracing_disabled=True, tool_not_found_behavior="return_error_to_model"
            ),
        )
        assert run.run_loop_task is not None  # noqa: S101 - it has just been started
        run.run_loop_task.add_done_callback(lambda _: pieces.put_nowait(None))
        return run


def settings_for(endpoint: Endpoint, prompt: Prompt) -> ModelSettings:
    """Return the request's parameters as this server names them."""
    if not endpoint.is_openai:
        return replace(_sampling(prompt), max_tokens=prompt.max_tokens)
    # Its newer models refuse `max_tokens` and all sampling but their own; and what is asked is
    # kept there unless one objects.
    name = prompt.model or endpoint.model
    chosen = _sampling(prompt) if name.startswith("gpt-4") else ModelSettings()
    limit: dict[str, object] = {"max_completion_tokens": prompt.max_tokens}
    return replace(chosen, store=False, extra_args=limit | (chosen.extra_args or {}))


def _sampling(prompt: Prompt) -> ModelSettings:
    sampling = prompt.sampling
    further = {"seed": sampling.seed, "stop": list(sampling.stop) or None}
    given = {name: value for name, value in further.items() if value is not None}
    return ModelSettings(
        temperature=prompt.temperature,
        top_p=sampling.top_p,
        presence_penalty=sampling.presence_penalty,
        frequency_penalty=sampling.frequency_penalty,
        extra_args=given or None,
    )


async def _next(pieces: asyncio.Queue[str | None], budget: ReplyBudget) -> str | None:
    try:
        async with asyncio.timeout_at(budget.deadline_s):
            return await pieces.get()
    except TimeoutError:
        # Why the last attempt failed says more than that there was no time for another.
        raise budget.waiting_after or AgentTimeout(TOO_SLOW) from None


def _raise_failure(run: RunResultStreaming, budget: ReplyBudget, is_usable: bool) -> None:
    """Raise the error that ended the run, if any. Reaching the maximum of turns is no error."""
    if budget.search_error is not None:
        raise budget.search_error
    error = run.run_loop_exception
    if isinstance(error, SourcebookError):
        raise error
    if error is not None and not isinstance(error, AgentsException):
        log.error("language_model_run_failed", exc_info=error)
    if not is_usable:
        raise AgentUnavailable(NOTHING_USABLE)
    if error is not None:
        raise AgentUnavailable(BROKE_OFF)
    if budget.is_cut_off:
        raise ReplyCutOff(STOPPED)


async def _end(run: RunResultStreaming, searching: ReplySearches | None) -> None:
    """Leave no task and no connection behind: the SDK's run would go on without us."""
    run.cancel()
    with suppress(Exception):  # how it ended has been told, or nobody wants to know
        async with asyncio.timeout(CANCEL_TIMEOUT_S):
            async for _ in run.stream_events():
                pass
    if searching is not None:
        await searching.end()


def _has_status(error: Exception, statuses: frozenset[int]) -> bool:
    return isinstance(error, openai.APIStatusError) and error.status_code in statuses
