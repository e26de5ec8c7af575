"""Requests and replies of changes of a collection's embedding model."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from sourcebook.core.jobs import JobStatus
from sourcebook.surfaces.schema_types import StrictIn, WireModel


class ReindexIn(StrictIn):
    """The model that the collection is to change to."""

    embedding_model: str | None = Field(
        None,
        min_length=1,
        description="The id of a loaded model; without it, the one that the metadata ask for",
        examples=["mxbai-large"],
    )


class OrderedReindexOut(WireModel):
    """The job that will do it. `unchanged`: the collection uses that model already, and no job."""

    job_id: int | None
    status: JobStatus | Literal["unchanged"]
    collection: str
    embedding_model: str


class ReindexProgressOut(WireModel):
    """How far the new index is."""

    chunks_done: int
    chunks_total: int
    chunks_embedded: int = Field(description="Chunks that the model was called for")
    chunks_reused: int = Field(description="Chunks whose vectors were known already")
    eta_seconds: float | None = Field(description="By the pace so far, while it runs")


class RecallOut(WireModel):
    """How much of what the old index found the new one finds too, from 0 to 1."""

    questions: int = Field(description="Saved questions that the old index found something for")
    k: int = Field(description="How many of the first hits were compared")
    mean: float
    worst: float


class ReindexOut(WireModel):
    """The latest job of the collection; `none` if there was none."""

    collection: str
    embedding_model: str = Field(description="The model that questions are embedded with now")
    reindex_required: bool
    rollback_to: str | None = Field(description="The model that a rollback would go back to")
    job_id: int | None
    status: JobStatus | Literal["none"]
    target_model: str | None = Field(description="The model that the job changes to")
    is_rollback: bool
    cancel_requested: bool
    progress: ReindexProgressOut
    recall: RecallOut | None = Field(description="Only with `saved_questions` in the metadata")
    error: str | None
    queued_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
