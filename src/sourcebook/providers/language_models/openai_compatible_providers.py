"""Declares the language models with OpenAI's chat API: Gemini, OpenAI, Ollama and compatible ones.

To add another of the kind: a settings class and a declaration here, an entry point in
pyproject.toml, and what people read of it in providers/sourcebook_providers.toml.
"""

from contextlib import AbstractAsyncContextManager
from typing import Annotated

import httpx2
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.ports import LanguageModel
from sourcebook.providers.declaration import Opening, Probed, ProbeFailed, Provider
from sourcebook.providers.language_models.endpoint import (
    GEMINI_MODEL,
    GEMINI_URL,
    OLLAMA_URL,
    OPENAI_MODEL,
    OPENAI_URL,
    Endpoint,
    parse_base_url,
    parse_key,
)
from sourcebook.providers.language_models.lazy_model import open_lazy_model


def _parsed_key(key: SecretStr) -> SecretStr:
    parsed = parse_key(key.get_secret_value(), "api_key")
    if parsed is None:
        raise ConfigurationError("api_key is empty: give a key, or leave it out")
    return SecretStr(parsed)


BaseUrl = Annotated[
    str,
    AfterValidator(lambda url: parse_base_url(url, "base_url")),
    Field(
        title="Base URL",
        description="Where the server speaks OpenAI's language.",
        json_schema_extra={"format": "uri", "placeholder": "https://host/v1"},
    ),
]
Key = Annotated[
    SecretStr,
    AfterValidator(_parsed_key),
    Field(description="It is sent to this server alone."),
]
ModelName = Annotated[
    str, Field(min_length=1, title="Model", description="The model's name at the server.")
]


# The names and docstrings of the settings classes are shown to users, in the JSON Schema.
class EndpointSettings(BaseModel):
    """Which model at which address, and the key if it needs one."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    base_url: BaseUrl
    model: ModelName
    api_key: Key | None = Field(None, description="If the server asks for one.")

    def endpoint(self) -> Endpoint:
        """Where the model is reached."""
        key = None if self.api_key is None else self.api_key.get_secret_value()
        return Endpoint(self.base_url, self.model, key)


class GeminiSettings(EndpointSettings):
    """The key is all that it needs."""

    api_key: Key
    model: ModelName = GEMINI_MODEL
    base_url: BaseUrl = GEMINI_URL


class OpenAiSettings(EndpointSettings):
    """The key is all that it needs."""

    api_key: Key
    model: ModelName = OPENAI_MODEL
    base_url: BaseUrl = OPENAI_URL


class OllamaSettings(EndpointSettings):
    """Which of its models; by default where Ollama itself listens."""

    base_url: BaseUrl = OLLAMA_URL

    def endpoint(self) -> Endpoint:
        """Below /v1 Ollama speaks OpenAI's language."""
        url = self.base_url if self.base_url.endswith("/v1/") else f"{self.base_url}v1/"
        return Endpoint(url, self.model, super().endpoint().api_key)


def open_endpoint(
    settings: EndpointSettings, opening: Opening
) -> AbstractAsyncContextManager[LanguageModel]:
    """Hold the connections for as long as the context lasts. Sends nothing yet."""
    return open_lazy_model(settings.endpoint())


async def probe_endpoint(settings: EndpointSettings, client: httpx2.AsyncClient) -> Probed:
    """Ask for the list of models, which costs nothing."""
    endpoint = settings.endpoint()
    headers = {"authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
    reply = await client.get(f"{endpoint.base_url}models", headers=headers)
    reply.raise_for_status()
    known = _model_names(reply, endpoint)
    # Gemini puts this before its names, and takes them without it.
    is_known = endpoint.model in known or f"models/{endpoint.model}" in known
    return Probed({"model": endpoint.model, "model_known": is_known, "models": len(known)})


def _model_names(reply: httpx2.Response, endpoint: Endpoint) -> set[str]:
    try:
        return {str(model["id"]) for model in reply.json()["data"]}
    except (ValueError, LookupError, TypeError):
        raise ProbeFailed(
            "unknown", f"The server at {endpoint.host!r} did not list its models: check base_url"
        ) from None


GEMINI = Provider(GeminiSettings, open_endpoint, probe_endpoint)
OPENAI = Provider(OpenAiSettings, open_endpoint, probe_endpoint)
OLLAMA = Provider(OllamaSettings, open_endpoint, probe_endpoint)
OPENAI_COMPATIBLE = Provider(EndpointSettings, open_endpoint, probe_endpoint)
