"""Lists the providers in use, so that their health can be checked."""

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.health import Checkable
from sourcebook.core.ports import Reranker
from sourcebook.core.providers import ProviderKind
from sourcebook.providers.vector_stores.chroma.settings import DEFAULT_FOLDER as CHROMA_FOLDER
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.models_file import ModelEntry
from sourcebook.service.config.settings import Settings
from sourcebook.service.providers.health import ProviderInUse
from sourcebook.service.wiring.answering import AnsweringParts
from sourcebook.service.wiring.provider_choices import (
    language_model_choice,
    model_choice,
    reranker_choice,
    store_choice,
)
from sourcebook.service.wiring.storage import Storage

FOLDER_SIZE_TIMEOUT_S = 1.5
MAX_FILES = 100_000
# What `st_blocks` counts, whatever the file system's own blocks are.
BLOCK_BYTES = 512
# The stores that keep a folder inside the data folder, and where unless it is configured.
_FOLDERS = {
    "chromadb": CHROMA_FOLDER,
}


def providers_in_use(
    settings: Settings,
    folder: DataFolder,
    storage: Storage,
    *,
    models: EmbeddingModels,
    entries: Sequence[ModelEntry],
    reranker: Reranker | None,
    answering: AnsweringParts,
    index: Checkable | None = None,
) -> Mapping[tuple[ProviderKind, str], ProviderInUse]:
    """Return what each provider opened; of several models, the first.

    `index` is checked instead of the vector store, if it knows more of it.
    """
    parts: dict[tuple[ProviderKind, str], ProviderInUse] = {
        ("vector_stores", storage.provider): _store(settings, storage, folder, index)
    }
    for entry in entries:
        model = models.find(entry.id)
        if model is not None:
            provider = model_choice(settings, entry).provider.lower()
            parts.setdefault(("embedders", provider), ProviderInUse(model))
    choice = reranker_choice(settings)
    if choice is not None and reranker is not None:
        parts["rerankers", choice.provider.lower()] = ProviderInUse(reranker)
    writer = language_model_choice(settings)
    if writer is not None and answering.language_model is not None:
        parts["language_models", writer.provider.lower()] = ProviderInUse(answering.language_model)
    return parts


def _store(
    settings: Settings, storage: Storage, folder: DataFolder, index: Checkable | None
) -> ProviderInUse:
    async def collections() -> int:
        return len(await storage.ledger.collections.all())

    kept_in = index_folder(settings, folder, storage.provider)
    size = None if kept_in is None else partial(folder_size, kept_in)
    part = storage.store if index is None else index
    return ProviderInUse(part, collections, size)


def index_folder(settings: Settings, folder: DataFolder, provider: str) -> Path | None:
    """Return where a store keeps its index on this machine; None if it is a server."""
    if provider not in _FOLDERS:
        return None
    return folder.root / str(store_choice(settings).config.get("path", _FOLDERS[provider]))


async def folder_size(folder: Path) -> int | None:
    """Return the bytes that all files take on the disk; None if they cannot be counted in time.

    The store's files are sparse: most of their length has never been written.
    """
    return await asyncio.to_thread(_size, folder)


def bytes_on_disk(file: os.stat_result) -> int:
    """Return the space that a file takes; its length where the platform does not count blocks."""
    blocks: int | None = getattr(file, "st_blocks", None)
    return file.st_size if blocks is None else blocks * BLOCK_BYTES


def _size(folder: Path) -> int | None:
    end_s = time.monotonic() + FOLDER_SIZE_TIMEOUT_S
    size = files = 0
    linked: set[tuple[int, int]] = set()
    waiting = [str(folder)]
    try:
        while waiting:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    files += 1
                    if files > MAX_FILES or time.monotonic() > end_s:
                        return None
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                        continue
                    found = entry.stat(follow_symlinks=False)
                    identity = found.st_dev, found.st_ino
                    # A file with several names is on the disk once.
                    if identity not in linked:
                        size += bytes_on_disk(found)
                    if found.st_nlink > 1:
                        linked.add(identity)
    except OSError:
        # It is not there, or changes while we count.
        return None
    return size
