"""Submits, cancels and reports the jobs that give a collection a new index or an earlier one."""

from collections.abc import Callable
from dataclasses import dataclass

from sourcebook.core.collections import MODEL_KEY, Collection
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import Conflict
from sourcebook.core.jobs import IngestJob, JobRequest, reindex_queue
from sourcebook.core.ports import Embedder, Ledger
from sourcebook.ingestion.reindex.run import model_of


@dataclass(frozen=True, slots=True)
class ReindexStatus:
    """The latest job of a collection, if any; `back_to` is the model that it can roll back to."""

    collection: Collection
    job: IngestJob | None
    back_to: str | None


class ReindexJobs:
    """The queue of reindex jobs."""

    def __init__(
        self,
        ledger: Ledger,
        models: EmbeddingModels,
        wake: Callable[[], None],
    ) -> None:
        self._ledger = ledger
        self._models = models
        self._wake = wake

    async def submit(self, name: str, model_id: str | None = None) -> IngestJob | None:
        """Enqueue a change to this model, or to the one that the metadata ask for.

        Returns None where that model is in use. The job is durable when this returns, and starts
        soon.
        """
        collection = await self._ledger.collections.get(name)
        embedder = self._models.chosen(model_id or collection.wanted_model)
        if not _is_filled_by(collection, embedder):
            return await self._enqueue(collection, embedder.id)
        if await self._unfinished(collection) is None:
            await self._ask_for(collection, embedder)
            return None
        return await self._enqueue(collection, embedder.id)

    async def roll_back(self, name: str) -> IngestJob:
        """Enqueue a return to the previous generation; Conflict if none is kept."""
        collection = await self._ledger.collections.get(name)
        if collection.previous is None:
            raise Conflict(
                f"Collection {name!r} has no earlier index to go back to: one is kept when its"
                " model changes, until it changes again or the collection is emptied"
            )
        embedder = model_of(self._models, collection.previous)
        return await self._enqueue(collection, embedder.id, collection.previous.index_id)

    async def cancel(self, name: str) -> IngestJob:
        """End the queued job, or ask the running one to stop; Conflict if there is none."""
        job = await self._unfinished(await self._ledger.collections.get(name))
        if job is None:
            raise Conflict(f"No re-indexing of collection {name!r} waits or runs")
        return await self._ledger.jobs.cancel(job.id)

    async def status(self, name: str) -> ReindexStatus:
        """Return the latest job and the model that a rollback would restore."""
        collection = await self._ledger.collections.get(name)
        kept = collection.previous
        back_to = None if kept is None else self._models.of_revision(kept.model_revision)
        return ReindexStatus(
            collection, await self._latest(collection), None if back_to is None else back_to.id
        )

    async def _enqueue(
        self, collection: Collection, model: str, back_to: str | None = None
    ) -> IngestJob:
        queue = reindex_queue(collection.id)
        request = JobRequest(queue, model=model, back_to=back_to)
        job = await self._ledger.jobs.enqueue_reindex(collection.id, request)
        self._wake()
        return job

    async def _ask_for(self, collection: Collection, embedder: Embedder) -> None:
        """Make the metadata name the model that is in use."""
        if collection.wanted_model != embedder.id:
            await self._ledger.collections.change_metadata(
                collection.name, lambda old: {**old, MODEL_KEY: embedder.id}
            )

    async def _latest(self, collection: Collection) -> IngestJob | None:
        jobs = await self._ledger.jobs.recent(1, reindex_queue(collection.id), "reindex")
        return jobs[0] if jobs else None

    async def _unfinished(self, collection: Collection) -> IngestJob | None:
        latest = await self._latest(collection)
        return None if latest is None or latest.finished else latest


def _is_filled_by(collection: Collection, embedder: Embedder) -> bool:
    return collection.generation.model_revision == embedder.revision
