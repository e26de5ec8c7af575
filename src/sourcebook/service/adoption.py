"""A collection to adopt: which one, from which store, and how it is opened."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel, JsonValue

from sourcebook.core.errors import ConfigurationError, InvalidInput
from sourcebook.core.ports import AdoptedCollection
from sourcebook.providers.registry.configuring import configured
from sourcebook.service.adopted_file import AdoptedEntry

S = TypeVar("S", bound=BaseModel)

_EXTRAS = {"qdrant": "qdrant", "chromadb": "chroma"}


@dataclass(frozen=True, slots=True, eq=False)
class Adoption:
    """A collection to adopt. `asked_for`: an operator named it, and wants to know if it fails."""

    entry: AdoptedEntry
    config: Mapping[str, JsonValue] = field(repr=False)
    asked_for: bool

    @property
    def name(self) -> str:
        """What readers call it."""
        return self.entry.reader_name


def open_adoption(
    adoption: Adoption, namespace: str, environment: Mapping[str, str]
) -> AbstractAsyncContextManager[AdoptedCollection]:
    """The collection, as its store has it; ConfigurationError if that cannot be reached so."""
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
    from sourcebook.providers.vector_stores.adopted_qdrant import (  # noqa: PLC0415
        open_adopted_qdrant,
    )
    from sourcebook.providers.vector_stores.qdrant_settings import (  # noqa: PLC0415
        QdrantSettings,
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
    from sourcebook.providers.vector_stores.adopted_chroma import (  # noqa: PLC0415
        ChromaFolderSettings,
        open_adopted_chroma,
    )
    from sourcebook.providers.vector_stores.chroma_settings import (  # noqa: PLC0415
        ChromaServerSettings,
    )

    entry = adoption.entry
    at_server = "path" not in adoption.config
    return open_adopted_chroma(
        _settings(ChromaServerSettings, adoption, environment)
        if at_server
        else _settings(ChromaFolderSettings, adoption, environment),
        entry.collection,
        entry.fields.mapping,
        name=entry.reader_name,
        model=entry.model,
    )


def _settings(model: type[S], adoption: Adoption, environment: Mapping[str, str]) -> S:
    """What the entry says of its store, checked; `${NAME}` comes from the environment."""
    try:
        return configured(model, adoption.config, environment=environment)
    except InvalidInput as error:
        raise ConfigurationError(error.message) from None
