"""Settings that all embedders have that are reached over HTTP."""

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field, SecretStr

from sourcebook.providers.inference.prompts import Prompts

_NOT_IN_A_KEY = re.compile(r"[^\x21-\x7e]")
_NOT_IN_A_URL = re.compile(r"[\x00-\x20\x7f]")
NAME = AliasChoices("path", "model")


def checked_url(value: str) -> str:
    """A base URL without a slash at its end."""
    value = value.strip()
    try:
        parts = urlsplit(value)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError("is not a URL; use the form https://host/v1") from None
    if _NOT_IN_A_URL.search(value) or parts.scheme not in {"http", "https"} or not host:
        raise ValueError("must begin with http:// or https:// and name a host")
    if "@" in parts.netloc:
        raise ValueError("must hold no user or password; a key goes into api_key")
    if parts.query or parts.fragment or port == 0:
        raise ValueError("must hold no ? or #, and a port that can be reached")
    return value.rstrip("/")


def checked_key(value: SecretStr) -> SecretStr:
    """A key that fits into a header."""
    key = value.get_secret_value().strip()
    if not key or _NOT_IN_A_KEY.search(key):
        raise ValueError("is empty or holds characters that no key has: copy it once more")
    return SecretStr(key)


BaseUrl = Annotated[str, AfterValidator(checked_url)]
Key = Annotated[SecretStr, AfterValidator(checked_key)]


class RemoteSettings(BaseModel):
    """What can be said of any of them."""

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
        """The prompts that are set; else those that are known of the model."""
        return (known or Prompts()).overridden(self.query_prompt, self.document_prompt)


def bearer(key: SecretStr | None) -> dict[str, str]:
    """The headers that carry a key."""
    return {} if key is None else {"authorization": f"Bearer {key.get_secret_value()}"}
