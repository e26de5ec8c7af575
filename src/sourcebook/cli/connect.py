"""Connects to the service of a data folder: the running one, else an app in this process."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import urlsplit

import httpx2

from sourcebook.cli.app_transport import AppTransport
from sourcebook.cli.clients import KEY_HEADER
from sourcebook.cli.terminal import counted, err
from sourcebook.core.errors import ConfigurationError, Unavailable
from sourcebook.service.config.admin_key import find_admin_key
from sourcebook.service.config.data_folder import DataFolder, FolderInUse, own_data_folder
from sourcebook.service.config.settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from sourcebook.ingestion.reindex.jobs import ReindexJobs
    from sourcebook.surfaces.use_cases import UseCases

MIN_REQUEST_TIMEOUT_S = 60.0
REPLY_MARGIN_S = 10.0
# How long to wait for a command that has the folder, and for a service that is starting.
OWNER_TIMEOUT_S = 10.0
START_TIMEOUT_S = 30.0
QUIET_WAIT_S = 1.0
RETRY_INTERVAL_S = 0.1
PROBE_TIMEOUT_S = 1.0
# A command that follows a job looks more often than this.
LAST_LOOK_S = 1.0
RECENT_JOBS = 50

# "search" is a "read" that asks no question. "maintain" writes without a book: it works on what is
# stored already. "manage" does that too, and needs no model.
Purpose: TypeAlias = Literal["search", "read", "write", "maintain", "manage"]
# These have the folder for a moment only: others wait for it, and cannot go through them.
PRIVATE: frozenset[Purpose] = frozenset({"search", "read", "manage"})


@asynccontextmanager
async def connect(
    settings: Settings,
    purpose: Purpose,
    command: str | None = None,
    *,
    llm: str | None = None,
) -> AsyncIterator[httpx2.AsyncClient]:
    """Open a client of the service that has the data folder; without one, open the app in here.

    `command` is what others are told about this process, while it has the folder. A service
    answers with its own language model, so none can be asked for by the flag `llm`.
    """
    opened: AbstractAsyncContextManager[httpx2.AsyncClient]
    with ExitStack() as held:
        owned = await own_or_find(settings, held, command)
        if isinstance(owned, DataFolder):
            opened = _open_in_process(settings, owned, purpose)
        elif llm is not None:
            raise ConfigurationError(
                f"--llm {llm} cannot be used here: the service at {owned} has this data folder and"
                " answers with its own model. Start that service with --llm, or leave it out"
            )
        else:
            opened = connect_to_service(settings, owned)
        async with opened as http:
            yield http


async def own_or_find(
    settings: Settings, held: ExitStack, command: str | None = None
) -> DataFolder | str:
    """Own the folder, or return the URL of its owner. Waits a while for one that is busy."""
    started_s, told = time.monotonic(), False
    while True:
        try:
            return held.enter_context(own_data_folder(settings.data_dir, command=command))
        except FolderInUse as error:
            taken = error
        if taken.url is not None and await _is_listening(taken.url):
            if settings.local and not taken.owner.local:
                raise ConfigurationError(
                    f"SOURCEBOOK_LOCAL is set, but the service at {taken.url}, which has this data"
                    " folder, was started without it and may send text to other machines: start it"
                    " with --local, or unset SOURCEBOOK_LOCAL here"
                )
            return taken.url
        waited_s = time.monotonic() - started_s
        if waited_s > (OWNER_TIMEOUT_S if taken.url is None else START_TIMEOUT_S):
            raise _given_up(taken)
        if waited_s > QUIET_WAIT_S and not told:
            told = True
            err.print(f"Waiting for {taken.owner}, which has the data folder …")
        await asyncio.sleep(RETRY_INTERVAL_S)


async def _is_listening(url: str) -> bool:
    address = urlsplit(url)
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            _, writer = await asyncio.open_connection(address.hostname, address.port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


def _given_up(taken: FolderInUse) -> FolderInUse | Unavailable:
    if taken.url is None:
        return taken
    return Unavailable(
        f"The service at {taken.url} (process {taken.owner.pid}) does not answer. It may still be"
        " starting, or stopping: try again in a moment"
    )


def request_timeout_s(settings: Settings) -> float:
    """Return how long a reply may take: longer than the service allows itself for an answer."""
    return max(MIN_REQUEST_TIMEOUT_S, settings.chat_timeout_s + REPLY_MARGIN_S)


def connect_to_service(settings: Settings, url: str) -> httpx2.AsyncClient:
    """Return a client of the service that has the data folder, with the admin key."""
    key = find_admin_key(settings, DataFolder(settings.data_dir))
    # The service is on this machine: a proxy of the environment must not come between.
    return httpx2.AsyncClient(
        base_url=url,
        headers={} if key is None else {KEY_HEADER: key},
        timeout=request_timeout_s(settings),
        trust_env=False,
    )


@asynccontextmanager
async def _open_in_process(
    settings: Settings, folder: DataFolder, purpose: Purpose
) -> AsyncIterator[httpx2.AsyncClient]:
    opening = _open_privately if purpose in PRIVATE else _open_and_serve
    with ExitStack() as waiting:
        if purpose != "manage":
            waiting.enter_context(err.status("Loading the model …"))
        async with opening(settings, folder, purpose) as http:
            waiting.close()
            yield http


@asynccontextmanager
async def _open_privately(
    settings: Settings, folder: DataFolder, purpose: Purpose
) -> AsyncIterator[httpx2.AsyncClient]:
    if purpose == "search":
        # Not needed to talk to a server.
        from sourcebook.service.http.command_app import CommandApp
        from sourcebook.service.wiring.search import open_to_search

        async with (
            open_to_search(settings, folder) as parts,
            _client(CommandApp(parts, parts.use_cases)) as http,
        ):
            yield http
        return
    async with (
        _open_use_cases(settings, folder, purpose) as use_cases,
        _client(private_app(use_cases)) as http,
    ):
        yield http


@asynccontextmanager
async def _open_and_serve(
    settings: Settings, folder: DataFolder, purpose: Purpose
) -> AsyncIterator[httpx2.AsyncClient]:
    """Let others go through this process meanwhile: it may take long."""
    from sourcebook.service.http.server import serve_on_loopback

    async with (
        _open_use_cases(settings, folder, purpose) as use_cases,
        serve_on_loopback(use_cases, settings, folder) as app,
        _client(app, find_admin_key(settings, folder) or "") as http,
    ):
        if settings.ledger_url is not None:
            yield http
            return
        newest = await use_cases.book_jobs.recent(1)
        yield http
        await _finish_jobs_of_others(use_cases, newest[0].id if newest else 0)
        await finish_refreshes(use_cases.reindex_jobs)


def _client(app: "ASGIApp", key: str | None = None) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        base_url="http://localhost",
        headers={} if key is None else {KEY_HEADER: key},
        transport=AppTransport(app),
        timeout=None,
    )


def private_app(use_cases: "UseCases") -> "ASGIApp":
    """Return an app that nobody else can reach, so that it needs neither keys nor limits."""
    from sourcebook.service.http.command_app import CommandApp

    return CommandApp(use_cases, lambda: use_cases)


async def _finish_jobs_of_others(use_cases: "UseCases", newest_before: int) -> None:
    """Stay until the jobs that other commands have started here meanwhile are done."""
    told = False
    while any(
        not job.finished and job.id > newest_before
        for job in await use_cases.book_jobs.recent(RECENT_JOBS)
    ):
        if not told:
            told = True
            err.print("Done. Another command's job is still running here; Ctrl+C leaves it …")
        await asyncio.sleep(RETRY_INTERVAL_S)
    if told:
        # Those who follow it shall see its end.
        await asyncio.sleep(LAST_LOOK_S)


async def finish_refreshes(reindex_jobs: "ReindexJobs") -> None:
    """Stay until outdated indexes are written anew: short commands would never get that done."""
    if not await reindex_jobs.refreshing():
        return
    err.print("Indexing the words of all chunks, once; Ctrl+C leaves it for the next time …")
    with err.status("Indexing words …") as shown:
        while jobs := await reindex_jobs.refreshing():
            done = sum(job.progress.chunks_created for job in jobs)
            total = sum(job.progress.chunks_found for job in jobs)
            shown.update(f"Indexing words: {done:,} of {counted(total, 'chunk')}")
            await asyncio.sleep(RETRY_INTERVAL_S)


def _open_use_cases(
    settings: Settings, folder: DataFolder, purpose: Purpose
) -> "AbstractAsyncContextManager[UseCases]":
    from sourcebook.service.wiring import use_cases

    if purpose == "read":
        return use_cases.open_to_read(settings, folder)
    if purpose == "manage":
        return use_cases.open_without_models(settings, folder)
    # Checked here, before a model is loaded.
    if purpose == "write" and not settings.has_book:
        raise ConfigurationError(
            "No book is configured: name its folder or website (`sourcebook ingest DOCS`), or set"
            " DOCS_PATH, SOURCEBOOK_DOCS_SITE, or SOURCEBOOK_DOCS_REPOSITORY for one in git"
        )
    return use_cases.open_to_write(settings, folder)
