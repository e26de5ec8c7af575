"""A language model whose SDK, which takes seconds to import, is loaded when it is first needed."""

import asyncio
import importlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress

from sourcebook.core.health import ServiceHealth
from sourcebook.core.ports import LanguageModel
from sourcebook.core.prompts import Prompt, SearchTool
from sourcebook.providers.language_models.endpoint import Endpoint

log = logging.getLogger(__name__)

SDK = "sourcebook.providers.language_models.agents_model"


@asynccontextmanager
async def open_lazy_model(endpoint: Endpoint) -> AsyncIterator["LazyLanguageModel"]:
    """Hold the model, once it is loaded, for as long as the context lasts. Sends nothing yet."""
    log.info("language_model_chosen", extra={"model": endpoint.model, "host": endpoint.host})
    async with AsyncExitStack() as stack:
        model = LazyLanguageModel(endpoint, stack)
        try:
            yield model
        finally:
            await model.settle()


class LazyLanguageModel:
    """Passes calls on to the model, which the first call loads."""

    def __init__(self, endpoint: Endpoint, stack: AsyncExitStack) -> None:
        self._endpoint = endpoint
        self._stack = stack
        self._loading: asyncio.Task[LanguageModel] | None = None

    @property
    def name(self) -> str:
        """The model's name, as answers carry it."""
        return self._endpoint.model

    async def load(self) -> LanguageModel:
        """Return the model itself. All who wait for it wait for the same loading."""
        if self._loading is None:
            self._loading = asyncio.create_task(self._open())
        return await asyncio.shield(self._loading)

    async def settle(self) -> None:
        """Wait until a loading that has begun has ended."""
        if self._loading is not None:
            with suppress(Exception):
                await self._loading

    async def check(self) -> ServiceHealth:
        """Ask the model."""
        return await (await self.load()).check()

    async def reply(
        self, prompt: Prompt, search: SearchTool | None = None, *, timeout_s: float = 25.0
    ) -> AsyncGenerator[str]:
        """Stream the model's reply; loading the model takes from its time."""
        begun_s = asyncio.get_running_loop().time()
        model = await self.load()
        left_s = timeout_s - (asyncio.get_running_loop().time() - begun_s)
        async with aclosing(model.reply(prompt, search, timeout_s=left_s)) as pieces:
            async for piece in pieces:
                yield piece

    async def _open(self) -> LanguageModel:
        sdk = await asyncio.to_thread(importlib.import_module, SDK)
        model: LanguageModel = await self._stack.enter_async_context(
            sdk.open_agents_model(self._endpoint)
        )
        return model
