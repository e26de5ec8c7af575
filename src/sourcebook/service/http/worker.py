"""Runs a worker: it runs jobs and chores, and answers health checks only."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.data_folder import make_data_folder
from sourcebook.service.config.models_file import ModelEntry
from sourcebook.service.config.settings import Settings
from sourcebook.service.http.metrics import Metrics
from sourcebook.service.http.server import (
    SHUTDOWN_TIMEOUT_S,
    SIGNALS,
    bind,
    raise_file_limit,
    serve_until_signal,
    url_of,
)
from sourcebook.service.wiring.process_sharing import can_share, check_worker
from sourcebook.service.wiring.use_cases import open_use_cases
from sourcebook.surfaces.use_cases import UseCases

if TYPE_CHECKING:
    from fastapi import FastAPI

MAX_PROBES = 32

Ready = Callable[[str | None], Awaitable[None]]


async def run_worker(
    settings: Settings, entries: Sequence[ModelEntry], health_port: int | None, ready: Ready
) -> None:
    """Work until a signal comes; `ready` gets the URL of the health checks once all is open."""
    check_worker(shared=can_share(settings, Registry()))
    raise_file_limit()
    working = settings.model_copy(update={"work": True})
    metrics = Metrics()
    folder = make_data_folder(settings.data_dir)
    async with open_use_cases(working, folder, entries, metrics) as use_cases:
        if health_port is None:
            await ready(None)
            await _until_signal()
        else:
            app = probe_app(use_cases, metrics)
            await _answer_probes(app, settings.host, health_port, ready)


async def _answer_probes(app: "FastAPI", host: str, port: int, ready: Ready) -> None:
    import uvicorn  # noqa: PLC0415 - not needed without probes

    with closing(bind(host, port)) as listener:
        config = uvicorn.Config(
            app,
            ws="none",
            limit_concurrency=MAX_PROBES,
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=SHUTDOWN_TIMEOUT_S,
        )
        await ready(url_of(listener))
        await serve_until_signal(uvicorn.Server(config), listener)


def probe_app(use_cases: UseCases, metrics: Metrics) -> "FastAPI":
    """Create an app with only `/livez`, `/readyz`, `/health` and `/metrics`."""
    from fastapi import FastAPI  # noqa: PLC0415 - not needed without probes

    from sourcebook.surfaces.health import routes as health  # noqa: PLC0415

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.state.use_cases = use_cases
    app.state.metrics = metrics
    app.include_router(health.routes)
    return app


async def _until_signal() -> None:
    heard = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in SIGNALS:
        loop.add_signal_handler(name, heard.set)
    await heard.wait()
