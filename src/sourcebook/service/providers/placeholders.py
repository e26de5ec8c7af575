"""Expands `${NAME}` in the settings of a test, and limits where the value may be sent."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import httpx2

from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import JsonValue
from sourcebook.core.providers import ConnectionSchema
from sourcebook.providers.embedders.cohere_provider import COHERE_URL
from sourcebook.providers.embedders.openai_provider import OPENAI_URL
from sourcebook.providers.outbound.destinations import Origin, UrlRefused, origin_of
from sourcebook.providers.registry.settings_validation import PLACEHOLDER
from sourcebook.service.config.settings import Settings

QDRANT_PORT = 6333


@dataclass(frozen=True, slots=True)
class Expansion:
    """The variables that settings may refer to. With `origins`, they are sent nowhere else."""

    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    origins: frozenset[Origin] | None = None


@dataclass(frozen=True, slots=True)
class ServiceKey:
    """A key of the service, and the servers that it is configured for."""

    name: str
    value: str = field(repr=False)
    origins: frozenset[Origin]


# Says which variables the settings of a test may refer to; InvalidInput if they name another.
Expand: TypeAlias = Callable[[ConnectionSchema, Mapping[str, JsonValue]], Expansion]


class ServicePlaceholders:
    """For HTTP: only the service's own keys, and only for their own servers.

    Otherwise a caller could have any variable sent to a server of theirs.
    """

    def __init__(self, keys: Iterable[ServiceKey] = ()) -> None:
        self._keys = {key.name: key for key in keys}

    def __call__(self, schema: ConnectionSchema, config: Mapping[str, JsonValue]) -> Expansion:
        """Return the keys that the settings name, and where they may be sent; InvalidInput."""
        secret = {field.name for field in schema.fields if field.type == "password"}
        used = [
            self._key(name, value, is_secret=name in secret)
            for name, value in config.items()
            if PLACEHOLDER.search(str(value))
        ]
        if not used:
            return Expansion()
        origins = frozenset.intersection(*(key.origins for key in used))
        return Expansion({key.name: key.value for key in used}, origins)

    def _key(self, setting: str, value: JsonValue, *, is_secret: bool) -> ServiceKey:
        found = PLACEHOLDER.fullmatch(value) if isinstance(value, str) else None
        if not is_secret or found is None:
            raise InvalidInput(
                f"The setting {setting[:80]!r} holds a placeholder: over HTTP only a secret can be"
                " one, and it must be the whole value"
            )
        if found[1] not in self._keys:
            known = ", ".join(f"${{{name}}}" for name in self._keys) or "none is configured"
            raise InvalidInput(
                f"The setting {setting[:80]!r} names a variable that is no key of this service."
                f" Possible: {known}"
            )
        return self._keys[found[1]]


def service_keys(settings: Settings) -> tuple[ServiceKey, ...]:
    """Return the configured keys, each with the server that it is configured for."""
    found = (
        ("COHERE_API_KEY", settings.cohere_api_key, _origins(COHERE_URL)),
        ("OPENAI_API_KEY", settings.openai_api_key, _origins(OPENAI_URL)),
        ("QDRANT_API_KEY", settings.qdrant_api_key, _qdrant_origins(settings.qdrant_url)),
        ("GEMINI_API_KEY", settings.gemini_api_key, _origins(settings.gemini_base_url)),
        ("SOURCEBOOK_LLM_API_KEY", settings.llm_api_key, _origins(settings.llm_base_url)),
    )
    return tuple(
        ServiceKey(name, key.get_secret_value(), origins)
        for name, key, origins in found
        if key is not None
    )


def _origins(url: str | None) -> frozenset[Origin]:
    try:
        return frozenset() if url is None else frozenset({origin_of(httpx2.URL(url))})
    except (UrlRefused, httpx2.InvalidURL):
        # Whoever uses the URL says what is wrong with it.
        return frozenset()


def _qdrant_origins(url: str | None) -> frozenset[Origin]:
    """Without a port in its URL, Qdrant is looked for at its own port too."""
    origins = _origins(url)
    if url is None or httpx2.URL(url).port is not None:
        return origins
    return origins | {(scheme, host, QDRANT_PORT) for scheme, host, _ in origins}
