"""Finds the service of a data folder: the one that runs, else one inside this process."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Literal, TypeAlias

import httpx2

from sourcebook.cli.app_transport import AppTransport
from sourcebook.cli.book_client import BookClient
from sourcebook.cli.service_client import KEY_HEADER
from sourcebook.cli.terminal import err
from sourcebook.core.errors import ConfigurationError
from sourcebook.service.admin_key import find_admin_key
from sourcebook.service.data_folder import DataFolder, FolderInUse, own_data_folder
from sourcebook.service.settings import Settings

if TYPE_CHECKING:
    from sourcebook.surfaces.use_cases import UseCases

TIMEOUT_S = 60.0

# To keep is to write without a book: what is stored already is looked after.
Purpose: TypeAlias = Literal["read", "write", "keep"]


@asynccontextmanager
async def reach(settings: Settings, purpose: Purpose) -> AsyncIterator[BookClient]:
    """Talk about the book to whoever has the folder."""
    async with reach_service(settings, purpose) as http:
        yield BookClient(http)


@asynccontextmanager
async def reach_service(settings: Settings, purpose: Purpose) -> AsyncIterator[httpx2.AsyncClient]:
    """Talk to the server that has the folder; if none has, open it and talk to ourselves."""
    with ExitStack() as held:
        try:
            folder = held.enter_context(own_data_folder(settings.data_dir))
        except FolderInUse as taken:
            if taken.url is None:
                raise
            opened = _running(taken.url, find_admin_key(settings, DataFolder(settings.data_dir)))
        else:
            opened = _inside(settings, folder, purpose)
        async with opened as http:
            yield http


@asynccontextmanager
async def _running(url: str, key: str | None) -> AsyncIterator[httpx2.AsyncClient]:
    headers = {} if key is None else {KEY_HEADER: key}
    # On this machine: no proxy of the environment stands between.
    async with httpx2.AsyncClient(
        base_url=url, headers=headers, timeout=TIMEOUT_S, trust_env=False
    ) as http:
        yield http


@asynccontextmanager
async def _inside(
    settings: Settings, folder: DataFolder, purpose: Purpose
) -> AsyncIterator[httpx2.AsyncClient]:
    # Heavy, and not needed to talk to a server.
    from sourcebook.service.app import create_app  # noqa: PLC0415
    from sourcebook.surfaces.access import Access  # noqa: PLC0415

    with ExitStack() as waiting:
        waiting.enter_context(err.status("Loading the model …"))
        async with _opened(settings, folder, purpose) as use_cases:
            # Nobody else can reach this app, so nothing in it needs a key.
            app = create_app(use_cases, Access(None), origins=(), admin=Access(None))
            async with httpx2.AsyncClient(
                base_url="http://localhost", transport=AppTransport(app), timeout=None
            ) as http:
                waiting.close()
                yield http


def _opened(
    settings: Settings, folder: DataFolder, purpose: Purpose
) -> "AbstractAsyncContextManager[UseCases]":
    from sourcebook.service import standalone  # noqa: PLC0415 - heavy, as above

    if purpose == "read":
        return standalone.open_to_read(settings, folder)
    # Known before a model is loaded.
    no_book = settings.docs_path is None and settings.docs_repository is None
    if purpose == "write" and no_book:
        raise ConfigurationError(
            "No book is configured: name its folder (`sourcebook ingest DOCS`), or set DOCS_PATH,"
            " or SOURCEBOOK_DOCS_REPOSITORY for one in git"
        )
    return standalone.open_to_write(settings, folder)
