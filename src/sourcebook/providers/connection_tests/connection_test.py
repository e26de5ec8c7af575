"""Tests a provider's settings: connects once, with a client that reaches allowed addresses only."""

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import httpx2
from pydantic import BaseModel

from sourcebook.core.health import Checkable
from sourcebook.core.providers import ConnectionSchema
from sourcebook.providers.declaration import Opening, Probed, ProbeFailed, Provider
from sourcebook.providers.outbound.client import (
    Resolve,
    check_destination,
    open_client,
    resolve_by_system,
)
from sourcebook.providers.outbound.destinations import OPERATOR, Policy, parse_url
from sourcebook.providers.registry.redaction import plain_texts

MAX_REPLY_BYTES = 4 * 1024 * 1024
MODELS = "models"
_WEB = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class ConnectionScope:
    """What a test may reach: other servers by the policy, models in the folder, nothing else."""

    models_dir: Path
    policy: Policy = OPERATOR
    resolve: Resolve = resolve_by_system


async def try_connection(
    provider: Provider[BaseModel, object],
    schema: ConnectionSchema,
    settings: BaseModel,
    around: ConnectionScope,
    timeout_s: float,
) -> Probed:
    """Connect with the settings; raise whatever prevents it.

    URLs are checked first, so that an odd one is refused before anything is opened.
    """
    urls = [parse_url(text) for text in urls_in(schema, settings)]
    if provider.probe is None:
        return await _open_and_ask(provider, settings, around, urls)
    async with open_client(
        timeout_s=timeout_s,
        policy=around.policy,
        max_reply_bytes=MAX_REPLY_BYTES,
        resolve=around.resolve,
    ) as client:
        return await provider.probe(settings, client)


def urls_in(schema: ConnectionSchema, settings: BaseModel) -> list[str]:
    """Return the settings that are declared as URLs, and every other text that is one."""
    values = [getattr(settings, field.name, None) for field in schema.fields if field.type == "url"]
    texts = [str(value) for value in values if value is not None]
    texts += [text for text in plain_texts(settings.model_dump()) if text.lower().startswith(_WEB)]
    return list(dict.fromkeys(texts))


def _check_folders(settings: BaseModel, around: ConnectionScope) -> None:
    """Refuse folders outside the models: callers over HTTP must not probe this machine's disk."""
    if around.policy.private:
        return
    for text in plain_texts(settings.model_dump()):
        path = Path(text)
        beside = ".." in path.parts or text.startswith("~") or path.is_absolute()
        if beside and not _is_inside(path, around.models_dir):
            raise ProbeFailed(
                "invalid_config",
                f"Over HTTP no folder of this machine is tried but those in {MODELS!r} of the data"
                " folder: use `sourcebook providers test` there",
            )


def _is_inside(path: Path, folder: Path) -> bool:
    return ".." not in path.parts and path.is_relative_to(folder.absolute())


async def _open_and_ask(
    provider: Provider[BaseModel, object],
    settings: BaseModel,
    around: ConnectionScope,
    urls: Iterable[httpx2.URL],
) -> Probed:
    """Open a provider that brings its own client; its URLs are checked before."""
    for url in urls:
        await check_destination(url, around.policy, around.resolve)
    _check_folders(settings, around)
    # A folder of its own: the files of the service belong to what is in use.
    with tempfile.TemporaryDirectory(prefix="sourcebook-test-") as folder:
        opening = Opening(id="test", data_dir=Path(folder), models_dir=around.models_dir)
        async with provider.open(settings, opening) as opened:
            health = await cast("Checkable", opened).check()
    if health.status == "down":
        raise ProbeFailed("unknown", "It could be opened, but says that it is down")
    return Probed({} if health.latency_ms is None else {"latency_ms": health.latency_ms})
