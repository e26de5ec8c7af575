"""Settings that the embedders of HTTP services share."""

import re
from typing import Annotated, Protocol

from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field, SecretStr

from sourcebook.providers.inference.prompts import Prompts
from sourcebook.providers.outbound.server_urls import check_server_url

_NOT_IN_A_KEY = re.compile(r"[^\x21-\x7e]")


def check_url(value: str) -> str:
    """Return a base URL without a slash at its end; ValueError."""
    return check_server_url(value, form="https://host/v1")


def check_key(value: SecretStr) -> SecretStr:
    """Return a key that fits into a header; ValueError."""
    key = value.get_secret_value().strip()
    if not key or _NOT_IN_A_KEY.search(key):
        raise ValueError("is empty or holds characters that no key has: copy it once more")
    return SecretStr(key)


ModelName = Annotated[
    str,
    Field(
        min_length=1,
        validation_alias=AliasChoices("path", "model"),
        title="Model",
        description="The model's name",
    ),
]
BaseUrl = Annotated[
    str, AfterValidator(check_url), Field(title="URL", json_schema_extra={"format": "uri"})
]
Key = Annotated[SecretStr, AfterValidator(check_key)]
BatchSize = Annotated[int, Field(ge=1, le=256, description="How many texts a request holds")]


class RemoteSettings(BaseModel):
    """The settings that every embedding service takes; each adds its model, URL and key."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    dimensions: int | None = Field(
        None, ge=1, le=65_536, description="The length of the vectors, if it is not the model's own"
    )
    max_tokens: int | None = Field(
        None, ge=64, le=1_000_000, description="How many tokens the model reads at once"
    )
    timeout_s: float = Field(
        30.0, gt=0, le=600, title="Timeout", description="Seconds for a batch of documents"
    )
    query_timeout_s: float = Field(
        5.0, gt=0, le=600, title="Timeout of questions", description="Seconds for a question"
    )
    query_prompt: str | None = Field(
        None, max_length=2_000, description="What the model wants before a question"
    )
    document_prompt: str | None = Field(
        None, max_length=2_000, description="What the model wants before a document"
    )

    def prompts(self, known: Prompts | None = None) -> Prompts:
        """Return the prompts that are set; else those that are known of the model."""
        return (known or Prompts()).overridden(self.query_prompt, self.document_prompt)


class ConnectionSettings(Protocol):
    """What a connection to a service needs."""

    @property
    def base_url(self) -> str: ...
    @property
    def api_key(self) -> SecretStr | None: ...
    @property
    def timeout_s(self) -> float: ...


class ServiceSettings(ConnectionSettings, Protocol):
    """What the settings of every embedding service hold."""

    @property
    def path(self) -> str: ...
    @property
    def batch_size(self) -> int: ...
    @property
    def query_timeout_s(self) -> float: ...
