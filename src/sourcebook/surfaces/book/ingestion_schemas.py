"""Requests and replies of ingestion: jobs, previews and the webhook."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field

from sourcebook.core.jobs import IngestMode, JobStatus, Trigger
from sourcebook.surfaces.book.schemas import Name
from sourcebook.surfaces.schema_types import StrictIn, WireModel, refuse_nul

MAX_FOLDER_LENGTH = 4_096
FOLDER_MEANS = (
    "A folder or file below the configured ones; from this machine itself, any of it. Or the"
    " address of a website, with options after `#`, as docs/websites.md describes them"
)
MAX_PATTERN_LENGTH = 500
MAX_PATTERNS = 50

Folder = Annotated[str, Field(max_length=MAX_FOLDER_LENGTH), AfterValidator(refuse_nul)]

Pattern = Annotated[str, Field(max_length=MAX_PATTERN_LENGTH), AfterValidator(refuse_nul)]
Patterns = Annotated[list[Pattern], Field(min_length=1, max_length=MAX_PATTERNS)]
Excludes = Annotated[list[Pattern], Field(max_length=MAX_PATTERNS)]


class TriggerIn(StrictIn):
    """What to ingest. `incremental` does what is new; `recreate` builds everything anew beside."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"mode": "incremental"}]})

    mode: IngestMode = "incremental"
    book_id: Name | None = Field(default=None, description="Another book than the one kept here")
    docs_path: Folder | None = Field(default=None, description=FOLDER_MEANS)
    force: bool = Field(default=False, description="Go on even if many documents would be deleted")
    patterns: Patterns | None = Field(
        default=None,
        description="Which files are lessons: path templates, `lessons`, `folders`, or `auto`."
        " Kept with the book; by default what is kept, else what fits the files",
    )
    exclude: Excludes | None = Field(
        default=None, description="Files and folders to leave out; also kept with the book"
    )


class OrderedOut(WireModel):
    """The job that does it; one that was queued already takes further requests in."""

    job_id: int
    status: JobStatus


class FileProblemOut(WireModel):
    """A file that somebody should look at."""

    path: str
    message: str


class LostProbeOut(WireModel):
    """A question whose lesson is no longer among the first hits. Commits are null without git."""

    question: str
    path: str
    parent_doc_id: str
    found_at: datetime = Field(description="When the lesson was last found")
    found_commit: str | None
    lost_at: datetime = Field(description="When it was first not found since")
    lost_commit: str | None


class SelfTestOut(WireModel):
    """Whether searches find the lessons of a book by its headings and first sentences.

    `found`, `lost`, `never_found` and `unchecked` make up all `probes`.
    """

    tested_at: datetime
    commit: str | None
    probes: int
    found: int
    lost: int
    never_found: int = Field(description="Not found since the question was made")
    unchecked: int
    note: str | None = Field(description="Why some are unchecked; the next run goes on")
    newly_lost: list[LostProbeOut] = Field(description="Found by the test before")
    still_lost: list[LostProbeOut] = Field(description="Lost before; of very many, the first")


class JobOut(WireModel):
    """An ingestion job. `files_processed` and `files_skipped` make up all files in the end."""

    job_id: int
    book_id: str
    mode: IngestMode
    status: JobStatus
    trigger: Trigger
    attempts: int
    cancel_requested: bool
    files_found: int
    files_processed: int
    files_skipped: int
    files_failed: int
    files_left: int
    documents_deleted: int
    chunks_created: int
    chunks_deleted: int
    chunks_embedded: int = Field(description="Chunks that a model was called for")
    chunks_reused: int = Field(description="Chunks whose vectors were known already")
    current_file: str | None
    eta_seconds: float | None = Field(description="By the pace so far, while it runs")
    queued_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    duration_seconds: float | None
    commit: str | None
    error_message: str | None
    warnings: list[FileProblemOut]
    warning_count: int = Field(default=0, description="All of them; `warnings` has the first")
    files_unmatched: int = Field(
        default=0, description="Markdown files that fit no pattern of the book"
    )
    other_files: dict[str, int] = Field(
        default={}, description="How many files of each other kind are there and were not read"
    )
    self_test: SelfTestOut | None = Field(
        default=None, description="Null if nothing changed that a test could tell"
    )


class ExampleOut(WireModel):
    """The beginning of one page of a website, as it would be indexed."""

    path: str
    source_url: str
    text: str


class ChangesOut(WireModel):
    """What a run would do; nothing was changed."""

    new: list[str]
    modified: list[str]
    deleted: list[str]
    unchanged: int
    unreadable: list[str] = Field(description="Left as they are indexed")
    warnings: list[FileProblemOut]
    warning_count: int = Field(default=0, description="All of them; `warnings` has the first")
    files_unmatched: int = Field(
        default=0, description="Markdown files that fit no pattern of the book"
    )
    other_files: dict[str, int] = Field(
        default={}, description="How many files of each other kind are there and not read"
    )
    lost: int = Field(description="Documents that would be gone for good; moved files are not")
    would_process: int = Field(description="Files that a run in this mode would index")
    would_refuse: bool = Field(description="So much would be lost that a run needs `force`")
    example: ExampleOut | None = Field(default=None, description="Of a website: one of its pages")


class FindingsOut(WireModel):
    """How the index of a collection compares with the ledger. The ids are chunk ids.

    `outdated` chunks are found by meaning, but not by all of their words, because these are indexed
    for another language; `sourcebook rebuild` indexes them anew. `awaiting` counts dead points that
    are deleted soon. Neither is a fault.
    """

    collection: str
    clean: bool
    chunks: int
    missing: list[str]
    orphaned: list[str]
    stale: list[str]
    broken: list[str]
    outdated: list[str]
    awaiting: int


class VerificationOut(WireModel):
    """Every collection with what differs; `clean` if nothing does."""

    clean: bool
    collections: list[FindingsOut]


class WebhookOut(WireModel):
    """What became of a delivery."""

    status: Literal["ok", "ignored"] | JobStatus
    reason: str | None = None
    job_id: int | None = None
