"""Runs the HTTP server: everything is loaded before the first connection is accepted."""

import asyncio
import resource
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.admin_key import AdminKey, keep_admin_key
from sourcebook.service.config.data_folder import DataFolder, announce, own_data_folder
from sourcebook.service.config.models_file import ModelEntry
from sourcebook.service.config.settings import Settings, check_bind
from sourcebook.service.wiring.background import run_in_background
from sourcebook.service.wiring.process_sharing import can_share, check_server
from sourcebook.service.wiring.use_cases import open_use_cases
from sourcebook.surfaces.admin_key import AccessRule, key_digest
from sourcebook.surfaces.api_keys import ApiKey, ApiKeyRule, Grant
from sourcebook.surfaces.use_cases import UseCases

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

    from sourcebook.service.http.metrics import Metrics

KEEP_ALIVE_TIMEOUT_S = 5
SHUTDOWN_TIMEOUT_S = 5
INTERRUPTED_SHUTDOWN_TIMEOUT_S = 1
LOOPBACK = "127.0.0.1"
BACKLOG = 512
MAX_FILES = 65_536
SIGNALS = (signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True, slots=True)
class Ready:
    """A server that is about to listen: its use cases, its URL, and the new key file, if any.

    `settings` and `entries` are what it was opened with.
    """

    use_cases: UseCases
    url: str
    new_key: Path | None
    settings: Settings
    entries: Sequence[ModelEntry]


# Returns what is to run while the server serves, if anything.
Prepare = Callable[[Ready], Awaitable[Coroutine[None, None, None] | None]]


async def run_server(settings: Settings, entries: Sequence[ModelEntry], prepare: Prepare) -> None:
    """Serve until a signal comes. `prepare` runs once all is open, before the first request."""
    import uvicorn  # noqa: PLC0415 - not needed by any other command

    from sourcebook.service.http.app import all_paths, describe_soon, warm_up  # noqa: PLC0415
    from sourcebook.service.http.metrics import Metrics  # noqa: PLC0415
    from sourcebook.service.http.root_path import check_root_path  # noqa: PLC0415

    check_bind(settings)
    if settings.root_path:
        # Only then: listing the paths of all routes takes a second.
        check_root_path(settings.root_path, all_paths())
    check_server(settings, shared=can_share(settings, Registry()))
    raise_file_limit()
    with (
        own_data_folder(settings.data_dir) as folder,
        # Before anything is loaded, so that a port that is taken is found at once.
        closing(bind(settings.host, settings.port)) as listener,
    ):
        url = url_of(listener)
        announce(folder, url, local=settings.local)
        key = keep_admin_key(settings, folder)
        metrics = Metrics()
        async with open_use_cases(settings, folder, entries, metrics) as use_cases:
            app = _app(use_cases, settings, key, settings, metrics)
            await asyncio.to_thread(warm_up, app)
            meanwhile = await prepare(Ready(use_cases, url, key.made_in, settings, entries))
            works = [describe_soon(), *([] if meanwhile is None else [meanwhile])]
            async with run_in_background(*works):
                # It listens only now, when all is open.
                await serve_until_signal(uvicorn.Server(_uvicorn_config(app)), listener)


@asynccontextmanager
async def serve_on_loopback(
    use_cases: UseCases, settings: Settings, folder: DataFolder
) -> AsyncIterator["FastAPI"]:
    """Serve on a free port for this machine alone, as `serve` would, and announce the URL.

    For the owner of the folder, beside its own work: so other commands can go through it.
    """
    import uvicorn  # noqa: PLC0415 - not needed by any other command

    local = settings.model_copy(update={"host": LOOPBACK, "port": 0, "root_path": ""})
    check_bind(local)
    key = keep_admin_key(local, folder)
    # Where this installation needs a key, it does here, whatever address this is.
    app = _app(use_cases, local, key, settings)
    with closing(bind(local.host, local.port)) as listener:
        server = uvicorn.Server(_uvicorn_config(app))
        # Whoever comes before the server has started waits in the queue of the socket.
        listener.listen(BACKLOG)
        serving = asyncio.create_task(server._serve([listener]))
        announce(folder, url_of(listener), local=settings.local)
        try:
            yield app
        except BaseException:
            # Somebody wants to be gone: those who are being answered get little time.
            server.config.timeout_graceful_shutdown = INTERRUPTED_SHUTDOWN_TIMEOUT_S
            raise
        finally:
            announce(folder, None)
            server.should_exit = True
            await serving


def _app(
    use_cases: UseCases,
    settings: Settings,
    key: AdminKey,
    protected: Settings,
    metrics: "Metrics | None" = None,
) -> "FastAPI":
    """Create the app; `protected` are the settings that say where keys are needed."""
    from sourcebook.service.http.app import configured_rate_limits, create_app  # noqa: PLC0415

    return create_app(
        use_cases,
        access_rule(protected, key),
        settings.origins,
        settings.hosts,
        admin=AccessRule(key.value.encode()),
        api_keys=api_key_rule(protected, key),
        public_url=settings.public_url,
        lists_sources=settings.openai_source_list,
        lists_books=protected.lists_books,
        rate_limits=configured_rate_limits(settings, use_cases.windows),
        metrics=metrics,
        root_path=settings.root_path,
    )


def _uvicorn_config(app: "FastAPI") -> "uvicorn.Config":
    import uvicorn  # noqa: PLC0415 - not needed by any other command

    from sourcebook.service.http.connection_limits import (  # noqa: PLC0415
        MAX_CONNECTIONS,
        ConnectionLimitsProtocol,
    )

    return uvicorn.Config(
        app,
        http=ConnectionLimitsProtocol,
        ws="none",
        limit_concurrency=MAX_CONNECTIONS,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_TIMEOUT_S,
        timeout_graceful_shutdown=SHUTDOWN_TIMEOUT_S,
    )


async def serve_until_signal(server: "uvicorn.Server", listener: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT, then return, so that everything is closed in order.

    The server's own `serve` would end the process by the signal instead.
    """
    loop = asyncio.get_running_loop()
    for name in SIGNALS:
        loop.add_signal_handler(name, server.handle_exit, name, None)
    await server._serve([listener])


def raise_file_limit() -> None:
    """Allow as many open files as the system does: each index and connection needs some."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_FILES)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def access_rule(settings: Settings, key: AdminKey) -> AccessRule:
    """Return the rule for writes: they are open, or need the admin key."""
    return AccessRule(key=None if settings.open_writes else key.value.encode())


def api_key_rule(settings: Settings, admin: AdminKey) -> ApiKeyRule:
    """Return the rule for `/v1` and `/mcp`. The admin key opens everything there, too."""
    keys = [
        ApiKey(key.digest, Grant(name, key.books, key.tier))
        for name, key in settings.api_keys.items()
    ]
    keys.append(ApiKey(key_digest(admin.value.encode()), Grant("admin")))
    return ApiKeyRule(keys, required=settings.requires_api_keys)


def bind(host: str, port: int) -> socket.socket:
    """Bind a socket that does not listen yet."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError):
        raise ConfigurationError(f"Host {host!r} is not known; give an address or a name") from None
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise ConfigurationError(
            f"Cannot listen on {host}:{port}: {error.strerror}. Choose another --port"
        ) from None
    listener.setblocking(False)
    return listener


def url_of(listener: socket.socket) -> str:
    """Return the URL to open in a browser."""
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host)  # noqa: S104 - only shown
    if shown is None:
        shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"
