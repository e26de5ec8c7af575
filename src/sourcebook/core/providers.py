"""What is known of a provider: its card, its settings, its health, the result of a test."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal, Never, Protocol, TypeAlias

from sourcebook.core.errors import NotFound
from sourcebook.core.health import Condition
from sourcebook.core.metadata import JsonValue, Metadata

ProviderKind: TypeAlias = Literal[
    "vector_stores", "embedders", "rerankers", "readers", "judges", "language_models", "converters"
]
# In this order a provider is looked for when only its id is given.
KINDS: tuple[ProviderKind, ...] = (
    "vector_stores",
    "embedders",
    "rerankers",
    "readers",
    "judges",
    "language_models",
    "converters",
)

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
    """What is known of a provider before it is imported.

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
    def key(self) -> tuple[ProviderKind, str]:
        """What must be unique, whatever its case."""
        return self.kind, self.id.lower()

    @property
    def versioned_package(self) -> str:
        """The package and its version, as messages name it."""
        return f"{self.package} {self.version}".strip()

    @property
    def install(self) -> str | None:
        """The command that installs its missing software."""
        return None if self.extra is None else f"pip install '{self.package}[{self.extra}]'"

    @property
    def lack(self) -> str | None:
        """Say which software is missing and how to install it; None if nothing is."""
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

    def as_dict(self) -> dict[str, object]:
        """Return it as clients see it: a field has a placeholder or a validation only if set."""
        return {
            "provider": self.card.id,
            "kind": self.card.kind,
            "display_name": self.card.display_name,
            "description": self.card.description,
            "fields": [
                without_none(asdict(field)) | {"default": field.default} for field in self.fields
            ],
            "capabilities": self.card.capabilities,
            "json_schema": self.json_schema,
        }


@dataclass(frozen=True, slots=True)
class ConnectionTest:
    """The result of a connection test. It repeats nothing that the server wrote but the names of
    collections, as far as they look like names: a limited number, out of `collection_count`."""

    success: bool
    provider: str
    kind: ProviderKind
    duration_ms: float = 0.0
    details: Metadata = field(default_factory=dict)
    collections: tuple[str, ...] | None = None
    collection_count: int | None = None
    error: str | None = None
    error_type: ErrorType | None = None


@dataclass(frozen=True, slots=True)
class ProviderHealth:
    """The health of a provider; `not_configured` if it is not in use."""

    provider: str
    kind: ProviderKind
    status: Condition | Literal["not_configured"]
    error: str | None = None
    latency_ms: float | None = None
    collection_count: int | None = None
    storage_bytes: int | None = None


class ProviderDirectory(Protocol):
    """The installed providers. NotFound names them if an id is unknown."""

    def cards(self) -> Sequence[ProviderCard]:
        """List every provider, built-in or third-party. Imports nothing."""
        ...

    async def schema(self, provider_id: str, kind: ProviderKind | None = None) -> ConnectionSchema:
        """Describe the settings of one provider. Unavailable if it cannot be loaded."""
        ...

    async def test(
        self, provider_id: str, config: Mapping[str, JsonValue], kind: ProviderKind | None = None
    ) -> ConnectionTest:
        """Validate settings and connect, within 10 s. Failures are in the report."""
        ...

    async def health(self, provider_id: str, kind: ProviderKind | None = None) -> ProviderHealth:
        """Check the provider, if it is in use."""
        ...


class NoProviders:
    """An empty directory, for a service that was built without one."""

    def cards(self) -> Sequence[ProviderCard]:
        return ()

    async def schema(self, provider_id: str, *_: object, **__: object) -> Never:
        raise NotFound(f"Provider {provider_id[:80]!r} not found. Available providers: none")

    test = health = schema


def without_none(told: Mapping[str, object]) -> dict[str, object]:
    """Leave out what is not known: clients see no nulls."""
    return {name: value for name, value in told.items() if value is not None}
