"""Runs the HTTP server: everything is loaded before the first connection is accepted."""

import asyncio
import resource
import signal
import socket
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.inference.cores import share_cores
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.admin_key import AdminKey, keep_admin_key
from sourcebook.service.config.data_folder import make_data_folder
from sourcebook.service.config.models_file import ModelEntry
from sourcebook.service.config.settings import Settings, check_bind
from sourcebook.service.http.workers import Worker, parent_ends
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


async def run_server(
    settings: Settings,
    entries: Sequence[ModelEntry],
    prepare: Prepare,
    worker: Worker | None = None,
) -> None:
    """Serve until a signal comes. `prepare` runs once all is open, before the first request.

    A `worker` is one of several that do so on one port; it ends with the process that started it.
    """
    import uvicorn  # noqa: PLC0415 - not needed by any other command

    from sourcebook.service.http.app import all_paths, describe_soon, warm_up  # noqa: PLC0415
    from sourcebook.service.http.metrics import Metrics  # noqa: PLC0415
    from sourcebook.service.http.root_path import check_root_path  # noqa: PLC0415

    if settings.root_path:
        # Only then: listing the paths of all routes takes a second.
        check_root_path(settings.root_path, all_paths())
    raise_file_limit()
    folder = make_data_folder(settings.data_dir)
    # Before anything is loaded, so that a port that is taken is found at once.
    with closing(checked_listener(settings) if worker is None else worker.listener) as listener:
        url = url_of(listener)
        key = keep_admin_key(settings, folder)
        metrics = Metrics()
        share_cores(settings.workers)
        async with open_use_cases(settings, folder, entries, metrics) as use_cases:
            app = configured_app(use_cases, settings, key, metrics)
            await asyncio.to_thread(warm_up, app)
            meanwhile = await prepare(Ready(use_cases, url, key.made_in, settings, entries))
            works = [describe_soon(), *([] if meanwhile is None else [meanwhile])]
            async with run_in_background(*works):
                # It listens only now, when all is open.
                server = uvicorn.Server(_uvicorn_config(app))
                ending = [] if worker is None else [_end_with_parent(server)]
                async with run_in_background(*ending):
                    await serve_until_signal(server, listener)


async def _end_with_parent(server: "uvicorn.Server") -> None:
    await parent_ends()
    server.should_exit = True


def checked_listener(settings: Settings) -> socket.socket:
    """Bind the socket of the settings, if they may be served there."""
    check_bind(settings)
    check_server(settings, shared=can_share(settings, Registry()))
    return bind(settings.host, settings.port)


def configured_app(
    use_cases: UseCases, settings: Settings, key: AdminKey, metrics: "Metrics | None" = None
) -> "FastAPI":
    from sourcebook.service.http.app import configured_rate_limits, create_app  # noqa: PLC0415

    return create_app(
        use_cases,
        access_rule(settings, key),
        settings.origins,
        settings.hosts,
        admin=AccessRule(key.value.encode()),
        api_keys=api_key_rule(settings, key),
        public_url=settings.public_url,
        lists_sources=settings.openai_source_list,
        lists_books=settings.lists_books,
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
