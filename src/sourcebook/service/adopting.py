"""Opens the collections that other tools fill, and goes on looking for those that are away.

An entry of the adopted config that is wrong (no such collection, vectors that cannot be compared)
keeps the service from starting. A store that is away does not: its collections answer
RetrievalUnavailable until it is back. Spec 004's collection beside our own is adopted if it is
there and can be read, and never keeps anything from starting.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from pydantic import JsonValue

from sourcebook.core.errors import (
    ConfigurationError,
    NotFound,
    RetrievalUnavailable,
    SourcebookError,
)
from sourcebook.core.ports import AdoptedCollection
from sourcebook.service.adopted_file import AdoptedEntry, read_adopted_file
from sourcebook.service.adoption import Adoption, open_adoption
from sourcebook.service.awaited_collection import AwaitedCollection
from sourcebook.service.settings import Settings

log = logging.getLogger(__name__)

# How long the start waits for one store, and how often a store that is away is tried again.
START_S = 5.0
LOOK_AGAIN_S = 15.0


@asynccontextmanager
async def open_adopted(
    settings: Settings,
    namespace: str,
    environment: Mapping[str, str],
    *,
    look_again_s: float = LOOK_AGAIN_S,
) -> AsyncIterator[dict[str, AdoptedCollection]]:
    """The adopted collections by name. One that turns out not to be there leaves the dictionary."""
    async with AsyncExitStack() as opened:
        adopter = _Adopter(opened, namespace, environment)
        for adoption in adoptions(settings):
            await adopter.start(adoption)
        looking = asyncio.create_task(adopter.look_for_ever(look_again_s))
        try:
            yield adopter.adopted
        finally:
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking


def adoptions(settings: Settings) -> list[Adoption]:
    """What the adopted config lists, and spec 004's collection if no entry has its name."""
    entries = read_adopted_file(settings.adopted_config) if settings.adopted_config else ()
    listed = [Adoption(entry, _config(entry, settings), asked_for=True) for entry in entries]
    default = AdoptedEntry(collection=settings.qdrant_collection_name)
    if settings.qdrant_url is None or default.collection in {
        name for adoption in listed for name in (adoption.name, adoption.entry.collection)
    }:
        return listed
    return [*listed, Adoption(default, _config(default, settings), asked_for=False)]


class _Adopter:
    """Opens collections one after another, and again those whose store was away."""

    def __init__(
        self, opened: AsyncExitStack, namespace: str, environment: Mapping[str, str]
    ) -> None:
        self.adopted: dict[str, AdoptedCollection] = {}
        self._awaited: dict[Adoption, AwaitedCollection] = {}
        self._opened = opened
        self._namespace = namespace
        self._environment = environment

    async def start(self, adoption: Adoption) -> None:
        """Adopt it, or await it; ConfigurationError if what was asked for can never be read."""
        try:
            self.adopted[adoption.name] = await self._open(adoption)
        except RetrievalUnavailable as error:
            log.warning("adopted_away", extra=_told(adoption, error))
            awaited = AwaitedCollection(adoption.name, adoption.entry.model, error.message)
            self.adopted[adoption.name] = self._awaited[adoption] = awaited
        except (NotFound, ConfigurationError) as error:
            _refuse(adoption, error)

    async def look_for_ever(self, every_s: float) -> None:
        """Try again what is away, until nothing is."""
        while self._awaited:
            await asyncio.sleep(every_s)
            for adoption, awaited in [*self._awaited.items()]:
                try:
                    await self._look(adoption, awaited)
                except Exception:
                    # The edge of a background task: the others must be looked for all the same.
                    log.exception("adopting_crashed", extra={"collection": adoption.name})

    async def _look(self, adoption: Adoption, awaited: AwaitedCollection) -> None:
        try:
            awaited.arrive(await self._open(adoption))
        except SourcebookError as error:
            awaited.wait(error.message)
            if adoption.asked_for or isinstance(error, RetrievalUnavailable):
                return
            awaited.give_up(error.message)
            self.adopted.pop(adoption.name)
            log.info("not_adopted", extra=_told(adoption, error))
        self._awaited.pop(adoption)

    async def _open(self, adoption: Adoption) -> AdoptedCollection:
        opening = open_adoption(adoption, self._namespace, self._environment)
        try:
            async with asyncio.timeout(START_S):
                collection = await self._opened.enter_async_context(opening)
        except TimeoutError:
            raise RetrievalUnavailable("its store did not answer in time") from None
        log.info("adopted", extra={"collection": adoption.name})
        return collection


def _refuse(adoption: Adoption, error: SourcebookError) -> None:
    """Say that it cannot be read; that is an error only if an operator asked for it."""
    if adoption.asked_for:
        raise ConfigurationError(
            f"The adopted collection {adoption.name!r} cannot be read: {error.message}"
        ) from error
    level = logging.INFO if isinstance(error, NotFound) else logging.WARNING
    log.log(level, "not_adopted", extra=_told(adoption, error))


def _config(entry: AdoptedEntry, settings: Settings) -> Mapping[str, JsonValue]:
    """The entry's own settings. Our key goes nowhere but to our own URL."""
    url, key = settings.qdrant_url, settings.qdrant_api_key
    if entry.provider != "qdrant" or url is None or "url" in entry.config:
        return entry.config
    ours = {"url": url} if key is None else {"url": url, "api_key": key.get_secret_value()}
    return {**ours, **entry.config}


def _told(adoption: Adoption, error: SourcebookError) -> dict[str, str]:
    return {"collection": adoption.name, "reason": error.message}
