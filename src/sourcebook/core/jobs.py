"""Ingestion jobs: what was asked for, how far it is, and who may go on with it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from sourcebook.core.books import FileProblem

Mode: TypeAlias = Literal["incremental", "full", "recreate"]
JobStatus: TypeAlias = Literal["queued", "running", "completed", "partial", "failed", "cancelled"]
Trigger: TypeAlias = Literal["api", "webhook", "reconcile", "cli", "watch"]

# From the one that does least to the one that does most.
MODES: tuple[Mode, ...] = ("incremental", "full", "recreate")
UNFINISHED: tuple[JobStatus, ...] = ("queued", "running")


@dataclass(frozen=True, slots=True)
class JobRequest:
    """What somebody asks for. `docs_path` is None for the book's configured source."""

    book_id: str
    mode: Mode = "incremental"
    docs_path: str | None = None
    force: bool = False
    trigger: Trigger = "api"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is.

    files_processed: those that were indexed. files_skipped: those that were unchanged or failed.
    chunks_embedded and chunks_reused: for how many a model was called, and for how many not.
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
    current_file: str | None = None


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

    @property
    def fence(self) -> Fence:
        """The right that the present claim gives."""
        return Fence(self.id, self.token)

    @property
    def finished(self) -> bool:
        """Tell whether nothing will happen any more."""
        return self.status not in UNFINISHED


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended. `commit` is what the index now holds, of a book in git."""

    status: JobStatus
    error: str | None = None
    commit: str | None = None
