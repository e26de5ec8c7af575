"""The use cases around a change of a collection's model."""

from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook.core.collections import Collection
from sourcebook.core.filters import EVERYTHING
from sourcebook.core.models import EmbeddingModels
from sourcebook.core.ports import Ledger, VectorStore
from sourcebook.core.vectors import Vector
from sourcebook.ingestion.job_runner import JobRunner
from sourcebook.ingestion.reindex_run import ReindexRun
from sourcebook.ingestion.reindexer import Reindexer
from sourcebook.search.live_index import LiveIndex
from sourcebook.service.spare_memory import ThriftyRun


@dataclass(frozen=True, slots=True)
class ReindexParts:
    """The use case, and the runner that works its jobs off."""

    reindexer: Reindexer
    runner: JobRunner


def assemble_reindexing(
    ledger: Ledger, store: VectorStore, models: EmbeddingModels
) -> ReindexParts:
    """The use cases over an open engine."""

    async def nearest(collection: Collection, vector: Vector, limit: int) -> Sequence[str]:
        hits, _ = await LiveIndex(ledger, store, collection).nearest(vector, limit, EVERYTHING)
        return [hit.chunk.id for hit in hits]

    run = ThriftyRun(ReindexRun(ledger, store, models, nearest))
    runner = JobRunner(ledger.jobs, run, "reindex")
    return ReindexParts(Reindexer(ledger, models, runner.wake), runner)
