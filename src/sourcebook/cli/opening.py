"""Opens the data folder for a command. Others, such as a running service, may have it open, too."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Literal, TypeAlias

from sourcebook.cli.terminal import err
from sourcebook.service.config.data_folder import make_data_folder

if TYPE_CHECKING:
    from sourcebook.service.config.settings import Settings
    from sourcebook.service.wiring.search import SearchParts
    from sourcebook.surfaces.use_cases import UseCases

# "manage" looks and deletes, for which no model is needed.
Purpose: TypeAlias = Literal["read", "write", "manage"]


@asynccontextmanager
async def opened(settings: "Settings", purpose: Purpose) -> AsyncIterator["UseCases"]:
    """Open the use cases, as far as the purpose needs them."""
    waiting = err.status("Loading the model …")
    if purpose != "manage":
        waiting.start()
    try:
        async with _opening(settings, purpose) as use:
            waiting.stop()
            yield use
    finally:
        waiting.stop()


@asynccontextmanager
async def opened_to_search(settings: "Settings") -> AsyncIterator["SearchParts"]:
    """Open what a search needs, which is less than what reads."""
    from sourcebook.service.wiring.search import open_to_search

    waiting = err.status("Loading the model …")
    waiting.start()
    try:
        async with open_to_search(settings, make_data_folder(settings.data_dir)) as parts:
            waiting.stop()
            yield parts
    finally:
        waiting.stop()


def _opening(settings: "Settings", purpose: Purpose) -> "AbstractAsyncContextManager[UseCases]":
    from sourcebook.service.wiring import use_cases

    folder = make_data_folder(settings.data_dir)
    if purpose == "read":
        return use_cases.open_to_read(settings, folder)
    if purpose == "manage":
        return use_cases.open_without_models(settings, folder)
    return use_cases.open_to_write(settings, folder)
