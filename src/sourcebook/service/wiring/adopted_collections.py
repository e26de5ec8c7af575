"""Opens the collections that other tools fill, and retries those whose store is down.

An entry of the adopted config that is wrong (no such collection, vectors that cannot be compared)
keeps the service from starting. A store that is down does not: its collections answer
RetrievalUnavailable until it is back. Spec 004's collection beside our own is adopted if it is
there and can be read, and never keeps anything from starting.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel, JsonValue

from sourcebook.core.documents import Hit
from sourcebook.core.errors import (
    ConfigurationError,
    InvalidInput,
    NotFound,
    RetrievalUnavailable,
    SourcebookError,
)
from sourcebook.core.filters import Filter
from sourcebook.core.health import ServiceHealth
from sourcebook.core.ports import AdoptedCollection
from sourcebook.core.vectors import Vector
from sourcebook.providers.registry.settings_validation import validate_settings
from sourcebook.providers.vector_stores.chroma.settings import (
    ChromaFolderSettings,
    ChromaServerSettings,
)
from sourcebook.providers.vector_stores.qdrant.settings import QdrantSettings
from sourcebook.service.config.adopted_file import AdoptedEntry, read_adopted_file
from sourcebook.service.config.settings import Settings

log = logging.getLogger(__name__)

S = TypeVar("S", bound=BaseModel)

# How long the start waits for one store, and how often a store that is down is tried again.
OPEN_TIMEOUT_S = 5.0
RETRY_INTERVAL_S = 15.0

_EXTRAS = {"qdrant": "qdrant", "chromadb": "chroma"}


@dataclass(frozen=True, slots=True, eq=False)
class Adoption:
    """A collection to adopt. `asked_for`: an operator named it, and wants to know if it fails."""

    entry: AdoptedEntry
    config: Mapping[str, JsonValue] = field(repr=False)
    asked_for: bool

    @property
    def name(self) -> str:
        return self.entry.reader_name


@asynccontextmanager
async def open_adopted(
    settings: Settings,
    namespace: str,
    environment: Mapping[str, str],
    *,
    retry_interval_s: float = RETRY_INTERVAL_S,
) -> AsyncIterator[dict[str, AdoptedCollection]]:
    """Yield the adopted collections by name; one that proves not to exist leaves the dictionary."""
    async with AsyncExitStack() as opened:
        adopter = _Adopter(opened, namespace, environment)
        for adoption in adoptions(settings):
            await adopter.start(adoption)
        retrying = asyncio.create_task(adopter.retry_forever(retry_interval_s))
        try:
            yield adopter.adopted
        finally:
            retrying.cancel()
            with suppress(asyncio.CancelledError):
                await retrying


def adoptions(settings: Settings) -> list[Adoption]:
    """Return what the adopted config lists, and spec 004's collection if no entry has its name."""
    entries = read_adopted_file(settings.adopted_config) if settings.adopted_config else ()
    listed = [Adoption(entry, _config(entry, settings), asked_for=True) for entry in entries]
    default = AdoptedEntry(collection=settings.qdrant_collection_name)
    if settings.qdrant_url is None or default.collection in {
        name for adoption in listed for name in (adoption.name, adoption.entry.collection)
    }:
        return listed
    return [*listed, Adoption(default, _config(default, settings), asked_for=False)]


class PendingCollection:
    """Stands for an adopted collection whose store was down at the start.

    Until it has arrived even its dimensions are unknown, and asking for them, as for all but its
    name and model, raises RetrievalUnavailable. From then on it passes calls on.
    """

    def __init__(self, name: str, model: str | None, reason: str) -> None:
        self.name = name
        self.model = model
        self._reason = reason
        self._collection: AdoptedCollection | None = None
        self._absent = False

    def arrive(self, collection: AdoptedCollection) -> None:
        """Pass calls on to the collection: its store is back."""
        self._collection = collection

    def wait(self, reason: str) -> None:
        """Note why it still cannot be read."""
        self._reason = reason

    def give_up(self, reason: str) -> None:
        """Note that the store is back and has no such collection, which is not an outage."""
        self._reason = reason
        self._absent = True

    @property
    def dimensions(self) -> int:
        return self._arrived().dimensions

    async def nearest(self, vector: Vector, limit: int, filter_: Filter) -> list[Hit]:
        return await self._arrived().nearest(vector, limit, filter_)

    async def count(self) -> int:
        return await self._arrived().count()

    async def check(self) -> ServiceHealth:
        """Check the collection; until it is there, report it as down and say why."""
        if self._collection is not None:
            return await self._collection.check()
        return ServiceHealth("up" if self._absent else "down", message=self._message())

    def _arrived(self) -> AdoptedCollection:
        if self._collection is None:
            raise RetrievalUnavailable(self._message())
        return self._collection

    def _message(self) -> str:
        return f"The adopted collection {self.name!r} cannot be read yet: {self._reason}"


class _Adopter:
    """Opens collections one after another, and retries those whose store was down."""

    def __init__(
        self, opened: AsyncExitStack, namespace: str, environment: Mapping[str, str]
    ) -> None:
        self.adopted: dict[str, AdoptedCollection] = {}
        self._pending: dict[Adoption, PendingCollection] = {}
        self._opened = opened
        self._namespace = namespace
        self._environment = environment

    async def start(self, adoption: Adoption) -> None:
        """Adopt it; ConfigurationError if an operator asked for what can never be read."""
        try:
            self.adopted[adoption.name] = await self._open(adoption)
        except RetrievalUnavailable as error:
            log.warning("adopted_away", extra=_log_fields(adoption, error))
            pending = PendingCollection(adoption.name, adoption.entry.model, error.message)
            self.adopted[adoption.name] = self._pending[adoption] = pending
        except (NotFound, ConfigurationError) as error:
            _refuse(adoption, error)

    async def retry_forever(self, interval_s: float) -> None:
        """Retry what is down, until nothing is."""
        while self._pending:
            await asyncio.sleep(interval_s)
            for adoption, pending in [*self._pending.items()]:
                try:
                    await self._retry(adoption, pending)
                except Exception:
                    # The edge of a background task: the others must be retried all the same.
                    log.exception("adopting_crashed", extra={"collection": adoption.name})

    async def _retry(self, adoption: Adoption, pending: PendingCollection) -> None:
        try:
            pending.arrive(await self._open(adoption))
        except SourcebookError as error:
            pending.wait(error.message)
            if adoption.asked_for or isinstance(error, RetrievalUnavailable):
                return
            pending.give_up(error.message)
            self.adopted.pop(adoption.name)
            log.info("not_adopted", extra=_log_fields(adoption, error))
        self._pending.pop(adoption)

    async def _open(self, adoption: Adoption) -> AdoptedCollection:
        opening = _open_adoption(adoption, self._namespace, self._environment)
        try:
            async with asyncio.timeout(OPEN_TIMEOUT_S):
                collection = await self._opened.enter_async_context(opening)
        except TimeoutError:
            raise RetrievalUnavailable("its store did not answer in time") from None
        log.info("adopted", extra={"collection": adoption.name})
        return collection


def _refuse(adoption: Adoption, error: SourcebookError) -> None:
    """Report what cannot be read: as an error only if an operator asked for it."""
    if adoption.asked_for:
        raise ConfigurationError(
            f"The adopted collection {adoption.name!r} cannot be read: {error.message}"
        ) from error
    level = logging.INFO if isinstance(error, NotFound) else logging.WARNING
    log.log(level, "not_adopted", extra=_log_fields(adoption, error))


def _config(entry: AdoptedEntry, settings: Settings) -> Mapping[str, JsonValue]:
    """Return the settings of the entry's store. Our key goes only to our own URL."""
    url, key = settings.qdrant_url, settings.qdrant_api_key
    if entry.provider != "qdrant" or url is None or "url" in entry.config:
        return entry.config
    ours = {"url": url} if key is None else {"url": url, "api_key": key.get_secret_value()}
    return {**ours, **entry.config}


def _log_fields(adoption: Adoption, error: SourcebookError) -> dict[str, str]:
    return {"collection": adoption.name, "reason": error.message}


def _open_adoption(
    adoption: Adoption, namespace: str, environment: Mapping[str, str]
) -> AbstractAsyncContextManager[AdoptedCollection]:
    """Open the collection at its store; ConfigurationError if its settings do not allow that."""
    provider = adoption.entry.provider
    try:
        if provider == "qdrant":
            return _open_qdrant(adoption, namespace, environment)
        return _open_chroma(adoption, environment)
    except ModuleNotFoundError:
        raise ConfigurationError(
            f"Provider {provider!r} needs a package that is not installed: pip install"
            f" 'sourcebook[{_EXTRAS[provider]}]'"
        ) from None


# The clients are large; a service that adopts nothing must not load them.
def _open_qdrant(
    adoption: Adoption, namespace: str, environment: Mapping[str, str]
) -> AbstractAsyncContextManager[AdoptedCollection]:
    from sourcebook.providers.vector_stores.qdrant.reader import (  # noqa: PLC0415
        open_adopted_qdrant,
    )

    entry = adoption.entry
    return open_adopted_qdrant(
        _settings(QdrantSettings, adoption, environment),
        entry.collection,
        entry.fields.mapping,
        namespace,
        name=entry.reader_name,
        model=entry.model,
    )


def _open_chroma(
    adoption: Adoption, environment: Mapping[str, str]
) -> AbstractAsyncContextManager[AdoptedCollection]:
    from sourcebook.providers.vector_stores.chroma.reader import (  # noqa: PLC0415
        open_adopted_chroma,
    )

    entry = adoption.entry
    model: type[ChromaFolderSettings] | type[ChromaServerSettings] = (
        ChromaFolderSettings if "path" in adoption.config else ChromaServerSettings
    )
    return open_adopted_chroma(
        _settings(model, adoption, environment),
        entry.collection,
        entry.fields.mapping,
        name=entry.reader_name,
        model=entry.model,
    )


def _settings(model: type[S], adoption: Adoption, environment: Mapping[str, str]) -> S:
    """Validate the settings of the entry's store; `${NAME}` comes from the environment."""
    try:
        return validate_settings(model, adoption.config, environment=environment)
    except InvalidInput as error:
        raise ConfigurationError(error.message) from None
