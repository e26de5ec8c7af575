"""Reads the statistics of the service, each as often as it is cheap."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TypeVar

from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import SourcebookError
from sourcebook.core.health_monitor import Cached
from sourcebook.core.ports import Ledger, Reranker
from sourcebook.core.statistics import QueueLength, ServiceStatistics, queue_of
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.wiring.providers_in_use import bytes_on_disk, folder_size

log = logging.getLogger(__name__)

T = TypeVar("T")

# Counting chunks and walking folders takes longer the more there is.
SIZE_TTL_S = 60.0
READ_TIMEOUT_S = 2.0
CROSS_ENCODER = "cross_encoder"


class Statistics:
    """Reads the queues at once, and asks ledger and disk once in a while.

    Without a `folder`, nothing is said about the disk; `index` is None if it is on a server.
    """

    def __init__(
        self,
        ledger: Ledger,
        models: EmbeddingModels,
        reranker: Reranker | None = None,
        folder: DataFolder | None = None,
        index: Path | None = None,
    ) -> None:
        self._models = models
        self._reranker = reranker
        self._size = Cached(lambda: _read(ledger.size), SIZE_TTL_S)
        self._jobs = Cached(lambda: _read(ledger.jobs.count_unfinished))
        self._probes = Cached(lambda: _read(ledger.self_tests.counts), SIZE_TTL_S)
        self._disk = Cached(lambda: _disk_bytes(folder, index), SIZE_TTL_S)

    async def read(self) -> ServiceStatistics:
        """Return what is known now."""
        size, jobs, disk, probes = await asyncio.gather(
            self._size.value(), self._jobs.value(), self._disk.value(), self._probes.value()
        )
        return ServiceStatistics(size, jobs, disk, self._queues(), probes)

    def _queues(self) -> Mapping[str, QueueLength]:
        parts: dict[str, object] = {model.id: model for model in self._models}
        if self._reranker is not None:
            parts[CROSS_ENCODER] = self._reranker
        found = {name: queue_of(part) for name, part in parts.items()}
        return {name: queue for name, queue in found.items() if queue is not None}


async def _read(ask: Callable[[], Awaitable[T]]) -> T | None:
    """Return None if the ledger does not answer in time: other metrics must be there anyway."""
    try:
        async with asyncio.timeout(READ_TIMEOUT_S):
            return await ask()
    except TimeoutError:
        reason = f"the ledger took longer than {READ_TIMEOUT_S:g} s"
    except SourcebookError as error:
        reason = error.message
    log.warning("statistics_not_read", extra={"reason": reason})
    return None


async def _disk_bytes(folder: DataFolder | None, index: Path | None) -> Mapping[str, int]:
    if folder is None:
        return {}
    folders = {"models": folder.models, "repositories": folder.repositories}
    if index is not None:
        folders["index"] = index
    sizes = await asyncio.gather(*(folder_size(path) for path in folders.values()))
    found = {name: size for name, size in zip(folders, sizes, strict=True) if size is not None}
    return {"databases": await asyncio.to_thread(_database_bytes, folder), **found}


def _database_bytes(folder: DataFolder) -> int:
    """Return the space of the SQLite files, with what they write beside themselves."""
    databases = (folder.ledger.name, folder.conversations.name)
    try:
        with os.scandir(folder.root) as entries:
            return sum(
                bytes_on_disk(entry.stat()) for entry in entries if entry.name.startswith(databases)
            )
    except OSError:
        return 0
