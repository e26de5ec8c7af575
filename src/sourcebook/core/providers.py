"""What can be told of a provider: its card, the settings it takes, how a test of it went."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from sourcebook.core.errors import NotFound
from sourcebook.core.health import Condition
from sourcebook.core.metadata import JsonValue, Metadata

ProviderKind: TypeAlias = Literal["vector_stores", "embedders", "rerankers", "language_models"]
# In this order a provider is looked for when only its id is given.
KINDS: tuple[ProviderKind, ...] = ("vector_stores", "embedders", "rerankers", "language_models")

FieldType: TypeAlias = Literal["string", "number", "boolean", "url", "password", "object"]
ErrorType: TypeAlias = Literal[
    "timeout",
    "authentication",
    "authorization",
    "not_found",
    "network",
    "rate_limit",
    "invalid_config",
    "unknown",
]


@dataclass(frozen=True, slots=True)
class ProviderCard:
    """What is known of a provider without importing it.

    `extra` is what to install if it is not `installed`; `problem` says why it cannot be used.
    """

    kind: ProviderKind
    id: str
    display_name: str
    description: str
    capabilities: tuple[str, ...]
    package: str
    version: str
    installed: bool = True
    extra: str | None = None
    problem: str | None = None

    @property
    def install(self) -> str | None:
        """What to type if its software is missing."""
        return None if self.extra is None else f"pip install '{self.package}[{self.extra}]'"

    @property
    def lack(self) -> str | None:
        """What keeps it from being opened, and the cure; None if its software is there."""
        if self.installed:
            return None
        cure = f": {self.install}" if self.install else ""
        return f"Provider {self.id!r} needs software that is not installed{cure}"


@dataclass(frozen=True, slots=True)
class ConnectionField:
    """One setting of a provider, as a form shows it. A secret is written and never read."""

    name: str
    type: FieldType
    label: str
    description: str
    required: bool
    secret: bool = False
    default: JsonValue = None
    placeholder: str | None = None
    validation: Metadata | None = None


@dataclass(frozen=True, slots=True)
class ConnectionSchema:
    """All settings of a provider: as fields of a form, and as JSON Schema."""

    card: ProviderCard
    fields: tuple[ConnectionField, ...]
    json_schema: Metadata


@dataclass(frozen=True, slots=True)
class ConnectionTest:
    """How a test of a connection went. Nothing in it was copied from what the far side wrote,
    but names of collections that look like names: at most so many, of `collection_count`."""

    success: bool
    provider: str
    kind: ProviderKind
    duration_ms: float
    details: Metadata = field(default_factory=dict)
    collections: tuple[str, ...] | None = None
    collection_count: int | None = None
    error: str | None = None
    error_type: ErrorType | None = None


@dataclass(frozen=True, slots=True)
class ProviderHealth:
    """How a provider that is in use is doing; `not_configured` if it is not in use."""

    provider: str
    kind: ProviderKind
    status: Condition | Literal["not_configured"]
    error: str | None = None
    latency_ms: float | None = None
    collection_count: int | None = None
    storage_bytes: int | None = None


class ProviderDirectory(Protocol):
    """The providers that are installed. An unknown id is NotFound and names those there are."""

    def cards(self) -> Sequence[ProviderCard]:
        """Every provider, ours and other people's. Imports nothing."""
        ...

    async def schema(self, provider_id: str, kind: ProviderKind | None = None) -> ConnectionSchema:
        """The settings of one provider. Unavailable if it cannot be loaded."""
        ...

    async def test(
        self, provider_id: str, config: Mapping[str, JsonValue], kind: ProviderKind | None = None
    ) -> ConnectionTest:
        """Try settings out: validate them and connect, within 10 s. What fails is in the report."""
        ...

    async def health(self, provider_id: str, kind: ProviderKind | None = None) -> ProviderHealth:
        """How the provider is doing, if it is in use."""
        ...


class NoProviders:
    """A directory with nothing in it, for a service that was put together without one."""

    def cards(self) -> Sequence[ProviderCard]:
        """There are none."""
        return ()

    async def schema(self, provider_id: str, kind: ProviderKind | None = None) -> ConnectionSchema:
        """NotFound."""
        raise _no_provider(provider_id)

    async def test(
        self, provider_id: str, config: Mapping[str, JsonValue], kind: ProviderKind | None = None
    ) -> ConnectionTest:
        """NotFound."""
        raise _no_provider(provider_id)

    async def health(self, provider_id: str, kind: ProviderKind | None = None) -> ProviderHealth:
        """NotFound."""
        raise _no_provider(provider_id)


def _no_provider(provider_id: str) -> NotFound:
    return NotFound(f"Provider {provider_id[:80]!r} not found. Available providers: none")
