"""Connects to the service of a data folder: the running server, else an app in this process."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Literal, TypeAlias

import httpx2

from sourcebook.cli.app_transport import AppTransport
from sourcebook.cli.clients import KEY_HEADER
from sourcebook.cli.terminal import err
from sourcebook.core.errors import ConfigurationError
from sourcebook.service.config.admin_key import find_admin_key
from sourcebook.service.config.data_folder import DataFolder, FolderInUse, own_data_folder
from sourcebook.service.config.settings import Settings

if TYPE_CHECKING:
    from sourcebook.surfaces.use_cases import UseCases

MIN_REQUEST_TIMEOUT_S = 60.0
REPLY_MARGIN_S = 10.0

# "maintain" writes without a book: it works on what is stored already. "manage" does that too,
# and needs no model.
Purpose: TypeAlias = Literal["read", "write", "maintain", "manage"]


@asynccontextmanager
async def connect(
    settings: Settings, purpose: Purpose, *, llm: str | None = None
) -> AsyncIterator[httpx2.AsyncClient]:
    """Open a client of the server that has the data folder; without one, open the app in here.

    A server answers with its own language model, so none can be asked for by the flag `llm`.
    """
    with ExitStack() as held:
        try:
            folder = held.enter_context(own_data_folder(settings.data_dir))
        except FolderInUse as taken:
            if taken.url is None:
                raise
            if llm is not None:
                raise ConfigurationError(
                    f"--llm {llm} cannot be used here: the server at {taken.url} has this data"
                    " folder and answers with its own model. Start that server with --llm, or"
                    " leave it out"
                ) from None
            key = find_admin_key(settings, DataFolder(settings.data_dir))
            opened = _connect_to_server(taken.url, key, request_timeout_s(settings))
        else:
            opened = _open_in_process(settings, folder, purpose)
        async with opened as http:
            yield http


def request_timeout_s(settings: Settings) -> float:
    """Return how long a reply may take: longer than the service allows itself for an answer."""
    return max(MIN_REQUEST_TIMEOUT_S, settings.chat_timeout_s + REPLY_MARGIN_S)


@asynccontextmanager
async def _connect_to_server(
    url: str, key: str | None, timeout_s: float
) -> AsyncIterator[httpx2.AsyncClient]:
    headers = {} if key is None else {KEY_HEADER: key}
    # The server is on this machine: a proxy of the environment must not come between.
    async with httpx2.AsyncClient(
        base_url=url, headers=headers, timeout=timeout_s, trust_env=False
    ) as http:
        yield http


@asynccontextmanager
async def _open_in_process(
    settings: Settings, folder: DataFolder, purpose: Purpose
) -> AsyncIterator[httpx2.AsyncClient]:
    # Heavy, and not needed to talk to a server.
    from sourcebook.service.http.app import create_app
    from sourcebook.surfaces.admin_key import AccessRule

    with ExitStack() as waiting:
        if purpose != "manage":
            waiting.enter_context(err.status("Loading the model …"))
        async with _open_use_cases(settings, folder, purpose) as use_cases:
            # Nobody else can reach this app, so nothing in it needs a key.
            app = create_app(use_cases, AccessRule(None), origins=(), admin=AccessRule(None))
            async with httpx2.AsyncClient(
                base_url="http://localhost", transport=AppTransport(app), timeout=None
            ) as http:
                waiting.close()
                yield http


def _open_use_cases(
    settings: Settings, folder: DataFolder, purpose: Purpose
) -> "AbstractAsyncContextManager[UseCases]":
    from sourcebook.service.wiring import use_cases

    if purpose == "read":
        return use_cases.open_to_read(settings, folder)
    if purpose == "manage":
        return use_cases.open_without_models(settings, folder)
    # Checked here, before a model is loaded.
    no_book = settings.docs_path is None and settings.docs_repository is None
    if purpose == "write" and no_book:
        raise ConfigurationError(
            "No book is configured: name its folder (`sourcebook ingest DOCS`), or set DOCS_PATH,"
            " or SOURCEBOOK_DOCS_REPOSITORY for one in git"
        )
    return use_cases.open_to_write(settings, folder)
