"""Fake providers, registered as real ones are: by entry points that name them."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path

import httpx2
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from sourcebook.core.health import ServiceHealth
from sourcebook.core.providers import ProviderKind
from sourcebook.providers.declaration import Opening, Probed, ProbeFailed, Provider
from sourcebook.providers.outbound.client import Resolve, resolve_by_system
from sourcebook.providers.outbound.destinations import OPERATOR, Policy
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.providers.connection_test import ConnectionScope
from sourcebook.service.providers.directory import Directory
from sourcebook.service.providers.health import ProviderInUse
from sourcebook.service.providers.placeholders import ServiceKey, ServicePlaceholders


class NoSettings(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ServerSettings(BaseModel):
    """As the settings of a store behind a URL."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    url: str = Field(json_schema_extra={"format": "uri"}, title="URL")
    api_key: SecretStr | None = None
    model: str = "small"


class CodeSettings(NoSettings):
    """As the settings of a model that may bring code."""

    trust_remote_code: bool = False


@dataclass
class Part:
    """What a provider opens."""

    health: ServiceHealth = field(default_factory=lambda: ServiceHealth("up", latency_ms=1.5))
    checks: int = 0

    async def check(self) -> ServiceHealth:
        self.checks += 1
        return self.health


opened: list[Opening] = []


@asynccontextmanager
async def _open(settings: BaseModel, opening: Opening) -> AsyncIterator[Part]:
    opened.append(opening)
    assert opening.data_dir.is_dir()
    yield Part()


@asynccontextmanager
async def _open_ill(settings: BaseModel, opening: Opening) -> AsyncIterator[Part]:
    yield Part(ServiceHealth("down", message="the far side's own words"))


async def _list(settings: ServerSettings, client: httpx2.AsyncClient) -> Probed:
    key = settings.api_key
    headers = {} if key is None else {"api-key": key.get_secret_value()}
    response = await client.get(f"{settings.url}/collections", headers=headers)
    response.raise_for_status()
    found = response.json()
    details = {"model": settings.model, "points": 3, **found.get("details", {})}
    return Probed(details, tuple(found["collections"]))


async def _say_nothing(settings: ServerSettings, client: httpx2.AsyncClient) -> Probed:
    return Probed()


async def _hang(settings: ServerSettings, client: httpx2.AsyncClient) -> Probed:
    """Takes no notice of being called off, once."""
    with suppress(asyncio.CancelledError):
        await asyncio.Event().wait()
    return Probed()


async def _crash(settings: ServerSettings, client: httpx2.AsyncClient) -> Probed:
    key = settings.api_key
    raise RuntimeError(f"the key is {key.get_secret_value() if key else None}")


async def _leave(settings: ServerSettings, client: httpx2.AsyncClient) -> Probed:
    raise SystemExit(7)


async def _tell(settings: ServerSettings, client: httpx2.AsyncClient) -> Probed:
    key = settings.api_key
    raise ProbeFailed("authorization", f"not with {key.get_secret_value() if key else None}")


PLAIN: Provider[NoSettings, Part] = Provider(NoSettings, _open)
CODE: Provider[CodeSettings, Part] = Provider(CodeSettings, _open)
ILL: Provider[NoSettings, Part] = Provider(NoSettings, _open_ill)
SERVER: Provider[ServerSettings, Part] = Provider(ServerSettings, _open, _list)
OWN_CLIENT: Provider[ServerSettings, Part] = Provider(ServerSettings, _open)
SILENT: Provider[ServerSettings, Part] = Provider(ServerSettings, _open, _say_nothing)
HANGING: Provider[ServerSettings, Part] = Provider(ServerSettings, _open, _hang)
CRASHING: Provider[ServerSettings, Part] = Provider(ServerSettings, _open, _crash)
LEAVING: Provider[ServerSettings, Part] = Provider(ServerSettings, _open, _leave)
TELLING: Provider[ServerSettings, Part] = Provider(ServerSettings, _open, _tell)


def _entry(kind: ProviderKind, name: str, what: str) -> EntryPoint:
    return EntryPoint(name, f"tests.fake_providers:{what}", f"sourcebook.{kind}")


ENTRY_POINTS = (
    _entry("vector_stores", "plain", "PLAIN"),
    _entry("vector_stores", "ill", "ILL"),
    _entry("vector_stores", "server", "SERVER"),
    _entry("vector_stores", "own-client", "OWN_CLIENT"),
    _entry("vector_stores", "silent", "SILENT"),
    _entry("vector_stores", "hanging", "HANGING"),
    _entry("vector_stores", "crashing", "CRASHING"),
    _entry("vector_stores", "leaving", "LEAVING"),
    _entry("vector_stores", "telling", "TELLING"),
    _entry("vector_stores", "missing", "NOTHING_OF_THAT_NAME"),
    _entry("embedders", "plain", "PLAIN"),
    _entry("embedders", "words", "SERVER"),
    _entry("embedders", "code", "CODE"),
)


def fake_directory(
    models_dir: Path = Path("models"),
    *,
    policy: Policy = OPERATOR,
    resolve: Resolve = resolve_by_system,
    keys: tuple[ServiceKey, ...] = (),
    in_use: Mapping[tuple[ProviderKind, str], ProviderInUse] | None = None,
    test_timeout_s: float = 10.0,
    now_s: Callable[[], float] = time.monotonic,
) -> Directory:
    """The service's own directory over fake providers."""
    return Directory(
        Registry(ENTRY_POINTS),
        ConnectionScope(models_dir, policy, resolve),
        ServicePlaceholders(keys),
        in_use,
        test_timeout_s=test_timeout_s,
        now_s=now_s,
    )
