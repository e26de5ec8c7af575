"""The provider directory: lists providers, describes and tests settings, reports health."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from platformdirs import user_data_path
from pydantic import BaseModel

from sourcebook.core.errors import InvalidInput, Unavailable
from sourcebook.core.metadata import JsonValue
from sourcebook.core.providers import (
    KINDS,
    ConnectionSchema,
    ConnectionTest,
    ProviderCard,
    ProviderHealth,
    ProviderKind,
)
from sourcebook.providers.connection_tests.connection_test import ConnectionScope, try_connection
from sourcebook.providers.connection_tests.diagnosis import (
    STRANGE,
    TOO_SLOW,
    UNKNOWN,
    Diagnosis,
    diagnose,
)
from sourcebook.providers.daemon_thread import in_daemon_thread
from sourcebook.providers.declaration import Provider
from sourcebook.providers.outbound.destinations import OPERATOR, stranger_policy
from sourcebook.providers.registry.connection_schema import connection_schema
from sourcebook.providers.registry.redaction import (
    hide,
    secrets_in,
    secrets_of,
    shown_details,
    shown_names,
)
from sourcebook.providers.registry.registry import Registry
from sourcebook.providers.registry.settings_validation import validate_settings
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import Settings
from sourcebook.service.providers.health import HealthWatch, ProviderInUse
from sourcebook.service.providers.placeholders import (
    Expand,
    Expansion,
    ServicePlaceholders,
    service_keys,
)

log = logging.getLogger(__name__)

T = TypeVar("T")

# All of a test: loading the provider, checking the settings, looking up the host, asking.
TEST_TIMEOUT_S = 10.0
LOAD_TIMEOUT_S = 10.0
IMPORT_TIMEOUT_S = 600.0


class Directory:
    """A ProviderDirectory over a registry and the providers that are in use."""

    def __init__(
        self,
        registry: Registry,
        around: ConnectionScope,
        expand: Expand,
        in_use: Mapping[tuple[ProviderKind, str], ProviderInUse] | None = None,
        *,
        test_timeout_s: float = TEST_TIMEOUT_S,
        load_timeout_s: float = LOAD_TIMEOUT_S,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._registry = registry
        self._around = around
        self._expand = expand
        # Letters may be large or small, as in the registry.
        self._watches = {
            (kind, name.lower()): HealthWatch(used, now_s)
            for (kind, name), used in (in_use or {}).items()
        }
        self._loading: dict[
            tuple[ProviderKind, str], asyncio.Task[Provider[BaseModel, object]]
        ] = {}
        self._test_timeout_s = test_timeout_s
        self._load_timeout_s = load_timeout_s

    def cards(self) -> Sequence[ProviderCard]:
        """List every provider, built-in or third-party. Imports nothing."""
        return self._registry.cards()

    async def schema(self, provider_id: str, kind: ProviderKind | None = None) -> ConnectionSchema:
        """Describe the settings of one provider. Unavailable if it cannot be loaded."""
        card = self._registry.card(provider_id, kind)
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
        begun_s = time.monotonic()
        attempt = asyncio.create_task(self._attempt(card, config))
        try:
            # Not a plain timeout: other people's code may take no notice of being called off.
            await asyncio.wait({attempt}, timeout=self._test_timeout_s)
        finally:
            attempt.add_done_callback(_look_away)
            attempt.cancel()
        report = attempt.result() if _has_result(attempt) else _failed(card, TOO_SLOW)
        duration_ms = round((time.monotonic() - begun_s) * 1000, 1)
        log.info(
            "provider_tested",
            extra={
                "provider": card.id,
                "kind": card.kind,
                "success": report.success,
                "error_type": report.error_type,
                "duration_ms": duration_ms,
            },
        )
        return replace(report, duration_ms=duration_ms)

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

    async def _load(self, card: ProviderCard) -> Provider[BaseModel, object]:
        """Import a provider in a thread: a hanging import blocks nobody else."""
        key = card.kind, card.id
        loading = self._loading.get(key)
        if loading is None or loading.done():
            loading = asyncio.create_task(
                in_daemon_thread(lambda: self._registry.load(card.id, card.kind), IMPORT_TIMEOUT_S)
            )
            loading.add_done_callback(_look_away)
            self._loading[key] = loading
        return await asyncio.shield(loading)

    async def _attempt(self, card: ProviderCard, config: Mapping[str, JsonValue]) -> ConnectionTest:
        secrets: frozenset[str] = frozenset()
        try:
            if card.lack is not None:
                raise InvalidInput(card.lack)
            provider = await self._load(card)
            schema = connection_schema(card, provider)
            secrets = secrets_in(config, schema)
            expansion = self._expand(schema, config)
            settings = validate_settings(
                provider.settings, config, environment=expansion.environment
            )
            secrets |= frozenset(secrets_of(settings.model_dump()))
            around = _narrowed(self._around, expansion, provider)
            probed = await try_connection(provider, schema, settings, around, self._test_timeout_s)
        # Other people's code: it may raise anything, even to end us, and a report is wanted.
        except (Exception, SystemExit) as error:  # noqa: BLE001
            diagnosis = diagnose(error)
            if diagnosis in (STRANGE, UNKNOWN):
                # Never its message: it may hold the key, or what the server wrote.
                log.warning(
                    "provider_test_crashed",
                    extra={"provider": card.id, "error": type(error).__name__},
                )
            return _failed(card, replace(diagnosis, message=hide(diagnosis.message, secrets)))
        names = probed.collections
        return ConnectionTest(
            success=True,
            provider=card.id,
            kind=card.kind,
            details=shown_details(probed.details, settings, secrets),
            collections=None if names is None else shown_names(names, secrets),
            collection_count=None if names is None else len(names),
        )


def service_directory(
    settings: Settings,
    folder: DataFolder,
    in_use: Mapping[tuple[ProviderKind, str], ProviderInUse],
    registry: Registry | None = None,
) -> Directory:
    """Return the directory of the HTTP routes: tests reach allowed private hosts only."""
    policy = stranger_policy(settings.allowed_private_hosts)
    around = ConnectionScope(folder.models, policy)
    return Directory(
        registry or Registry(), around, ServicePlaceholders(service_keys(settings)), in_use
    )


def operator_directory(environment: Mapping[str, str]) -> Directory:
    """Return the directory of the command line, which may reach private hosts."""
    root = environment.get("SOURCEBOOK_DATA_DIR") or user_data_path("sourcebook", appauthor=False)
    around = ConnectionScope(DataFolder(Path(root).expanduser()).models, OPERATOR)
    return Directory(Registry(), around, lambda _, __: Expansion(environment))


def _narrowed(
    around: ConnectionScope, expansion: Expansion, provider: Provider[BaseModel, object]
) -> ConnectionScope:
    """Let a key of the service be sent only to the server that it is configured for."""
    if expansion.origins is None:
        return around
    if provider.probe is None:
        raise InvalidInput(
            "This provider connects with a client of its own, which gets no key of the service:"
            " give the key itself"
        )
    return replace(around, policy=replace(around.policy, origins=expansion.origins))


def _failed(card: ProviderCard, diagnosis: Diagnosis) -> ConnectionTest:
    return ConnectionTest(
        success=False,
        provider=card.id,
        kind=card.kind,
        error=diagnosis.message,
        error_type=diagnosis.error_type,
    )


def _has_result(attempt: "asyncio.Task[ConnectionTest]") -> bool:
    return attempt.done() and not attempt.cancelled()


def _look_away(ended: "asyncio.Task[T]") -> None:
    """Retrieve the task's error, so that asyncio does not warn that nobody did."""
    if not ended.cancelled():
        ended.exception()
