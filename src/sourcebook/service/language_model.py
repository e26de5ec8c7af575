"""Choosing the language model: the first that the settings name, or none."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import SecretStr

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.ports import LanguageModel
from sourcebook.providers.language_models.endpoint import Endpoint, parse_base_url, parse_key
from sourcebook.service.settings import Settings

log = logging.getLogger(__name__)

OPENAI_URL = "https://api.openai.com/v1/"
OPENAI_MODEL = "gpt-5.4-mini"
OLLAMA_PORT = 11434


@asynccontextmanager
async def open_language_model(settings: Settings) -> AsyncIterator[LanguageModel | None]:
    """Open the model that writes answers; None if there is none. Nothing is sent yet."""
    endpoint = choose_endpoint(settings)
    if endpoint is None:
        yield None
        return
    # Importing the SDK takes seconds, and most commands need no model.
    from sourcebook.providers.language_models.agents_sdk import (  # noqa: PLC0415
        open_agents_model,
    )

    async with open_agents_model(endpoint) as model:
        log.info("language_model_chosen", extra={"model": model.name, "host": endpoint.host})
        yield model


def choose_endpoint(settings: Settings) -> Endpoint | None:
    """Any compatible server by its URL, else Gemini, else OpenAI, else Ollama."""
    if settings.llm_base_url is not None:
        return Endpoint(
            parse_base_url(settings.llm_base_url, "SOURCEBOOK_LLM_BASE_URL"),
            _model_for("SOURCEBOOK_LLM_BASE_URL", settings),
            _key(settings.llm_api_key, "SOURCEBOOK_LLM_API_KEY"),
        )
    if key := _key(settings.gemini_api_key, "GEMINI_API_KEY"):
        url = parse_base_url(settings.gemini_base_url, "GEMINI_BASE_URL")
        return Endpoint(url, settings.gemini_model, key)
    if key := _key(settings.openai_api_key, "OPENAI_API_KEY"):
        return Endpoint(OPENAI_URL, settings.llm_model or OPENAI_MODEL, key)
    if settings.ollama_host is not None:
        return Endpoint(_ollama_url(settings.ollama_host), _model_for("OLLAMA_HOST", settings))
    return None


def _model_for(setting: str, settings: Settings) -> str:
    if not settings.llm_model:
        raise ConfigurationError(
            f"{setting} is set, but not which model to use there: set SOURCEBOOK_LLM_MODEL,"
            f" or unset {setting} to answer without a language model"
        )
    return settings.llm_model


def _ollama_url(host: str) -> str:
    """Where Ollama speaks OpenAI's language. Without a scheme, Ollama's port is meant."""
    if "://" not in host:
        name, _, port = host.rpartition(":")
        has_port = bool(name) and port.isdigit()
        host = f"http://{host}" if has_port else f"http://{host}:{OLLAMA_PORT}"
    url = parse_base_url(host, "OLLAMA_HOST")
    return url if url.endswith("/v1/") else f"{url}v1/"


def _key(secret: SecretStr | None, setting: str) -> str | None:
    return parse_key(None if secret is None else secret.get_secret_value(), setting)
