"""Replies about the books that are kept: what is indexed of each, and its files."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from sourcebook.core.jobs import IngestMode, JobStatus, Trigger
from sourcebook.surfaces.book.ingestion_schemas import FileProblemOut, SelfTestOut
from sourcebook.surfaces.schema_types import WireModel


class LatestJobOut(WireModel):
    """The latest job of a book; `/ingestion/status/{job_id}` has all of it."""

    job_id: int
    status: JobStatus
    mode: IngestMode
    trigger: Trigger
    queued_at: datetime
    completed_at: datetime | None
    error_message: str | None


class LayoutOut(WireModel):
    """Which files of the book are lessons, as its latest run used it."""

    patterns: list[str]
    exclude: list[str]
    automatic: bool = Field(description="Found by looking at the files: nobody chose the patterns")
    chosen_at: datetime


class BookOut(WireModel):
    """A book, as much of it as is indexed."""

    book_id: str
    configured: bool = Field(description="The book that this service keeps indexed by itself")
    files: int
    chunks: int
    size_bytes: int = Field(description="Of the source texts, in UTF-8")
    updated_at: datetime | None
    source: str | None = Field(description="The folder or the repository of its files")
    layout: LayoutOut | None
    problems: int = Field(description="Warnings of the latest job that has ended")
    files_unmatched: int = Field(description="Markdown files that fit no pattern")
    other_files: dict[str, int] = Field(description="Files of other kinds, which are not read")
    latest_job: LatestJobOut | None


class BooksOut(WireModel):
    """All books, by id."""

    books: list[BookOut]


class BookDetailsOut(BookOut):
    """A book, what the latest job that has ended warned about, and the latest self-test."""

    warnings: list[FileProblemOut]
    self_test: SelfTestOut | None = Field(default=None, description="Null if there was none")


class BookFileOut(WireModel):
    """A file of a book. One that is not indexed has a problem that says why."""

    path: str
    state: Literal["indexed", "not_indexed"]
    title: str | None
    chunks: int
    hardware_tier: int | None
    parent_doc_id: str | None = Field(description="For /lesson; null if it is not indexed")
    updated_at: datetime | None
    problems: list[str]


class BookFilesOut(WireModel):
    """A page of files by path, those first that are not indexed; `total` counts all pages."""

    book_id: str
    files: list[BookFileOut]
    count: int
    total: int


class DeletedBookOut(WireModel):
    """A book that is gone from the index. Its source files and its jobs' history stay."""

    status: Literal["deleted"] = "deleted"
    book_id: str
    files_deleted: int
    chunks_deleted: int


class StoredFileOut(WireModel):
    """A file that was kept."""

    path: str
    size_bytes: int


class UploadedOut(WireModel):
    """What was kept of an upload, and the job that indexes it."""

    book_id: str
    files: list[StoredFileOut]
    job_id: int
    status: JobStatus
