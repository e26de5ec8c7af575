"""Choosing the language model: the first that the settings name, or none."""

import asyncio
import importlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress

from pydantic import SecretStr

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.health import ServiceHealth
from sourcebook.core.language import Prompt, SearchTool
from sourcebook.core.ports import LanguageModel
from sourcebook.providers.language_models.endpoint import Endpoint, parse_base_url, parse_key
from sourcebook.providers.language_models.known_endpoints import OPENAI_MODEL, OPENAI_URL
from sourcebook.service.settings import Settings

log = logging.getLogger(__name__)

OLLAMA_PORT = 11434


SDK = "sourcebook.providers.language_models.agents_sdk"


@asynccontextmanager
async def open_language_model(settings: Settings) -> AsyncIterator["LateLanguageModel | None"]:
    """Open the model that writes answers; None if there is none. Nothing is sent yet."""
    endpoint = choose_endpoint(settings)
    if endpoint is None:
        yield None
        return
    log.info("language_model_chosen", extra={"model": endpoint.model, "host": endpoint.host})
    async with AsyncExitStack() as stack:
        model = LateLanguageModel(endpoint, stack)
        try:
            yield model
        finally:
            await model.settle()


class LateLanguageModel:
    """Loads the SDK, which takes seconds, when it is first needed and not at the start."""

    def __init__(self, endpoint: Endpoint, stack: AsyncExitStack) -> None:
        self._endpoint = endpoint
        self._stack = stack
        self._loading: asyncio.Task[LanguageModel] | None = None

    @property
    def name(self) -> str:
        """The model's name, as answers carry it."""
        return self._endpoint.model

    async def load(self) -> LanguageModel:
        """The model itself. All who wait for it wait for the same."""
        if self._loading is None:
            self._loading = asyncio.create_task(self._open())
        return await asyncio.shield(self._loading)

    async def settle(self) -> None:
        """Let a loading that was begun come to its end."""
        if self._loading is not None:
            with suppress(Exception):
                await self._loading

    async def check(self) -> ServiceHealth:
        """As the model does."""
        return await (await self.load()).check()

    async def reply(
        self, prompt: Prompt, search: SearchTool | None = None, *, within_s: float = 25.0
    ) -> AsyncGenerator[str]:
        """As the model does; loading it takes from its time."""
        begun_s = asyncio.get_running_loop().time()
        model = await self.load()
        left_s = within_s - (asyncio.get_running_loop().time() - begun_s)
        async with aclosing(model.reply(prompt, search, within_s=left_s)) as pieces:
            async for piece in pieces:
                yield piece

    async def _open(self) -> LanguageModel:
        sdk = await asyncio.to_thread(importlib.import_module, SDK)
        model: LanguageModel = await self._stack.enter_async_context(
            sdk.open_agents_model(self._endpoint)
        )
        return model


def choose_endpoint(settings: Settings) -> Endpoint | None:
    """Any compatible server by its URL, else Gemini, else OpenAI, else Ollama."""
    chosen = _choice(settings)
    if chosen is None and settings.ollama_host is not None:
        # Ollama's own variable: it may be there for other reasons, also as an address to bind.
        log.warning("ollama_has_no_model: set SOURCEBOOK_LLM_MODEL to let Ollama write answers")
    return None if chosen is None else chosen[1]


def chosen_provider(settings: Settings) -> str | None:
    """The provider of that endpoint, by its id in the registry."""
    chosen = _choice(settings)
    return None if chosen is None else chosen[0]


def _choice(settings: Settings) -> tuple[str, Endpoint] | None:
    if settings.llm_base_url is not None:
        return "openai-compatible", Endpoint(
            parse_base_url(settings.llm_base_url, "SOURCEBOOK_LLM_BASE_URL"),
            _named_model(settings),
            _key(settings.llm_api_key, "SOURCEBOOK_LLM_API_KEY"),
        )
    if key := _key(settings.gemini_api_key, "GEMINI_API_KEY"):
        url = parse_base_url(settings.gemini_base_url, "GEMINI_BASE_URL")
        return "gemini", Endpoint(url, settings.gemini_model, key)
    if key := _key(settings.openai_api_key, "OPENAI_API_KEY"):
        return "openai", Endpoint(OPENAI_URL, settings.llm_model or OPENAI_MODEL, key)
    if settings.ollama_host is not None and settings.llm_model:
        return "ollama", Endpoint(_ollama_url(settings.ollama_host), settings.llm_model)
    return None


def _named_model(settings: Settings) -> str:
    if not settings.llm_model:
        raise ConfigurationError(
            "SOURCEBOOK_LLM_BASE_URL is set, but not which model to use there: set"
            " SOURCEBOOK_LLM_MODEL, or unset SOURCEBOOK_LLM_BASE_URL to answer without a language"
            " model"
        )
    return settings.llm_model


def _ollama_url(host: str) -> str:
    """Where Ollama speaks OpenAI's language. Without a scheme, Ollama's port is meant."""
    if "://" not in host:
        name, _, port = host.rpartition(":")
        has_port = bool(name) and port.isdigit()
        host = f"http://{host}" if has_port else f"http://{host}:{OLLAMA_PORT}"
    url = parse_base_url(host.replace("://0.0.0.0", "://127.0.0.1"), "OLLAMA_HOST")
    return url if url.endswith("/v1/") else f"{url}v1/"


def _key(secret: SecretStr | None, setting: str) -> str | None:
    return parse_key(None if secret is None else secret.get_secret_value(), setting)
