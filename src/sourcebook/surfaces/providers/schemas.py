"""Requests and replies of the providers contract."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, JsonValue

from sourcebook.core.health import Condition
from sourcebook.core.providers import ErrorType, FieldType, ProviderKind
from sourcebook.surfaces.schema_types import StrictIn, WireModel

# What the clients of spec 000 call each kind.
Role = Literal["rag", "embedding", "reranker", "reader", "judge", "llm", "converter"]
_ROLES: dict[ProviderKind, Role] = {
    "vector_stores": "rag",
    "embedders": "embedding",
    "rerankers": "reranker",
    "readers": "reader",
    "judges": "judge",
    "language_models": "llm",
    "converters": "converter",
}


class ProviderOut(WireModel):
    """A provider, as far as it is known without loading it."""

    kind: ProviderKind
    id: str
    display_name: str
    description: str
    capabilities: list[str]
    installed: bool
    extra: str | None = Field(None, description="Only if its software is missing")
    install: str | None = Field(None, description="What to type to install that")
    package: str
    version: str
    problem: str | None = Field(None, description="Only if it cannot be used")


class ProvidersOut(WireModel):
    """All providers that are installed."""

    providers: list[ProviderOut]


class FieldOut(WireModel):
    """One setting of a provider. A secret is written and never read."""

    name: str
    type: FieldType
    label: str
    description: str
    required: bool
    default: JsonValue
    secret: bool
    placeholder: str | None = None
    validation: dict[str, JsonValue] | None = None


class SchemaOut(WireModel):
    """The settings that a provider takes."""

    provider: str
    kind: ProviderKind
    display_name: str
    description: str
    fields: list[FieldOut]
    capabilities: list[str]
    json_schema: dict[str, JsonValue]


class ConnectionIn(StrictIn):
    """Settings to try out. `provider` may repeat what the path says."""

    config: dict[str, JsonValue] = Field(
        examples=[{"url": "https://qdrant.example.org:6333", "api_key": "${QDRANT_API_KEY}"}]
    )
    provider: str | None = Field(None, max_length=200)


class ConnectedOut(WireModel):
    """The settings work."""

    success: Literal[True] = True
    provider: str
    kind: ProviderKind
    type: Annotated[Role, BeforeValidator(_ROLES.get)] = Field(validation_alias="kind")
    duration: float = Field(validation_alias="duration_ms", description="Milliseconds")
    method: Literal["api"] = "api"
    details: dict[str, JsonValue]
    # The clients of spec 000 know these names.
    collectionCount: int | None = Field(validation_alias="collection_count")  # noqa: N815
    collections: list[str] | None


class NotConnectedOut(WireModel):
    """The settings do not work, and why."""

    success: Literal[False] = False
    provider: str
    error: str
    errorType: ErrorType = Field(validation_alias="error_type")  # noqa: N815
    duration: float = Field(validation_alias="duration_ms", description="Milliseconds")


class ProviderHealthOut(WireModel):
    """How a provider is doing."""

    provider: str
    kind: ProviderKind
    status: Condition | Literal["not_configured"]
    timestamp: datetime
    error: str | None
    latency_ms: float | None
    collection_count: int | None
    storage_bytes: int | None
