"""Runs a reindex job: fills another index, then switches the collection to it."""

import logging
from dataclasses import dataclass, replace

from sourcebook.core.collections import Collection, Generation
from sourcebook.core.embedding_models import EmbeddingModels
from sourcebook.core.errors import (
    Conflict,
    LeaseLost,
    ModelNotLoaded,
    NotFound,
    RetrievalUnavailable,
    SourcebookError,
    Unavailable,
)
from sourcebook.core.indexes import indexed_fields, new_generation
from sourcebook.core.jobs import IngestJob, Outcome, Progress, collection_of
from sourcebook.core.ports import Embedder, Ledger, VectorStore
from sourcebook.core.vectors import IndexSpec
from sourcebook.ingestion.job_runner import CANCELLED, JobCancelled, JobReport
from sourcebook.ingestion.overload_retry import OverloadRetry
from sourcebook.ingestion.reindex.recall import (
    ComparedIndex,
    Nearest,
    measure_recall,
    saved_questions,
)
from sourcebook.ingestion.reindex.shadow_index import ShadowIndex

log = logging.getLogger(__name__)

# Each further round is for what was written during the previous one.
MAX_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class TargetIndex:
    """The generation that a job switches to, and its model."""

    generation: Generation
    embedder: Embedder


class ReindexRun:
    """Fills an index from the ledger and switches the collection to it once it is complete."""

    def __init__(
        self,
        ledger: Ledger,
        store: VectorStore,
        models: EmbeddingModels,
        nearest: Nearest,
        *,
        retry: OverloadRetry | None = None,
    ) -> None:
        self._ledger = ledger
        self._store = store
        self._models = models
        self._nearest = nearest
        self._retry = retry or OverloadRetry()

    async def run(self, job: IngestJob, report: JobReport) -> Outcome:
        """Run the job. The collection does not change before the last step, however it ends."""
        try:
            await self._run(job, report)
        except LeaseLost:
            raise
        except JobCancelled:
            return CANCELLED
        except SourcebookError as error:
            log.warning("reindexing_failed", extra={"job": job.id, "reason": error.message})
            return Outcome("failed", error=error.message)
        return Outcome("completed")

    async def _run(self, job: IngestJob, report: JobReport) -> None:
        # An earlier attempt may have ended anywhere; its embeddings are cached.
        report.progress = Progress()
        collection = await self._collection(job)
        target = self._target(collection, job)
        if self._is_done(collection, target, job):
            return
        index = ShadowIndex(
            self._ledger,
            self._store,
            target.embedder,
            target.generation.index_id,
            retry=self._retry,
            report=report,
        )
        if job.request.back_to is None:
            await self._create(job, collection, target.generation)
        else:
            await self._reopen(collection, target.generation)
            await index.load()
        await index.catch_up(collection)
        await self._compare(job, collection, target)
        await self._switch(job, target, index, collection.wanted_model)

    def _is_done(self, collection: Collection, target: TargetIndex, job: IngestJob) -> bool:
        """Return whether an earlier attempt finished the work but could not record it."""
        if job.request.back_to is not None:
            return collection.generation.index_id == target.generation.index_id
        same = collection.generation.model_revision == target.embedder.revision
        return same and collection.wanted_model == target.embedder.id

    async def _switch(
        self, job: IngestJob, target: TargetIndex, index: ShadowIndex, wanted: str | None
    ) -> None:
        for _ in range(MAX_ROUNDS):
            # Checked here too: a client whose cancellation was accepted must not see a switch.
            if (await self._ledger.jobs.get(job.id)).cancel_requested:
                raise JobCancelled
            collection = await self._collection(job)
            _check_wanted(collection, target, wanted)
            complete = await index.catch_up(collection)
            if complete and await self._ledger.collections.switch(
                collection, target.generation, job.fence
            ):
                return
        raise Conflict(
            f"Collection {collection.name!r} is written to all the time, so that the new index"
            " never caught up; start the job again at a quieter time"
        )

    async def _collection(self, job: IngestJob) -> Collection:
        collection = await self._ledger.collections.by_id(collection_of(job.request))
        if collection is None:
            raise NotFound("The collection was deleted in the meantime")
        if collection.state != "live":
            raise Conflict("The collection was replaced by a new one; start the job again")
        return collection

    def _target(self, collection: Collection, job: IngestJob) -> TargetIndex:
        back_to = job.request.back_to
        if back_to is None:
            embedder = self._models.chosen(job.request.model)
            return TargetIndex(new_generation(embedder), embedder)
        for generation in (collection.generation, collection.previous):
            if generation is not None and generation.index_id == back_to:
                embedder = model_of(self._models, generation)
                return TargetIndex(replace(generation, model=embedder.id), embedder)
        raise Conflict(
            f"The index that collection {collection.name!r} should go back to is not kept any more"
        )

    async def _create(self, job: IngestJob, collection: Collection, generation: Generation) -> None:
        """Create the index. Each attempt has its own, so that no other attempt can spoil it."""
        # Recorded first: whatever happens next, an unfinished index can be found and dropped.
        await self._ledger.jobs.build(job.fence, generation.index_id)
        await self._store.create(_spec(collection, generation))

    async def _reopen(self, collection: Collection, generation: Generation) -> None:
        """Open the index that was kept, or create it again if it is gone or damaged."""
        try:
            await self._store.count(generation.index_id)
        except RetrievalUnavailable:
            await self._store.drop(generation.index_id)
            await self._store.create(_spec(collection, generation))

    async def _compare(self, job: IngestJob, collection: Collection, target: TargetIndex) -> None:
        """Record the recall on the collection's saved questions, if the old model is loaded."""
        questions = saved_questions(collection.metadata)
        before = self._models.of_revision(collection.generation.model_revision)
        if not questions or before is None:
            return
        old = ComparedIndex(collection, before)
        new = ComparedIndex(replace(collection, generation=target.generation), target.embedder)
        try:
            recall = await measure_recall(self._nearest, old, new, questions, self._retry)
        except Unavailable as error:
            # Recall is only reported: the switch must not fail because of it.
            log.warning("recall_unknown", extra={"job": job.id, "reason": error.message})
            return
        if recall is not None:
            await self._ledger.jobs.compare(job.fence, recall)


def model_of(models: EmbeddingModels, generation: Generation) -> Embedder:
    """Return the model that filled a generation; ModelNotLoaded if it is not loaded any more."""
    embedder = models.of_revision(generation.model_revision)
    if embedder is None:
        raise ModelNotLoaded(
            f"Embedding model {generation.model!r}, which the earlier index was filled with, is not"
            f" loaded. Available: {models.ids}. Add it to the embeddings config, as it was then"
        )
    return embedder


def _check_wanted(collection: Collection, target: TargetIndex, wanted: str | None) -> None:
    """Raise Conflict if the metadata have come to ask for a third model."""
    if collection.wanted_model not in {wanted, target.embedder.id}:
        raise Conflict(
            f"The metadata of collection {collection.name!r} ask for model"
            f" {collection.wanted_model!r} by now, not for {target.embedder.id!r}; start the job"
            " again with the model that it should have"
        )


def _spec(collection: Collection, generation: Generation) -> IndexSpec:
    fields = indexed_fields(collection.metadata)
    return IndexSpec(generation.index_id, generation.dimensions, fields)
