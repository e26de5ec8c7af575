"""Orders a refresh of every index that an earlier release, or one for another language, wrote."""

import logging

from sourcebook.core.collections import Collection
from sourcebook.core.errors import Conflict, NotFound, RetrievalUnavailable
from sourcebook.core.indexes import is_outdated
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.ingestion.reindex.jobs import ReindexJobs

log = logging.getLogger(__name__)

# Looking at an index may mean opening it, which holds the process for a moment.
LOOKS_AT_ONCE = 20


class OutdatedIndexes:
    """Looks at each index once: a refresh that was cancelled or failed waits for the next start."""

    def __init__(self, ledger: Ledger, store: VectorStore, jobs: ReindexJobs) -> None:
        self._ledger = ledger
        self._store = store
        self._jobs = jobs
        self._seen: set[str] = set()

    async def refresh(self) -> bool:
        """Look at a few, and order what is needed; return whether all have been looked at."""
        reason, looks = None, 0
        for collection in await self._ledger.collections.all():
            if collection.generation.index_id in self._seen:
                continue
            if looks == LOOKS_AT_ONCE:
                return False
            try:
                await self._look(collection)
                looks += 1
            except RetrievalUnavailable as error:
                reason = error.message
        if reason is not None:
            log.warning("indexes_not_looked_at", extra={"reason": reason})
        return reason is None

    async def _look(self, collection: Collection) -> None:
        index_id = collection.generation.index_id
        if await is_outdated(self._store, index_id):
            try:
                job = await self._jobs.refresh(collection)
            except (Conflict, NotFound):
                return  # its model changes or it is gone, so the index is on its way out
            log.info("index_outdated", extra={"collection": collection.name, "job": job.id})
        self._seen.add(index_id)
