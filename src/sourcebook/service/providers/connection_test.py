"""Tests a provider's settings: connects once, with a client that reaches allowed addresses only."""

import asyncio
import logging
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias, TypeVar, cast

from pydantic import BaseModel

from sourcebook.core.errors import InvalidInput
from sourcebook.core.health import Checkable
from sourcebook.core.metadata import JsonValue
from sourcebook.core.providers import ConnectionSchema, ConnectionTest, ProviderCard
from sourcebook.providers.declaration import Opening, Probed, ProbeFailed, Provider
from sourcebook.providers.outbound.client import (
    Resolve,
    check_destination,
    open_client,
    resolve_by_system,
)
from sourcebook.providers.outbound.destinations import OPERATOR, Policy, parse_url
from sourcebook.providers.registry.connection_schema import connection_schema
from sourcebook.providers.registry.redaction import (
    hide,
    plain_texts,
    secrets_of,
    shown_details,
    shown_names,
)
from sourcebook.providers.registry.settings_validation import given_secrets, validate_settings
from sourcebook.service.providers.diagnosis import STRANGE, TOO_SLOW, UNKNOWN, Diagnosis, diagnose
from sourcebook.service.providers.placeholders import Expand, Expansion

log = logging.getLogger(__name__)

T = TypeVar("T")
AnyProvider: TypeAlias = Provider[BaseModel, object]
Load: TypeAlias = Callable[[ProviderCard], Awaitable[AnyProvider]]

MAX_REPLY_BYTES = 4 * 1024 * 1024
MODELS = "models"
_WEB = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class ConnectionScope:
    """What a test may reach: other servers by the policy, models in the folder, nothing else."""

    models_dir: Path
    policy: Policy = OPERATOR
    resolve: Resolve = resolve_by_system


class ConnectionTester:
    """Validates settings and connects with them, all of it within a time limit."""

    def __init__(self, scope: ConnectionScope, expand: Expand, timeout_s: float) -> None:
        self._scope = scope
        self._expand = expand
        self._timeout_s = timeout_s

    async def test(
        self, card: ProviderCard, load: Load, config: Mapping[str, JsonValue]
    ) -> ConnectionTest:
        """Load the provider and test the settings. Failures are in the report."""
        begun_s = time.monotonic()
        attempt = asyncio.create_task(self._attempt(card, load, config))
        try:
            # Not a plain timeout: other people's code may take no notice of being called off.
            await asyncio.wait({attempt}, timeout=self._timeout_s)
        finally:
            attempt.add_done_callback(retrieve_error)
            attempt.cancel()
        ended = attempt.done() and not attempt.cancelled()
        report = attempt.result() if ended else _failed(card, TOO_SLOW)
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

    async def _attempt(
        self, card: ProviderCard, load: Load, config: Mapping[str, JsonValue]
    ) -> ConnectionTest:
        secrets: frozenset[str] = frozenset()
        try:
            if card.lack is not None:
                raise InvalidInput(card.lack)
            provider = await load(card)
            secrets = given_secrets(provider.settings, config)
            schema = connection_schema(card, provider)
            expansion = self._expand(schema, config)
            settings = validate_settings(
                provider.settings, config, environment=expansion.environment
            )
            secrets |= frozenset(secrets_of(settings.model_dump()))
            scope = _narrowed(self._scope, expansion, provider)
            probed = await _connect(provider, schema, settings, scope, self._timeout_s)
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


def retrieve_error(ended: "asyncio.Task[T]") -> None:
    """Retrieve a task's error, so that asyncio does not warn that nobody did."""
    if not ended.cancelled():
        ended.exception()


def _failed(card: ProviderCard, diagnosis: Diagnosis) -> ConnectionTest:
    return ConnectionTest(
        success=False,
        provider=card.id,
        kind=card.kind,
        error=diagnosis.message,
        error_type=diagnosis.error_type,
    )


def _narrowed(
    scope: ConnectionScope, expansion: Expansion, provider: AnyProvider
) -> ConnectionScope:
    """Let a key of the service be sent only to the server that it is configured for."""
    if expansion.origins is None:
        return scope
    if provider.probe is None:
        raise InvalidInput(
            "This provider connects with a client of its own, which gets no key of the service:"
            " give the key itself"
        )
    return replace(scope, policy=replace(scope.policy, origins=expansion.origins))


async def _connect(
    provider: AnyProvider,
    schema: ConnectionSchema,
    settings: BaseModel,
    scope: ConnectionScope,
    timeout_s: float,
) -> Probed:
    """Connect with the settings; raise whatever prevents it.

    URLs are checked first, so that an odd one is refused before anything is opened.
    """
    urls = [parse_url(text) for text in _urls_in(schema, settings)]
    if provider.probe is not None:
        async with open_client(
            timeout_s=timeout_s,
            policy=scope.policy,
            max_reply_bytes=MAX_REPLY_BYTES,
            resolve=scope.resolve,
        ) as client:
            return await provider.probe(settings, client)
    # It brings its own client.
    for url in urls:
        await check_destination(url, scope.policy, scope.resolve)
    _check_folders(settings, scope)
    _check_code(settings, scope)
    return await _open_and_check(provider, settings, scope.models_dir)


def _urls_in(schema: ConnectionSchema, settings: BaseModel) -> list[str]:
    """Return the settings that are declared as URLs, and every other text that is one."""
    values = [getattr(settings, field.name, None) for field in schema.fields if field.type == "url"]
    texts = [str(value) for value in values if value is not None]
    texts += [text for text in plain_texts(settings.model_dump()) if text.lower().startswith(_WEB)]
    return list(dict.fromkeys(texts))


def _check_folders(settings: BaseModel, scope: ConnectionScope) -> None:
    """Refuse folders outside the models: callers over HTTP must not probe this machine's disk."""
    if scope.policy.private:
        return
    models = scope.models_dir.absolute()
    for text in plain_texts(settings.model_dump()):
        path = Path(text)
        elsewhere = path.is_absolute() and not path.is_relative_to(models)
        if elsewhere or ".." in path.parts or text.startswith("~"):
            raise ProbeFailed(
                "invalid_config",
                f"Over HTTP no folder of this machine is tried but those in {MODELS!r} of the data"
                " folder: use `sourcebook providers test` there",
            )


def _check_code(settings: BaseModel, scope: ConnectionScope) -> None:
    """Refuse to run a model's own code: whoever may test settings may not run programs here."""
    if not scope.policy.private and getattr(settings, "trust_remote_code", False):
        raise ProbeFailed(
            "invalid_config",
            "Over HTTP no code of a model is run: leave out 'trust_remote_code', or use"
            " `sourcebook providers test` on the service's machine",
        )


async def _open_and_check(provider: AnyProvider, settings: BaseModel, models_dir: Path) -> Probed:
    # A folder of its own: the files of the service belong to what is in use.
    with tempfile.TemporaryDirectory(prefix="sourcebook-test-") as folder:
        opening = Opening(id="test", data_dir=Path(folder), models_dir=models_dir)
        async with provider.open(settings, opening) as opened:
            health = await cast("Checkable", opened).check()
    if health.status == "down":
        raise ProbeFailed("unknown", "It could be opened, but says that it is down")
    return Probed({} if health.latency_ms is None else {"latency_ms": health.latency_ms})
