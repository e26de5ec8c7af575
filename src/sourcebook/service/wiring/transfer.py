"""Opens what moving documents in and out needs: the ledger, models, and other tools' stores."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import ConfigurationError, InvalidInput, NotFound
from sourcebook.ingestion.transfer.exporter import Exporter
from sourcebook.ingestion.transfer.foreign import ForeignStore
from sourcebook.ingestion.transfer.importer import Importer
from sourcebook.ingestion.transfer.targets import Targets
from sourcebook.providers.registry.settings_validation import validate_settings
from sourcebook.providers.vector_stores.chroma.settings import (
    ChromaFolderSettings,
    ChromaServerSettings,
)
from sourcebook.providers.vector_stores.field_mapping import FieldMapping
from sourcebook.providers.vector_stores.qdrant.settings import QdrantSettings
from sourcebook.service.config.data_folder import DataFolder, make_data_folder
from sourcebook.service.config.settings import Settings
from sourcebook.service.wiring.background import repair
from sourcebook.service.wiring.models import entries_or_bundled, open_models
from sourcebook.service.wiring.storage import namespace_of, open_ledger, open_storage

ForeignKind: TypeAlias = Literal["qdrant", "chroma"]


@asynccontextmanager
async def open_exporter(settings: Settings) -> AsyncIterator[Exporter]:
    """Open the ledger to read it, also while a server uses it."""
    folder = DataFolder(settings.data_dir)
    if settings.ledger_url is None and not folder.ledger.is_file():
        raise NotFound(
            f"There is nothing to export in {str(folder.root)!r}, which has no ledger.db. Name the"
            " data folder with --data-dir"
        )
    async with open_ledger(settings, folder, shared=True) as ledger:
        yield Exporter(ledger)


@dataclass(frozen=True, slots=True)
class ImportParts:
    """What an import needs; `namespace` marks what this installation has on other servers."""

    importer: Importer
    models: EmbeddingModels
    namespace: str


@asynccontextmanager
async def open_importer(
    settings: Settings,
    *,
    model: str | None = None,
    into: str | None = None,
    take_vectors: bool = True,
) -> AsyncIterator[ImportParts]:
    """Open everything that writing needs; the options are those of `Targets`."""
    async with AsyncExitStack() as stack:
        folder = make_data_folder(settings.data_dir)
        models = await open_models(settings, folder, entries_or_bundled(settings), stack)
        if model is not None:
            models.chosen(model)
        storage = await stack.enter_async_context(open_storage(settings, folder))
        ledger, store = storage.ledger, storage.store
        if not storage.shared:
            await repair(ledger, store)
        targets = Targets(ledger, store, models, model=model, into=into, take_vectors=take_vectors)
        importer = Importer(ledger, store, targets)
        yield ImportParts(importer, models, await namespace_of(ledger))


def open_foreign_store(
    settings: Settings,
    kind: ForeignKind,
    where: str,
    namespace: str,
    *,
    mapping: FieldMapping,
    key: str | None,
) -> AbstractAsyncContextManager[ForeignStore]:
    """Open another tool's store; ConfigurationError if it cannot be reached like this."""
    try:
        if kind == "qdrant":
            return _open_qdrant(settings, where, namespace, mapping, key)
        return _open_chroma(where, mapping, key)
    except ModuleNotFoundError:
        raise ConfigurationError(
            f"To read from {kind}, install its package: pip install 'sourcebook[{kind}]'"
        ) from None
    except InvalidInput as error:
        raise ConfigurationError(error.message) from None


# The clients are large, and not every import needs them.
def _open_qdrant(
    settings: Settings, url: str, namespace: str, mapping: FieldMapping, key: str | None
) -> AbstractAsyncContextManager[ForeignStore]:
    from sourcebook.providers.vector_stores.qdrant.reader import (  # noqa: PLC0415
        open_foreign_qdrant,
    )

    # Our key goes only to our own server.
    if key is None and url == settings.qdrant_url and settings.qdrant_api_key is not None:
        key = settings.qdrant_api_key.get_secret_value()
    given = {"url": url} if key is None else {"url": url, "api_key": key}
    server = validate_settings(QdrantSettings, given, environment={})
    return open_foreign_qdrant(server, namespace, mapping)


def _open_chroma(
    where: str, mapping: FieldMapping, key: str | None
) -> AbstractAsyncContextManager[ForeignStore]:
    from sourcebook.providers.vector_stores.chroma.reader import (  # noqa: PLC0415
        open_foreign_chroma,
    )

    if where.startswith(("http://", "https://")):
        given = {"url": where} if key is None else {"url": where, "token": key}
        server = validate_settings(ChromaServerSettings, given, environment={})
        return open_foreign_chroma(server, mapping)
    folder = ChromaFolderSettings(path=Path(where).expanduser())
    return open_foreign_chroma(folder, mapping)
