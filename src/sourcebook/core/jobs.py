"""Ingestion jobs: the request, the progress, and the lease of the worker."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sourcebook.core.book_source import FileProblem
from sourcebook.core.metadata import Metadata
from sourcebook.core.self_tests import SelfTestReport

# Jobs of different kinds run beside one another; those of one kind take turns.
JobKind: TypeAlias = Literal["book", "documents", "reindex"]
IngestMode: TypeAlias = Literal["incremental", "full", "recreate"]
JobStatus: TypeAlias = Literal["queued", "running", "completed", "partial", "failed", "cancelled"]
# `local`: an administrator on this machine named a folder, which may be any folder of it.
Trigger: TypeAlias = Literal["api", "webhook", "reconcile", "cli", "watch", "local"]

# From the one that does least to the one that does most.
MODES: tuple[IngestMode, ...] = ("incremental", "full", "recreate")
UNFINISHED: tuple[JobStatus, ...] = ("queued", "running")


@dataclass(frozen=True, slots=True)
class JobRequest:
    """What somebody asks for. `docs_path` is None for the book's configured source.

    `patterns` and `exclude` say which files are lessons; None for what the book has.
    A job of kind `reindex` has a `model` that a collection is to change to; a rollback says in
    `back_to` to which index. What stands for a book there is `reindex_queue` of the collection.
    """

    book_id: str
    mode: IngestMode = "incremental"
    docs_path: str | None = None
    force: bool = False
    trigger: Trigger = "api"
    model: str | None = None
    back_to: str | None = None
    patterns: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is.

    files_processed: those that were indexed. files_skipped: those that were unchanged or failed.
    chunks_embedded and chunks_reused: for how many a model was called, and for how many not.
    chunks_found: how many a collection has that is being reindexed.
    files_unmatched: markdown files that fit no pattern; other_files: how many of each other kind.
    warning_count: how many warnings there are, of which a job lists the first.
    """

    files_found: int = 0
    files_processed: int = 0
    files_skipped: int = 0
    files_failed: int = 0
    files_left: int = 0
    documents_deleted: int = 0
    chunks_created: int = 0
    chunks_deleted: int = 0
    chunks_embedded: int = 0
    chunks_reused: int = 0
    chunks_found: int = 0
    current_file: str | None = None
    files_unmatched: int = 0
    other_files: Mapping[str, int] = field(default_factory=dict)
    warning_count: int = 0


@dataclass(frozen=True, slots=True)
class Recall:
    """How much of what the old index finds the new one finds too, in the first `k`, from 0 to 1."""

    questions: int
    k: int
    mean: float
    worst: float


@dataclass(frozen=True, slots=True)
class Fence:
    """The right to act for a job. Whoever claims the job next gets a higher token."""

    job_id: int
    token: int


@dataclass(frozen=True, slots=True)
class IngestJob:
    """A job as the ledger has it. Times are Unix seconds."""

    id: int
    request: JobRequest
    status: JobStatus
    token: int
    attempts: int
    created_at_s: float
    started_at_s: float | None = None
    finished_at_s: float | None = None
    lease_until_s: float | None = None
    cancel_requested: bool = False
    progress: Progress = Progress()
    warnings: tuple[FileProblem, ...] = ()
    error: str | None = None
    commit: str | None = None
    building: str | None = None
    kind: JobKind = "book"
    recall: Recall | None = None
    self_test: SelfTestReport | None = None

    @property
    def fence(self) -> Fence:
        """The right that the present claim gives."""
        return Fence(self.id, self.token)

    @property
    def finished(self) -> bool:
        return self.status not in UNFINISHED


def reindex_queue(collection_id: str) -> str:
    """What the jobs that reindex a collection queue under; no book has such an id."""
    return f"collections/{collection_id}"


def collection_of(request: JobRequest) -> str:
    """The id of the collection that a job reindexes."""
    return request.book_id.removeprefix(reindex_queue(""))


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended. `commit` is what the index now holds, of a book in git."""

    status: JobStatus
    error: str | None = None
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class ImportItem:
    """One document of a bulk import, as it was posted; `position` counts from 0."""

    position: int
    document: Metadata


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What became of an item: a word (created, updated, unchanged, failed), its id, and why."""

    status: str
    document_id: str | None = None
    chunk_count: int = 0
    message: str | None = None


@dataclass(frozen=True, slots=True)
class ImportTally:
    """The progress of a bulk import: its items by status, and the first failures by position."""

    total: int
    by_status: Mapping[str, int]
    failures: tuple[tuple[int, ItemResult], ...]

    @property
    def settled(self) -> int:
        """How many items are done with."""
        return sum(self.by_status.values())
