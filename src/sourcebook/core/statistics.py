"""How much there is: documents in the index, jobs in the queue, texts waiting for a model."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

from sourcebook.core.jobs import JobKind, JobStatus
from sourcebook.core.self_tests import ProbeCounts

JobCounts: TypeAlias = Mapping[tuple[JobKind, JobStatus], int]


@dataclass(frozen=True, slots=True)
class IndexSize:
    """What readers can ask for: collections, and the documents and chunks in them."""

    collections: int
    documents: int
    chunks: int


@dataclass(frozen=True, slots=True)
class QueueLength:
    """The texts that wait for a model, and those that it computes now."""

    waiting_queries: int = 0
    waiting_documents: int = 0
    running: int = 0


@runtime_checkable
class QueuedModel(Protocol):
    """A model with a queue of its own: one that runs on this machine."""

    @property
    def queue(self) -> QueueLength:
        """How long its queue is now."""
        ...


def queue_of(part: object) -> QueueLength | None:
    """Return the queue of a model, also of one that is wrapped; None if it has none."""
    while not isinstance(part, QueuedModel):
        inner = getattr(part, "inner", None)
        if inner is None:
            return None
        part = inner
    return part.queue


@dataclass(frozen=True, slots=True)
class ServiceStatistics:
    """All of it at one time. What could not be read is None, or left out."""

    index: IndexSize | None = None
    jobs: JobCounts | None = None
    disk_bytes: Mapping[str, int] = field(default_factory=dict)
    queues: Mapping[str, QueueLength] = field(default_factory=dict)
    probes: ProbeCounts | None = None


class StatisticsReader(Protocol):
    """Reads the statistics of a service."""

    async def read(self) -> ServiceStatistics:
        """Return them, some from a cache. Never raises."""
        ...


class NoStatistics:
    """Knows nothing."""

    async def read(self) -> ServiceStatistics:
        """Return nothing."""
        return ServiceStatistics()
