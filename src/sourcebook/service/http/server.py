"""Runs the HTTP server: everything is loaded before the first connection is accepted."""

import asyncio
import resource
import signal
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.admin_key import keep_admin_key
from sourcebook.service.config.data_folder import own_data_folder
from sourcebook.service.config.models_file import ModelEntry
from sourcebook.service.config.settings import Settings, check_bind
from sourcebook.service.wiring.process_sharing import can_share, check_server
from sourcebook.service.wiring.use_cases import open_use_cases
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.use_cases import UseCases

if TYPE_CHECKING:
    import uvicorn

KEEP_ALIVE_TIMEOUT_S = 5
SHUTDOWN_TIMEOUT_S = 5
MAX_CONNECTIONS = 512
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


Prepare = Callable[[Ready], Awaitable[None]]


async def run_server(settings: Settings, entries: Sequence[ModelEntry], prepare: Prepare) -> None:
    """Serve until a signal comes. `prepare` runs once all is open, before the first request."""
    import uvicorn  # noqa: PLC0415 - not needed by any other command

    from sourcebook.service.http.app import (  # noqa: PLC0415
        all_paths,
        configured_rate_limits,
        create_app,
        warm_up,
    )
    from sourcebook.service.http.header_limits import HeaderLimitsProtocol  # noqa: PLC0415
    from sourcebook.service.http.metrics import Metrics  # noqa: PLC0415
    from sourcebook.service.http.root_path import check_root_path  # noqa: PLC0415

    check_bind(settings)
    check_root_path(settings.root_path, all_paths())
    check_server(settings, shared=can_share(settings, Registry()))
    raise_file_limit()
    # Bound first, so that a port that is taken is found at once; it listens only when all is open.
    with closing(bind(settings.host, settings.port)) as listener:
        url = url_of(listener)
        with own_data_folder(settings.data_dir, url) as folder:
            key = keep_admin_key(settings, folder)
            metrics = Metrics()
            async with open_use_cases(settings, folder, entries, metrics) as use_cases:
                app = create_app(
                    use_cases,
                    access_rule(settings),
                    settings.origins,
                    settings.hosts,
                    admin=AccessRule(key.value.encode()),
                    rate_limits=configured_rate_limits(settings, use_cases.windows),
                    metrics=metrics,
                    root_path=settings.root_path,
                )
                await asyncio.to_thread(warm_up, app)
                config = uvicorn.Config(
                    app,
                    http=HeaderLimitsProtocol,
                    ws="none",
                    limit_concurrency=MAX_CONNECTIONS,
                    log_config=None,
                    access_log=False,
                    proxy_headers=False,
                    server_header=False,
                    backlog=MAX_CONNECTIONS,
                    timeout_keep_alive=KEEP_ALIVE_TIMEOUT_S,
                    timeout_graceful_shutdown=SHUTDOWN_TIMEOUT_S,
                )
                await prepare(Ready(use_cases, url, key.made_in, settings, entries))
                await serve_until_signal(uvicorn.Server(config), listener)


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


def access_rule(settings: Settings) -> AccessRule:
    """Return the rule for writes: open on loopback, else the admin key is needed."""
    if settings.loopback or settings.admin_api_key is None:
        return AccessRule(key=None)
    return AccessRule(key=settings.admin_api_key.get_secret_value().encode())


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
