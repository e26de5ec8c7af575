"""The provider directory: lists providers, describes and tests settings, reports health."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from platformdirs import user_data_path

from sourcebook.core.errors import Unavailable
from sourcebook.core.metadata import JsonValue
from sourcebook.core.providers import (
    KINDS,
    ConnectionSchema,
    ConnectionTest,
    ProviderCard,
    ProviderHealth,
    ProviderKind,
)
from sourcebook.providers.daemon_thread import in_daemon_thread
from sourcebook.providers.outbound.destinations import OPERATOR, stranger_policy
from sourcebook.providers.registry.connection_schema import connection_schema
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import Settings
from sourcebook.service.providers.connection_test import (
    AnyProvider,
    ConnectionScope,
    ConnectionTester,
    retrieve_error,
)
from sourcebook.service.providers.health import HealthWatch, ProviderInUse
from sourcebook.service.providers.placeholders import (
    Expand,
    Expansion,
    ServicePlaceholders,
    service_keys,
)

# All of a test: loading the provider, checking the settings, looking up the host, asking.
TEST_TIMEOUT_S = 10.0
LOAD_TIMEOUT_S = 10.0
IMPORT_TIMEOUT_S = 600.0
EMBEDDINGS = "embeddings"


class Directory:
    """A ProviderDirectory over a registry and the providers that are in use."""

    def __init__(
        self,
        registry: Registry,
        scope: ConnectionScope,
        expand: Expand,
        in_use: Mapping[tuple[ProviderKind, str], ProviderInUse] | None = None,
        *,
        test_timeout_s: float = TEST_TIMEOUT_S,
        load_timeout_s: float = LOAD_TIMEOUT_S,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._registry = registry
        self._tester = ConnectionTester(scope, expand, test_timeout_s)
        # Letters may be large or small, as in the registry.
        self._watches = {
            (kind, name.lower()): HealthWatch(used, now_s)
            for (kind, name), used in (in_use or {}).items()
        }
        self._embeds = any(kind == "embedders" for kind, _ in self._watches)
        self._loading: dict[tuple[ProviderKind, str], asyncio.Task[AnyProvider]] = {}
        self._load_timeout_s = load_timeout_s

    def cards(self) -> Sequence[ProviderCard]:
        """List every provider, built-in or third-party. Imports nothing."""
        return [self._declared(card) for card in self._registry.cards()]

    async def schema(self, provider_id: str, kind: ProviderKind | None = None) -> ConnectionSchema:
        """Describe the settings of one provider. Unavailable if it cannot be loaded."""
        card = self._declared(self._registry.card(provider_id, kind))
        try:
            async with asyncio.timeout(self._load_timeout_s):
                return connection_schema(card, await self._load(card))
        except TimeoutError:
            raise Unavailable(f"Provider {card.id!r} takes too long to load") from None

    async def test(
        self, provider_id: str, config: Mapping[str, JsonValue], kind: ProviderKind | None = None
    ) -> ConnectionTest:
        """Validate settings and connect. Failures are in the report."""
        card = self._registry.card(provider_id, kind)
        return await self._tester.test(card, self._load, config)

    async def health(self, provider_id: str, kind: ProviderKind | None = None) -> ProviderHealth:
        """Check the provider, if it is in use."""
        card = self._registry.card(provider_id, kind)
        # One id may stand for several kinds; without one, the kind that is in use is meant.
        kinds = KINDS if kind is None else (kind,)
        for one in kinds:
            watch = self._watches.get((one, card.id.lower()))
            if watch is not None:
                return await watch.look(card.id, one)
        return ProviderHealth(card.id, card.kind, "not_configured")

    def _declared(self, card: ProviderCard) -> ProviderCard:
        """Add what this service does for any store: embed, if it has a model in use."""
        if not self._embeds or card.kind != "vector_stores" or EMBEDDINGS in card.capabilities:
            return card
        return replace(card, capabilities=(*card.capabilities, EMBEDDINGS))

    async def _load(self, card: ProviderCard) -> AnyProvider:
        """Import a provider in a thread: a hanging import blocks nobody else."""
        loading = self._loading.get(card.key)
        if loading is None or loading.done():
            loading = asyncio.create_task(
                in_daemon_thread(lambda: self._registry.load(card.id, card.kind), IMPORT_TIMEOUT_S)
            )
            loading.add_done_callback(retrieve_error)
            self._loading[card.key] = loading
        return await asyncio.shield(loading)


def service_directory(
    settings: Settings,
    folder: DataFolder,
    in_use: Mapping[tuple[ProviderKind, str], ProviderInUse],
    registry: Registry | None = None,
) -> Directory:
    """Return the directory of the HTTP routes: tests reach allowed private hosts only."""
    policy = stranger_policy(settings.allowed_private_hosts)
    scope = ConnectionScope(folder.models, policy)
    expand = ServicePlaceholders(service_keys(settings))
    return Directory(registry or Registry(), scope, expand, in_use)


def operator_directory(environment: Mapping[str, str]) -> Directory:
    """Return the directory of the command line, which may reach private hosts."""
    root = environment.get("SOURCEBOOK_DATA_DIR") or user_data_path("sourcebook", appauthor=False)
    scope = ConnectionScope(DataFolder(Path(root).expanduser()).models, OPERATOR)
    return Directory(Registry(), scope, lambda _, __: Expansion(environment))
